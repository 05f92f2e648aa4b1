"""What a document says about itself: its date, and the name in its heading.

Only a line of its own at the beginning of the document counts.
"""

import re

from r_memory.domain.facts import Entity
from r_memory.domain.instants import Instant, parse_instant
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput
from r_memory.reading.dates import Dates

_LINES = 40
"""Number of lines at the beginning that are searched for the date and the name."""
_LEAD = r"(?:letter |report |visit )?dated?(?: of (?:letter|report|visit|issue))?"
_DATED = re.compile(rf"\s*(?:{_LEAD}\s*[:.-]?\s*)?(?P<date>\S.*?)\s*\.?\s*", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_NAME = r"(?P<name>[^\W\d][^\d:;,\n]{2,60})"
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "master", "name"})


def own_date(text: str, schema: Schema) -> Instant | None:
    """The date of a document as it states it; `None` if no line, or more than one, states a date.

    An ambiguous date such as 03/05/2009 counts as none.
    """
    dates = Dates(schema.language)
    found = set()
    for line in text.splitlines()[:_LINES]:
        match = _DATED.fullmatch(line[:80])
        if match is not None and any(each[0] == match["date"] for each in dates.found(match["date"])):
            shown = dates.shown(match["date"])
            found |= {shown} if _ISO.fullmatch(shown) else set()
    return parse_instant(f"{found.pop()}T00:00:00Z") if len(found) == 1 else None


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
                "about with --subject, or say --same-person"
            )


def _names(text: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d_]{2,}", text.casefold())
    return frozenset(words) - _TITLES
