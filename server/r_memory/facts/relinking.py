"""Relinking: facts stored under a broader term are recorded under the term that was said, by events.

Needed once after a lexicon has separated kinds from synonyms; a second run does nothing.
"""

from collections.abc import Callable

from r_memory.domain.changes import MAPPED_TO, RELINKED, relinked
from r_memory.domain.events import Chain
from r_memory.domain.facts import Entity, Fact, Status, fact_id
from r_memory.domain.folding import fold_all
from r_memory.facts.ledger import Events, Ledger
from r_memory.protocols import Clock, Store
from r_memory.reading.reader import Reader


async def relink(store: Store, reader: Reader, clock: Clock, subject: Entity) -> int:
    """Records the events that move facts of one subject to the terms that were said; returns the number of moved facts.

    Raises:
        NotStored: other writers were faster each time; repeat the call to continue.
        StoreUnavailable: some events may be stored; repeat the call to continue.
    """
    grades, schema = reader.schema.severity.grades, reader.schema
    ledger, moved = Ledger(store=store, grades=grades), 0

    def events_of(fact: Fact) -> tuple[str, Callable[[Chain], Events]] | None:
        thing = None if _is_settled(fact) else reader.relinked(fact)
        if thing is None:
            return None
        declared = schema.relations[fact.relation].identity
        told_apart = {name: fact.attrs[name] for name in declared if name in fact.attrs}
        there = fact_id(subject.uid, fact.relation, thing.entity.uid, told_apart)

        def build(chain: Chain) -> Events:
            own = [event for event in chain.events if event.fact_id == fact.fact_id]
            made = relinked(
                own,
                thing.entity,
                thing.flags,
                identity=declared,
                scale=grades,
                head=chain.head,
                now=clock.now(),
                schema_version=schema.version,
            )
            known = {event.id for event in chain.events}
            return () if made[0].id in known else made

        return there, build

    for fact in fold_all(await store.events(subject.uid), scale=grades):
        if (found := events_of(fact)) is not None:
            there, build = found
            written = await ledger.append(subject, [fact.fact_id, there], build, episode=None)
            moved += bool(written.events)
    return moved


def _is_settled(fact: Fact) -> bool:
    """Whether the fact cannot move: it is an error already, and no person mapped its word to a term."""
    mapped = fact.object.is_said and fact.attrs.get(MAPPED_TO) and fact.changed_because != RELINKED
    return fact.status is Status.ENTERED_IN_ERROR and not mapped
