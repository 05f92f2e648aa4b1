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
        self._by_first: dict[str, list[tuple[tuple[str, ...], Value]]] = {}
        for words, value in entries:
            if words:
                self._by_first.setdefault(words[0], []).append((words, value))
        for same in self._by_first.values():
            same.sort(key=lambda entry: -len(entry[0]))

    def at(self, words: Sequence[str], position: int) -> PhraseMatch[Value] | None:
        """The longest phrase that begins at the position."""
        for phrase, value in self._by_first.get(words[position], ()):
            end = position + len(phrase)
            if len(phrase) == 1 or tuple(words[position:end]) == phrase:
                return PhraseMatch(start=position, end=end, value=value)
        return None

    def every(self, words: Sequence[str]) -> Iterator[PhraseMatch[Value]]:
        """Every phrase, left to right; at one position the longest, but phrases may overlap."""
        for position in range(len(words)):
            for phrase, value in self._by_first.get(words[position], ()):
                end = position + len(phrase)
                if len(phrase) == 1 or tuple(words[position:end]) == phrase:
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
