"""Writes as a server makes them, each with ids of its own, and what must be true of a store afterwards.

Knows nothing of processes: `writer.py` runs it in one, the tests kill that.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from r_memory.config.files import packaged_defaults
from r_memory.domain.events import Batch, Episode, EpisodeStatus, FactEvent, chain_differences, observed
from r_memory.domain.facts import UNMAPPED_TYPE, Entity, Observation, Route, Span, Status, concept
from r_memory.domain.folding import fold_all
from r_memory.domain.schema import Language, Lexicon, Relation, Schema
from r_memory.errors import StoreUnavailable, WriteConflict
from r_memory.store.bolt import Bolt, Endpoint, EndpointSource, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.embedded import EmbeddedArcade
from r_memory.store.library import load_library
from tests.faults.processes import PATIENCE_S

RELATION = "HAS_ALLERGY_TO"
SCHEMA = Schema(
    name="faults",
    version="faults000001",
    subject="Patient",
    relations={RELATION: Relation(name=RELATION, subjects=("Patient",), objects=("Drug",), line="{subject}: {object}")},
    lexicon=Lexicon(terms={"Drug": {}}),
    language=Language(code="en", sections={}),
    unavailable="Ask.",
)
USER, PASSWORD = "FAULTS_STORE_USER", "FAULTS_STORE_PASSWORD"
SHARED = Entity(space="faults", type="Patient", id="shared", name="Everybody's patient")
"""Every writer writes about this one now and then, so that chains are contended."""
_SHARED_EVERY = 4


def own_subject(writer: str) -> Entity:
    """The subject that only this writer writes about."""
    return Entity(space="faults", type="Patient", id=writer, name=f"Patient of {writer}")


def open_store(place: Path | str) -> CypherStore:
    """The embedded store of a folder, hosted here or by whoever holds it; or that of a server, by its address.

    How to log in there is in the environment: it may not stand on a command line.
    """
    library = load_library(lambda path: (packaged_defaults() / path).read_text(encoding="utf-8"), packaged_defaults())
    if "://" in str(place):
        source: EndpointSource = FixedEndpoint(
            Endpoint(uri=str(place), user=os.environ[USER], password=os.environ[PASSWORD])
        )
    else:
        source = EmbeddedArcade(Path(place))
    return CypherStore(Bolt(source, limit_s=PATIENCE_S), library)


async def write_until(
    ended: Callable[[], bool], store: CypherStore, writer: str, acknowledge: Callable[[str], None]
) -> None:
    """Writes one utterance with its fact after another; what the store did not take is written again."""
    own = own_subject(writer)
    await store.prepare(SCHEMA)
    for subject in (own, SHARED):
        await store.declare_subject(subject)
    number = 0
    while not ended():
        id_ = f"{writer}-{number}"
        try:
            await write_once(store, SHARED if number % _SHARED_EVERY == 0 else own, id_)
        except (StoreUnavailable, WriteConflict):
            continue
        acknowledge(id_)
        number += 1


async def write_once(store: CypherStore, subject: Entity, id_: str) -> None:
    """Stores one utterance and the fact it states; harmless if it was stored before.

    Raises:
        StoreUnavailable: it may or may not be stored.
        WriteConflict: others were faster; it is not stored.
    """
    (episode,) = await store.add_episode(
        Episode(
            id=id_, space=subject.space, subject_uid=subject.uid, speaker="writer", text=id_, said_at=1, recorded_at=1
        )
    )
    if episode.status is EpisodeStatus.EXTRACTED:
        return
    seen = Observation(
        subject=subject,
        relation=RELATION,
        object=concept(UNMAPPED_TYPE, id_, space=subject.space),
        status=Status.ACTIVE,
        evidence=id_,
        span=Span(start=0, end=len(id_)),
        route=Route.RULES,
        extractor="faults/1",
    )
    chain = await store.chain(subject.uid, (seen.fact_id,))
    events = observed((seen,), episode=episode, head=chain.head, now=1, schema_version=SCHEMA.version)
    await store.append(
        Batch(
            subject=subject,
            events=events,
            facts=fold_all((*chain.events, *events)),
            episode=replace(episode, status=EpisodeStatus.EXTRACTED),
            previous=chain.head,
            head=chain.after(events),
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What is wrong with a store; every field is empty when nothing is."""

    lost: frozenset[str]
    """Acknowledged and not there."""
    doubled: frozenset[str]
    """There more than once."""
    halves: frozenset[str]
    """In the ledger and not in the present state, or the other way round."""
    broken: Sequence[str]
    """Links of a chain."""


NONE_LOST = Losses(lost=frozenset(), doubled=frozenset(), halves=frozenset(), broken=())


async def losses(store: CypherStore, writers: Iterable[str], acknowledged: Iterable[str]) -> Losses:
    """Compares what was acknowledged with the ledger, and the ledger with the present state."""
    await store.prepare(SCHEMA)
    subjects = (SHARED, *(own_subject(writer) for writer in writers))
    events: list[FactEvent] = []
    facts: Counter[str] = Counter()
    broken: list[str] = []
    for subject in subjects:
        chain = await store.events(subject.uid)
        neighbourhood = await store.neighbourhood(subject, (RELATION,))
        events += chain
        facts.update(fact.fact_id for fact in neighbourhood.facts)
        broken += [f"{found.where}: {found.problem}" for found in chain_differences(chain)]
    stored = Counter(event.episode_id for event in events)
    ids = Counter(event.fact_id for event in events)
    return Losses(
        lost=frozenset(acknowledged) - frozenset(stored),
        doubled=frozenset(id_ for id_, count in (stored + facts).items() if count > 1),
        halves=frozenset(ids) ^ frozenset(facts),
        broken=tuple(broken),
    )
