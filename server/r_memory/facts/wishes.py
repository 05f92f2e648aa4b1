"""Wishes to forget in somebody's words, and which texts they mean. Pure; it changes nothing.

What a wish means of the recorded facts is `remember/correcting.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from r_memory.domain.facts import Span
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.protocols import Linker
from r_memory.reading.retractions import Retractions, Taking

__all__ = ["Wish", "Wishes"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody asks to forget, and what else the same words say."""

    rest: str
    """The words without the sentences that ask to forget."""
    named: tuple[str, ...]
    """The words of each wish that may name what is to be forgotten."""
    names: FactNames

    def means(self, text: str) -> bool:
        """Whether the text tells what is to be forgotten."""
        return any(self.names.tells_of(text, words) for words in self.named)


class Wishes:
    """Finds wishes to forget under one schema."""

    def __init__(self, schema: Schema, linker: Linker) -> None:
        self._retractions = Retractions(schema.language)
        self._names = FactNames(schema, linker)

    def of(self, text: str) -> Wish | None:
        """Returns the wish; `None` if the text asks to forget nothing that it names."""
        taken = [each for each in self._retractions.of(text) if each.taking is Taking.FORGETS]
        named = tuple(each.words for each in taken if self._names.significant(each.words))
        return Wish(self._without(text, [each.span for each in taken]), named, self._names) if named else None

    @staticmethod
    def _without(text: str, spans: Sequence[Span]) -> str:
        for span in reversed(spans):
            text = f"{text[: span.start]}{text[span.end :]}"
        return text.strip()
