"""The ledger: episodes, events and the chain of hashes."""

from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from r_memory.domain import holdings
from r_memory.domain.events import (
    OPEN,
    ChainHead,
    Episode,
    EpisodeStatus,
    EventKind,
    FactEvent,
    chain_differences,
    event_hash,
    observed,
)
from r_memory.domain.facts import Flag, Observation, Route, Span, Status, concept
from r_memory.domain.instants import Period
from tests.unit.domain.histories import JOHN, PENICILLIN, chain, decided, episode, resealed, said

CHAIN = chain(said(at=10), said(Status.NEGATED, at=20), decided(Status.REFUTED, at=30), said(at=40))

OTHER: dict[str, object] = {
    "id": "other",
    "space": "other",
    "fact_id": "other",
    "kind": EventKind.ERASED,
    "relation": "OTHER",
    "subject_uid": "clinic/Patient/other",
    "object": concept("Drug", "other"),
    "status": Status.RESOLVED,
    "attrs": {"severity": "mild"},
    "valid": Period(end=5),
    "recorded_at": 11,
    "said_at": 11,
    "speaker": "other",
    "episode_id": "other",
    "evidence": "other",
    "span_start": 1,
    "span_end": 9,
    "route": Route.MODEL,
    "extractor": "other",
    "prompt_digest": "other",
    "schema_version": "other",
    "confidence": 0.5,
    "flags": frozenset({Flag.FUZZY}),
    "actor": "other",
    "reason": "other",
    "seq": 7,
    "prev_hash": "other",
    "hash": "other",
}
"""Another value for every field of an event."""


def problems(events: tuple[FactEvent, ...]) -> list[tuple[str, str]]:
    return [(difference.where, difference.problem) for difference in chain_differences(events)]


def test_chain_as_written_is_whole() -> None:
    assert problems(CHAIN) == []
    assert problems(()) == []


@pytest.mark.parametrize("name", [field.name for field in fields(FactEvent)])
def test_altering_any_field_of_an_event_is_found(name: str) -> None:
    altered = replace(CHAIN[1], **{name: OTHER[name]})  # type: ignore[arg-type]  # every field has its own kind

    found = problems((CHAIN[0], altered, *CHAIN[2:]))

    assert (f"event {altered.seq}", "was altered after it was recorded") in found


@pytest.mark.parametrize(
    "damage",
    [
        lambda events: events[1:],
        lambda events: (events[0], *events[2:]),
        lambda events: (events[1], events[0], *events[2:]),
        lambda events: (*events, events[-1]),
        lambda events: (*events[:2], *resealed(events[2:])),
        lambda events: (*events[:1], replace(events[1], evidence="forged").sealed(), *events[2:]),
    ],
    ids=["first removed", "second removed", "swapped", "doubled", "cut and chained anew", "rewritten and sealed"],
)
def test_damage_to_the_chain_is_found(damage: Callable[[tuple[FactEvent, ...]], tuple[FactEvent, ...]]) -> None:
    assert problems(damage(CHAIN)) != []


def test_names_and_codes_of_an_object_may_be_mended() -> None:
    mended = replace(
        CHAIN[0], object=replace(PENICILLIN, name="Penicillins", aliases=("pcn",), codes={"rxcui": "7980"})
    )

    assert event_hash(mended) == CHAIN[0].hash


def test_hash_of_an_event_never_changes() -> None:
    """Chains that people have recorded must verify under every later version."""
    assert CHAIN[0].hash == "d6236397a6b4c0a9b3b223bf89552ef7f5bb0de81a429620b0097698d5b9ffb1"
    assert episode(1, 10).hash == "0f248a10dd021da9dc1375b0e1d7d9ed3d1a3381ef7521ccc0a41e9e5d2949c9"


def test_words_with_lone_surrogates_are_hashed() -> None:
    broken = chain(said(words="half \ud83d of a smile"))

    assert problems(broken) == []
    assert broken[0].hash != chain(said(words="half \ud83e of a smile"))[0].hash


def test_hash_of_an_episode_covers_what_was_said_and_not_how_far_it_got() -> None:
    told = episode(1, 10, words="I am allergic.")

    assert replace(told, status=EpisodeStatus.EXTRACTED, review=("x",), language="en", recorded_at=99).hash == told.hash
    for name in ("id", "space", "subject_uid", "conversation", "speaker", "text"):
        assert replace(told, **{name: "other"}).hash != told.hash  # type: ignore[arg-type]  # all of them are texts
    assert replace(told, said_at=11).hash != told.hash
    assert replace(told, role="assistant").hash != told.hash


def test_statements_stay_open_until_they_are_extracted() -> None:
    assert set(EpisodeStatus) - OPEN == {EpisodeStatus.EXTRACTED, EpisodeStatus.RETRY}


def observation(object_: str, start: int = 0) -> Observation:
    return Observation(
        subject=JOHN,
        relation="HAS_ALLERGY_TO",
        object=concept("Drug", object_),
        status=Status.ACTIVE,
        evidence=object_,
        span=Span(start=start, end=start + len(object_)),
        route=Route.RULES,
        extractor="rules/1",
    )


def written(
    *observations: Observation, told: Episode | None = None, head: ChainHead | None = None, now: int = 50
) -> tuple[FactEvent, ...]:
    return observed(
        observations, episode=told or episode(9, 45), head=head or ChainHead(), now=now, schema_version="s1"
    )


def test_observations_of_one_utterance_continue_the_chain_in_order() -> None:
    events = written(observation("a"), observation("b"), head=ChainHead().after(CHAIN))

    assert [event.seq for event in events] == [5, 6]
    assert [event.prev_hash for event in events] == [CHAIN[-1].hash, events[0].hash]
    assert problems((*CHAIN, *events)) == []
    assert [event.chain_key for event in events] == [f"{JOHN.uid}#5", f"{JOHN.uid}#6"]


def test_recorded_time_never_runs_backwards_within_a_chain() -> None:
    head = ChainHead().after(CHAIN)

    assert [event.recorded_at for event in written(observation("a"), head=head, now=3)] == [40]
    assert [event.recorded_at for event in written(observation("a"), head=head, now=41)] == [41]


def test_same_words_read_twice_are_the_same_event() -> None:
    assert [event.id for event in written(observation("a"))] == [
        event.id for event in written(observation("a"), now=99)
    ]


def test_other_object_status_or_utterance_is_another_event() -> None:
    ids = [
        written(observation("a"))[0].id,
        written(replace(observation("a"), status=Status.NEGATED))[0].id,
        written(observation("b"))[0].id,
        written(observation("a"), told=episode(8, 45))[0].id,
    ]

    assert len(set(ids)) == len(ids)


def test_what_a_head_counts_is_the_same_however_the_events_came() -> None:
    whole = ChainHead().after(CHAIN).held
    step_by_step = ChainHead()
    for place, event in enumerate(CHAIN):
        step_by_step = step_by_step.after([event], earlier=CHAIN[:place])
    newest = {event.fact_id: event for event in CHAIN}.values()

    assert step_by_step.held == whole
    assert whole == holdings.written(holdings.counted((e.relation, e.fact_id, e.object.uid, e.seq) for e in newest))


def test_head_moves_with_the_events_and_remembers_the_last_decision() -> None:
    assert ChainHead().after(()) == ChainHead()
    head = ChainHead().after(CHAIN)
    assert head == ChainHead(seq=4, hash=CHAIN[-1].hash, recorded_at=40, changed_seq=3, held=head.held)
    assert ChainHead().after(CHAIN).after(CHAIN[:1]).changed_seq == 3
