"""Structured files through the command line: imported as what they are, in a voice of their own, or refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import Installation, begun_in
from tests.acceptance.shell import Shell
from tests.unit.records.test_ccda import ALLERGIES, DENIED, PENICILLIN, concern, document, section, sensitivity
from tests.unit.records.test_chats import CHATGPT, CLAUDE, SERVER_MEMORY
from tests.unit.records.test_fhir import an_allergy, coded
from tests.unit.records.test_tables import MAPPING, ROWS

JOHN = ("--subject", "JD001", "--subject-name", "John Doe")


@pytest.fixture
def shell(installation: Installation) -> Shell:
    return Shell(installation=installation)


def written(path: Path, *resources: dict[str, Any]) -> str:
    bundle = {"resourceType": "Bundle", "entry": [{"resource": resource} for resource in resources]}
    path.write_text(json.dumps(bundle), encoding="utf-8")
    return str(path)


def test_a_refuted_entry_is_refuted_and_never_read_as_prose(shell: Shell, tmp_path: Path) -> None:
    """F1: read as prose it was an active risk."""
    chart = written(tmp_path / "chart.json", an_allergy(verificationStatus=coded("refuted")))
    ingested = shell.run("ingest", chart, *JOHN)
    assert ingested.returncode == 2
    assert "r-memory import fhir FILE" in ingested.stderr
    report = shell.json("import", "fhir", chart, *JOHN)
    assert report["counts"] == {"stored": 1, "refused": 0}
    [fact] = shell.json("facts", "--subject", "JD001")["facts"]
    assert (fact["object"], fact["status"], fact["route"]) == ("Penicillin", "refuted", "record")
    assert "Penicillin" in shell.run("recall", "Order amoxicillin.", "--subject", "JD001").stdout


def test_the_same_export_twice_stores_nothing_twice(shell: Shell, tmp_path: Path) -> None:
    chart = written(tmp_path / "chart.json", an_allergy())
    shell.json("import", "fhir", chart, *JOHN)
    assert shell.json("import", "fhir", chart, *JOHN)["counts"] == {"known": 1, "refused": 0}
    [fact] = shell.json("facts", "--subject", "JD001")["facts"]
    assert fact["observations"] == 1


def test_a_record_stands_beside_what_was_said_and_takes_no_risk_away(shell: Shell, tmp_path: Path) -> None:
    shell.json("remember", "I am severely allergic to penicillin.", *JOHN)
    shell.json("import", "fhir", written(tmp_path / "c.json", an_allergy(verificationStatus=coded("refuted"))), *JOHN)
    block = shell.run("recall", "Order amoxicillin.", "--subject", "JD001").stdout
    assert "said" in block
    assert "CRITICAL ALLERGY: John Doe is allergic to Penicillin" in block
    assert "CONTRADICTED" in block


def test_a_block_says_which_voice_a_fact_has(shell: Shell, tmp_path: Path) -> None:
    shell.json("import", "fhir", written(tmp_path / "c.json", an_allergy(recordedDate="2019-03-01")), *JOHN)
    assert "recorded 2019-03-01 by c.json" in shell.run("recall", "Order amoxicillin.", "--subject", "JD001").stdout


def test_what_is_not_imported_is_named_and_a_dry_run_writes_nothing(shell: Shell, tmp_path: Path) -> None:
    other = {**an_allergy(patient={"reference": "Patient/p2"}), "id": "a2"}
    chart = written(tmp_path / "chart.json", an_allergy(), other, {"resourceType": "Slot", "id": "s"})
    dry = shell.run("import", "fhir", chart, *JOHN, "--dry-run")
    assert dry.returncode == 0
    assert "NOT IMPORTED: AllergyIntolerance/a2: it is about another person, 'p2'" in dry.stdout
    assert "NOT IMPORTED: Slot/s: Slot is not read" in dry.stdout
    assert "Nothing was written" in dry.stdout
    assert shell.json("subjects") == []


def test_a_damaged_file_imports_nothing(shell: Shell, tmp_path: Path) -> None:
    half = tmp_path / "half.json"
    half.write_text(
        Path(written(tmp_path / "c.json", an_allergy())).read_text(encoding="utf-8")[:-30], encoding="utf-8"
    )
    done = shell.run("import", "fhir", str(half), *JOHN)
    assert done.returncode == 2
    assert "nothing was imported" in done.stderr
    assert shell.json("subjects") == []


def test_rows_of_a_table_stand_each_on_its_own_person(shell: Shell, tmp_path: Path) -> None:
    """F4: the rows of seven people stood on one record."""
    (tmp_path / "list.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "mapping.yaml").write_text(MAPPING, encoding="utf-8")
    mapping = ("--mapping", str(tmp_path / "mapping.yaml"))
    ingested = shell.run("ingest", str(tmp_path / "list.csv"), *JOHN)
    assert "is a table" in ingested.stderr
    report = shell.json("import", "table", str(tmp_path / "list.csv"), *mapping)
    assert report["counts"] == {"stored": 3, "refused": 0}
    facts = {id_: shell.json("facts", "--subject", id_)["facts"] for id_ in ("P1", "P2", "P3")}
    assert {id_: [(item["object"], item["status"]) for item in each] for id_, each in facts.items()} == {
        "P1": [("Latex", "active")],
        "P2": [("Egg", "resolved")],
        "P3": [("any", "negated")],
    }


def test_said_and_recorded_stand_side_by_side_with_a_question(shell: Shell, tmp_path: Path) -> None:
    shell.json("remember", "I am severely allergic to penicillin.", *JOHN)
    shell.json("remember", "I have a pacemaker.", *JOHN)
    latex = {**an_allergy(code={"text": "Latex"}), "id": "a2"}
    chart = written(tmp_path / "chart.json", an_allergy(verificationStatus=coded("refuted")), latex)
    compared = shell.json("reconcile", "JD001", "--record", chart)
    assert len(shell.json("facts", "--subject", "JD001")["facts"]) == 2  # nothing of the file is stored
    shell.json("import", "fhir", chart, *JOHN)
    table = tmp_path / "visit.csv"
    stored = shell.json("reconcile", "JD001", "--csv", str(table))
    for answer in (compared, stored):
        found = {(row["outcome"], row["thing"]) for row in answer["rows"] if row["outcome"] != "never asked"}
        assert found == {
            ("contradicts", "Penicillin"),
            ("said, not recorded", "Pacemaker"),
            ("recorded, not said", "Latex"),
        }
    assert [row["id"] for row in stored["rows"]] == [row["id"] for row in compared["rows"]]
    assert "Which is right?" in stored["rows"][0]["question"]
    assert table.read_text(encoding="utf-8").count("\n") == len(stored["rows"]) + 1


def test_what_was_said_goes_out_as_fhir_and_into_an_empty_space(shell: Shell, tmp_path: Path) -> None:
    """Doubt goes out as doubt, "none" as none, and the words go with each."""
    shell.json("remember", "I am severely allergic to penicillin. I might be allergic to latex.", *JOHN)
    shell.json("remember", "I have no food allergies. I take warfarin.", *JOHN)
    bundle = tmp_path / "john.json"
    report = shell.json("export", str(bundle), "--fhir", "--subject", "JD001")
    assert report["counts"] == {"AllergyIntolerance": 3, "MedicationStatement": 1}
    resources = [entry["resource"] for entry in json.loads(bundle.read_text(encoding="utf-8"))["entry"]]
    doubtful = [resource for resource in resources if resource.get("code", {}).get("text") == "Latex"]
    assert doubtful[0]["verificationStatus"]["coding"][0]["code"] == "unconfirmed"
    assert "I take warfarin." in {
        resource["contained"][0]["payload"][0]["contentString"]
        for resource in resources
        if resource["resourceType"] == "Provenance"
    }
    there = Shell(installation=shell.installation.with_settings(space="elsewhere"))
    imported = there.json("import", "fhir", str(bundle), *JOHN)
    assert imported["counts"] == {"stored": 4, "refused": 0}
    told = ("relation", "object", "status", "said_at")
    kept = [
        sorted(tuple(fact[name] for name in told) for fact in item.json("facts", "-s", "JD001")["facts"])
        for item in (shell, there)
    ]
    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    ("way", "back"), [((), ()), (("--fhir", "--subject", "JD001"), ("fhir",))], ids=["jsonl", "fhir"]
)
def test_facts_leave_each_store_as_a_file_and_stand_the_same_in_a_new_one(
    installation: Installation, tmp_path: Path, way: tuple[str, ...], back: tuple[str, ...]
) -> None:
    """Issue 32: the ways out that lose no word, from either store into a new one."""
    shell = Shell(installation=installation)
    shell.json("remember", "I am severely allergic to penicillin. I might be allergic to latex.", *JOHN)
    shell.json("remember", "I have no food allergies. I take warfarin.", *JOHN)
    file = tmp_path / "leaving.json"

    shell.json("export", str(file), *way)
    there = Shell(installation=begun_in(tmp_path / "new").with_settings(space=installation.settings["space"]))
    there.json("import", *back, str(file), *(JOHN if back else ()))

    told = ("relation", "object", "status", "evidence", "said_at")
    here, arrived = (
        sorted(tuple(fact[name] for name in told) for fact in item.json("facts", "-s", "JD001")["facts"])
        for item in (shell, there)
    )
    assert len(here) == 4
    if back:  # the words of an entry are behind its Provenance
        here, arrived = ([fact[:3] + fact[4:] for fact in facts] for facts in (here, arrived))
    assert arrived == here


BACK = """\
version: 1
relation: HAS_ALLERGY_TO
statuses: {active: active, unconfirmed: unconfirmed}
columns: {subject: subject, name: name, object: object, status: status, said: said_at}
"""


def test_facts_go_out_as_a_table_and_come_back_by_a_mapping(standing: Installation, tmp_path: Path) -> None:
    """Issue 32: a way out that a spreadsheet reads, on either store."""
    shell = Shell(installation=standing.with_settings(space="leaving"))
    shell.json("remember", "I am severely allergic to penicillin. I might be allergic to latex.", *JOHN)
    table, mapping = tmp_path / "facts.csv", tmp_path / "back.yaml"
    mapping.write_text(BACK, encoding="utf-8")

    assert shell.json("export", str(table), "--csv")["facts"] == 2
    there = Shell(installation=standing.with_settings(space="arrived"))
    there.json("import", "table", str(table), "--mapping", str(mapping))

    kept = [
        sorted(
            (fact["relation"], fact["object"], fact["status"]) for fact in item.json("facts", "-s", "JD001")["facts"]
        )
        for item in (shell, there)
    ]
    assert kept[0] == kept[1]


def test_a_file_has_one_form(shell: Shell, tmp_path: Path) -> None:
    done = shell.run("export", str(tmp_path / "x"), "--csv", "--cypher")
    assert (done.returncode, "one form" in done.stderr) == (2, True)


def test_a_c_cda_is_read_by_its_entries_and_its_prose_as_prose(shell: Shell, tmp_path: Path) -> None:
    """F2: "no allergy" was an allergy, and a page of entries 33 facts of junk."""
    course = section(("8648-8", "Hospital course"), text="<paragraph>She is allergic to latex.</paragraph>")
    chart = tmp_path / "chart.xml"
    chart.write_bytes(document(section(ALLERGIES, concern(sensitivity(PENICILLIN, attributes=DENIED))), course))
    assert "r-memory import ccda FILE" in shell.run("ingest", str(chart), *JOHN).stderr
    report = shell.json("import", "ccda", str(chart), *JOHN)
    assert report["counts"] == {"stored": 1, "refused": 0}
    assert report["narratives"] == ["Hospital course"]
    facts = {fact["object"]: fact for fact in shell.json("facts", "--subject", "JD001")["facts"]}
    assert {name: (fact["status"], fact["route"]) for name, fact in facts.items()} == {
        "Penicillin": ("negated", "record"),
        "Latex": ("active", "rules"),
    }
    assert facts["Latex"]["said_at"][:10] == "2024-01-02"
    assert facts["Latex"]["speaker"] == "chart.xml (chart.xml, section Hospital course)"


def test_a_conversation_gives_the_persons_facts_and_none_of_the_assistants(shell: Shell, tmp_path: Path) -> None:
    """F6: what the assistant said was active facts. Read again, nothing is stored twice."""
    export = tmp_path / "conversations.json"
    export.write_text(json.dumps([CHATGPT, CLAUDE]), encoding="utf-8")
    assert "r-memory import chat FILE" in shell.run("ingest", str(export), *JOHN).stderr
    dry = shell.json("import", "chat", str(export), *JOHN, "--dry-run")
    assert shell.json("subjects") == []
    report = shell.json("import", "chat", str(export), *JOHN)
    assert report["counts"] == dry["counts"]
    facts = {fact["object"]: fact for fact in shell.json("facts", "--subject", "JD001")["facts"]}
    assert {name: (fact["status"], fact["said_at"][:10]) for name, fact in facts.items() if name != "Penicillin"} == {
        "Latex": ("active", "2023-11-14"),
        "Warfarin": ("active", "2024-05-01"),
    }
    assert facts.get("Penicillin", {"status": "negated"})["status"] == "negated"
    shell.json("import", "chat", str(export), *JOHN)
    assert {fact["observations"] for fact in shell.json("facts", "--subject", "JD001")["facts"]} == {1}


def test_another_memory_is_imported_by_the_person_whom_it_names(shell: Shell, tmp_path: Path) -> None:
    kept = tmp_path / "memory.jsonl"
    kept.write_text(SERVER_MEMORY, encoding="utf-8")
    refused = shell.run("import", "memory", str(kept), *JOHN)
    assert refused.returncode == 2
    assert "say so with --person" in refused.stderr
    shell.json("import", "memory", str(kept), *JOHN, "--person", "Ann")
    [fact] = shell.json("facts", "--subject", "JD001")["facts"]
    assert (fact["object"], fact["speaker"], fact["said_at"]) == ("Latex", "memory.jsonl", "")


LETTER = """Date: 3 March 2009
Re: {name}, born 1970

Thank you for seeing her. She is allergic to latex.
"""


@pytest.mark.parametrize(
    ("options", "said"),
    [((), "2009-03-03"), (("--said-at", "2012-01-02"), "2012-01-02")],
)
def test_a_letter_is_of_its_own_date_and_never_of_today(
    shell: Shell, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    """F8, R32: everything in an old letter counted as said today."""
    letter = tmp_path / "letter.txt"
    letter.write_text(LETTER.format(name="John Doe"), encoding="utf-8")
    shell.json("ingest", str(letter), *JOHN, "--speaker", "Dr Ada", *options)
    [fact] = shell.json("facts", "--subject", "JD001")["facts"]
    assert fact["said_at"][:10] == said
    assert fact["speaker"] == "Dr Ada (letter.txt, line 1)"


UNDATED_LETTER = "She is allergic to latex. Seen 3 March 2009 and 5 May 2010."


def test_a_letter_without_a_date_is_of_an_unknown_one(shell: Shell, tmp_path: Path) -> None:
    """It may be old: it never counts as newer than what somebody said."""
    letter = tmp_path / "letter.txt"
    letter.write_text(UNDATED_LETTER, encoding="utf-8")
    assert "of an unknown date; give one with --said-at" in shell.run("ingest", str(letter), *JOHN).stdout
    [fact] = shell.json("facts", "--subject", "JD001")["facts"]
    assert fact["said_at"] == ""
    assert "(date unknown)" in shell.run("facts", "--subject", "JD001").stdout
    block = shell.run("recall", "Order latex gloves.", "--subject", "JD001").stdout
    assert 'said (date unknown) by letter.txt, line 1: "She is allergic to latex."' in block
    assert shell.run("verify").returncode == 0
    backup = tmp_path / "backup.jsonl"
    shell.json("export", str(backup))
    assert shell.run("import", str(backup), "--dry-run").returncode == 0


@pytest.mark.parametrize(("answer", "said"), [("2009-03-03\n", "2009-03-03"), ("\n", "")])
def test_the_date_of_a_letter_is_asked_for_on_a_terminal(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, said: str
) -> None:
    monkeypatch.setattr("r_memory.cli.ingesting.on_terminal", lambda: True)
    letter = tmp_path / "letter.txt"
    letter.write_text(UNDATED_LETTER, encoding="utf-8")
    asked = shell.run("ingest", str(letter), *JOHN, words=answer).stderr
    assert "When was letter.txt written?" in asked
    [fact] = shell.json("facts", "--subject", "JD001")["facts"]
    assert fact["said_at"][:10] == said


def test_an_entry_without_a_date_is_of_an_unknown_one(shell: Shell, tmp_path: Path) -> None:
    shell.json("import", "fhir", written(tmp_path / "c.json", an_allergy()), *JOHN)
    block = shell.run("recall", "Order amoxicillin.", "--subject", "JD001").stdout
    assert "recorded (date unknown) by c.json" in block


def test_another_persons_letter_is_refused(shell: Shell, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text(LETTER.format(name="Mary Smith"), encoding="utf-8")
    refused = shell.run("ingest", str(letter), *JOHN)
    assert refused.returncode == 2
    assert "heading names 'Mary Smith', and JD001 is 'John Doe'" in refused.stderr
    assert shell.json("subjects") == []
    assert shell.run("ingest", str(letter), *JOHN, "--same-person").returncode == 0
