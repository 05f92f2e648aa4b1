"""Small values for tests of stores: a schema, patients, utterances and the facts that they state."""

import itertools
import uuid
from collections.abc import Sequence
from dataclasses import replace

from r_memory.domain.blocks import Receipt
from r_memory.domain.events import Batch, Chain, Episode, EpisodeStatus, EventKind, FactEvent, observed
from r_memory.domain.facts import (
    UNMAPPED_TYPE,
    Attributes,
    Entity,
    Fact,
    Flag,
    Observation,
    Route,
    Span,
    Status,
    concept,
)
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import ALWAYS, Instant, Period
from r_memory.domain.schema import Language, Lexicon, Relation, Schema
from r_memory.protocols import Store

NOW: Instant = 1_795_256_102_000
ALLERGY, TAKES = "HAS_ALLERGY_TO", "TAKES"
# Of this session's own: a server is shared with other tests, whose packs may name the common ones otherwise.
_MARK = uuid.uuid4().hex[:8]
PENICILLIN = concept("DrugClass", f"penicillin {_MARK}")
WARFARIN = concept("Drug", f"warfarin {_MARK}")

NOTHING = {
    "statements": 0,
    "events": 0,
    "facts": 0,
    "receipts": 0,
    "items": 0,
    "summaries": 0,
    "decisions": 0,
    "documents": 0,
}
"""What is erased of somebody of whom nothing was kept."""


def a_schema(version: str = "store-tests") -> Schema:
    """Two relations, and one type with a further label."""
    relations = {
        name: Relation(name=name, subjects=("Patient",), objects=("Drug", "DrugClass"), line="{subject}: {object}")
        for name in (ALLERGY, TAKES)
    }
    return Schema(
        name="mini",
        version=version,
        subject="Patient",
        labels={"DrugClass": ("Drug",)},
        relations=relations,
        lexicon=Lexicon(terms={"Drug": {}, "DrugClass": {}}),
        language=Language(code="en", sections={}),
        unavailable="Ask.",
    )


SCHEMA = a_schema()
_numbers = itertools.count(1)


def a_space() -> str:
    """A space that nothing else uses."""
    return f"space-{uuid.uuid4().hex[:12]}"


def a_patient(space: str, id_: str = "JD001", name: str = "John Doe") -> Entity:
    return Entity(space=space, type="Patient", id=id_, name=name)


def an_episode(subject: Entity, text: str = "I am allergic to penicillin.", **changes: object) -> Episode:
    """An utterance with an id of its own; later ones are recorded later."""
    number = next(_numbers)
    episode = Episode(
        id=f"episode-{number}",
        space=subject.space,
        subject_uid=subject.uid,
        speaker="patient",
        text=text,
        said_at=NOW - 60_000,
        recorded_at=NOW + number,
    )
    return replace(episode, **changes)  # type: ignore[arg-type]  # a mapping of keyword arguments


def seen(
    subject: Entity,
    target: Entity = PENICILLIN,
    *,
    relation: str = ALLERGY,
    status: Status = Status.ACTIVE,
    attrs: Attributes | None = None,
    valid: Period = ALWAYS,
    flags: frozenset[Flag] = frozenset(),
    evidence: str = "allergic to penicillin",
) -> Observation:
    return Observation(
        subject=subject,
        relation=relation,
        object=target,
        status=status,
        attrs={"severity": "severe"} if attrs is None else attrs,
        valid=valid,
        evidence=evidence,
        span=Span(start=5, end=27),
        route=Route.RULES,
        extractor="rules/1",
        confidence=0.5,
        flags=flags,
    )


def batch_of(
    chain: Chain, episode: Episode | None, subject: Entity, events: Sequence[FactEvent], settled: EpisodeStatus
) -> Batch:
    """The transaction that appends these events after the chain."""
    facts = fold_all((*chain.events, *events))
    return Batch(
        subject=subject,
        events=tuple(events),
        facts=facts,
        episode=None if episode is None else replace(episode, status=settled, language="en", review=()),
        previous=chain.head,
        head=chain.after(events),
        seen=chain.newest(facts),
    )


async def next_batch(
    store: Store, episode: Episode, *observations: Observation, settled: EpisodeStatus = EpisodeStatus.EXTRACTED
) -> Batch:
    """What a writer that reads the chain now would append for an episode."""
    subject = observations[0].subject
    chain = await store.chain(subject.uid, [observation.fact_id for observation in observations])
    events = observed(
        observations, episode=episode, head=chain.head, now=episode.recorded_at, schema_version=SCHEMA.version
    )
    return batch_of(chain, episode, subject, events, settled)


async def told(
    store: Store, *observations: Observation, text: str = "I am allergic to penicillin.", **changes: object
) -> Batch:
    """Says something about a declared subject, start to end."""
    episode = an_episode(observations[0].subject, text, **changes)
    await store.add_episode(episode)
    batch = await next_batch(store, episode, *observations)
    await store.append(batch)
    return batch


async def changed(store: Store, subject: Entity, fact: Fact, status: Status, *, now: Instant = NOW) -> Batch:
    """A person decides about a fact, without any utterance."""
    chain = await store.chain(subject.uid, [fact.fact_id])
    event = replace(
        chain.events[-1],
        id=uuid.uuid4().hex,
        kind=EventKind.CHANGED,
        status=status,
        recorded_at=max(now, chain.head.recorded_at),
        episode_id="",
        route=Route.PERSON,
        actor="Dr. Grey",
        reason="tested, tolerated",
        seq=chain.head.seq + 1,
        prev_hash=chain.head.hash,
        hash="",
    ).sealed()
    batch = batch_of(chain, None, subject, [event], EpisodeStatus.EXTRACTED)
    await store.append(batch)
    return batch


async def a_declared_patient(store: Store, space: str = "", id_: str = "JD001", name: str = "John Doe") -> Entity:
    patient = a_patient(space or a_space(), id_, name)
    await store.declare_subject(patient)
    return patient


def unmapped(space: str, words: str) -> Entity:
    return Entity(space=space, type=UNMAPPED_TYPE, id=words.casefold(), name=words)


def a_receipt(subject: Entity, id_: str, shown_at: Instant = NOW) -> Receipt:
    return Receipt(
        id=id_,
        space=subject.space,
        subject_uid=subject.uid,
        shown_at=shown_at,
        shown_to="claude-desktop",
        intents=("MED_ORDER",),
        fact_ids=("7f3a2c1e", "0b1c4f7e"),
        rule_ids=("pde5-nitrate",),
        complete=False,
        watermark=3,
        schema_version="abc",
        pack_version="def",
        traversal="MATCH (subject)\nRETURN subject",
    )
