"""Recorded limits beside the amounts of a draft: above a ceiling, below a floor, or within. Pure.

An amount is compared only if one sentence, or one clause among several things, gives exactly one. It counts as within a
ceiling only if the draft says how often, and adds nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from r_memory.domain.facts import Fact
from r_memory.domain.schema import Schema
from r_memory.facts.recall.amounts import Amount, Amounts
from r_memory.protocols import Mention
from r_memory.reading.language import listed
from r_memory.text.sentences import clauses, stretches

Comparison = Literal["broken", "kept", "open"]
"""`open`: the words do not tell."""
_DIGITS = re.compile(r"\d[\d.,]*")
_LARGE = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w%])")
_PLAIN = r"\d+(?:[.,]\d+)?"
_NEAR = 30
"""Characters behind a word for an aim in which its amount stands."""
_SECTION = "sheets"


class Ceilings:
    """Compares amounts with limits under one schema."""

    def __init__(self, schema: Schema) -> None:
        def words(name: str) -> str:
            return _either(listed(schema.language, _SECTION, name))

        self._amounts = Amounts(schema.language)
        against = rf"(?:\b|(?=n't))(?:{words('against')})\b(?:\s\w+){{0,4}}?\s"
        self._floor = re.compile(rf"(?:{against}(?:{words('below')})|\b(?:{words('least')}))\s$", re.IGNORECASE)
        self._ceiling = re.compile(rf"(?:{against}(?:{words('above')})|\b(?:{words('most')}))\s$", re.IGNORECASE)
        self._settling = re.compile(rf"\b(?:{words('settling')})\b", re.IGNORECASE)
        aiming, joins = (_either(listed(schema.language, "drafts", name)) for name in ("aiming", "range_joins"))
        self._aiming = re.compile(rf"(?<!\w)(?:{aiming})(?!\w)", re.IGNORECASE)
        self._range = re.compile(rf"({_PLAIN})\s*(?:[-\u2013\u2014]|{joins})\s*(?={_PLAIN})", re.IGNORECASE)
        adding = _either(listed(schema.language, "drafts", "adding"))
        self._adding = re.compile(rf"(?<!\w)(?:{adding})(?!\w)", re.IGNORECASE)

    def of_thing(self, text: str, limit: Fact, place: int, mentions: Sequence[Mention]) -> Comparison:
        """How the amount of the thing that the draft names at this place stands to a limit with a number."""
        words = _words_about(text, place, mentions)
        amount = self._amounts.read(words)
        if amount is None:
            return "open"
        if self._amounts.breaks(amount, limit):
            return "broken"
        alone = len(_DIGITS.findall(words)) == 1 and not self._adding.search(words)
        return "kept" if alone and self._amounts.keeps(amount, limit) else "open"

    def broken_sum(self, text: str, words: str) -> range | None:
        """Where the draft settles for a sum that these words forbid; `None` if it does not."""
        for floor, ceiling, bound in self._bounds(words):
            for sentence, start in _sentences(text):
                found = list(self._sums(sentence)) if self._settling.search(sentence) else []
                if len(found) == 1 and found[0][1].kind == bound[1]:
                    place, said = found[0]
                    if (floor and said.size < bound[0]) or (ceiling and said.size > bound[0]):
                        return range(start + place.start, start + place.stop)
        return None

    def off_target(self, text: str, instruction: Fact) -> range | None:
        """Where the draft aims at an amount outside the range that an instruction names; `None` if it does not."""
        found = self._range.search(instruction.object.name)
        ends = next(self._amounts.sums(instruction.object.name[found.end() :]), None) if found is not None else None
        if found is None or ends is None or ends[0].start:
            return None
        low, high = float(found[1].replace(",", ".")), ends[1]
        for aim in self._aiming.finditer(text):
            words = text[aim.end() : aim.end() + _NEAR]
            told = next(((at, one) for at, one in self._amounts.sums(words) if one.kind == high.kind), None)
            if told is not None and not low <= told[1].size <= high.size:
                return range(aim.start(), aim.end() + told[0].stop)
        return None

    def _sums(self, words: str) -> Iterator[tuple[range, Amount]]:
        """All amounts in the words, and the large numbers without a unit, which are of one kind: "80,000"."""
        known = list(self._amounts.sums(words))
        yield from known
        for bare in _LARGE.finditer(words):
            if not any(bare.start() in place for place, _ in known):
                size = float(bare[0].replace(",", ""))
                yield range(*bare.span()), Amount(size=size, kind="", daily=None)

    def _bounds(self, words: str) -> Iterator[tuple[bool, bool, tuple[float, str]]]:
        """The sums that the words set as a floor or as a ceiling."""
        for place, amount in self._sums(words):
            before = words[: place.start]
            floor, ceiling = (found.search(before) is not None for found in (self._floor, self._ceiling))
            if floor != ceiling:
                yield floor, ceiling, (amount.size, amount.kind)


def _words_about(text: str, place: int, mentions: Sequence[Mention]) -> str:
    """The sentence around a name; only its clause if the sentence names another thing of the same type."""
    own = [mention for mention in mentions if mention.start == place]
    types, names = {mention.type for mention in own}, {mention.name for mention in own}
    others = [mention for mention in mentions if mention.type in types and mention.name not in names]
    sentence = _part(stretches(text), place)
    inside = (other for other in others if other.start in sentence and not any(_overlap(other, one) for one in own))
    part = _part(clauses(text), place) if any(inside) else sentence
    return text[part.start : part.stop]


def _overlap(mention: Mention, other: Mention) -> bool:
    return mention.start < other.end and other.start < mention.end


def _part(parts: Iterable[str], place: int) -> range:
    """The part of a text that holds the position."""
    end = 0
    for part in parts:
        start, end = end, end + len(part)
        if place < end:
            return range(start, end)
    return range(end, end)


def _sentences(text: str) -> Iterator[tuple[str, int]]:
    """The sentences of a text with their positions; blanks are those that the amounts are found in."""
    start = 0
    for part in stretches(text):
        yield part, start
        start += len(part)


def _either(phrases: Sequence[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True)) or "(?!)"
