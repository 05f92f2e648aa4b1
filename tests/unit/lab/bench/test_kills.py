"""The part `kills`: what counts as lost and as doubled."""

from dataclasses import replace

from r_memory.domain.events import ChainHead, Episode, EpisodeStatus, FactEvent, observed
from r_memory.domain.facts import Observation, Route, Span, Status, concept
from r_memory_lab.bench.kills import Acknowledged, Losses, doubled, lost, outcome
from tests.unit.facts.recall.world import JOHN, SAID


def episode(id_: str, *, text: str = "", status: EpisodeStatus = EpisodeStatus.EXTRACTED) -> Episode:
    return Episode(
        id=id_,
        space="clinic",
        subject_uid=JOHN.uid,
        speaker="patient",
        text=text or f"Note {id_}.",
        said_at=SAID,
        recorded_at=SAID,
        status=status,
    )


def event(of: Episode, *, seq: int = 1) -> FactEvent:
    seen = Observation(
        subject=JOHN,
        relation="TAKES",
        object=concept("Drug", "furosemide"),
        status=Status.ACTIVE,
        evidence=of.text,
        span=Span(start=0, end=len(of.text)),
        route=Route.RULES,
        extractor="rules/1",
    )
    (made,) = observed([seen], episode=of, head=ChainHead(seq=seq - 1), now=SAID, schema_version="1")
    return made


FIRST, SECOND = episode("first"), episode("second")
EVENTS = (event(FIRST), event(SECOND, seq=2))


def heard(of: Episode, *facts: str) -> Acknowledged:
    return Acknowledged(subject_uid=JOHN.uid, conversation="w0", episode=of.id, facts=facts, at=0.0)


ALL = (heard(FIRST, EVENTS[0].fact_id), heard(SECOND, EVENTS[1].fact_id))


def test_what_is_there_with_its_facts_is_not_lost() -> None:
    assert lost(ALL, [FIRST, SECOND], EVENTS) == ()


def test_an_acknowledged_utterance_that_is_gone_or_unread_is_lost() -> None:
    assert lost(ALL, [FIRST], EVENTS) == ("second",)
    assert lost(ALL, [FIRST, replace(SECOND, status=EpisodeStatus.PENDING)], EVENTS) == ("second",)


def test_an_acknowledged_utterance_without_its_fact_is_lost() -> None:
    assert lost(ALL, [FIRST, SECOND], EVENTS[:1]) == ("second",)


def test_an_utterance_that_gave_no_fact_needs_none() -> None:
    assert lost([heard(FIRST)], [FIRST], ()) == ()


def test_one_fact_said_in_two_utterances_is_not_doubled() -> None:
    assert doubled([FIRST, SECOND], EVENTS) == ()


def test_words_that_are_there_twice_are_doubled() -> None:
    assert doubled([FIRST, replace(SECOND, text=FIRST.text)], EVENTS) == ("first", "second")


def test_an_event_that_is_there_twice_is_doubled() -> None:
    assert doubled([FIRST], [EVENTS[0], replace(EVENTS[0], seq=2)]) == ("first",)


def test_the_figures_count_every_kind_of_harm() -> None:
    found = Losses(acknowledged=90, lost=("a",), doubled=("b", "c"), differences=3)
    figures = outcome(found, [0.5, 2.0, 1.0, 0.7]).figures
    assert [(figure.name, figure.value, figure.n) for figure in figures] == [
        ("3 writers, host killed 4 times: acknowledged writes", 90, 90),
        ("acknowledged writes lost", 1, 90),
        ("writes doubled", 2, 90),
        ("differences found by verify", 3, 90),
        ("longest wait for a write after a kill", 2.0, 4),
    ]
