"""What a document says about itself: its date, and the name in its heading.

Only a line of its own at the beginning of the document counts.
"""

import re

from r_memory.domain.facts import Entity
from r_memory.domain.instants import Instant, parse_instant
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput
from r_memory.reading.dates import Dates
from r_memory.reading.language import listed

_LINES = 40
"""Number of lines at the beginning that are searched for the date and the name."""
_LAST = 12
"""Number of lines with words at the end that are searched for a signature."""
_BARE = re.compile(r"\s*")
_BEFORE_DAY = r".{0,80}(?:\bon\b|\bdated?\b|[,\u2013-])\s*:?\s*"
"""What stands between a signature and its day."""
_FIELDS = re.compile(r"\s{3,}|\t|\s*[|;·•]\s*")
"""What stands between the fields of one line."""
_WIDTH = 120
"""Characters of a line that are read."""
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_NAME = r"(?P<name>[^\W\d][^\d:;,\n]{2,60})"
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "master", "name"})


def own_date(text: str, schema: Schema) -> Instant | None:
    """The date of a document as it states it; `None` if no line, or more than one, states a date.

    A line with a label ("Date: 3 March 2009") counts before a bare date on a line of its own, and both count before
    the date of a signature. An ambiguous date such as 03/05/2009 counts as none.
    """
    dates = Dates(schema.language)
    lines = [line for line in text.splitlines() if line.strip()]
    first, last = lines[:_LINES], lines[-_LAST:]
    labelled = re.compile(rf"\s*(?:\|\s*)?(?:{_either(schema, 'dated') or 'dated?'})\s*[:|.-]?\s*", re.IGNORECASE)
    signed = re.compile(rf"\s*(?:{_either(schema, 'signed') or '(?!)'})\b{_BEFORE_DAY}", re.IGNORECASE)
    fields = [field for line in first for field in _FIELDS.split(line.strip()) if field]
    for form, where in ((labelled, (*first, *fields)), (_BARE, first), (signed, last), (labelled, last)):
        found = {day for line in where if (day := _day_in(line, form, dates))}
        if found:
            return parse_instant(f"{found.pop()}T00:00:00Z") if len(found) == 1 else None
    return None


def _either(schema: Schema, name: str) -> str:
    """The words of a list of the language as one pattern, the longest first; empty without a list."""
    return "|".join(map(re.escape, sorted(listed(schema.language, "sheets", name), key=len, reverse=True)))


def _day_in(line: str, before: re.Pattern[str], dates: Dates) -> str:
    """The day that ends a line, as ISO; empty if other words stand before it, or it is not certain which day it is."""
    words = line[:_WIDTH].rstrip(" \t.|")
    for date in dates.found(words):
        if date.end() == len(words) and before.fullmatch(words, 0, date.start()):
            shown = dates.shown(date[0])
            return shown if _ISO.fullmatch(shown) else ""
    return ""


def check_heading(text: str, subject: Entity, schema: Schema) -> None:
    """Checks that the heading of a document names no other person than the subject.

    Raises:
        InvalidInput: a line of the heading gives a name that shares no part with the subject's name.
    """
    person = rf"(?:{re.escape(schema.subject)}(?: name)?|name)\s*:\s*{_NAME}"
    # "Re: review of the chest" is a topic; with a number or a year behind it, it is a person.
    topic = rf"(?:re|regarding)\s*:\s*{_NAME}(?=.*\d)"
    own = _names(subject.name)
    for line in text.splitlines()[:_LINES]:
        match = next(
            (found for each in (person, topic) if (found := re.match(rf"\s*{each}", line, re.IGNORECASE))), None
        )
        name = match["name"].strip() if match is not None else ""
        said = _names(name)
        if name[:1].isupper() and len(said) > 1 and own and not said & own:
            raise InvalidInput(
                f"the document's heading names '{name}', and {subject.id} is '{subject.name}'; give the one it is "
                "about with --subject, or say that it is the same person (same_person, --same-person)"
            )


def _names(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d_]{2,}", text.casefold())
    return frozenset(words) - _TITLES
