"""Finds phrases of the language pack among words that are cut already."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseMatch(Generic[Value]):
    """A phrase at positions `start` to `end` (excluded)."""

    start: int
    end: int
    value: Value


class Phrases(Generic[Value]):
    """Phrases with what each stands for; flat in their number, as a text's words are looked up one by one."""

    def __init__(self, entries: Iterable[tuple[tuple[str, ...], Value]]) -> None:
        self._values: dict[tuple[str, ...], list[Value]] = {}
        for words, value in entries:
            if words:
                self._values.setdefault(words, []).append(value)
        self._lengths: dict[str, list[int]] = {}
        """First word to the lengths of what begins with it, longest first."""
        for first, length in sorted({(words[0], len(words)) for words in self._values}, reverse=True):
            self._lengths.setdefault(first, []).append(length)

    def _beginning(self, words: Sequence[str], position: int) -> Iterator[PhraseMatch[Value]]:
        ends = (position + length for length in self._lengths.get(words[position], ()))
        for end in (end for end in ends if end <= len(words)):
            for value in self._values.get(tuple(words[position:end]), ()):
                yield PhraseMatch(start=position, end=end, value=value)

    def at(self, words: Sequence[str], position: int) -> PhraseMatch[Value] | None:
        """The longest phrase that begins at the position."""
        return next(self._beginning(words, position), None)

    def every(self, words: Sequence[str]) -> Iterator[PhraseMatch[Value]]:
        """Every phrase, left to right; at one position the longest first, and phrases may overlap."""
        for position in range(len(words)):
            yield from self._beginning(words, position)

    def stand_in(self, words: Sequence[str]) -> bool:
        """Whether any phrase is among the words."""
        return next(self.every(words), None) is not None

    def longest(self, words: Sequence[str]) -> Iterator[PhraseMatch[Value]]:
        """Phrases left to right, longest first, without overlap."""
        position = 0
        while position < len(words):
            found = self.at(words, position)
            if found is not None:
                yield found
            position = position + 1 if found is None else found.end
