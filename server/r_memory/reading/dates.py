"""Calendar dates as people write them: found in a text, and as ISO where only one day can be meant.

The only importer of dateutil in this folder. Knows how a language names months; not what falls on a date. A day without
its year, or "03/05/2027", which is March to one reader and May to another, stays in the words that were said.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import product

from dateutil.parser import ParserError, parser, parserinfo

from r_memory.domain.instants import Instant, parse_instant
from r_memory.domain.schema import Language
from r_memory.reading.language import listed

_SECTION = "dates"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DAY_MS = 86_400_000
_NEAR = 40
"""Characters before a date that are searched for a word such as "until"."""
_LEAP = 9
"""Years of which one has a 29th of February."""
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = r"(?:19|20)\d\d"
_NUMERIC = (
    rf"(?<![\w./-]){_YEAR} ?- ?\d{{1,2}} ?- ?\d{{1,2}}(?![\w/])",
    r"(?<![\w./-])\d{1,2} ?[./-] ?\d{1,2} ?[./-] ?(?:\d{4}|\d{2})(?![\w/])",
)
# Two days that share neither day, month nor year: a part that is not said is then read differently. Both allow any day.
_DEFAULTS = (datetime(2004, 1, 3), datetime(2012, 12, 27))  # noqa: DTZ001 - a day, in no zone


class Dates:
    """Finds dates of one language; only numeric dates if the language has no section `dates`."""

    def __init__(self, language: Language) -> None:
        self._months = _months(language)
        self._leading = frozenset(listed(language, _SECTION, "before"))
        self._also_words = frozenset(listed(language, _SECTION, "also_words"))
        self._parser = parser(_info(self._months))
        until = "|".join(map(re.escape, listed(language, _SECTION, "until")))
        self._until = re.compile(rf"\b(?:{until})\s+$" if until else r"(?!)", re.IGNORECASE)
        ending = "|".join(map(re.escape, listed(language, _SECTION, "ending")))
        self._ending = re.compile(rf"(?<!\w)(?:{ending})\s+$" if ending else r"(?!)", re.IGNORECASE)
        worded = self._worded("|".join(map(re.escape, listed(language, _SECTION, "joining"))))
        self._written = re.compile("|".join((*_NUMERIC, *worded)), re.IGNORECASE)

    def found(self, text: str) -> Iterator[re.Match[str]]:
        """Yields every date, from left to right."""
        return (match for match in self._written.finditer(text) if not self._doubtful(text, match))

    def end(self, text: str) -> tuple[int, Instant] | None:
        """Returns the offset of the date after "until", and the first instant after that day.

        `None` if the text does not hold exactly one such date, or its day is not certain.

        >>> Dates(Language(code="en", sections={"dates": {"until": ["until"]}})).end("bound until 2026-12-31.")
        (12, 1798761600000)
        """
        ends = [(date.start(), self.shown(date[0])) for date in self.found(text) if self.leads(text, date.start())]
        days = [(at, day) for at, day in ends if _ISO.fullmatch(day)]
        if len(days) != 1 or len(ends) != 1:
            return None
        ((at, day),) = days
        return at, parse_instant(f"{day}T00:00:00Z") + _DAY_MS

    def ends(self, text: str, start: int) -> bool:
        """Whether words before the date at `start` make it a last day."""
        return self.leads(text, start) or self._ending.search(text, max(0, start - _NEAR), start) is not None

    def leads(self, text: str, start: int) -> bool:
        """Whether a word such as "until" stands right before the date at `start`."""
        return self._until.search(text, max(0, start - _NEAR), start) is not None

    def shown(self, said: str) -> str:
        """Returns the day as ISO (`2027-05-03`) if every reading gives the same day; else the words as said."""
        parts = self.parts(said)
        only = parts[0] if len(parts) == 1 else (None, None, None)
        return said if None in only else "-".join((f"{only[0]:04}", *(f"{part:02}" for part in only[1:])))

    def last(self, said: str, day: str) -> str:
        """Returns the last such day up to `day` as ISO if only the year is missing; else the words as said.

        An empty `day` is not known.
        """
        parts = self.parts(said) if day else ()
        if len(parts) != 1 or parts[0][0] is not None or None in parts[0][1:]:
            return said
        _, month, number = parts[0]
        within = (f"{int(day[:4]) - ago:04}-{month:02}-{number:02}" for ago in range(_LEAP))
        return next((found for found in within if found <= day and _is_day(found)), said)

    def parts(self, said: str) -> Sequence[tuple[int | None, int | None, int | None]]:
        """Returns year, month and day of a date, a part that is not said as `None`: one for each way to read it."""
        if _ISO.fullmatch(said):
            return [(int(said[:4]), int(said[5:7]), int(said[8:]))]
        found = set()
        for first, year_first in product((True, False), (True, False)):
            try:
                one, other = (
                    self._parser.parse(said, dayfirst=first, yearfirst=year_first, default=default)
                    for default in _DEFAULTS
                )
            except (ParserError, OverflowError):
                return ()
            pairs = ((one.year, other.year), (one.month, other.month), (one.day, other.day))
            year, month, day = (here if here == there else None for here, there in pairs)
            found.add((year, month, day))
        return sorted(found, key=str)

    def _worded(self, joined: str) -> Iterator[str]:
        names = sorted((re.escape(name) for names in self._months for name in names), key=len, reverse=True)
        if not names:
            return
        month = rf"(?:{'|'.join(names)})\b"
        joining = rf"(?:(?:{joined}) )?" if joined else ""
        year = rf" ?[.,]? {_YEAR}"
        yield rf"(?<![\w./-]){_DAY} {joining}{month}(?:{year})?(?!\w)"
        yield rf"(?<!\w){month}\.? {_DAY}(?:{year})?(?!\w)"
        yield rf"(?<!\w){month}{year}(?!\w)"

    def _doubtful(self, text: str, match: re.Match[str]) -> bool:
        """Whether a month's name may be another word ("Rule 3 may apply").

        It counts as a month beside a year, an ordinal, or a word that introduces a date.
        """
        words = match[0].casefold().replace(",", " ").split()
        if self._also_words.isdisjoint(words) or any(re.fullmatch(rf"{_YEAR}|\d+(?:st|nd|rd|th)", w) for w in words):
            return False
        before = text[: match.start()].casefold().split()
        return not before or not (before[-1] in self._leading or before[-1].endswith((":", ",", "(", "-")))


def _is_day(text: str) -> bool:
    """Whether the calendar has the day."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _months(language: Language) -> list[tuple[str, ...]]:
    """Names of the months from the first to the twelfth."""
    return [listed(language, _SECTION, "months", str(number)) for number in range(1, 13)]


def _info(months: Sequence[tuple[str, ...]]) -> parserinfo:
    """Returns dateutil's parser settings, with the months of the language."""
    info = parserinfo()
    if any(months):
        known = parserinfo.MONTHS
        names = [own or known[number] for number, own in enumerate(months)]
        made = type("Info", (parserinfo,), {"MONTHS": names})
        info = made()
    return info
