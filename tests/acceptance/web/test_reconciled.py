"""What was said beside what is recorded, as people see it in a browser, over a real store."""

import csv
import html
import json
import re
from pathlib import Path

import pytest

from r_memory.cli.records import read_record
from r_memory.config.settings import Settings
from r_memory.domain.changes import Change
from r_memory.domain.instants import UNDATED
from r_memory.memory import Memory
from r_memory.records.importing import of_person, store
from tests.acceptance.web.site import Browser
from tests.unit.records.test_fhir import an_allergy, coded

pytestmark = pytest.mark.anyio

SAID = "I am severely allergic to penicillin. I have a pacemaker. I am allergic to egg."


async def recorded(memory: Memory, settings: Settings, id_: str, folder: Path) -> None:
    """A chart of the person: penicillin refuted, latex and egg active."""
    chart = folder / "chart.json"
    entries = [
        an_allergy(verificationStatus=coded("refuted")),
        {**an_allergy(code={"text": "Latex"}), "id": "a2"},
        {**an_allergy(code={"text": "Egg"}), "id": "a3"},
    ]
    chart.write_text(json.dumps({"resourceType": "Bundle", "entry": [{"resource": entry} for entry in entries]}))
    about = await memory.find_subject(id_)
    reading = of_person(read_record(settings, memory, chart), about, person="JD001")
    report = await store(memory.facts, about, reading, source=chart.name, undated=UNDATED, dry_run=False)
    assert len(report.stored) == len(entries)


def rows_of(page: str) -> dict[tuple[str, str], str]:
    """Outcome and matter of each row, to the row."""
    rows = re.findall(r"<tr>(<td>.*?)</tr>", page, re.DOTALL)
    cells = [re.findall(r"<td>(.*?)</td>", row, re.DOTALL) for row in rows]
    return {(one[0], one[1]): row for one, row in zip(cells, rows, strict=True)}


async def test_both_voices_of_each_matter_stand_in_one_table_with_what_to_ask(
    browser: Browser, memory: Memory, settings: Settings, someone: str, tmp_path: Path
) -> None:
    await memory.remember(SAID, subject=someone, subject_name=f"Jane {someone}", speaker="patient")
    await recorded(memory, settings, someone, tmp_path)
    assert f"/reconcile?id={someone}" in await browser.see("/person", id=someone)
    rows = rows_of(await browser.see("/reconcile", id=someone))
    assert [key for key in rows if key[0] != "never asked"] == [
        ("contradicts", "HAS_ALLERGY_TO Penicillin"),
        ("said, not recorded", "HAS_IMPLANTS Pacemaker"),
        ("recorded, not said", "HAS_ALLERGY_TO Latex"),
        ("agrees", "HAS_ALLERGY_TO Egg"),
    ]
    against = html.unescape(rows["contradicts", "HAS_ALLERGY_TO Penicillin"])
    assert "active, patient, " in against
    assert "refuted, chart.json, " in against
    assert "Which is right?" in against
    assert any(outcome == "never asked" for outcome, _ in rows)


async def test_what_a_person_decided_of_a_recorded_entry_is_told_as_theirs_and_an_override_as_nobodys_word(
    browser: Browser, memory: Memory, settings: Settings, someone: str, tmp_path: Path
) -> None:
    await memory.remember("I have a pacemaker.", subject=someone, subject_name=f"Jane {someone}", speaker="patient")
    await recorded(memory, settings, someone, tmp_path)
    facts = {fact.object.name: fact.fact_id for fact in (await memory.list_facts(subject=someone)).facts}
    await memory.change_fact(facts["Latex"], Change.OVERRIDE, reason="No other gloves.", actor="surgeon")
    await memory.change_fact(facts["Egg"], Change.REFUTE, reason="Ate one here.", actor="nurse")
    rows = rows_of(await browser.see("/reconcile", id=someone))
    assert ("recorded, not said", "HAS_ALLERGY_TO Latex") in rows
    assert "refuted by nurse, " in rows["contradicts", "HAS_ALLERGY_TO Egg"]


async def test_a_person_without_a_record_is_told_so_and_what_waits_is_counted(
    browser: Browser, memory: Memory, someone: str
) -> None:
    await memory.remember("I am allergic to penicillin.", subject=someone, subject_name=f"Jane {someone}")
    await memory.remember("My mother said the penicillin business was bad for one of us.", subject=someone)
    page = await browser.see("/reconcile", id=someone)
    assert "No record stands beside what was said" in page
    assert "1 statement is not yet understood, and in no row" in page


async def test_the_table_is_saved_as_csv_that_no_spreadsheet_computes(
    browser: Browser, memory: Memory, settings: Settings, someone: str, tmp_path: Path
) -> None:
    await memory.remember(SAID, subject=someone, subject_name=f"Jane {someone}", speaker="=cmd()")
    await recorded(memory, settings, someone, tmp_path)
    shown = rows_of(await browser.see("/reconcile", id=someone))
    saved = await browser.http.get("/reconcile.csv", params={"id": someone})
    assert saved.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="said-and-recorded.csv"' in saved.headers["content-disposition"]
    rows = list(csv.DictReader(saved.text.splitlines()))
    assert len(rows) == len(shown)
    assert rows[0]["outcome"] == "contradicts"
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]


async def test_nobody_of_that_name_has_no_table(browser: Browser) -> None:
    for path in ("/reconcile", "/reconcile.csv"):
        answer = await browser.http.get(path, params={"id": "nobody-at-all"})
        assert (answer.status_code, "nobody-at-all" in answer.text) == (400, True), path
