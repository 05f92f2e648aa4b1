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
        self._values: dict[tuple[str, ...], tuple[Value, ...]] = {}
        lengths: dict[str, set[int]] = {}
        for words, value in entries:
            if words:
                self._values[words] = (*self._values.get(words, ()), value)
                lengths.setdefault(words[0], set()).add(len(words))
        self._lengths = {first: sorted(known, reverse=True) for first, known in lengths.items()}
        """First word to the lengths of what begins with it, longest first."""

    def at(self, words: Sequence[str], position: int) -> PhraseMatch[Value] | None:
        """The longest phrase that begins at the position."""
        for length in self._lengths.get(words[position], ()):
            end = position + length
            if end <= len(words) and (values := self._values.get(tuple(words[position:end]))):
                return PhraseMatch(start=position, end=end, value=values[0])
        return None

    def every(self, words: Sequence[str]) -> Iterator[PhraseMatch[Value]]:
        """Every phrase, left to right; at one position the longest first, and phrases may overlap."""
        for position, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                end = position + length
                for value in self._values.get(tuple(words[position:end]), ()) if end <= len(words) else ():
                    yield PhraseMatch(start=position, end=end, value=value)

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
