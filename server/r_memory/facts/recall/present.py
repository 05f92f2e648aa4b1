"""Which facts stand in every block about their subject, whatever is asked: what the pack lists, while it goes on. Pure.

A pregnancy does not last: the weeks that were said grow since, and beyond the pack's bound it is over.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.blocks import Line
from r_memory.domain.facts import Fact, Status
from r_memory.domain.instants import Instant
from r_memory.domain.knowledge import Circumstance, Knowledge, Steps
from r_memory.domain.schema import Schema
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.facts.recall.rules import number_now


@dataclass(frozen=True, slots=True, kw_only=True)
class AlwaysShown:
    """Finds what goes on, under one pack."""

    knowledge: Knowledge
    steps: Steps
    needs: tuple[Circumstance, ...]
    relations: tuple[str, ...]
    """Relations that every request reads for it."""

    @classmethod
    def under(cls, knowledge: Knowledge, schema: Schema, steps: Steps) -> "AlwaysShown":
        """The comparison under this pack; it names only relations of the schema."""
        read = frozenset(name for need in knowledge.always_shown for name in need.relations)
        relations = tuple(name for name in schema.relations if name in read)
        return cls(knowledge=knowledge, steps=steps, needs=knowledge.always_shown, relations=relations)

    def of(self, facts: Iterable[Fact], now: Instant) -> frozenset[str]:
        """Ids of the facts that go on: of each entry of the pack the newest, and those in doubt that are newer."""
        known = [fact for fact in facts if fact.relation in self.relations and speaks_for_risk(fact)]
        known = [fact for fact in known if not fact.is_absence]
        return frozenset(fact.fact_id for need in self.needs for fact in self._going_on(need, known, now))

    def marked(self, lines: Sequence[Line], now: Instant) -> tuple[Line, ...]:
        """The lines; of facts whose number ran out as stale."""
        return tuple(replace(line, stale=True) if self._ran_out(line.fact, now) else line for line in lines)

    def _ran_out(self, fact: Fact, now: Instant) -> bool:
        if fact.relation not in self.relations or not speaks_for_risk(fact) or fact.is_absence:
            return False
        needs = (need for need in self.needs if fact.relation in need.relations and self._is_one_of(fact, need))
        return any(not self._holds(fact, need, now) for need in needs)

    def _going_on(self, need: Circumstance, facts: Sequence[Fact], now: Instant) -> Iterator[Fact]:
        met = [fact for fact in facts if fact.relation in need.relations and self._is_one_of(fact, need)]
        numbered = [fact for fact in met if need.number and number_now(fact, need, now) is not None]
        past = [fact for fact in numbered if not self._holds(fact, need, now)]
        lasting = [
            fact
            for fact in met
            if self._holds(fact, need, now)
            # What was said without a number before a number ran out was said of the same.
            if fact in numbered or not any(self._holds(old, need, fact.said_at) for old in past)
        ]
        lasting.sort(key=lambda fact: (fact not in numbered, -fact.said_at, -fact.last_seq, fact.fact_id))
        for fact in lasting:
            yield fact
            if fact.status is Status.ACTIVE and not fact.contradicted:
                return

    def _is_one_of(self, fact: Fact, need: Circumstance) -> bool:
        return not self.knowledge.above(fact.object, self.steps, fact.meant).keys().isdisjoint(need.concepts)

    def _holds(self, fact: Fact, need: Circumstance, at: Instant) -> bool:
        return not need.number or need.holds(number_now(fact, need, at, unsaid=0) or 0)
