"""Which concepts of the pack the words of a fact name whose thing is in no lexicon, such as a note. Pure.

Only of relations whose facts a rule of the pack compares.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache

from r_memory.domain.facts import MEANS, Fact, concept
from r_memory.protocols import Linker
from r_memory.reading.reader import Reader

__all__ = ["Worded"]

_MOST_KNOWN = 2_000
"""Maximum number of words whose concepts are kept."""


class Worded:
    """Finds concepts in words, under one schema and pack."""

    def __init__(self, linker: Linker, relations: Collection[str]) -> None:
        self._linker = linker
        self._relations = relations
        self._in = lru_cache(_MOST_KNOWN)(self._found)

    @classmethod
    def under(cls, reader: Reader) -> "Worded":
        """The comparison of the relations whose things are words, with the concepts that rules hold against them."""
        terms = reader.schema.lexicon.terms
        spoken = {
            name for name, relation in reader.schema.relations.items() if not any(map(terms.get, relation.objects))
        }
        sides = [side for rule in reader.knowledge.rules for side in (rule.start, rule.end)]
        held = [side for side in sides if not spoken.isdisjoint(side.recorded)]
        return cls(
            reader.linker,
            spoken.intersection(name for side in held for name in side.recorded),
        )

    def named(self, fact: Fact) -> Iterable[str]:
        """The keys of what the words of the fact name; empty for other relations."""
        if fact.relation not in self._relations:
            return ()
        return self._in(f"{fact.object.name}. {fact.attrs.get(MEANS, '')}")

    def _found(self, words: str) -> tuple[str, ...]:
        return tuple(concept(mention.type, mention.name).uid for mention in self._linker.mentions(words))
