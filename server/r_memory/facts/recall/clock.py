"""Hours of the clock at which something is given: "at 8 and 20", "at 6 am". Pure.

The words are those of the language file.
"""

import re
from collections.abc import Iterable, Iterator

from r_memory.domain.schema import Language
from r_memory.reading.language import all_texts, either, listed

__all__ = ["ClockHours"]

_HOUR, _NOON, _DAY = 60, 720, 1440


class ClockHours:
    """Reads and compares hours, in one language."""

    def __init__(self, language: Language) -> None:
        at, am, pm, full = (either(listed(language, "clock", name)) for name in ("at", "morning", "afternoon", "full"))
        other = either(all_texts([language.sections.get(name) for name in ("units", "hours", "ages")]))
        time = rf"\d{{1,2}}(?:[:.]\d\d)?(?:\s*(?:{am}|{pm}|{full})(?!\w))?(?![\w%/]|[.,:]\d)"
        joiner = rf"\s*(?:,|&|{either(listed(language, 'joiners'))})\s*(?:(?:{at})\s+)?"
        self._times = re.compile(
            rf"(?<!\w)(?:{at})\s+(?P<times>{time}(?:{joiner}{time})*)(?!\s*(?:{other}|%)(?!\w))", re.IGNORECASE
        )
        self._time = re.compile(
            rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>\d\d))?\s*(?:(?P<am>{am})|(?P<pm>{pm}))?", re.IGNORECASE
        )

    def differs(self, said: str, known: Iterable[str]) -> bool:
        """Whether the words give an hour that is none of the known ones; false if either tells no hour."""
        new = list(self._minutes(said))
        old = [item for words in known for item in self._minutes(words)] if new else []
        return bool(old) and not all(any(_is_same(first, second) for second in old) for first in new)

    def is_another(self, said: str, known: Iterable[str]) -> bool:
        """Whether the words give hours, and none of those that are known; false if either tells no hour.

        Of the known words those count as well that are nothing but an hour: "10.20".
        """
        new = list(self._minutes(said))
        known = list(known) if new else []
        old = [item for words in known for item in (*self._minutes(words), *self._bare(words))]
        return bool(old and new) and not any(_is_same(first, second) for first in new for second in old)

    def _bare(self, words: str) -> Iterator[tuple[int, bool]]:
        found = self._time.fullmatch(words.strip())
        if found is not None and int(found["hour"]) * _HOUR <= _DAY:
            yield self._in_minutes(found, full=int(found["hour"]) > _NOON // _HOUR)

    def _minutes(self, words: str) -> Iterator[tuple[int, bool]]:
        """Each hour in minutes, and whether it is of a clock of 24 hours, or said to be before noon or after."""
        for found in self._times.finditer(words):
            times = list(self._time.finditer(found["times"]))
            full = any(int(item["hour"]) > _NOON // _HOUR for item in times)
            for item in times:
                if int(item["hour"]) * _HOUR <= _DAY:
                    yield self._in_minutes(item, full=full)

    @staticmethod
    def _in_minutes(time: re.Match[str], *, full: bool) -> tuple[int, bool]:
        hour, half = int(time["hour"]), time["am"] or time["pm"]
        hour = hour % (_NOON // _HOUR) + (_NOON // _HOUR if time["pm"] else 0) if half else hour
        return (hour * _HOUR + int(time["minute"] or 0)) % _DAY, bool(full or half)


def _is_same(said: tuple[int, bool], known: tuple[int, bool]) -> bool:
    (first, sure), (second, certain) = said, known
    return first == second or (not (sure and certain) and first % _NOON == second % _NOON)
