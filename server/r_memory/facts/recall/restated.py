"""Which sentences of a draft give a recorded thing another day or sum than the record does. Pure.

A sentence counts only if it names the thing by all its words, and one day or sum stands right beside the name: what is
done before a deadline, or taken from a sum, is no other deadline or sum. Limits are compared elsewhere.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from r_memory.domain.blocks import Line
from r_memory.domain.facts import Fact
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.amounts import Amount, Amounts
from r_memory.facts.recall.dated import Dated
from r_memory.facts.recall.prepared import Prepared
from r_memory.reading.days import Days
from r_memory.reading.language import listed
from r_memory.text.sentences import stretches

_WORD = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"\D*(\d{1,2})[^\W\d_]{0,2}")
_DIGIT = re.compile(r"\d")
_FAR = 40
"""Maximum characters between the name of a thing and its day or sum."""
_SLACK = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """Compares the days and sums of sentences under one schema."""

    schema: Schema
    names: FactNames
    prepared: Prepared[Fact]
    dated: Dated
    amounts: Amounts
    stating: frozenset[str]
    """Words that say when or how much something is: "is", "due", "listed"."""
    filling: frozenset[str]
    """These, and others that may stand beside them: "for", "still"."""

    @classmethod
    def under(cls, schema: Schema, names: FactNames, dated: Dated, prepared: Prepared[Fact]) -> "Restated":
        """The comparison under this schema."""
        stating, filling = (
            frozenset(word for phrase in listed(schema.language, "drafts", name) for word in phrase.split())
            for name in ("stating", "filling")
        )
        amounts = Amounts(schema.language)
        return cls(
            schema=schema,
            names=names,
            prepared=prepared,
            dated=dated,
            amounts=amounts,
            stating=stating,
            filling=stating | filling,
        )

    def otherwise(self, text: str, lines: Sequence[Line], now: Instant) -> Iterator[tuple[Line, int]]:
        """The lines of which a sentence gives another day or sum, each with the position of that."""
        start = 0
        for sentence in stretches(text):
            named = [day for day in self.dated.calendar.days(sentence, now) if not day.weekly]
            days = [day for day in named if _DIGIT.search(day.said)] or named  # "Friday 14 May" is one day
            sums = list(self.amounts.sums(sentence))
            words = self._words(sentence) if days or sums else []
            said = frozenset[str]().union(*(named for _, _, named in words))
            for line in lines if words else ():
                name = self._named(words, said, line.fact)
                if name is None:
                    continue
                of_it = [other.fact for other in lines if _is_same(other.fact, line.fact)]
                if len(days) == 1 and self._is_other_day(sentence, name, line.fact, of_it, days[0]):
                    yield line, start + days[0].start
                elif len(sums) == 1 and self._is_other_sum(sentence, name, line.fact, of_it, *sums[0]):
                    yield line, start + sums[0][0].start
            start += len(sentence)

    def _words(self, sentence: str) -> list[tuple[range, str, frozenset[str]]]:
        """Each word of a sentence: its place, itself, and what it names."""
        found = _WORD.finditer(sentence)
        return [(range(*word.span()), word[0], self.names.significant(word[0])) for word in found]

    def _named(
        self, words: Sequence[tuple[range, str, frozenset[str]]], said: frozenset[str], fact: Fact
    ) -> range | None:
        """Where the words of a sentence, which name what is `said`, name the thing of a fact by all its words; `None`
        if they do not.
        """
        own = self.prepared.of(self._own, fact)
        if not own or not own <= said:
            return None
        told = [(place, named) for place, word, named in words if self.names.is_told_in(word, own)]
        whole = own <= frozenset[str]().union(*(named for _, named in told))
        return range(told[0][0].start, told[-1][0].stop) if whole else None

    def _own(self, fact: Fact) -> frozenset[str]:
        """The words of a fact's thing that name it."""
        return frozenset(word for word in self.names.significant(fact.object.name) if word.isalpha()) - self.filling

    def _is_other_day(self, sentence: str, name: range, fact: Fact, of_it: Sequence[Fact], day: Days) -> bool:
        noted = [each for known in of_it for each in self.prepared.of(self.dated.noted, known)]
        between = sentence[name.stop : day.start]
        told = day.start >= name.stop and self._right_beside(self._without_places(between, fact))
        relation = self.schema.relations[fact.relation]
        if not (noted and told) or (relation.critical and self.stating.isdisjoint(_WORD.findall(between.casefold()))):
            return False
        if (number := _NUMBERED.fullmatch(day.said)) and not self.names.significant(day.said.rstrip("stndrh ")) - {
            number[1]
        }:
            return all(int(number[1]) not in {each.first.day, each.last.day} for each in noted)
        return not any(self.dated.matches(known, [day]) for known in of_it)

    def _is_other_sum(
        self, sentence: str, name: range, fact: Fact, of_it: Sequence[Fact], place: range, stated: Amount
    ) -> bool:
        relation = self.schema.relations[fact.relation]
        if relation.critical or "number" in relation.attrs.values():
            return False
        behind = place.start >= name.stop and self._right_beside(sentence[name.stop : place.start])
        before = place.stop <= name.start and not sentence[place.stop : name.start].strip()
        known = [
            amount
            for other in of_it
            for words in (other.object.name, other.evidence, *map(str, other.attrs.values()))
            for _, amount in self.amounts.sums(words)
            if amount.kind == stated.kind
        ]
        apart = all(abs(amount.size - stated.size) > _SLACK * amount.size for amount in known)
        return (behind or before) and bool(known) and apart

    def _without_places(self, between: str, fact: Fact) -> str:
        """The words between a name and its day without other names, and without what the record says there as well."""
        own = self.names.significant(fact.evidence)
        words = (found[0] for found in _WORD.finditer(between))
        return " ".join(word for word in words if not (word[:1].isupper() or self.names.significant(word) <= own))

    def _right_beside(self, between: str) -> bool:
        """Whether the words between a name and its day or sum say nothing but that it is so."""
        said = self.names.significant(between) - self.filling
        return len(between) <= _FAR and not said


def _is_same(one: Fact, other: Fact) -> bool:
    return (one.relation, one.object.uid) == (other.relation, other.object.uid)
