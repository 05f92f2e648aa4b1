"""Points in time as integer epoch milliseconds, their fixed-width ISO-8601 form for people, and periods."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated

from r_memory.errors import InvalidInput

Instant = Annotated[int, "instant"]
"""Milliseconds since 1970-01-01T00:00:00Z."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
EARLIEST: Instant = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND
"""The first instant that has an ISO form."""
LATEST: Instant = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND
UNDATED: Instant = EARLIEST
"""The instant of statements whose date is unknown: earlier than all dated ones, so that they are never the newest."""
DATE_UNKNOWN = "(date unknown)"


@lru_cache(maxsize=4096)  # verifying takes a tenth less time, for what one text said has one time
def iso(instant: Instant) -> str:
    """ISO-8601 in UTC with milliseconds, always 24 characters.

    >>> iso(1_795_256_102_000)
    '2026-11-21T10:15:02.000Z'
    """
    return f"{(_EPOCH + instant * _MILLISECOND).isoformat(timespec='milliseconds')[:23]}Z"


def iso_seconds(instant: Instant) -> str:
    """ISO-8601 in UTC to the second, as printed in the block."""
    return iso(instant)[:19] + "Z"


def iso_day(instant: Instant) -> str:
    """The UTC day, `YYYY-MM-DD`."""
    return iso(instant)[:10]


def day_shown(instant: Instant) -> str:
    """The UTC day for people, or "(date unknown)".

    >>> day_shown(0), day_shown(UNDATED)
    ('1970-01-01', '(date unknown)')
    """
    return DATE_UNKNOWN if instant == UNDATED else iso_day(instant)


def month_of(instant: Instant) -> int:
    """The UTC month, from 1 to 12."""
    return int(iso(instant)[5:7])


def parse_instant(text: str) -> Instant:
    """Epoch milliseconds of an ISO-8601 text with a time zone.

    Raises:
        InvalidInput: not ISO-8601, without a zone, or outside the years 1 to 9999.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"'{text[:40]}' is not a time; give ISO-8601 such as 2026-11-21T10:15:02Z") from error
    if moment.tzinfo is None:
        raise InvalidInput(f"'{text[:40]}' has no time zone; use Z or an offset such as +01:00")
    instant = (moment - _EPOCH) // _MILLISECOND
    if not EARLIEST <= instant <= LATEST:
        raise InvalidInput(f"'{text[:40]}' is outside the years 1 to 9999 in UTC; give a time within them")
    return instant


def day_from(text: str) -> Instant | None:
    """The instant of an ISO day (its beginning in UTC) or time; `None` for an empty text. Raises as `parse_instant`.

    >>> iso_day(day_from("2009-03-03"))
    '2009-03-03'
    """
    bare = text.strip()
    return parse_instant(f"{bare}T00:00:00Z" if len(bare) == len("2009-03-03") else bare) if bare else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """When a fact holds in the world (not when it was recorded): from `start` (included) to `end` (excluded)."""

    start: Instant | None = None
    """`None` means "as long as known"."""
    end: Instant | None = None
    """`None` means "until further notice"."""

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise InvalidInput("a period ends after it starts; swap the two or leave one open")


ALWAYS = Period()
