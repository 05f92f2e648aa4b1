"""A conflicts register and a restricted list: imported in their own voice, and compared like a chart."""

import csv
import io
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from tests.acceptance.conftest import Installation, begun_in
from tests.acceptance.shell import Shell

LISTS = Path(__file__).parents[1] / "unit" / "records" / "lists"
FIRM = ("--subject", "D01", "--subject-name", "Own desk")


def shell_of(tmp_path: Path, schema: str) -> Shell:
    installation: Installation = begun_in(tmp_path)
    return Shell(installation=installation.with_settings(schema=schema))


def table(name: str, ending: str = ".csv") -> tuple[str, ...]:
    return (str(LISTS / f"{name}{ending}"), "--mapping", str(LISTS / f"{name}.yaml"))


def as_sheet(source: Path, target: Path, delimiter: str) -> str:
    """The same table as a spreadsheet."""
    lines = list(csv.reader(io.StringIO(source.read_text(encoding="utf-8")), delimiter=delimiter))
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'
    cells = "".join(f"<row>{''.join(cell.format(escape(item)) for item in line)}</row>" for line in lines)
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{cells}</sheetData></worksheet>")
    return str(target)


@pytest.mark.parametrize("sheet", [False, True], ids=["csv", "xlsx"])
def test_a_conflicts_register_stands_in_each_clients_file_and_meets_what_was_said(tmp_path: Path, sheet: bool) -> None:
    shell = shell_of(tmp_path, "law")
    file, *mapping = table("conflicts")
    if sheet:
        file = as_sheet(Path(file), tmp_path / "conflicts.xlsx", ",")
    shell.json("remember", "The client is suing Acme Corp.", "-s", "C01", "--subject-name", "Bell Foods")
    shell.json("remember", "My wife works for Globex. We have a conflict with Globex.", "-s", "C01")
    compared = shell.json("reconcile", "C01", "--record", file, *mapping)
    report = shell.json("import", "table", file, *mapping)
    assert report["counts"] == {"stored": 6, "refused": 1}
    assert report["refused"][0]["reason"] == "'Witness' is no word of `relations`"
    stored = shell.json("reconcile", "C01")
    for answer in (compared, stored):
        found = {(row["outcome"], row["relation"], row["thing"].casefold()) for row in answer["rows"]}
        assert ("agrees", "HAS_CONFLICT_WITH", "acme corp") in found
        assert ("said, not recorded", "HAS_CONFLICT_WITH", "globex") in found
        assert ("recorded, not said", "FIRM_ACTS_FOR", "tower estates") in found
    facts = {item["object"]: item["status"] for item in shell.json("facts", "--subject", "C01")["facts"]}
    assert facts["Harrow Logistics"] == "resolved"
    [clear] = shell.json("facts", "--subject", "C03")["facts"]
    assert (clear["relation"], clear["status"]) == ("HAS_CONFLICT_WITH", "negated")


def test_a_restricted_list_is_the_desks_and_an_entry_that_is_taken_off_is_over(tmp_path: Path) -> None:
    shell = shell_of(tmp_path, "finance")
    file, *mapping = table("restricted")
    shell.json("remember", "We must not hold Fabrikam. We must not buy tobacco.", *FIRM)
    compared = shell.json("reconcile", "D01", "--record", file, *mapping)
    assert shell.json("import", "table", file, *mapping, *FIRM)["counts"] == {"stored": 4, "refused": 0}
    facts = {item["object"]: (item["relation"], item["status"]) for item in shell.json("facts", "-s", "D01")["facts"]}
    assert facts["Contoso"] == ("RESTRICTED_FROM", "resolved")
    assert facts["Tailspin"] == ("RESTRICTED_FROM", "active")
    assert facts["Northwind"] == ("ON_WATCH_LIST", "active")
    for answer in (compared, shell.json("reconcile", "D01")):
        found = {(row["outcome"], row["thing"].casefold()) for row in answer["rows"]}
        assert {("agrees", "fabrikam"), ("said, not recorded", "tobacco"), ("recorded, not said", "tailspin")} <= found
    block = shell.run("recall", "Buy 100 Tailspin.", "--subject", "D01").stdout
    assert 'must not trade or hold "Tailspin" (reason: Lock-up)' in block


@pytest.mark.parametrize(
    ("schema", "name", "who", "said", "wanted"),
    [
        (
            "law",
            "conflicts",
            ("C01", "Bell Foods"),
            ("The client is suing Acme Corp.", "They sued Globex.", "The client is suing Harrow Logistics."),
            {
                ("contradicts", "harrow logistics"),
                ("said, not recorded", "globex"),
                ("recorded, not said", "tower estates"),
                ("recorded, not said", "initech"),
                ("agrees", "acme corp"),
            },
        ),
        (
            "finance",
            "restricted",
            ("D01", "Own desk"),
            ("We must not hold Fabrikam.", "We must not hold Contoso.", "We must not buy tobacco."),
            {
                ("contradicts", "contoso"),
                ("said, not recorded", "tobacco"),
                ("recorded, not said", "tailspin"),
                ("recorded, not said", "northwind"),
                ("agrees", "fabrikam"),
            },
        ),
    ],
    ids=["law", "finance"],
)
def test_every_kind_of_row_stands_in_the_comparison_with_a_list(
    tmp_path: Path, schema: str, name: str, who: tuple[str, str], said: tuple[str, ...], wanted: set[tuple[str, str]]
) -> None:
    # Issue 32.9: a list is compared like a chart, imported or not.
    shell = shell_of(tmp_path, schema)
    subject, subject_name = who
    for words in said:
        shell.json("remember", words, "-s", subject, "--subject-name", subject_name)
    file, *mapping = table(name)
    from_file = shell.json("reconcile", subject, "--record", file, *mapping)["rows"]
    shell.json("import", "table", file, *mapping, *(FIRM if schema == "finance" else ()))
    stored = shell.json("reconcile", subject)["rows"]
    for rows in (from_file, stored):
        asked = [row for row in rows if row["outcome"] == "never asked"]
        assert {(row["outcome"], row["thing"].casefold()) for row in rows if row not in asked} == wanted
        assert asked
        assert all(row["question"] for row in rows if row["outcome"] != "agrees")
        both = [row for row in rows if row["outcome"] in {"agrees", "contradicts"}]
        assert all(row["said_by"] and f"{name}.csv" in row["recorded_by"] for row in both)
    assert [row["id"] for row in from_file] == [row["id"] for row in stored]


def test_a_list_that_names_others_alone_is_not_compared(tmp_path: Path) -> None:
    shell = shell_of(tmp_path, "law")
    shell.json("remember", "The client is suing Acme Corp.", "-s", "C09", "--subject-name", "Nadir Ltd")
    file, *mapping = table("conflicts")
    refused = shell.run("reconcile", "C09", "--record", file, *mapping)
    assert refused.returncode == 2
    assert "nothing in it says that this is 'C09'" in refused.stderr
