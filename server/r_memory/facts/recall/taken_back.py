"""Which sentences of a draft repeat what the record has taken back: an old number, or a whole old note. Pure.

A sentence repeats a fact that was refuted or has ended if it holds a number of it beside another word of it, and no
number that stands in its place; a note in plain words if it holds all words of its name.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from r_memory.domain.blocks import Line
from r_memory.domain.facts import RISK, Fact
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.prepared import Prepared
from r_memory.text.sentences import stretches

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_FEWEST = 2
"""Fewest words of a name whose repetition alone repeats the note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """Compares the sentences of a draft with facts that hold no longer."""

    names: FactNames
    prepared: Prepared[Fact]
    notes: Collection[str]
    """Relations whose things are a person's own words."""

    def repeated(self, text: str, lines: Sequence[Line], over: Sequence[Line]) -> Iterator[tuple[Line, int]]:
        """The lines of what is `over` that a sentence repeats, each with the position of the sentence."""
        standing = [line.fact for line in lines if line.fact.status in RISK]
        start = 0
        for sentence in stretches(text) if over else ():
            said, numbers = self._plain(sentence), _numbers(sentence)
            held = [fact for fact in standing if self._shares(said, fact)]
            for line in over:
                if self._repeats(said, numbers, line.fact, held):
                    yield line, start + len(sentence) - len(sentence.lstrip())
            start += len(sentence)

    def _repeats(self, said: frozenset[str], numbers: frozenset[str], fact: Fact, held: Sequence[Fact]) -> bool:
        """Whether a sentence with these words and numbers repeats a fact; `held` are the standing ones it tells of."""
        like = (each for each in held if each.relation == fact.relation)
        if any(numbers & self.prepared.of(_numbers_of, each) for each in like):
            return False
        if numbers & self.prepared.of(_numbers_of, fact) and self._shares(said, fact):
            return True
        own = self._plain(fact.object.name) if fact.relation in self.notes else frozenset[str]()
        whole = len(own) >= _FEWEST and own <= said
        # What a newer note means may be "in place of" the old one.
        return whole and not any(own <= self._plain(f"{each.object.name} {each.evidence}") for each in held)

    def _shares(self, said: frozenset[str], fact: Fact) -> bool:
        return not said.isdisjoint(self.prepared.of(self._plain_of, fact))

    def _plain_of(self, fact: Fact) -> frozenset[str]:
        return self._plain(_words(fact))

    def _plain(self, words: str) -> frozenset[str]:
        return frozenset(word for word in self.names.significant(words) if word.isalpha())


def _words(fact: Fact) -> str:
    return " ".join((fact.object.name, fact.evidence, *map(str, fact.attrs.values())))


def _numbers_of(fact: Fact) -> frozenset[str]:
    return _numbers(_words(fact))


def _numbers(text: str) -> frozenset[str]:
    """The numbers of a text, without separators of thousands.

    >>> sorted(_numbers("£212,400 by the 14th, 2.5 mg"))
    ['14', '2.5', '212400']
    """
    found = (re.sub(r",(?=\d{3}\b)", "", number) for number in _NUMBER.findall(text))
    return frozenset(found)
