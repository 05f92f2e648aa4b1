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
from r_memory.text.sentences import stretches

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_FEWEST = 2
"""Fewest words of a name whose repetition alone repeats the note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """Compares the sentences of a draft with facts that hold no longer."""

    names: FactNames
    notes: Collection[str]
    """Relations whose things are a person's own words."""

    def repeated(self, text: str, lines: Sequence[Line], over: Sequence[Line]) -> Iterator[tuple[Line, int]]:
        """The lines of what is `over` that a sentence repeats, each with the position of the sentence."""
        standing = [line.fact for line in lines if line.fact.status in RISK]
        start = 0
        for sentence in stretches(text) if over else ():
            held = [fact for fact in standing if self._shares(sentence, fact)]
            for line in over:
                if self._repeats(sentence, line.fact, held):
                    yield line, start + len(sentence) - len(sentence.lstrip())
            start += len(sentence)

    def _repeats(self, sentence: str, fact: Fact, held: Sequence[Fact]) -> bool:
        like = [each for each in held if each.relation == fact.relation]
        said, standing = _numbers(sentence), {number for each in like for number in _numbers(_words(each))}
        if said & standing:
            return False
        if said & _numbers(_words(fact)) and self._shares(sentence, fact):
            return True
        own = self._plain(fact.object.name)
        whole = fact.relation in self.notes and len(own) >= _FEWEST and own <= self._plain(sentence)
        # What a newer note means may be "in place of" the old one.
        return whole and not any(own <= self._plain(f"{each.object.name} {each.evidence}") for each in held)

    def _shares(self, sentence: str, fact: Fact) -> bool:
        return not self._plain(sentence).isdisjoint(self._plain(_words(fact)))

    def _plain(self, words: str) -> frozenset[str]:
        return frozenset(word for word in self.names.significant(words) if word.isalpha())


def _words(fact: Fact) -> str:
    return " ".join((fact.object.name, fact.evidence, *map(str, fact.attrs.values())))


def _numbers(text: str) -> frozenset[str]:
    """The numbers of a text, without separators of thousands.

    >>> sorted(_numbers("£212,400 by the 14th, 2.5 mg"))
    ['14', '2.5', '212400']
    """
    found = (re.sub(r",(?=\d{3}\b)", "", number) for number in _NUMBER.findall(text))
    return frozenset(found)
