"""Amounts as people say them, in figures: "half a tablet", "one and a half", "two 500 mg tablets". Pure.

It knows the words of the language file; what an amount is compared with is not its business.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from r_memory.domain.schema import Language
from r_memory.reading.language import either, listed

__all__ = ["WrittenNumbers"]

_REACH = 60
"""Characters before a thing in which its amount is looked for."""
_FRACTIONS = "\u00bc-\u00be\u2153-\u215e"
_FRACTION = re.compile(rf"(\d*)([{_FRACTIONS}])")
_DIGITS = r"\d+(?:[.,]\d+)?"


class WrittenNumbers:
    """Writes amounts in figures, and finds one right before a thing, in one language."""

    def __init__(self, language: Language, units: Iterable[str], counted: Sequence[str]) -> None:
        """`units` are the spellings of all units, and `counted` those of what is taken by its number."""
        self._numbers = dict(_numbers(language))
        unit, piece, words = either(units), either(counted), either(self._numbers)
        between, single, of_it, counting = (
            either(listed(language, name)) for name in ("between_unit", "one_of_a_unit", "of_it", "counting")
        )
        number = rf"(?:{_DIGITS}|[{_FRACTIONS}]|(?:{words})(?![\w-]))"
        joined = rf"(?:\s+(?:{between}))*\s*"
        measured = rf"{number}{joined}(?:{unit})"
        one = rf"(?:{single})\s+(?:(?:{between})\s+)*(?:{piece})"
        times = rf"(?:{number}(?:\s*(?:{counting})\s*|\s+(?:{piece})\s+(?:{of_it})\s+|\s+(?=\d)))?"
        behind = rf"(?P<of>(?:\s+(?:{of_it}|{piece}))*)"
        self._worded = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
        and_half = either(listed(language, "and_a_half"))
        self._half_more = re.compile(rf"(?<![\w.,-])(\d+|{words})\s+(?:{and_half})(?!\w)", re.IGNORECASE)
        self._between = re.compile(
            rf"(?<![\w.,])({_DIGITS})(?:\s+(?:{between}))+\s+(?=(?:{unit})(?!\w))", re.IGNORECASE
        )
        self._single = re.compile(rf"(?<!\w)(?:{single})\s+(?:(?:{between})\s+)*(?=(?:{piece})(?!\w))", re.IGNORECASE)
        self._pieces = re.compile(
            rf"(?<![\w.,])(\d{{1,2}})\s+({_DIGITS}\s*(?:{unit}))\s+({piece})(?!\w)", re.IGNORECASE
        )
        self._piece = next(iter(counted), "")
        self._counted = re.compile(
            rf"(?<![\w.,])(\d{{1,2}})\s*(?:{counting})\s*(?={_DIGITS}\s*(?:{unit}))", re.IGNORECASE
        )
        self._leading = re.compile(
            rf"(?<![\w.,])(?:{times}{measured}|{one}|(?:{words}))(?!\w){behind}\s+\Z", re.IGNORECASE
        )

    def of(self, text: str) -> str:
        """The words with their numbers in figures, right before the units: "0.5 tablet" of "half a tablet"."""
        text = _FRACTION.sub(lambda part: f"{int(part[1] or 0) + unicodedata.numeric(part[2]):g}", text)
        text = self._half_more.sub(
            lambda part: f"{float(self._numbers.get(part[1].casefold(), part[1])) + 0.5:g}", text
        )
        text = self._worded.sub(lambda word: self._numbers[word[0].casefold()], text)
        text = self._single.sub("1 ", self._between.sub(r"\1 ", text))
        return self._counted.sub(rf"\1 {self._piece} ", self._pieces.sub(r"\1 \3 \2", text))

    def leading(self, before: str) -> tuple[int, bool] | None:
        """Where the amount begins with which the words end, as in "give 60 mg of", and whether more than a blank
        stands behind it. `None` if they end with none; a number without a unit counts only in words.
        """
        found = self._leading.search(before, max(len(before) - _REACH, 0))
        return None if found is None else (found.start(), bool(found["of"].strip()))


def _numbers(language: Language) -> Iterator[tuple[str, str]]:
    """Each word for a number, or for a part of a whole, with its figures."""
    numbers, parts = language.sections.get("numbers"), language.sections.get("parts_of_a_whole")
    for percent, words in parts.items() if isinstance(parts, Mapping) else ():
        for word in words if isinstance(words, list | tuple) else ():
            yield str(word).casefold(), f"{float(str(percent)) / 100:g}"
    for word, value in numbers.items() if isinstance(numbers, Mapping) else ():
        yield str(word).casefold(), f"{value:g}"
