"""Tables by a mapping: one row is one fact, about the person that the row names."""

import io
import zipfile
from pathlib import Path

import pytest

from r_memory.errors import ConfigurationError, InvalidInput
from r_memory.records.tables import TableForm, load_table_mapping, read
from r_memory.records.values import FileReading
from tests.unit.records.world import form_and_reader, refused, stated

MAPPING = """\
version: 1
relation: HAS_ALLERGY_TO
statuses: {active: active, ended: resolved}
unstated: active
none: {none known: any}
columns:
  subject: who
  name: called
  object: substance
  status: state
  said: date
  attrs: {reaction: reaction}
"""
NOW = 1_795_256_102_000
ROWS = """\
who,called,substance,reaction,state,date
P1,Ann Lee,Latex,rash,active,2019-03-01
P2,Bob Ray,Egg,,ended,2020-01-05
P3,Cy Dee,none known,,,
"""


def mapped(tmp_path: Path, text: str = MAPPING) -> TableForm:
    path = tmp_path / "mapping.yaml"
    path.write_text(text, encoding="utf-8")
    return load_table_mapping(path, form_and_reader()[1].schema)


def rows(tmp_path: Path, data: bytes | str, mapping: str = MAPPING) -> FileReading:
    given = data.encode() if isinstance(data, str) else data
    return read(given, "list.csv", mapped(tmp_path, mapping), form_and_reader()[1].schema, now=NOW)


def test_each_row_is_a_fact_about_its_own_person(tmp_path: Path) -> None:
    """F4: seven people's rows stood on one record, ended ones active."""
    reading = rows(tmp_path, ROWS)
    assert stated(reading) == {
        "row 2": ("HAS_ALLERGY_TO", "Latex", "active"),
        "row 3": ("HAS_ALLERGY_TO", "Egg", "resolved"),
        "row 4": ("HAS_ALLERGY_TO", "any", "negated"),
    }
    assert [(entry.about, entry.name) for entry in reading.entries] == [
        ("P1", "Ann Lee"),
        ("P2", "Bob Ray"),
        ("P3", "Cy Dee"),
    ]


def test_a_spreadsheet_says_the_same(tmp_path: Path) -> None:
    def sheet(lines: list[list[str]]) -> bytes:
        cells = "".join(
            "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in line) + "</row>"
            for line in lines
        )
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{cells}</sheetData></worksheet>")
        return out.getvalue()

    lines = [line.split(",") for line in ROWS.splitlines()]
    assert stated(rows(tmp_path, sheet(lines))) == stated(rows(tmp_path, ROWS))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("P1,Ann,=HYPERLINK(1),,active,", "is a formula and no name"),
        ("P1,Ann,,,active,", "its cell for the thing is empty"),
        (",Ann,Latex,,active,", "it names nobody"),
    ],
)
def test_a_row_that_says_nothing_is_named(tmp_path: Path, row: str, reason: str) -> None:
    reading = rows(tmp_path, f"{ROWS.splitlines()[0]}\n{row}\n")
    assert reading.entries == ()
    assert reason in refused(reading)["row 2"]


def test_a_status_that_the_mapping_lacks_is_kept_as_a_doubt(tmp_path: Path) -> None:
    [entry] = rows(tmp_path, f"{ROWS.splitlines()[0]}\nP1,Ann,Latex,,perhaps,\n").entries
    assert entry.proposals[0].status == "unconfirmed"
    assert "'perhaps' is not in the mapping" in entry.note


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("who,called,thing\nP1,Ann,Latex\n", "has no column 'substance'"),
        (ROWS.replace("Latex", "Caf\xe9").encode("latin-1"), "such as latin-1"),
        (f'{ROWS}P9,Al,"Lat', "is cut off or damaged"),
        (f"{ROWS}P9,Al,Latex,rash,active,2019,more\n", "line 5: more cells than headings"),
        (b"PK\x03\x04nothing", "a damaged spreadsheet"),
    ],
)
def test_a_damaged_table_imports_nothing(tmp_path: Path, data: bytes | str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        rows(tmp_path, data)


def test_a_mapping_names_its_mistakes_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="HAS_ALERGY"):
        mapped(tmp_path, MAPPING.replace("HAS_ALLERGY_TO", "HAS_ALERGY"))


def test_latin_1_is_read_where_the_mapping_says_so(tmp_path: Path) -> None:
    data = ROWS.replace("Latex", "Café").encode("latin-1")
    assert stated(rows(tmp_path, data, f"{MAPPING}encoding: latin-1\n"))["row 2"][1] == "Café"
