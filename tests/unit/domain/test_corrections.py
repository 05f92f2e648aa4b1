"""What a correction does to the fact that it corrects: words never take a critical risk away by themselves."""

from dataclasses import replace

import pytest

from r_memory.domain.changes import Change
from r_memory.domain.corrections import Doubted, Effect, correction_of
from r_memory.domain.facts import Fact, Observation, Route, Span, Status
from r_memory.domain.folding import fold
from tests.unit.domain.histories import JOHN, PENICILLIN, Said, chain, decided, said

DENIED = said(Status.NEGATED, at=1)


def stated(*more: Said, status: Status = Status.ACTIVE) -> Fact:
    return fold(chain(said(status), *more))


@pytest.mark.parametrize(
    ("fact", "speaker", "role", "critical", "effect"),
    [
        (stated(), "patient", "user", False, Effect.ENDED),
        (stated(), "patient", "user", True, Effect.DISPUTED),
        (stated(), "neighbour", "user", False, Effect.DISPUTED),
        (stated(), "patient", "document", False, Effect.DISPUTED),
        (replace(stated(), route=Route.RECORD), "patient", "user", False, Effect.DISPUTED),
        (stated(decided(Status.ACTIVE, at=1)), "patient", "user", False, Effect.DISPUTED),
        (stated(DENIED), "patient", "user", True, Effect.ALREADY),
        (stated(DENIED), "patient", "user", False, Effect.ENDED),
        (stated(decided(Status.REFUTED, at=1)), "patient", "user", False, Effect.ALREADY),
        (stated(status=Status.NEGATED), "patient", "user", True, Effect.ENDED),
    ],
)
def test_only_who_stated_a_fact_that_is_not_critical_ends_it_by_words(
    fact: Fact, speaker: str, role: str, critical: bool, effect: Effect
) -> None:
    made = correction_of(fact, speaker=speaker, role=role, critical=critical)  # type: ignore[arg-type]  # a row's word

    assert made.effect is effect
    assert made.ends is (effect is Effect.ENDED)


@pytest.mark.parametrize(
    ("fact", "status", "change"),
    [
        (stated(), Status.RESOLVED, Change.RESOLVE),
        (stated(), Status.NEGATED, Change.REFUTE),
        (stated(), Status.ACTIVE, Change.REFUTE),
        (stated(status=Status.NEGATED), Status.ACTIVE, Change.ENTERED_IN_ERROR),
    ],
)
def test_a_fact_ends_as_what_the_words_say_of_it(fact: Fact, status: Status, change: Change) -> None:
    assert correction_of(fact, speaker="patient", role="user", critical=False).change(status) is change


def observation(status: Status = Status.ACTIVE, *, start: int = 0, **attrs: str) -> Observation:
    return Observation(
        subject=JOHN,
        relation="HAS_ALLERGY_TO",
        object=PENICILLIN,
        status=status,
        attrs=attrs,
        evidence="…",
        span=Span(start=start, end=start + 5),
        route=Route.RULES,
        extractor="rules/1",
    )


@pytest.mark.parametrize(
    ("seen", "forgets", "strengthens"),
    [
        (observation(), False, True),
        (observation(), True, True),
        (observation(severity="mild"), False, False),
        (observation(severity="mild"), True, True),
        (observation(Status.NEGATED), False, False),
        (observation(start=20), True, False),
        (replace(observation(), relation="HAS_INTOLERANCE_TO"), True, False),
    ],
)
def test_what_a_sentence_takes_back_is_not_told_again_and_anything_else_is_kept(
    seen: Observation, forgets: bool, strengthens: bool
) -> None:
    doubted = Doubted(span=Span(start=0, end=10), forgets=forgets, facts=(stated(),), reason="asks to forget it")

    assert doubted.strengthens(seen) is strengthens
