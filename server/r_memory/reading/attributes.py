"""What is said beside a relation: reaction, severity, onset, amounts with unit and period, hours.

Knows how a language writes measures and which terms carry a severity; a number without its unit is never a number.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from unicodedata import category

from r_memory.domain.facts import Attribute
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Mention
from r_memory.reading.dates import Dates
from r_memory.reading.language import LanguagePack, PhraseMatch, Phrases
from r_memory.reading.numerals import Numerals
from r_memory.reading.sentences import Sentence

_MONEY = 1000
"""Amount from which a limit without a unit is a sum of money."""
_YEAR = re.compile(r"(?:\d{1,2}[/-])?((?:19|20)\d\d)s?")
_EVERY = re.compile(r"q(\d{1,2})h?")
_HALF = 0.5
_WORD = 3
"""Letters that a unit needs to stand behind "a": "a litre", not "a g"."""
_FURTHER = 4
"""Units of "weeks and 3 days"."""
_LONGEST_COUNT = 3
"""Units of a number such as "thirty - one"."""
_MOST_COUNTED = 100
_REACH = 8
"""Units between a name and a reaction within which both belong together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A number with its unit, at units `first` to `last` (excluded)."""

    first: int
    last: int
    value: float
    unit: str = ""
    """Empty if no unit was said; the number then means nothing."""
    period: str = ""
    """`day`, `dose`, `week`, `8 h`, …; empty if none was said."""


class Measures:
    """The numbers, units and periods of one language."""

    def __init__(self, pack: LanguagePack) -> None:
        self._numerals = Numerals(pack)
        self._units = pack.finder(pack.table("units"))
        self._periods = pack.finder(pack.table("periods"))
        self._hours = pack.finder(pack.table("hours"))
        self._every = pack.words("every")
        self._half, self._one = pack.phrases("and_a_half"), pack.words("one_of_a_unit")
        self._parts = pack.finder(pack.table("parts_of_a_whole"))
        self._money = pack.words("money")
        self._behind = pack.words("behind_an_amount")
        self._unstated = next(iter(pack.texts("money_unstated")), "")

    def found(self, sentence: Sentence, *, parts: bool = False) -> Iterator[Measure]:
        """Yields every number with a unit or by itself, from left to right.

        `parts`: a fraction ("a third") counts as a percentage.
        """
        position = 0
        while position < len(sentence.words):
            part = self._part(sentence.words, position) if parts else None
            if part is not None:
                yield part
                position = part.last
                continue
            value, end = self._short(sentence.words, position, parts=parts)
            if value is None:
                value, end = self._numerals.at(sentence.words, position)
            if value is None and (one := self._one_of(sentence.words, position)) is not None:
                yield replace(one, period=self._period(sentence, position, one.last))
                position = one.last
                continue
            if value is not None and value < 1 and self._a_unit(sentence.words, end) is not None:  # "half a litre"
                end += 1
            if value is None:
                position += 1
                continue
            unit = self._units.at(sentence.words, end) if end < len(sentence.words) else None
            if unit is None and position and self._of_money(sentence.words[position - 1]):  # "$50,000", "GBP 50,000"
                unit = self._units.at(sentence.words, position - 1)
            ranged = position > 1 and sentence.words[position - 1] in {"-", "to"}
            ranged = ranged and self._numerals.at(sentence.words, position - 2)[0] is not None
            last = end if unit is None else max(end, unit.end)
            name = "" if unit is None or ranged else unit.value
            if parts and not name and not ranged and self._is_money(sentence.words, position, last, value):
                name = self._unstated
            yield Measure(
                first=position,
                last=last,
                value=value,
                unit=name,
                period=self._period(sentence, position, last),
            )
            position = last

    def _part(self, words: Sequence[str], position: int) -> Measure | None:
        """Returns a fraction as a percentage: "a third in cash"; `None` for "half a tablet"."""
        found = self._parts.at(words, position)
        if found is None or words[found.end : found.end + 1] in {("a",), ("an",)}:
            return None
        counted = found.end < len(words) and self._units.at(words, found.end) is not None
        whole = Measure(first=position, last=found.end, value=float(found.value), unit="percent")
        return None if counted else whole

    def _is_money(self, words: Sequence[str], first: int, last: int, value: float) -> bool:
        """Whether an amount is money: too large for a percentage, no year, and of no named thing ("50,000 in cash")."""
        behind = words[last : last + 1]
        named = any(word[0].isalnum() and word not in self._behind for word in behind)
        return value >= _MONEY and not named and not _YEAR.fullmatch(words[first])

    def _of_money(self, word: str) -> bool:
        return word in self._money or category(word[0]) == "Sc"

    def _short(self, words: Sequence[str], position: int, *, parts: bool) -> tuple[float | None, int]:
        """Returns a short amount of money ("£20k", "20k euros") and the index behind it; with `parts` also "20k"."""
        value, end = self._numerals.short(words, position)
        beside = (*words[max(position - 1, 0) : position], *words[end : end + 1])
        return (value, end) if parts or any(self._of_money(word) for word in beside) else (None, position)

    def _a_unit(self, words: Sequence[str], position: int) -> PhraseMatch[str] | None:
        """Returns the unit behind "a", if there is one."""
        if position + 1 >= len(words) or words[position] not in self._one or len(words[position + 1]) < _WORD:
            return None
        return self._units.at(words, position + 1)

    def _one_of(self, words: Sequence[str], position: int) -> Measure | None:
        """Returns a single unit, with a half if said: "a litre and a half"."""
        unit = self._a_unit(words, position)
        if unit is None:
            return None
        half = self._half.at(words, unit.end) if unit.end < len(words) else None
        value, last = (1.0, unit.end) if half is None else (1 + _HALF, half.end)
        return Measure(first=position, last=last, value=value, unit=unit.value)

    def _period(self, sentence: Sentence, first: int, last: int) -> str:
        """Returns the nearest period behind a number, in its clause; empty if none."""
        clause = sentence.clause(first)
        words = sentence.words
        for position in (*range(last, clause[1]), *range(clause[0], first)):
            found = self._periods.at(words, position)
            if found is not None:
                return found.value
            interval = self._interval(words, position)
            if interval:
                return interval
        return ""

    def _interval(self, words: Sequence[str], position: int) -> str:
        """Returns `8 h` for "every 8 hours" and "q8h"; else empty."""
        compact = _EVERY.fullmatch(words[position])
        if compact:
            return f"{compact.group(1)} h"
        if words[position] not in self._every or position + 2 >= len(words):
            return ""
        value, end = self._numerals.at(words, position + 1)
        unit = self._hours.at(words, end) if end < len(words) else None
        return f"{value:g} h" if value is not None and unit is not None and unit.value == "hours" else ""

    def number(self, words: Sequence[str], position: int) -> tuple[float | None, int]:
        """Returns the number at the position and the index behind it; `None` and the position if there is none."""
        return self._numerals.at(words, position)

    def hours(self, sentence: Sentence) -> float | None:
        """The first length of time in the sentence, in hours."""
        scale = {"hours": 1.0, "days": 24.0, "weeks": 168.0, "minutes": 1 / 60}
        words = sentence.words
        for position in range(len(words)):
            value, end = self._numerals.at(words, position)
            if value is None or end >= len(words):
                continue
            end += words[end] == "-" and end + 1 < len(words)
            unit = self._hours.at(words, end)
            if unit is not None:
                return round(value * scale[unit.value], 4)
        return None


def takes_parts(relation: Relation) -> bool:
    """Whether an amount of the relation may be a fraction of a whole: it has a unit and no period."""
    kinds = relation.attrs.values()
    return "unit" in kinds and "period" not in kinds


class Attributes:
    """Reads the attributes of facts, under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack, measures: Measures) -> None:
        self._schema = schema
        self._measures = measures
        self._dates = Dates(schema.language)
        self._grades: Phrases[str] = pack.finder(schema.severity.words)
        self._denials = pack.words("assertion", "nominal") | {"not", "never"}
        self._further, self._before_a_count = pack.words("counted", "further"), pack.words("counted", "before")
        self._not_counted = {(word,) for word in pack.words("counted", "not_behind")}

    def stated(
        self,
        relation: Relation,
        sentence: Sentence,
        *,
        found: Mapping[str, Mention],
        around: tuple[int, int],
        window: tuple[int, int],
        lead: tuple[int, int],
    ) -> dict[str, Attribute]:
        """Returns the attributes of one fact: those of its slots, then those that stand around it.

        `around` are the units that state the fact. `window` are the units in which a term belongs to this object and to
        no other. `lead` are the units that introduce a whole list.
        """
        attrs: dict[str, Attribute] = {name: mention.name for name, mention in found.items()}
        attrs |= self.counted(relation, sentence.words, around)
        given = {relation.attrs[name] for name in attrs}
        for name, kind in relation.attrs.items():
            value = attrs.get(name, None if kind in given else self._value(kind, sentence, around, window))
            if value is not None:
                attrs[name] = value
        grades = [self._grade(sentence, reach, window) for reach in (around, lead)]
        return self._graded(relation, attrs, grades)

    def counted(self, relation: Relation, words: Sequence[str], around: tuple[int, int]) -> dict[str, Attribute]:
        """Returns the counts at or right around these words, by attribute.

        "32 weeks pregnant", "24 weeks and 3 days pregnant", "pregnant, 31 weeks", but not "pregnant, due in 6 weeks".
        """
        found: dict[str, Attribute] = {}
        for name in (name for name, kind in relation.attrs.items() if kind == "count"):
            names = {name, name.removesuffix("s")}
            numbers = (self._count_at(words, at) for at in self._places(words, around) if words[at] in names)
            number = next((number for number in numbers if number is not None), None)
            if number is not None:
                found[name] = number
        return found

    def _places(self, words: Sequence[str], around: tuple[int, int]) -> Iterator[int]:
        """Yields where the name of what is counted may stand: before the words, within, or behind them."""
        first, last = around
        yield from range(max(first - 1, 0), last)
        if first >= _FURTHER and words[first - 3] in self._further and words[first - 2].isdigit():
            yield first - _FURTHER
        behind = last
        while behind < len(words) and words[behind] in self._before_a_count:
            behind += 1
        end = self._measures.number(words, behind)[1] if behind < len(words) else behind
        if words[end : end + 1] == ("+",) and end + 2 < len(words):
            end += 2
        if behind < end < len(words) and words[end + 1 : end + 2] not in self._not_counted:
            yield end

    def _count_at(self, words: Sequence[str], at: int) -> int | None:
        """Returns the number right before a unit, of "28+4 weeks" the first; `None` without one."""
        for start in range(max(at - _LONGEST_COUNT, 0), at):
            number, end = self._measures.number(words, start)
            if number is not None and end == at:
                if start > 1 and words[start - 1] == "+":
                    number = self._measures.number(words, start - 2)[0]
                return int(number) if number is not None and number < _MOST_COUNTED else None
        return None

    def _value(
        self, kind: str, sentence: Sentence, around: tuple[int, int], window: tuple[int, int]
    ) -> Attribute | None:
        match kind:
            case "year":
                return _year(sentence, around, window)
            case "hours":
                hours = self._measures.hours(sentence)
                return None if hours is None else whole(hours)
            case "date" | "end":
                return self._date(sentence, around, window, end=kind == "end")
            case "severity" | "number" | "count" | "unit" | "period" | "text":
                return None
            case _:
                mention = self._near(self._schema.concrete(kind), sentence, around, window)
                return None if mention is None else mention.name

    def date(self, sentence: Sentence, start: int, end: int) -> str | None:
        """Returns the date that overlaps these characters; for a single character, the nearest date in its clause."""
        units = sentence.units
        within = [at for at, unit in enumerate(units) if unit.end > start and unit.start < end]
        around, every = (min(within, default=0), max(within, default=0) + 1), (0, len(units))
        dated = end - start == 1 or self._dated(sentence, around)
        return self._date(sentence, around, every) if within and dated else None

    def _dated(self, sentence: Sentence, around: tuple[int, int]) -> bool:
        """Whether a date stands in these units, together with its preposition: "on 4 May"."""
        first, last = sentence.clause(around[0])[0], sentence.clause(around[1] - 1)[1]
        text, places = _written(sentence, first, last)
        dated = {places[at] for said in self._dates.found(text) for at in range(said.start(), said.end())}
        return not dated.isdisjoint(range(*around))

    def _date(
        self, sentence: Sentence, around: tuple[int, int], window: tuple[int, int], *, end: bool = False
    ) -> str | None:
        """Returns the nearest date in the clause of the statement that belongs to its object and no other.

        `end`: only a last day counts ("until 3 May"), not "signed on 3 May".
        """
        first = max(window[0], sentence.clause(around[0])[0])
        last = min(window[1], sentence.clause(around[1] - 1)[1])
        text, places = _written(sentence, first, last)
        dates = [
            (_distance(places[said.start()], around), said[0])
            for said in self._dates.found(text)
            if not end or self._dates.ends(text, said.start())
        ]
        return self._dates.shown(min(dates, key=lambda pair: pair[0])[1]) if dates else None

    def _near(
        self, types: Sequence[str], sentence: Sentence, around: tuple[int, int], window: tuple[int, int]
    ) -> Mention | None:
        """Returns the nearest term of the types in the window that is not denied."""
        best: tuple[int, Mention] | None = None
        for position in range(*window):
            mention = sentence.units[position].mention
            if mention is None or mention.type not in types or sentence.words[position - 1] in self._denials:
                continue
            distance = _distance(position, around)
            if distance <= _REACH and (best is None or distance < best[0]):
                best = (distance, mention)
        return None if best is None else best[1]

    def _graded(
        self, relation: Relation, attrs: dict[str, Attribute], worded: Sequence[str | None]
    ) -> dict[str, Attribute]:
        """Returns the attributes with a severity: the graver of what the words and the lexicon's reactions say."""
        name = next((name for name, kind in relation.attrs.items() if kind == "severity"), None)
        stated = [grade for grade in (implied_grade(self._schema, relation, attrs), *worded) if grade]
        if name is not None and stated:
            attrs[name] = max(stated, key=self._schema.severity.rank)
        return attrs

    def _grade(self, sentence: Sentence, around: tuple[int, int], window: tuple[int, int]) -> str | None:
        """Returns the severity word inside or just before the statement, or at a reaction right behind it."""
        first, last = max(around[0] - 3, 0), min(around[1] + 4, max(window[1], around[1]))
        clause = sentence.clause(around[0])
        for found in self._grades.every(sentence.words[first:last]):
            at = first + found.start
            inside = at < around[1] or sentence.words[at - 1] in {"(", ",", "-", ":", "with", "a", "to"}
            own = clause[0] <= at < max(clause[1], around[1]) and (at >= window[0] or at < around[0])
            if own and inside:
                return found.value
        return None


def implied_grade(schema: Schema, relation: Relation, attrs: Mapping[str, Attribute]) -> str | None:
    """Returns the gravest severity that the lexicon gives to a reaction among these; `None` if none."""
    grades = (
        schema.lexicon.value_of(type_, "severity", str(value))
        for name, value in attrs.items()
        for type_ in schema.concrete(relation.attrs.get(name, ""))
    )
    return next(filter(None, grades), None)


def _distance(position: int, around: tuple[int, int]) -> int:
    return max(position - around[1], around[0] - position, 0)


def _written(sentence: Sentence, first: int, last: int) -> tuple[str, list[int]]:
    """Returns some units as written, with initial capitals, and the unit of each character."""
    parts: list[str] = []
    places: list[int] = []
    for position in range(first, last):
        unit = sentence.units[position]
        gap = bool(parts) and unit.start > sentence.units[position - 1].end
        part = " " * gap + (unit.word.capitalize() if unit.capital else unit.word)
        parts.append(part)
        places += [position] * len(part)
    return "".join(parts), places


def _year(sentence: Sentence, around: tuple[int, int], window: tuple[int, int]) -> int | None:
    """The nearest year in the window."""
    years = {at: found for at in range(*window) if (found := _YEAR.fullmatch(sentence.words[at]))}
    nearest = min(years, key=lambda at: _distance(at, around), default=None)
    return None if nearest is None else int(years[nearest].group(1))


def whole(value: float) -> int | float:
    """Returns the number without an empty fraction: 2, not 2.0."""
    return int(value) if value == int(value) else value
