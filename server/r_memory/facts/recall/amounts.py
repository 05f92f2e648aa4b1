"""Amounts in words: `1 g four times a day`, compared with a limit. Pure; units and periods are those of the language.

Only one amount of one thing is compared. If the words hold several amounts, or none, there is no comparison.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from r_memory.domain.facts import Fact
from r_memory.domain.schema import Language
from r_memory.facts.recall.figures import WrittenNumbers
from r_memory.reading.language import either

_THOUSANDS = r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?"
_NUMBER = rf"(?<![\w.,])(?P<number>{_THOUSANDS}|\d+(?:[.,]\d+)?)"
_MONEY = "Sc"
"""Unicode category of the signs that stand before a sum."""
_SIZES: Mapping[str, tuple[str, float]] = {
    "kg": ("g", 1_000.0),
    "g": ("g", 1.0),
    "mg": ("g", 1e-3),
    "ug": ("g", 1e-6),
    "L": ("L", 1.0),
    "mL": ("L", 1e-3),
}
"""The measured quantity of a unit, and the factor to its base unit; any other unit is a quantity of its own."""
_COUNTED = "tablet"
"""Unit that multiplies the amount beside it ("2 tablets of 500 mg")."""
_MOST_COUNTED = 10
"""Below it a number without a unit may count tablets."""
_STEP = 1e-6
_DAYS: Mapping[str, float] = {"day": 1, "week": 7, "month": 30, "year": 365}
_HOURS = re.compile(r"(\d+) h")
_SLACK = 1.0001
"""Tolerance of a comparison: rounding does not break a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An amount of a single dose, and its frequency."""

    size: float
    kind: str
    """The measured quantity: `g`, `L`, or a unit of its own."""
    daily: float | None
    """Times a day; `None` if the words do not say."""


class Amounts:
    """Reads and compares amounts in one language."""

    def __init__(self, language: Language) -> None:
        units, periods = (_spelled(language.sections.get(name)) for name in ("units", "periods"))
        self._units, self._periods = units, periods
        self.uncounted = frozenset(
            unit for spelt, unit in units.items() if spelt and not spelt.isalnum() and len(spelt) == 1
        )
        """Units of money and shares, of which an amount is not taken so and so often."""
        scales = language.sections.get("money_scales")
        self._scales = {str(name): float(value) for name, value in scales.items()} if isinstance(scales, dict) else {}
        signs = "".join(unit for unit in units if len(unit) == 1 and unicodedata.category(unit) == _MONEY)
        sign = rf"(?:(?P<sign>[{re.escape(signs)}])\s?)?" if signs else "(?P<sign>(?!))?"
        scale = rf"(?:\s?(?P<scale>{either(self._scales)})(?!\w))?"
        unit = rf"(?:\s*(?P<unit>{either(units)})(?!\w))?"
        self._amount = re.compile(rf"{sign}{_NUMBER}{scale}{unit}", re.IGNORECASE)
        self._period = re.compile(rf"(?<!\w)({either(periods)})(?!\w)", re.IGNORECASE)
        pieces = [spelt for spelt, name in units.items() if name == _COUNTED]
        self.figures = WrittenNumbers(language, units, pieces)
        timed = rf"\s*(?:{either(_spelled(language.sections.get('hours')))})\b"
        self._bare = re.compile(rf"\W{{0,3}}{_NUMBER}(?!{timed}|\s*[/%x-])(?!\w)", re.IGNORECASE)

    def read(self, text: str) -> Amount | None:
        """The only amount in the words; `None` if there are none or several."""
        said = " ".join(text.split())
        found = [self._found(item) for item in self._amounts_in(self.figures.of(said))]
        counts = [number for number, unit in found if unit == _COUNTED]
        sizes = [_sized(number, unit) for number, unit in found if unit != _COUNTED]
        often = {self._periods[_folded(item[1])] for item in self._period.finditer(said)}
        if len(sizes) != 1 or len(counts) > 1 or len(often) > 1:
            return None
        size, kind = sizes[0]
        return Amount(size=size * (counts[0] if counts else 1), kind=kind, daily=_daily(next(iter(often), "")))

    def beside_periods(self, text: str) -> str:
        """The words without those that say how often."""
        return self._period.sub(" ", " ".join(text.split()))

    def sums(self, text: str) -> Iterator[tuple[range, Amount]]:
        """All amounts in the words with their places, each by itself."""
        for item in self._amounts_in(text):
            size, kind = _sized(*self._found(item))
            yield range(*item.span()), Amount(size=size, kind=kind, daily=None)

    def told(self, text: str) -> list[tuple[float, str]]:
        """The numbers of a dose with their units as written, counts included; a number that begins the words and has
        no unit has an empty one. Number words count as numbers.
        """
        text = self.figures.of(text)
        found = [self._found(item) for item in self._amounts_in(text)]
        bare = None if found else self._bare.match(text)
        return found or ([(number_of(bare["number"]), "")] if bare is not None else [])

    def _amounts_in(self, text: str) -> Iterator[re.Match[str]]:
        return (item for item in self._amount.finditer(text) if item["sign"] or item["unit"])

    def _found(self, item: re.Match[str]) -> tuple[float, str]:
        """The number and the unit of an amount."""
        number = number_of(item["number"]) * self._scales.get(_folded(item["scale"] or ""), 1.0)
        return number, self._units[_folded(item["unit"] or item["sign"])]

    def of_use(self, fact: Fact) -> Amount | None:
        """The amount in use according to a fact: from its attributes, or else from its words."""
        if "min" in fact.attrs:
            return self.read(f"{fact.attrs['min']} {fact.attrs.get('unit', '')}")
        stated = " ".join(value for value in fact.attrs.values() if isinstance(value, str))
        return self.read(stated) or self.read(fact.evidence)

    def breaks(self, used: Amount, limit: Fact) -> bool:
        """Whether the used amount is more than a maximum allows, or less than a minimum asks for."""
        most, least = (limit.attrs.get(name) for name in ("max", "min"))
        bound = most if most is not None else least
        unit = self._units.get(_folded(str(limit.attrs.get("unit", ""))), str(limit.attrs.get("unit", "")))
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            return False
        size, kind = _sized(float(bound), unit)
        if kind != used.kind:
            return False
        taken = _within(used, str(limit.attrs.get("period", "")))
        return taken > size * _SLACK if most is not None else taken * _SLACK < size

    def keeps(self, used: Amount, limit: Fact) -> bool:
        """Whether the used amount is for certain within a maximum: its frequency is known, or the limit is for one; or
        a sum is no less than a minimum.
        """
        period = str(limit.attrs.get("period", ""))
        unit = self._units.get(_folded(str(limit.attrs.get("unit", ""))), "")
        alike = _sized(1.0, unit)[1] == used.kind
        counted = used.kind in self.uncounted or (bool(period) and (_daily(period) is None or used.daily is not None))
        bounded = "max" in limit.attrs or ("min" in limit.attrs and used.kind in self.uncounted)
        return bounded and alike and counted and not self.breaks(used, limit)


def without_unit(known: float, said: Iterable[tuple[float, str]]) -> bool | None:
    """Whether a number without its unit is another dose than the one `said`, whose unit it can only have; `None` if
    its unit cannot be told: a few may be counted, and a thousandth part may be the same in a smaller unit.
    """
    numbers = [(number, unit) for number, unit in said if number > 0]
    if known <= 0 or not numbers or any(abs(number - known) <= number * (_SLACK - 1) for number, _ in numbers):
        return False
    counted = any(unit == _COUNTED for _, unit in numbers)
    if known < _MOST_COUNTED or counted:
        return True if counted and known < _MOST_COUNTED else None
    steps = (math.log(known / number, 1_000) for number, _ in numbers)
    return None if any(abs(step - round(step)) < _STEP for step in steps) else True


def _within(used: Amount, period: str) -> float:
    """The amount used in a period; the single dose if the limit is for one dose, or the frequency is unknown."""
    daily = _daily(period)
    if daily is None or used.daily is None:
        return used.size
    return used.size * max(used.daily / daily, 1.0)


def _daily(period: str) -> float | None:
    """Times a day of a period: `12 h` gives two, `week` a seventh; `None` if it is no time, as in "by dose"."""
    if hours := _HOURS.fullmatch(period):
        return 24 / int(hours[1])
    return 1 / _DAYS[period] if period in _DAYS else None


def _sized(number: float, unit: str) -> tuple[float, str]:
    kind, size = _SIZES.get(unit, (unit, 1.0))
    return number * size, kind


def number_of(digits: str) -> float:
    """The number that figures stand for: a comma before three of them separates thousands."""
    decimal = "" if re.fullmatch(_THOUSANDS, digits) else "."
    return float(digits.replace(",", decimal))


def _spelled(section: object) -> Mapping[str, str]:
    """The meaning of each spelling."""
    known = section if isinstance(section, dict) else {}
    return {_folded(str(words)): str(name) for name, spellings in known.items() for words in (name, *spellings)}


def _folded(text: str) -> str:
    return text.casefold()
