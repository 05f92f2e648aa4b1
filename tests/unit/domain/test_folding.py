"""The present state of a fact, by example; its laws are in `tests/properties/test_folding.py`."""

import pytest

from r_memory.domain.facts import Flag, Status, concept
from r_memory.domain.folding import fold, fold_all, opposing
from r_memory.errors import InvalidInput
from tests.unit.domain.histories import SCALE, Said, chain, decided, said

ACTIVE, UNCONFIRMED, NEGATED = Status.ACTIVE, Status.UNCONFIRMED, Status.NEGATED
REFUTED, RESOLVED, ERROR = Status.REFUTED, Status.RESOLVED, Status.ENTERED_IN_ERROR


@pytest.mark.proves("Z12", "Z32", "RM-23")
@pytest.mark.parametrize(
    ("steps", "status", "contradicted"),
    [
        ([said(ACTIVE)], ACTIVE, False),
        ([said(ACTIVE), said(ACTIVE)], ACTIVE, False),
        ([said(ACTIVE), said(NEGATED)], ACTIVE, True),
        ([said(NEGATED), said(ACTIVE)], ACTIVE, True),
        ([said(NEGATED), said(UNCONFIRMED)], UNCONFIRMED, True),
        ([said(ACTIVE), said(UNCONFIRMED)], ACTIVE, False),
        ([said(UNCONFIRMED), said(ACTIVE)], ACTIVE, False),
        ([said(NEGATED), said(REFUTED)], REFUTED, False),
        ([said(RESOLVED), said(NEGATED)], RESOLVED, False),
        ([said(RESOLVED), said(ACTIVE)], ACTIVE, False),
        ([said(ACTIVE), said(RESOLVED), said(ACTIVE)], ACTIVE, True),
        ([said(RESOLVED), said(NEGATED), said(ACTIVE)], ACTIVE, True),
        ([said(ACTIVE), decided(REFUTED)], REFUTED, False),
        ([said(ACTIVE), decided(RESOLVED)], RESOLVED, False),
        ([said(ACTIVE), decided(ERROR)], ERROR, False),
        ([said(ACTIVE), decided(REFUTED), said(NEGATED)], REFUTED, False),
        ([said(ACTIVE), decided(REFUTED), said(UNCONFIRMED)], REFUTED, True),
        ([said(ACTIVE), decided(REFUTED), said(ACTIVE)], ACTIVE, True),
        ([said(ACTIVE), decided(ERROR), said(UNCONFIRMED)], ERROR, True),
        ([said(NEGATED), decided(ACTIVE)], ACTIVE, False),
        ([said(NEGATED), decided(ACTIVE), said(NEGATED)], ACTIVE, True),
        ([said(ACTIVE), decided(REFUTED), decided(ACTIVE)], ACTIVE, False),
        ([said(ACTIVE), Said(status=ERROR, erased=True)], ERROR, False),
    ],
)
def test_status_and_conflict(steps: list[Said], status: Status, contradicted: bool) -> None:
    fact = fold(chain(*steps))

    assert (fact.status, fact.contradicted) == (status, contradicted)


@pytest.mark.proves("Z30")
def test_highest_severity_stands_whenever_it_was_said() -> None:
    steps = [
        said(severity="mild", reaction="hives"),
        said(severity="severe", reaction="anaphylaxis"),
        said(severity="moderate", onset=1999),
    ]

    for order in (steps, steps[::-1]):
        assert fold(chain(*order), scale=SCALE).attrs == {
            "severity": "severe",
            "reaction": "anaphylaxis",
            "onset": 1999,
        }


def test_among_equal_severities_the_newer_attributes_win() -> None:
    steps = [said(severity="mild", reaction="hives"), said(severity="mild", reaction="itch")]

    assert fold(chain(*steps), scale=SCALE).attrs["reaction"] == "itch"


def test_severity_outside_the_scale_ranks_below_every_grade_of_it() -> None:
    steps = [said(severity="mild"), said(severity="dreadful")]

    assert fold(chain(*steps), scale=SCALE).attrs["severity"] == "mild"


def test_words_and_source_are_those_of_the_event_that_decides() -> None:
    fact = fold(chain(said(at=1, words="first"), said(at=2, words="second"), said(NEGATED, at=3, words="third")))

    assert (fact.evidence, fact.said_at, fact.episode_id) == ("second", 2, "ep2")
    assert (fact.first_recorded_at, fact.last_recorded_at, fact.last_seq) == (1, 3, 3)


def test_decisions_are_no_observations() -> None:
    assert fold(chain(said(), said(), decided(REFUTED))).observations == 2


def test_flags_are_those_of_the_event_that_decides() -> None:
    assert fold(chain(said())).flags == frozenset[Flag]()


def test_fold_refuses_nothing_and_a_mixture() -> None:
    for events in ((), chain(said(), said(object_=concept("Drug", "other")))):
        with pytest.raises(InvalidInput, match="group them"):
            fold(events)


def test_facts_come_in_order_of_first_appearance_whatever_the_order_of_events() -> None:
    events = chain(
        said(object_=concept("Drug", "b")), said(object_=concept("Drug", "a")), said(object_=concept("Drug", "b"))
    )

    facts = fold_all(reversed(events))

    assert [(fact.object.id, fact.observations) for fact in facts] == [("b", 2), ("a", 1)]


@pytest.mark.proves("Z12")
@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([said(words="a")], None),
        ([said(words="a"), said(NEGATED, words="b"), said(NEGATED, words="c"), said(words="d")], "c"),
        ([said(NEGATED, words="a"), said(UNCONFIRMED, words="b")], "a"),
        ([said(words="a"), decided(REFUTED)], None),
        ([said(words="a"), decided(REFUTED), said(UNCONFIRMED, words="b")], "b"),
    ],
)
def test_other_side_of_a_conflict_is_its_newest_statement(steps: list[Said], words: str | None) -> None:
    event = opposing(chain(*steps))

    assert (event.evidence if event else None) == words
