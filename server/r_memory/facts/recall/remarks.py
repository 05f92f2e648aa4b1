"""Which notes a request meets although its action types read none: those that share a word with it. Pure.

Notes are what people say in their own words beside what a domain knows: remarks, days, plans. A block that leaves some
out names them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from r_memory.domain.facts import Fact
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.protocols import Linker

_MOST_MET = 8
"""Maximum number of notes that are shown for a shared word; those that share the most words come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """Compares notes under one schema."""

    names: FactNames
    relations: tuple[str, ...]
    """Relations of notes: what they hold is open, and no term of a lexicon."""

    @classmethod
    def under(cls, schema: Schema, linker: Linker) -> "Remarks":
        """The comparison under this schema."""
        terms = schema.lexicon.terms
        relations = (
            name
            for name, relation in schema.relations.items()
            if relation.open_object and not (relation.critical or relation.called_by)
            if not any(terms.get(type_) for type_ in relation.objects)
        )
        return cls(names=FactNames(schema, linker), relations=tuple(relations))

    def of(self, query: str, facts: Sequence[Fact], opened: Collection[str]) -> tuple[frozenset[str], tuple[Fact, ...]]:
        """Ids of the notes that share a word with the request, and the other notes, newest first.

        Only notes of relations that the request has not `opened` count, and only those that hold.
        """
        wanted = self.names.significant(query)
        beside = [
            fact
            for fact in facts
            if fact.relation in self.relations and fact.relation not in opened and speaks_for_risk(fact)
        ]
        beside.sort(key=lambda fact: (-fact.said_at, -fact.last_seq, fact.fact_id))
        shared = {fact.fact_id: self.names.number_told_in(_words(fact), wanted) for fact in beside}
        near = sorted((fact for fact in beside if shared[fact.fact_id]), key=lambda fact: -shared[fact.fact_id])
        met = frozenset(fact.fact_id for fact in near[:_MOST_MET])
        return met, tuple(fact for fact in beside if fact.fact_id not in met)


def _words(fact: Fact) -> str:
    return " ".join((fact.object.name, fact.evidence, *map(str, fact.attrs.values())))
