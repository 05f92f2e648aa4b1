"""Days and periods that words name ("23 December", "from Friday to Monday", "tomorrow", "the 3rd", "on Mondays").

Which day is meant is settled by the day on which the words are said: without its year it is the next one. Knows a
language's words for days, not what falls on them. A day that two readers read differently ("03/05/2027") is both days.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import islice

from r_memory.domain.instants import Instant, iso_day
from r_memory.domain.schema import Language
from r_memory.reading.dates import Dates
from r_memory.reading.language import listed, paired

_SECTION = "dates"
_WEEK = 7
_MOST = 50
"""Maximum number of dates, and of other days, that are read from one text: the first ones."""
_MOST_KNOWN = 16
"""Texts of which the days are kept."""
_NEAR = 40
"""Characters beside a day that are searched for the words that make a period of it."""
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)"
_LATEST_YEAR = 9_000
_DASH = "\u2013"
_CLOSE = re.compile(r"(?<=\d)(?<!\d{4})(?<!\d{4}-\d\d)-(?=\d{1,2}(?:st|nd|rd|th)? [^\W\d])")
"""The hyphen in "20-27 December", but none within "2026-12-20 to"."""
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_BEHIND_WEEKDAY = re.compile(r",?\s+(?:the\s+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """A day, or a period from its first day to its last."""

    first: date
    last: date
    said: str
    """The words that name it."""
    start: int
    """Offset of these words."""
    end: int
    yearless: bool = False
    """Whether the words say no year: it may return each year."""
    weekly: bool = False
    """Whether every such day of the week is meant."""

    def shown(self) -> str:
        """The day as ISO, or the first and the last."""
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"

    def meets(self, other: "Days") -> bool:
        """Whether the two share a day; neither moves to another year.

        >>> week = Days(first=date(2026, 12, 20), last=date(2027, 1, 6), said="", start=0, end=0)
        >>> week.meets(replace(week, first=date(2027, 1, 6), last=date(2027, 1, 9)))
        True
        """
        if self.weekly or other.weekly:
            return not self.weekdays.isdisjoint(other.weekdays)
        return self.first <= other.last and other.first <= self.last

    def in_year_of(self, other: "Days") -> "Days | None":
        """Returns these days in the year of `other`; `None` if their own year is said, or if that year is not later."""
        years = other.first.year - self.first.year
        moved = replace(self, first=_moved(self.first, years), last=_moved(self.last, years))
        # A period over the turn of the year belongs to the year before as well.
        moved = (
            moved
            if moved.meets(other)
            else replace(self, first=_moved(self.first, years - 1), last=_moved(self.last, years - 1))
        )
        return moved if self.yearless and moved.first > self.first else None

    @property
    def weekdays(self) -> frozenset[int]:
        """The days of the week among them, Monday as 0."""
        length = min((self.last - self.first).days + 1, _WEEK)
        return frozenset((self.first + timedelta(days=number)).weekday() for number in range(length))


class Calendar:
    """Reads days in one language; numeric dates only if the language has no section `dates`."""

    def __init__(self, language: Language) -> None:
        self._dates = Dates(language)
        self._relative = {words.casefold(): int(distance) for words, distance in paired(language, _SECTION, "relative")}
        self._week = {
            name.casefold(): number
            for number in range(_WEEK)
            for name in listed(language, _SECTION, "week", str(number + 1))
        }
        self._weekly = frozenset(listed(language, _SECTION, "weekly"))
        self._past = frozenset(listed(language, _SECTION, "past"))
        months = [name for number in range(1, 13) for name in listed(language, _SECTION, "months", str(number))]
        within = _any_of(listed(language, _SECTION, "within"))
        self._loose = re.compile(
            rf"(?<!\w)(?:(?P<relative>{_any_of(self._relative)})|(?P<weekday>{_any_of(self._week)})"
            rf"|(?<=the ){_ORDINAL}|(?:(?:{within})\s+)(?P<month>{_any_of(months)}))(?!\w)",
            re.IGNORECASE,
        )
        self._back, self._ahead = self._counting(language)
        self._known = lru_cache(_MOST_KNOWN)(self._days)
        """Kept because several comparisons ask for the days of one sentence."""
        spans = _any_of(listed(language, _SECTION, "spans"))
        pairs = [map(re.escape, pair) for pair in paired(language, _SECTION, "between")]
        number = r"(\d{1,2})(?:st|nd|rd|th)?"
        both = "|".join(rf"{before}\s+(?:the\s+)?{number}\s+{and_}" for before, and_ in pairs) or "(?!)"
        self._span = re.compile(rf"\s*(?:{spans})\s*(?:the\s+)?", re.IGNORECASE)
        self._bare = re.compile(rf"(?:(?<![\w./-]){number}\s*(?:{spans})|\b(?:{both}))\s*$", re.IGNORECASE)

    def _counting(self, language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """Patterns of a distance in days before, and of one after the day on which it is said."""
        self._units = {
            word.casefold(): _UNIT_DAYS[unit]
            for unit, _ in paired(language, "ages")
            for word in (unit, *listed(language, "ages", unit))
            if unit in _UNIT_DAYS
        }
        self._numbers = dict.fromkeys(listed(language, "one_of_a_unit"), 1.0)
        self._numbers |= {word.casefold(): float(number) for word, number in paired(language, "numbers")}
        behind, before = (_any_of(listed(language, _SECTION, "counted", name)) for name in ("ago", "ahead"))
        many = rf"(?P<many>\d{{1,3}}|{_any_of([*self._numbers])})[\s-]+(?P<unit>{_any_of(self._units)})"
        patterns = (rf"(?<!\w){many}\s+(?:{behind})(?!\w)", rf"(?<!\w)(?:{before})\s+{many}(?!\w)")
        return re.compile(patterns[0], re.IGNORECASE), re.compile(patterns[1], re.IGNORECASE)

    def counted(self, text: str, on: Instant, *, back: bool) -> date | None:
        """The only day that the text counts from the one on which it is said: "four days ago", or "in six weeks".

        It is `None` if there are none or several.
        """
        found = {
            round(self._units[item["unit"].casefold()] * self._many(item["many"].casefold()))
            for item in (self._back if back else self._ahead).finditer(text)
        }
        away = found.pop() if len(found) == 1 else None
        return None if away is None else date.fromisoformat(iso_day(on)) + timedelta(days=-away if back else away)

    def _many(self, words: str) -> float:
        return float(words) if words.isdecimal() else self._numbers[words]

    def last_past(self, text: str, on: Instant) -> date | None:
        """The only day that the text names as one gone by: counted, or the last of its kind; `None` if there is none
        or there are several.
        """
        if (day := self.counted(text, on, back=True)) is not None:
            return day
        found = self.days(text, on)
        if len(found) != 1:
            return None
        today, named = date.fromisoformat(iso_day(on)), found[0].last
        if named > today:
            named = _moved(named, -1) if found[0].yearless else named - timedelta(days=_WEEK)
        return named if named <= today else None

    def days(self, text: str, on: Instant) -> tuple[Days, ...]:
        """Returns the days that the text names, in order; `on` is when it is said."""
        return self._known(text, date.fromisoformat(iso_day(on)))

    def _days(self, text: str, today: date) -> tuple[Days, ...]:
        text = _CLOSE.sub(_DASH, text)
        single = sorted(self._single(text, today), key=lambda each: each.start)
        return tuple(self._periods(text, single, today))

    def _single(self, text: str, today: date) -> Iterator[Days]:
        """Yields each day by itself."""
        taken: list[range] = []
        for found in islice(self._dates.found(text), _MOST):
            taken.append(range(found.start(), found.end()))
            yield from self._dated(found[0], found.start(), today)
        for found in islice(self._loose.finditer(text), _MOST):
            if any(found.start() in span or found.end() - 1 in span for span in taken):
                continue
            follows = _BEHIND_WEEKDAY.match(text, found.end())
            if found["weekday"] and follows and any(span.start == follows.end() for span in taken):
                continue  # of "Friday 18 December" the date says which
            said, start = found[0], found.start()
            if found["relative"]:
                day = today + timedelta(days=self._relative[" ".join(said.casefold().split())])
                yield Days(first=day, last=day, said=said, start=start, end=found.end())
            elif found["weekday"]:
                yield self._weekday(text, said, start, today)
            else:
                yield from self._dated(found["month"] or said, start, today, said=said)

    def _weekday(self, text: str, said: str, start: int, today: date) -> Days:
        name, before = said.casefold(), text[max(0, start - _NEAR) : start].casefold().split()[-1:]
        ahead = (self._week[name] - today.weekday()) % _WEEK
        day = today + timedelta(days=ahead - _WEEK if self._past.intersection(before) else ahead)
        weekly = name in self._weekly or bool(self._weekly.intersection(before))
        return Days(first=day, last=day, said=said, start=start, end=start + len(said), weekly=weekly)

    def _dated(self, words: str, start: int, today: date, *, said: str = "") -> Iterator[Days]:
        """Yields the days that a date may mean: one for each reading of it."""
        known = {days for parts in self._dates.parts(words) if (days := _resolved(parts, today)) is not None}
        for first, last in sorted(known):
            year = re.search(r"\d{4}|\d\D+\d+\D+\d", words)
            yield Days(
                first=first,
                last=last,
                said=said or words,
                start=start,
                end=start + len(said or words),
                yearless=year is None and not re.fullmatch(_ORDINAL, words),
            )

    def _periods(self, text: str, single: Sequence[Days], today: date) -> Sequence[Days]:
        """The days, two that belong together as one period."""
        found: list[Days] = []
        for days in single:
            before = found[-1] if found else None
            bare = self._bare.search(text, max(0, days.start - _NEAR), days.start)
            if before is not None and self._span.fullmatch(text, before.end, days.start):
                found[-1] = _from_to(before, days, text)
            elif bare:
                # The number may stand there as a day of its own.
                found = [each for each in found if each.end <= bare.start()]
                found.append(_from_number(int(next(filter(None, bare.groups()))), days, text, bare.start()))
            elif self._dates.leads(text, days.start) and days.last > today:
                found.append(replace(days, first=today))
            else:
                found.append(days)
        return found


def _from_number(number: int, last: Days, text: str, start: int) -> Days:
    """The period from a day of the same month ("20 to 27 December"); the last day alone if there is no such day."""
    if not 0 < number <= last.first.day:
        return last
    return replace(last, first=last.first.replace(day=number), said=text[start : last.end], start=start)


def _from_to(first: Days, last: Days, text: str) -> Days:
    """The period from one day to another; the first day goes back to the year before the last one if it must."""
    begins, ends = first.first, last.last
    if begins > ends and first.yearless:
        begins = _moved(begins, -1)
    if begins > ends:
        week = ends + timedelta(days=_WEEK)
        ends = _moved(ends, 1) if last.yearless else max(begins, week) if week >= begins else begins
    said, yearless = text[first.start : last.end], first.yearless and last.yearless
    return Days(first=begins, last=ends, said=said, start=first.start, end=last.end, yearless=yearless)


def _resolved(parts: tuple[int | None, int | None, int | None], today: date) -> tuple[date, date] | None:
    """The first and the last day that year, month and day of a date mean; `None` if they mean no day."""
    year, month, day = parts
    with suppress(ValueError):
        if day is None and month is not None:
            whole = year or today.year + (month < today.month)
            return date(whole, month, 1), date(whole, month, monthrange(whole, month)[1])
        if day is not None and month is not None:
            found = date(year, month, day) if year else _next(today, month, day)
            return found, found
        if day is not None:
            found = _next_of_month(today, day)
            return found, found
    return None


def _next_of_month(today: date, day: int) -> date:
    """The next day with this number in its month, today among them.

    Raises:
        ValueError: no month has it.
    """
    months = [divmod(today.month - 1 + ahead, 12) for ahead in range(3)]
    found = (date(today.year + years, month + 1, day) for years, month in months if day <= _length(today, years, month))
    following = [each for each in found if each >= today]
    if not following:
        raise ValueError(day)
    return following[0]


def _length(today: date, years: int, month: int) -> int:
    return monthrange(today.year + years, month + 1)[1]


def _next(today: date, month: int, day: int) -> date:
    """The next such day, today among them; of 29 February the next one there is.

    Raises:
        ValueError: no month has it.
    """
    for year in range(today.year, today.year + 9):
        with suppress(ValueError):
            if (found := date(year, month, day)) >= today:
                return found
    return date(today.year, month, day)


def _moved(day: date, years: int) -> date:
    """The same day in another year; 29 February is the last of that month."""
    year = min(max(day.year + years, 1), _LATEST_YEAR)
    return day.replace(year=year, day=min(day.day, monthrange(year, day.month)[1]))


def _any_of(words: Sequence[str] | dict[str, int]) -> str:
    """A pattern for any of the words, the longest first; it matches nothing if there are none."""
    known = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in known) or "(?!)"
