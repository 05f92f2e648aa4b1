"""The mark of one line, for what became of the facts that a model read in it."""

from typing import Any

import pytest

from r_memory.domain.exams import ExamLine, Expected, LineMark
from r_memory.domain.facts import Observation, Proposal, Route, Span, Status, concept
from r_memory.reading.exam import mark
from r_memory.reading.listener import Told
from tests.model_world import JOHN, language

PENICILLIN = Expected(relation="HAS_ALLERGY_TO", object="penicillin", status=Status.ACTIVE)


def line(*expect: Expected, kind: str = "risk", allow: tuple[Expected, ...] = ()) -> ExamLine:
    return ExamLine(id="x", kind=kind, text="…", expect=expect, allow=allow)


def told(
    object_: str = "penicillin",
    status: Status = Status.ACTIVE,
    relation: str = "HAS_ALLERGY_TO",
    *,
    stored: bool = True,
    waits: bool = False,
) -> Told:
    given = Proposal(
        relation=relation, object=object_, status=status, evidence="…", route=Route.MODEL, extractor="chat/2 m"
    )
    seen = Observation(
        subject=JOHN,
        relation=relation,
        object=concept("Drug", object_),
        status=status,
        evidence="…",
        span=Span(start=0, end=1),
        route=Route.MODEL,
        extractor="chat/2 m",
    )
    return Told(given=given, observation=seen if stored else None, waits=waits)


def marked(of: ExamLine, *facts: Told) -> dict[str, Any]:
    """The marks that are not zero."""
    found = mark(of, facts, language())
    names = ("risks", "kept", "stated", "unstated", "false_absences", "wrong_person")
    return {name: getattr(found, name) for name in names if getattr(found, name)}


def test_a_risk_is_kept_by_a_stored_fact_of_it_whatever_words_name_it() -> None:
    assert marked(line(PENICILLIN), told("Penicillins")) == {"risks": 1, "kept": 1, "stated": 1}
    assert marked(line(PENICILLIN), told("penicilin")) == {"risks": 1, "kept": 1, "stated": 1}
    assert marked(line(PENICILLIN), told(status=Status.UNCONFIRMED)) == {"risks": 1, "kept": 1, "stated": 1}


@pytest.mark.parametrize("lost", [told(stored=False), told(stored=False, waits=True), told("latex")], ids=str)
def test_what_is_refused_waits_or_is_another_thing_keeps_no_risk(lost: Told) -> None:
    assert "kept" not in marked(line(PENICILLIN), lost)


def test_another_relation_keeps_a_risk_where_the_line_allows_it() -> None:
    intolerance = Expected(relation="HAS_INTOLERANCE_TO", object="penicillin", status=Status.ACTIVE)
    other = told(relation="HAS_INTOLERANCE_TO")
    assert marked(line(PENICILLIN, allow=(intolerance,)), other) == {"risks": 1, "kept": 1, "stated": 1}
    assert marked(line(PENICILLIN), other) == {"risks": 1, "stated": 1, "unstated": 1}


def test_a_fact_that_nobody_stated_is_the_wrong_persons_where_somebody_else_is_spoken_of() -> None:
    assert marked(line(kind="question"), told()) == {"stated": 1, "unstated": 1}
    assert marked(line(kind="person"), told()) == {"stated": 1, "wrong_person": 1}


def test_a_denied_risk_is_a_false_absence_although_it_only_waits() -> None:
    denied = told(status=Status.NEGATED, stored=False, waits=True)
    assert marked(line(PENICILLIN), denied) == {"risks": 1, "false_absences": 1}
    refused = told(status=Status.NEGATED, stored=False)
    assert marked(line(PENICILLIN), refused) == {"risks": 1}


def test_an_absence_that_was_stated_is_none_whichever_of_its_words_the_model_takes() -> None:
    absent = Expected(relation="HAS_ALLERGY_TO", object="penicillin", status=Status.REFUTED)
    assert marked(line(absent), told(status=Status.NEGATED)) == {"stated": 1}


def test_a_tolerance_that_nobody_stated_is_a_false_absence() -> None:
    tolerated = told(relation="TOLERATES")
    assert marked(line(PENICILLIN), tolerated) == {"risks": 1, "stated": 1, "false_absences": 1}
    absent = Expected(relation="HAS_ALLERGY_TO", object="penicillin", status=Status.NEGATED)
    assert marked(line(absent), tolerated) == {"stated": 1}


def test_a_line_without_an_answer_is_malformed_and_keeps_nothing() -> None:
    found = mark(line(PENICILLIN), (), language(), malformed=True)
    assert found == LineMark(id="x", kind="risk", risks=1, malformed=True)
