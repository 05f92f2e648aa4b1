"""A number with its unit of time, as ages are told: "5 months", "five weeks old", "32 weeks".

Knows the number words of the schema's language and, for every language, the words of `ages`; knows no fact.
"""

import re
from collections.abc import Mapping

from r_memory.domain.schema import Schema
from r_memory.reading.language import LanguagePack, listed
from r_memory.reading.normalise import plain
from r_memory.reading.numerals import Numerals

__all__ = ["UNITS", "Ages"]

UNITS = ("day", "week", "month", "year")
_JOINED = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
"""Between words that are one number: "twenty-five"."""
_WORD = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+|[-½¼¾]")


class Ages:
    """Reads ages in the languages of a schema."""

    def __init__(self, schema: Schema) -> None:
        self._numerals = Numerals(LanguagePack(schema.language, lambda text: tuple(text.casefold().split())))
        languages = (schema.language, *schema.languages.values())
        self._units: Mapping[str, str] = {
            word: unit for unit in UNITS for language in languages for word in (unit, *listed(language, "ages", unit))
        }

    def unit(self, words: str) -> str:
        """Returns the unit that a word names: `week` for "Wochen"; the words themselves if it is none."""
        return self._units.get(plain(words).casefold().strip(" ."), words)

    def told(self, words: str) -> tuple[int | float | None, str]:
        """Returns the first number and the unit behind it; `None` without a number, an empty unit without one."""
        said = _WORD.findall(_JOINED.sub(" ", plain(words).casefold()))
        for at in range(len(said)):
            number, end = self._numerals.at(said, at)
            if number is not None:
                while self._goes_on(said, end):
                    end += 1
                return int(number) if number.is_integer() else number, self._units.get("".join(said[end : end + 1]), "")
        return None, ""

    def _goes_on(self, said: list[str], end: int) -> bool:
        """Whether another number stands here or next: "5 to 6 weeks", "28 + 4 weeks", "a 5-month-old"."""
        nearby = range(end, min(end + 2, len(said)))
        return said[end : end + 1] == ["-"] or any(self._numerals.at(said, at)[0] is not None for at in nearby)
