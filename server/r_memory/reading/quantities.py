"""Numbers as a caller writes them in an attribute: "15,000", "£20k", "2.5 mg a day". Pure.

A number with anything beside it that is no scale, unit or period of the language is none.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from r_memory.domain.schema import Language
from r_memory.reading.normalise import plain

__all__ = ["Quantities", "Quantity"]

_NUMBER = re.compile(
    r"(?P<head>\D*?)(?P<sign>-?)"
    r"(?P<number>[1-9]\d{0,2}(?:[,' ]\d{3})+(?:\.\d+)?|[1-9]\d{0,2}(?:\.\d{3}){2,}|\d+(?:[.,]\d+)?)"
    r"(?P<tail>\D.*)?"
)
_LONGEST = 5
"""Most words of a quantity in a text."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number, with its unit and period if they were given with it."""

    value: int | float
    unit: str = ""
    period: str = ""


class Quantities:
    """Reads written numbers in one language."""

    def __init__(self, language: Language) -> None:
        def table(name: str) -> Mapping[str, str]:
            found = language.sections.get(name)
            rows = found.items() if isinstance(found, Mapping) else ()
            return {text: str(key) for key, texts in rows for text in (str(key).casefold(), *texts)}

        scales = language.sections.get("money_scales")
        self._scales = {str(key): float(by) for key, by in scales.items()} if isinstance(scales, Mapping) else {}
        self._units, self._periods = table("units"), table("periods")

    def of(self, words: str) -> Quantity | None:
        """The quantity that the words write; `None` if they write anything else.

        >>> from r_memory.domain.schema import Language
        >>> Quantities(Language(code="en", sections={"units": {"mg": ["mg"]}})).of("1,500 mg")
        Quantity(value=1500, unit='mg', period='')
        """
        found = _NUMBER.fullmatch(_SPACES.sub(" ", plain(words).casefold().strip()))
        if found is None:
            return None
        before, behind = found["head"].strip(), (found["tail"] or "").split()
        value = float(f"{found['sign']}{_digits(found['number'])}")
        if behind and (scale := self._scales.get(behind[0])):
            value, behind = value * scale, behind[1:]
        if before and before not in self._units:
            return None
        for cut in range(len(behind), -1, -1):
            unit, period = " ".join(behind[:cut]), " ".join(behind[cut:]).lstrip("/ ")
            unit = unit or before
            if self._is(unit, self._units) and self._is(period, self._periods):
                whole = int(value) if value.is_integer() else value
                return Quantity(value=whole, unit=self._units.get(unit, ""), period=self._periods.get(period, ""))
        return None

    def told(self, text: str, value: object) -> Quantity | None:
        """The quantity of this value with a unit that the text tells first; `None` if it tells none."""
        words = text.split()
        pieces = (words[at:end] for at in range(len(words)) for end in range(min(at + _LONGEST, len(words)), at, -1))
        found = (self.of(" ".join(piece).rstrip(".,;:!?")) for piece in pieces)
        return next((each for each in found if each is not None and each.unit and each.value == value), None)

    @staticmethod
    def _is(words: str, known: Mapping[str, str]) -> bool:
        return not words or words in known


def _digits(number: str) -> str:
    """The number as Python reads it: without separators of thousands, with a point."""
    grouped = re.fullmatch(r"[1-9]\d{0,2}(?:[,' ]\d{3})+(\.\d+)?", number)
    if grouped is not None:
        return re.sub(r"[,' ]", "", number)
    return number.replace(".", "") if number.count(".") > 1 else number.replace(",", ".")
