"""What the demo promises: each promise fails when it should."""

from dataclasses import replace
from typing import Any

import pytest

from r_memory.serving.tools.models import ContextOut, FactOut, LineOut, PendingOut
from r_memory_lab.demo.claims import Evidence, claims
from r_memory_lab.demo.story import Story, StoryPatient, StoryTurn

JOHN = StoryPatient(id="JD001", name="John Doe")
JOAN = StoryPatient(id="JD010", name="Joan Doe")
INTAKE = StoryTurn(about=JOHN, speaker="patient", text="I am severely allergic to Penicillin.")
STORY = Story(
    intake=INTAKE,
    turns=(
        StoryTurn(about=JOAN, speaker="patient", text="I am allergic to latex."),
        StoryTurn(about=JOHN, speaker="patient", text="My knee clicks."),
    ),
    request="Recommend an antibiotic.",
)
LINE = "CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: severe)."
NAMES = (
    "the allergy is the first line",
    "nothing in the block is about anybody else",
    "no fact that was called stored is lost",
    "every edge type was read, and a receipt was written",
)


def a_fact(**changes: Any) -> FactOut:  # noqa: ANN401 - fields of the model
    told: dict[str, Any] = {
        "fact_id": "f1",
        "relation": "HAS_ALLERGY_TO",
        "object": "Penicillin",
        "status": "active",
        "observations": 1,
        "evidence": "severely allergic to Penicillin",
        "speaker": "patient",
        "said_at": "2026-11-19T10:15:02Z",
        "recorded_at": "2026-11-19T10:15:02.000Z",
        "route": "rules",
        "confidence": 1.0,
        "version": 1,
    }
    return FactOut(**{**told, **changes})


def a_line(**changes: Any) -> LineOut:  # noqa: ANN401 - fields of the model
    told = {"fact_id": "f1", "level": "critical", "status": "active", "text": LINE, "source": "patient", "as_of": ""}
    return LineOut(**{**told, **changes})


def a_context(**changes: Any) -> ContextOut:  # noqa: ANN401 - fields of the model
    told: dict[str, Any] = {
        "state": "FOUND",
        "block": f"[R-MEMORY CONTEXT]:\nSubject: John Doe (Patient JD001).\n{LINE}\n[END R-MEMORY CONTEXT]",
        "complete": True,
        "lines": [a_line()],
        "checked": {},
        "fact_ids": ["f1"],
        "pending": [],
        "omitted": 0,
        "intents": ["MED_ORDER"],
        "recognised": True,
        "subject_id": "JD001",
        "subject_name": "John Doe",
        "checked_at": "2026-11-21T10:15:02Z",
        "receipt_id": "01JD",
        "watermark": 1,
        "schema_version": "s",
        "pack_version": "p",
    }
    return ContextOut(**{**told, **changes})


GOOD = Evidence(
    story=STORY,
    context=a_context(),
    acknowledged={"JD001": frozenset({"f1"}), "JD010": frozenset({"f2"})},
    found={"JD001": [a_fact()], "JD010": [a_fact(fact_id="f2", evidence="allergic to latex")]},
)


def broken(seen: Evidence) -> list[str]:
    return [claim.text for claim in claims(seen) if not claim.holds]


def test_a_run_as_it_should_be_keeps_every_promise() -> None:
    assert [claim.text for claim in claims(GOOD)] == list(NAMES)
    assert broken(GOOD) == []


@pytest.mark.parametrize(
    "context",
    [
        a_context(lines=[]),
        a_context(lines=[a_line(level="other")]),
        a_context(lines=[a_line(text="CRITICAL ALLERGY: John Doe is allergic to Latex.")]),
        a_context(block=f"[R-MEMORY CONTEXT]:\nSubject: John Doe.\nsomething else\n{LINE}"),
    ],
)
def test_an_allergy_that_is_not_the_first_line_is_told(context: ContextOut) -> None:
    assert NAMES[0] in broken(replace(GOOD, context=context))


@pytest.mark.parametrize(
    "seen",
    [
        replace(GOOD, context=a_context(block=GOOD.context.block + "\nJoan Doe coughs.")),
        replace(GOOD, context=a_context(block=GOOD.context.block + "\nJD010 coughs.")),
        replace(GOOD, context=a_context(lines=[a_line(), a_line(fact_id="f2")])),
        replace(GOOD, found={**GOOD.found, "JD001": [a_fact(evidence="allergic to latex")]}),
        replace(
            GOOD,
            context=a_context(
                pending=[PendingOut(episode_id="e", said_at="", speaker="", text="I am allergic to latex.")]
            ),
        ),
    ],
)
def test_anything_of_another_patient_is_told(seen: Evidence) -> None:
    assert broken(seen) == [NAMES[1]]


def test_a_name_that_only_looks_alike_is_no_mix_up() -> None:
    context = a_context(block=GOOD.context.block + "\nReceipt 01JD0101JD010X.")
    assert broken(replace(GOOD, context=context)) == []


def test_a_fact_lost_with_the_server_is_told_whoever_it_is_about() -> None:
    assert broken(replace(GOOD, found={**GOOD.found, "JD010": []})) == [NAMES[2]]


@pytest.mark.parametrize("context", [a_context(complete=False), a_context(receipt_id="")])
def test_an_incomplete_answer_or_one_without_receipt_is_told(context: ContextOut) -> None:
    assert broken(replace(GOOD, context=context)) == [NAMES[3]]
