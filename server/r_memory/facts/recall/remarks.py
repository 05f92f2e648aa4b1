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
from r_memory.reading.days import Calendar, Days
from r_memory.reading.language import either, listed

_MOST_MET, _MOST_NAMED = 8, 20
"""Maximum number of notes that are shown for a shared word, and for a name, a number or several words; those that share
the most come first.
"""
_MOST_ASKED = 12
"""Maximum number of notes that are shown because the request asks for all, or for when something is."""
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
    calendar: Calendar
    overview: re.Pattern[str]
    """What asks for all that is noted: "what are the points"."""
    when: re.Pattern[str]
    """What asks for days and hours."""
    hour: re.Pattern[str]
    """An hour, or words for a time of the day."""

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

        def words(name: str) -> re.Pattern[str]:
            return re.compile(rf"\b(?:{either(listed(schema.language, 'noted', name))})\b", re.IGNORECASE)

        return cls(
            names=FactNames(schema, linker),
            prepared=prepared,
            relations=tuple(relations),
            calendar=Calendar(schema.language),
            overview=words("overview"),
            when=words("when"),
            hour=re.compile(
                rf"{words('hour').pattern}|\\b\\d{{1,2}}(?:[.:]\\d\\d|\\s?[ap]m|\\s?-\\s?\\d)", re.IGNORECASE
            ),
        )

    def asked_for(self, query: str, days: Sequence[Days], left: Sequence[Fact]) -> frozenset[str]:
        """Ids of those of the notes left out that a request asks for in other words: all of them, those that tell when,
        or those of a day that it names; the newest if there are many.
        """
        if self.overview.search(query):
            return frozenset(fact.fact_id for fact in left[:_MOST_ASKED])
        when = self.when.search(query) is not None
        if not (when or days):
            return frozenset()
        told = ((fact, self.calendar.days(_words(fact), fact.said_at)) for fact in left)
        asked = (
            fact
            for fact, noted in told
            if any(day.meets(other) for day in noted for other in days)
            or (when and (noted or self.hour.search(_words(fact))))
        )
        return frozenset(fact.fact_id for fact, _ in zip(asked, range(_MOST_ASKED), strict=False))

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
