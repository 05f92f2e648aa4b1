"""Which recorded places a request asks for: "where is the spare key" meets the fact that tells where the key is. Pure.

The schema says which relations tell places (`bears: placed`), the language files how one asks for a place (`where`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from r_memory.domain.facts import Fact
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.protocols import Linker
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Compares places under one schema."""

    names: FactNames
    words: frozenset[str]
    """Words that ask for a place, in every language that is known."""
    relations: tuple[str, ...]
    """Relations that every request reads that asks for a place."""

    @classmethod
    def under(cls, schema: Schema, linker: Linker) -> "Placed":
        """The comparison under this schema."""
        relations = tuple(name for name, relation in schema.relations.items() if relation.bears == "placed")
        languages = (schema.language, *schema.languages.values())
        words = frozenset(word for language in languages for word in listed(language, "where"))
        return cls(names=FactNames(schema, linker), words=words, relations=relations)

    def asked(self, query: str) -> tuple[str, ...]:
        """The relations that a request reads; none if it asks for no place."""
        return () if self.words.isdisjoint(_WORD.findall(plain(query).casefold())) else self.relations

    def of(self, query: str, facts: Iterable[Fact]) -> frozenset[str]:
        """Ids of the facts that tell the place of a thing that the request names."""
        wanted = self.names.significant(query)
        told = ((fact, " ".join((fact.object.name, *map(str, fact.attrs.values())))) for fact in facts)
        return frozenset(
            fact.fact_id
            for fact, words in told
            if fact.relation in self.relations and speaks_for_risk(fact) and self.names.is_told_in(words, wanted)
        )
