"""Said against recorded: five outcomes, each with both sources and a question."""

import asyncio
import csv
import threading
from dataclasses import replace
from typing import Any

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.events import ChainHead, Episode, observed
from r_memory.domain.facts import Entity, Fact, Observation, Route, Span, Status, concept
from r_memory.domain.folding import fold_all
from r_memory.facts import reconciling
from r_memory.facts.reconciling import Cell, Row, reconcile, table_of
from r_memory.space.tables import as_csv_text
from tests.unit.memory_world import ALLERGY as TOLD
from tests.unit.memory_world import a_world

JOHN = Entity(space="clinic", type="Patient", id="JD001", name="John Doe")
DOMAIN = load_domain(Files(), "clinical")
SCHEMA, KNOWLEDGE = DOMAIN.schema, DOMAIN.knowledge


def a_fact(
    relation: str, type_: str, name: str, status: str = "active", *, evidence: str = "", route: Route = Route.RULES
) -> Fact:
    words = evidence or f"{name} {status}"
    seen = Observation(
        subject=JOHN,
        relation=relation,
        object=concept(type_, name),
        status=Status(status),
        evidence=words,
        span=Span(start=0, end=len(words)),
        route=route,
        extractor="test/1",
    )
    episode = Episode(
        id=f"e-{name}-{status}",
        space="clinic",
        subject_uid=JOHN.uid,
        conversation="",
        speaker="chart.json" if route is Route.RECORD else "patient",
        role="user",
        text=words,
        said_at=0,
        recorded_at=0,
    )
    [fact] = fold_all(observed([seen], episode=episode, head=ChainHead(), now=0, schema_version=""))
    return fact


def outcomes(said: list[Fact], recorded: list[Fact]) -> dict[Cell, list[str]]:
    found: dict[Cell, list[str]] = {}
    for row in reconcile(JOHN, said, recorded, SCHEMA, KNOWLEDGE):
        if row.cell is not Cell.NEVER_ASKED:
            found.setdefault(row.cell, []).append(row.thing)
    return found


ALLERGY = "HAS_ALLERGY_TO"
PENICILLIN = a_fact(ALLERGY, "DrugClass", "penicillin")


@pytest.mark.parametrize(
    ("said", "recorded", "wanted"),
    [
        ([PENICILLIN], [], {Cell.SAID: ["Penicillin"]}),
        ([], [PENICILLIN], {Cell.RECORDED: ["Penicillin"]}),
        ([PENICILLIN], [PENICILLIN], {Cell.AGREES: ["Penicillin"]}),
        ([PENICILLIN], [a_fact(ALLERGY, "DrugClass", "penicillin", "refuted")], {Cell.CONTRADICTS: ["Penicillin"]}),
        ([PENICILLIN], [a_fact(ALLERGY, "Scope", "any_drug", "negated")], {Cell.CONTRADICTS: ["Penicillin"]}),
        ([PENICILLIN], [a_fact("TAKES", "Drug", "amoxicillin")], {Cell.CONTRADICTS: ["Penicillin"]}),
        ([PENICILLIN], [a_fact(ALLERGY, "Drug", "amoxicillin")], {Cell.AGREES: ["Penicillin"]}),
        (
            [PENICILLIN],
            [a_fact(ALLERGY, "Material", "latex")],
            {Cell.SAID: ["Penicillin"], Cell.RECORDED: ["Latex"]},
        ),
        ([], [a_fact(ALLERGY, "Material", "latex", "entered_in_error")], {}),
    ],
)
def test_each_matter_has_one_outcome(said: list[Fact], recorded: list[Fact], wanted: dict[Cell, list[str]]) -> None:
    assert outcomes(said, recorded) == wanted


def test_what_neither_voice_speaks_of_was_never_asked() -> None:
    rows = reconcile(JOHN, [PENICILLIN], [], SCHEMA, KNOWLEDGE)
    never = {row.relation: row.question for row in rows if row.cell is Cell.NEVER_ASKED}
    critical = {name for name, relation in SCHEMA.relations.items() if relation.critical}
    assert set(never) == critical - {ALLERGY}
    assert never["HAS_IMPLANTS"] == SCHEMA.relations["HAS_IMPLANTS"].question


def test_a_row_names_both_sources_and_keeps_its_id() -> None:
    refuted = a_fact(ALLERGY, "DrugClass", "penicillin", "refuted", route=Route.RECORD)
    first, again = (reconcile(JOHN, [PENICILLIN], [refuted], SCHEMA, KNOWLEDGE)[0] for _ in range(2))
    assert first.id == again.id
    assert '"penicillin active" (active, patient, 1970-01-01)' in first.question
    assert '"penicillin refuted" (refuted, chart.json, 1970-01-01)' in first.question


def test_words_that_would_be_a_formula_are_text_in_the_csv() -> None:
    [row] = (row for row in reconcile(JOHN, [PENICILLIN], [], SCHEMA, KNOWLEDGE) if row.cell is Cell.SAID)
    told: Row = replace(row, thing="=HYPERLINK(1)")
    [_, line] = csv.reader(as_csv_text(table_of([told])).splitlines())
    assert line[3] == "'=HYPERLINK(1)"


@pytest.mark.anyio
async def test_other_calls_go_on_while_two_charts_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = a_world().memory
    await memory.remember(TOLD, subject="JD001", subject_name="John Doe", speaker="patient")
    begun, answered = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def compared(*given: Any) -> tuple[Row, ...]:  # noqa: ANN401 - as `reconcile` takes it
        loop.call_soon_threadsafe(begun.set)
        assert answered.wait(10), "the comparison stands on the event loop"
        return reconcile(*given)

    monkeypatch.setattr(reconciling, "reconcile", compared)
    comparing = asyncio.create_task(memory.reconcile("JD001"))
    await begun.wait()
    assert (await memory.list_facts(subject="JD001")).facts
    answered.set()

    assert [row.cell for row in (await comparing).rows if row.thing] == [Cell.SAID]
