"""Which sentences of a draft give a recorded place, hour or sum in plain words another number: 18b for 16b Tamar Court.

Pure. A number is the same one if what stands around it is the same: a name behind it, the words on both sides, or all
other words of what is recorded. Days are compared by the calendar, doses and limits by their relations.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.blocks import Line
from r_memory.domain.facts import Fact
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.prepared import Prepared
from r_memory.text.sentences import stretches

__all__ = ["NotedNumbers"]

_TOKEN = re.compile(r"[^\W_]+(?:[.,:'][^\W_]+)*")
_NUMBER = re.compile(r"(\d[\d.,:]*)([^\W\d_]{0,3})")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_LEAST = 2
"""Least number of other words by which a sentence speaks of what is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Number:
    """A number in a sentence and what stands around it."""

    start: int
    value: str
    """Its figures without separators of thousands."""
    mark: str
    """What is written behind the figures: `b`, `pm`."""
    before: tuple[str, ...]
    behind: tuple[str, ...]
    """The two nearest telling words on each side, as written."""

    @property
    def is_hour(self) -> bool:
        return ":" in self.value

    def is_other(self, known: "_Number") -> bool:
        """Whether it is another number; a mark that only one of the two has tells nothing."""
        marks = self.mark != known.mark and bool(self.mark and known.mark)
        return self.is_hour == known.is_hour and (self.value != known.value or marks)

    def is_placed_like(self, known: "_Number") -> bool:
        """Whether the words around both are the same, and one of them is recorded as a name."""
        if len(known.behind) == _LEAST and _same(self.behind, known.behind):
            return _has_name(known.behind)
        near = (*known.before[-1:], *known.behind[:1])
        return len(near) == _LEAST and _same((*self.before[-1:], *self.behind[:1]), near) and _has_name(near)

    def is_beside_the_same(self, known: "_Number") -> bool:
        """Whether the nearest word on one of the sides is the same."""
        sides = ((self.before[-1:], known.before[-1:]), (self.behind[:1], known.behind[:1]))
        return any(mine and _same(mine, other) for mine, other in sides)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedNumbers:
    """Compares numbers in sentences."""

    names: FactNames
    prepared: Prepared[Fact]
    relations: Collection[str]
    """Relations whose things are words."""
    scales: Mapping[str, float]
    """By what is written behind a number: how many times larger it is."""
    letters: Collection[str]
    """Capital letters that are words by themselves."""

    def otherwise(self, text: str, lines: Sequence[Line]) -> Iterator[tuple[Line, int]]:
        """The lines of which a sentence gives another number, each with the position of that."""
        noted = (line for line in lines if line.fact.relation in self.relations)
        recorded = [(line, self.prepared.of(self._recorded, line.fact)) for line in noted]
        recorded = [(line, known) for line, known in recorded if any(numbers for _, numbers in known)]
        start = 0
        for sentence in stretches(text) if recorded else ():
            said = list(self._numbers(sentence))
            for line, known in recorded if said else ():
                like = [numbers for each, told in recorded if _is_like(each, line) for _, numbers in told]
                stated = [number for numbers in like for number in numbers]
                found = (self._other(sentence, said, words, numbers, stated) for words, numbers in known)
                if (number := next(filter(None, found), None)) is not None:
                    yield line, start + number.start
            start += len(sentence)

    def _recorded(self, fact: Fact) -> tuple[tuple[str, list[_Number]], ...]:
        """The sentences of a fact's thing, details and words, each with its numbers."""
        told = (fact.object.name, *(str(value) for value in fact.attrs.values()), fact.evidence)
        sentences = dict.fromkeys(part for words in told for part in stretches(words))
        return tuple((sentence, list(self._numbers(sentence))) for sentence in sentences)

    def _other(
        self, sentence: str, said: Sequence[_Number], words: str, known: Sequence[_Number], stated: Sequence[_Number]
    ) -> _Number | None:
        """The first number of a sentence that stands where the recorded words have another one."""
        for number in said:
            if any(not number.is_other(each) and number.is_hour == each.is_hour for each in stated):
                continue
            alike = [each for each in known if each.is_hour == number.is_hour]
            whole = len(alike) == 1 and sum(each.is_hour == number.is_hour for each in said) == 1
            for each in alike:
                if number.is_placed_like(each) or (
                    whole and number.is_beside_the_same(each) and self._says_all(sentence, words)
                ):
                    return number
        return None

    def _says_all(self, sentence: str, words: str) -> bool:
        own = frozenset(word for word in self.names.telling(words) if word.isalpha())
        return len(own) >= _LEAST and own <= self.names.telling(sentence)

    def _numbers(self, sentence: str) -> Iterator[_Number]:
        tokens = list(_TOKEN.finditer(sentence))
        for place, token in enumerate(tokens):
            found = _NUMBER.fullmatch(token[0])
            if found is not None or self._is_letter(token[0], place):
                value, mark = self._read(found) if found is not None else ("", token[0].casefold())
                yield _Number(
                    start=token.start(),
                    value=value,
                    mark=mark,
                    before=self._near(reversed(tokens[:place]))[::-1],
                    behind=self._near(tokens[place + 1 :]),
                )

    def _read(self, found: re.Match[str]) -> tuple[str, str]:
        """The figures of a number in full, and what is written behind them."""
        value, mark = _THOUSANDS.sub("", found[1]).rstrip(".,:"), found[2].casefold()
        if mark in self.scales and value.replace(".", "", 1).isdigit():
            return f"{float(value) * self.scales[mark]:.0f}", ""
        return value, mark

    def _is_letter(self, word: str, place: int) -> bool:
        return place > 0 and len(word) == 1 and word.isupper() and word not in self.letters

    def _near(self, tokens: Iterable[re.Match[str]]) -> tuple[str, ...]:
        """The two nearest telling words, up to the next number."""
        near: list[str] = []
        for token in tokens:
            if any(letter.isdigit() for letter in token[0]):
                break
            if self.names.telling(token[0]):
                near.append(token[0])
            if len(near) == _LEAST:
                break
        return tuple(near)


def _same(some: Sequence[str], others: Sequence[str]) -> bool:
    return [word.casefold() for word in some] == [word.casefold() for word in others]


def _has_name(words: Sequence[str]) -> bool:
    return any(word[:1].isupper() for word in words)


def _is_like(line: Line, other: Line) -> bool:
    return line.fact.relation == other.fact.relation
