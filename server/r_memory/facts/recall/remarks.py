"""Which notes a request meets although its action types read none: those that share a word with it. Pure.

Notes are what people say in their own words beside what a domain knows: remarks, days, plans. A block that leaves some
out names them.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from r_memory.domain.blocks import SURE, Line
from r_memory.domain.facts import Fact
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.facts.recall.prepared import Prepared
from r_memory.protocols import Linker

_MOST_MET, _MOST_NAMED = 8, 20
"""Maximum number of notes that are shown for a shared word, and for a name, a number or several words; those that share
the most come first.
"""
_FEW_LOOSE, _MANY_LOOSE = 6, 500
"""Numbers of lines that may be cut up to which all have room, and from which comparing them takes too long."""
_NAMING = re.compile(r"(?<=\w\s)[A-Z]\w+|\d[\w.,:]*")
"""A name amid a sentence, a day or a sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """Compares notes under one schema."""

    names: FactNames
    prepared: Prepared[Fact]
    relations: tuple[str, ...]
    """Relations of notes: what they hold is open, and no term of a lexicon."""

    @classmethod
    def under(cls, schema: Schema, linker: Linker, prepared: Prepared[Fact]) -> "Remarks":
        """The comparison under this schema."""
        terms = schema.lexicon.terms
        relations = (
            name
            for name, relation in schema.relations.items()
            if relation.open_object and not (relation.critical or relation.called_by)
            if not any(terms.get(type_) for type_ in relation.objects)
        )
        return cls(names=FactNames(schema, linker), prepared=prepared, relations=tuple(relations))

    def of(self, query: str, facts: Sequence[Fact], opened: Collection[str]) -> tuple[frozenset[str], tuple[Fact, ...]]:
        """Ids of the notes that share a word with the request, and the other notes, newest first.

        Only notes of relations that the request has not `opened` count, and only those that hold.
        """
        beside = [
            fact
            for fact in facts
            if fact.relation in self.relations and fact.relation not in opened and speaks_for_risk(fact)
        ]
        beside.sort(key=lambda fact: (-fact.said_at, -fact.last_seq, fact.fact_id))
        shared_with = self._shared_with(query)
        shared = {fact.fact_id: shared_with(fact) for fact in beside}
        near = sorted((fact for fact in beside if any(shared[fact.fact_id])), key=lambda fact: shared[fact.fact_id])
        named = (fact for fact in near[_MOST_MET:_MOST_NAMED] if shared[fact.fact_id] < (0, -1))
        met = frozenset(fact.fact_id for fact in (*near[:_MOST_MET], *named))
        return met, tuple(fact for fact in beside if fact.fact_id not in met)

    def nearest_first(self, query: str, lines: Sequence[Line]) -> tuple[Line, ...]:
        """The lines; of those that may be cut, the ones that share a name, a number or a word of the request first."""
        firm = [line for line in lines if line.rank in SURE]
        loose = [line for line in lines if line.rank not in SURE]
        if not _FEW_LOOSE < len(loose) < _MANY_LOOSE:
            return tuple(lines)
        shared = self._shared_with(query)
        loose.sort(key=lambda line: (line.rank == "past", not line.matches, *shared(line.fact)))
        return (*firm, *loose)

    def _shared_with(self, query: str) -> Callable[[Fact], tuple[int, int]]:
        """Tells how many names and numbers of a request a fact shares, and how many words; less than zero, to sort
        by.
        """
        names = self.names.significant(" ".join(_NAMING.findall(query)))
        wanted = self.names.significant(query)

        def shared(fact: Fact) -> tuple[int, int]:
            held = self.prepared.of(self._told, fact) if names or wanted else frozenset[str]()
            return -len(held & names), -len(held & wanted)

        return shared

    def _told(self, fact: Fact) -> frozenset[str]:
        return self.names.told(_words(fact))


def _words(fact: Fact) -> str:
    return " ".join((fact.object.name, fact.evidence, *map(str, fact.attrs.values())))
