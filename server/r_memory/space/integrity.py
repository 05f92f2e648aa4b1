"""Whether the ledger is whole and the present state follows from it, and how to make it follow again.

Reads every chain; writes only in `rebuild`, and then only the state layer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from r_memory.domain.events import Difference, chain_differences
from r_memory.domain.facts import Entity, Fact
from r_memory.domain.folding import fold_all
from r_memory.domain.schema import Schema
from r_memory.protocols import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` looked at and what it found wrong."""

    subjects: int
    events: int
    facts: int
    differences: tuple[Difference, ...]

    @property
    def whole(self) -> bool:
        """Nothing was found wrong."""
        return not self.differences


async def verify(store: Store, schema: Schema, subjects: Iterable[Entity]) -> Verification:
    """Recomputes every hash chain and every state of the subjects and compares them with what is stored."""
    counted = events_seen = facts_seen = 0
    differences: list[Difference] = []
    for subject in subjects:
        events = await store.events(subject.uid)
        expected = fold_all(events, scale=schema.severity.grades)
        relations = sorted({*schema.relations, *(event.relation for event in events)})
        stored = (await store.neighbourhood(subject, relations)).facts
        differences += [*chain_differences(events), *_state_differences(subject, expected, stored)]
        counted, events_seen, facts_seen = counted + 1, events_seen + len(events), facts_seen + len(expected)
    return Verification(subjects=counted, events=events_seen, facts=facts_seen, differences=tuple(differences))


async def rebuild(store: Store, schema: Schema, subjects: Iterable[Entity]) -> int:
    """Recreates the state layer of the subjects from the ledger; gives the number of facts written."""
    return sum([await _rebuilt(store, schema, subject) for subject in subjects])


async def _rebuilt(store: Store, schema: Schema, subject: Entity) -> int:
    """Rebuilds one subject, again if somebody wrote meanwhile: the state must hold the newest event."""
    while True:
        events = await store.events(subject.uid)
        facts = fold_all(events, scale=schema.severity.grades)
        await store.replace_state(subject, facts)
        if (await store.chain(subject.uid, ())).head.seq == (events[-1].seq if events else 0):
            return len(facts)


def _state_differences(subject: Entity, expected: Iterable[Fact], stored: Iterable[Fact]) -> Iterator[Difference]:
    wanted = {fact.fact_id: fact for fact in expected}
    present = {fact.fact_id: fact for fact in stored}
    for fact_id in sorted(wanted.keys() | present.keys()):
        problem = _problem(wanted.get(fact_id), present.get(fact_id))
        if problem:
            yield Difference(subject_uid=subject.uid, where=f"fact {fact_id[:8]}", problem=problem)


def _problem(wanted: Fact | None, present: Fact | None) -> str:
    if present is None:
        return "is in the ledger and missing from the present state; run `r-memory rebuild`"
    if wanted is None:
        return "is in the present state without any event behind it; run `r-memory rebuild`"
    if wanted != present:
        return "differs from what its events add up to; run `r-memory rebuild`"
    return ""
