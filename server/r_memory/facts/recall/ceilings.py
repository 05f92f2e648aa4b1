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
from r_memory.reading.language import either, listed
from r_memory.reading.numerals import Figures
from r_memory.text.sentences import clauses, stretches

Comparison = Literal["broken", "kept", "open"]
"""`open`: the words do not tell."""
_DIGITS = re.compile(r"\d[\d.,]*")
_LARGE = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w%])")
_PLAIN = r"\d+(?:[.,]\d+)?"
_NEAR = 30
"""Characters behind a word for an aim in which its amount stands."""
_SECTION = "sheets"
_CLOSE = 4
"""Maximum number of words between a thing and its own share."""


class Ceilings:
    """Compares amounts with limits under one schema."""

    def __init__(self, schema: Schema) -> None:
        def words(name: str) -> str:
            return either(listed(schema.language, _SECTION, name))

        self._amounts = Amounts(schema.language)
        self._figures = Figures(schema.language)
        against = rf"(?:\b|(?=n't))(?:{words('against')})\b(?:\s\w+){{0,4}}?\s"
        denied = ("below", "above")  # of what is denied: "not for anything under" is a floor, whatever it holds
        self._denied = tuple(re.compile(rf"{against}(?:{words(name)})\s$", re.IGNORECASE) for name in denied)
        self._plain = tuple(re.compile(rf"\b(?:{words(name)})\s$", re.IGNORECASE) for name in ("least", "most"))
        self._settling = re.compile(rf"\b(?:{words('settling')})\b", re.IGNORECASE)
        aiming, joins = (either(listed(schema.language, "drafts", name)) for name in ("aiming", "range_joins"))
        self._aiming = re.compile(rf"(?<!\w)(?:{aiming})(?!\w)", re.IGNORECASE)
        self._range = re.compile(rf"({_PLAIN})\s*(?:[-\u2013\u2014]|{joins})\s*(?={_PLAIN})", re.IGNORECASE)
        adding, at_need = (either(listed(schema.language, "drafts", name)) for name in ("adding", "at_need"))
        self._adding = re.compile(rf"(?<!\w)(?:{adding})(?!\w)", re.IGNORECASE)
        self._at_need = re.compile(rf"(?<!\w)(?:{at_need})(?!\w)", re.IGNORECASE)

    def of_thing(self, text: str, limit: Fact, place: int, mentions: Sequence[Mention]) -> Comparison:
        """How the amount of the thing that the draft names at this place stands to a limit with a number."""
        part = _part_about(text, place, mentions)
        words = text[part.start : part.stop]
        amount, alone = self._amounts.read(words), False
        if amount is None:
            amount, alone = self._own_amount(words, place - part.start), True
        if amount is None:
            return "open"
        if self._amounts.breaks(amount, limit):
            return "broken"
        more = self._adding.search(words) or (amount.daily is None and self._at_need.search(words))
        alone = alone or (len(_DIGITS.findall(self._amounts.beside_periods(words))) == 1 and not more)
        stays = "max" in limit.attrs or self._aiming.search(words) is not None
        return "kept" if alone and stays and self._amounts.keeps(amount, limit) else "open"

    def _own_amount(self, words: str, place: int) -> Amount | None:
        """Of several sums or shares the one that stands right before the thing at this place, or else right behind."""
        sums = [(at, each) for at, each in self._amounts.sums(words) if each.kind in self._amounts.uncounted]
        before = [each for at, each in sums if at.stop <= place and len(words[at.stop : place].split()) <= _CLOSE]
        behind = [each for at, each in sums if at.start > place and len(words[place : at.start].split()) <= _CLOSE]
        return next(iter((*before[-1:], *behind)), None)

    def broken_sum(self, text: str, words: str) -> range | None:
        """Where the draft settles for a sum that these words forbid; `None` if it does not."""
        return next((place for how, place in self.sums_against(text, words) if how == "broken"), None)

    def sums_against(self, text: str, words: str) -> Iterator[tuple[Comparison, range]]:
        """How each sum that the draft settles for stands to a bound that these words set, with its place."""
        for floor, ceiling, bound in self._bounds(self._figures.written(words)):
            for sentence, start in _sentences(text):
                found = list(self._sums(sentence)) if self._settling.search(sentence) else []
                alike = [(place, said) for place, said in found if self._are_alike(said.kind, bound[1])]
                for place, said in alike:
                    broken = (floor and said.size < bound[0]) or (ceiling and said.size > bound[0])
                    how: Comparison = "open" if len(found) > 1 else "broken" if broken else "kept"
                    yield how, range(start + place.start, start + place.stop)

    def beside_bounds(self, words: str) -> str:
        """The clauses of these words that hold no number."""
        return " ".join(part for part in clauses(self._figures.written(words)) if not any(map(str.isdigit, part)))

    def _are_alike(self, kind: str, other: str) -> bool:
        """Whether two amounts are of one kind; one of the two may be a large number without its unit."""
        return kind == other or ("" in {kind, other} and {kind, other} <= {"", *self._amounts.uncounted})

    def off_target(self, text: str, instruction: Fact) -> range | None:
        """Where the draft aims at an amount outside the range that an instruction names; `None` if it does not."""
        found = self._range.search(instruction.object.name)
        ends = next(self._amounts.sums(instruction.object.name[found.end() :]), None) if found is not None else None
        if found is None or ends is None or ends[0].start:
            return None
        low, high = float(found[1].replace(",", ".")), ends[1]
        for aim in self._aiming.finditer(text):
            words = text[aim.end() : aim.end() + _NEAR]
            told = next(((at, item) for at, item in self._amounts.sums(words) if item.kind == high.kind), None)
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
            floor, ceiling = (found.search(before) is not None for found in self._denied)
            if not (floor or ceiling):
                floor, ceiling = (found.search(before) is not None for found in self._plain)
            if floor != ceiling:
                yield floor, ceiling, (amount.size, amount.kind)


def _part_about(text: str, place: int, mentions: Sequence[Mention]) -> range:
    """The sentence around a name; only its clause if the sentence names another thing of the same type."""
    own = [mention for mention in mentions if mention.start == place]
    types, names = {mention.type for mention in own}, {mention.name for mention in own}
    others = [mention for mention in mentions if mention.type in types and mention.name not in names]
    sentence = _part(stretches(text), place)
    inside = (other for other in others if other.start in sentence and not any(_overlap(other, item) for item in own))
    return _part(clauses(text), place) if any(inside) else sentence


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
