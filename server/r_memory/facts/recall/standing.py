"""What of one record does not go together: each thing in use, held against everything else recorded. Pure.

The rules, closures and matches are those of a request that names the thing; there is no second matcher.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.facts import Entity, Fact, concept
from r_memory.domain.instants import Instant
from r_memory.domain.intents import widest
from r_memory.facts.recall.drafts import Drafts
from r_memory.facts.recall.lines import Lines, speaks_for_risk
from r_memory.facts.recall.matching import Matcher
from r_memory.facts.recall.rules import Rules
from r_memory.protocols import Mention
from r_memory.reading.reader import Reader

_TOLD = frozenset({"A", "B"})
"""Tiers of rules that are told: what must not meet, and what needs care."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Recorded facts that do not go together."""

    text: str
    fact_ids: frozenset[str]


class Standing:
    """Holds the facts of one subject against each other, under one schema and pack."""

    def __init__(self, reader: Reader, *, rules: Rules, drafts: Drafts, lines: Lines) -> None:
        self._schema = reader.schema
        self._knowledge = reader.knowledge
        self._expand = widest(reader.table.intents.values())
        self._rules = rules
        self._drafts = drafts
        self._lines = lines

    def clashes(
        self, facts: Sequence[Fact], *, subject: Entity, failed: Mapping[str, str], now: Instant
    ) -> tuple[Clash, ...]:
        """Every pair that does not go together, each once; what was refuted, resolved or denied is in none."""
        held = [fact for fact in facts if speaks_for_risk(fact) and not fact.is_absence]
        told: dict[frozenset[str], Clash] = {}
        for fact in held:
            relation = self._schema.relations.get(fact.relation)
            # What is in use gives way to risks of its own thing in a sentence; a risk itself is no use.
            if relation is None or relation.critical or not relation.suppressed_by:
                continue
            for clash in self._against(fact, held, subject=subject, failed=failed, now=now):
                told.setdefault(clash.fact_ids, clash)
        return tuple(told.values())

    def _against(
        self, used: Fact, held: Sequence[Fact], *, subject: Entity, failed: Mapping[str, str], now: Instant
    ) -> Iterator[Clash]:
        mention = self._mention(used)
        others = [fact for fact in held if fact.fact_id != used.fact_id]
        if mention is not None:
            asked = self._rules.asked([mention], ())
            # What is only tolerated or had once is no use of the thing.
            asked = [one for one in asked if used.relation in one.rule.relations]
            for rule in self._rules.lines(asked, others, failed, now):
                if rule.facts and rule.tier in _TOLD and not rule.open:
                    ids = frozenset({used.fact_id, *(fact.fact_id for fact in rule.facts)})
                    yield Clash(text=rule.text, fact_ids=ids)
        suppressed = self._schema.relations[used.relation].suppressed_by
        risks = [fact for fact in others if fact.relation in suppressed]
        matcher = Matcher(used.object.name, [mention] if mention else [], self._knowledge, self._expand)
        lines = self._lines.of(
            risks,
            subject=subject,
            matches=lambda fact, carries, alone: matcher.matches(fact, carries=carries, alone=alone),
            contraries={},
            now=now,
        )
        for line in lines:
            match = next((one for one in line.matches if self._drafts.stands_against(line, one)), None)
            if match is not None:
                ids = frozenset({used.fact_id, line.fact.fact_id})
                yield Clash(text=f"{line.text} {match.text}.", fact_ids=ids)

    def _mention(self, fact: Fact) -> Mention | None:
        """The thing of a fact as a request would name it; nothing where only words were recorded."""
        known = self._knowledge.concepts.get(fact.object.uid)
        thing = fact.object if known is None else known
        if fact.object.is_said or concept(thing.type, thing.name).uid != fact.object.uid:
            return None
        return Mention(type=thing.type, name=thing.name, start=0, end=len(thing.name), surface=thing.name)


def involving(clashes: Sequence[Clash], facts: Sequence[Fact]) -> tuple[str, ...]:
    """What the clashes say that one of these facts is part of."""
    ids = {fact.fact_id for fact in facts}
    return tuple(dict.fromkeys(clash.text for clash in clashes if not ids.isdisjoint(clash.fact_ids)))
