"""Numbers as people write and say them: "1,250,000", "12½", "two and a half", "£1.5m", "fifty thousand and five".

Knows digits, the number words of a language and the short scales of money; knows no units. A number is read whole or
not at all: the "five" of "twenty-five" and the "1.5" of "1.5 million" are none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.schema import Language
from r_memory.reading.language import LanguagePack

_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_COMMA = re.compile(r"\d+,\d{1,2}")
"""A decimal comma: "12,5"."""
_FRACTION = re.compile(r"(\d*)([½¼¾⅓⅔])")
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
_SHORT = re.compile(r"(\d+(?:\.\d+)?)([a-z]+)")
_MARKS = ".,;:!?"
_SECTIONS = frozenset({"numbers", "and_a_half", "money_scales"})
_HALF = 0.5
_HUNDRED, _THOUSAND = 100, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A number, as far as it was read."""

    end: int
    total: float = 0.0
    """The value up to the last thousand, million, …"""
    rest: float = 0.0
    """The value since then."""
    last: float = 0.0
    """The value of the last word."""

    @property
    def value(self) -> float:
        return self.total + self.rest


class Numerals:
    """Reads the numbers of one language."""

    def __init__(self, pack: LanguagePack) -> None:
        self._words = pack.numbers("numbers")
        self._half = pack.phrases("and_a_half")
        self._short: Mapping[str, float] = pack.numbers("money_scales")

    def at(self, words: Sequence[str], position: int) -> tuple[float | None, int]:
        """Returns the number at the position and the index behind it; `None` and the position if there is none."""
        found = self._digits(words, position)
        said = self._spoken(words, position) if found is None else self._scaled(words, found)
        return (None, position) if said is None else (said.value, said.end)

    def short(self, words: Sequence[str], position: int) -> tuple[float | None, int]:
        """Returns a short amount of money ("20k", "1.5 m", "five grand") and the index behind it; `None` if none."""
        joined = _SHORT.fullmatch(words[position])
        if joined is not None and joined[2] in self._short:
            return float(joined[1]) * self._short[joined[2]], position + 1
        value, end = self.at(words, position)
        scale = self._short.get(words[end]) if value is not None and end < len(words) else None
        return (None, position) if value is None or scale is None else (value * scale, end + 1)

    # in digits

    def _digits(self, words: Sequence[str], position: int) -> _Said | None:
        word = words[position]
        if _COMMA.fullmatch(word):
            return _Said(end=position + 1, rest=float(word.replace(",", ".")))
        if parted := _FRACTION.fullmatch(word):
            return _Said(end=position + 1, rest=float(parted[1] or 0) + _FRACTIONS[parted[2]])
        if not _DIGITS.fullmatch(word):
            return None
        end = position + 1
        # "100 000" is one number, "2 500" may be two tablets of 500.
        while words[end : end + 1] and re.fullmatch(r"\d{3}", words[end]):
            end += 1
        grouped = end > position + 1 and words[end - 1] == "000" and re.fullmatch(r"\d{1,3}", word) is not None
        digits = "".join(words[position:end]) if grouped else word.replace(",", "")
        return _Said(end=end if grouped else position + 1, rest=float(digits))

    def _scaled(self, words: Sequence[str], found: _Said) -> _Said:
        """Returns the number with a following "and a half" and "million"."""
        said = found
        half = self._half.at(words, said.end) if said.end < len(words) else None
        if half is not None:
            said = replace(said, rest=said.rest + _HALF, end=half.end)
        while (scale := self._scale(words, said.end)) is not None:
            said = replace(said, rest=said.rest * scale, end=said.end + 1)
        return said

    def _scale(self, words: Sequence[str], position: int) -> float | None:
        part = self._words.get(words[position]) if position < len(words) else None
        return part if part is not None and part >= _HUNDRED else None

    # in words

    def _spoken(self, words: Sequence[str], position: int) -> _Said | None:
        said = self._begun(words, position)
        between = "between" in words[max(position - 2, 0) : position]
        while said is not None:
            onward = self._onward(words, said, between=between)
            if onward is None:
                return said
            said = onward
        return None

    def _begun(self, words: Sequence[str], position: int) -> _Said | None:
        part = self._words.get(words[position])
        if part is None:
            return None
        scale = self._scale(words, position + 2)
        if part == _HALF and scale is not None and words[position + 1] in {"a", "of"}:  # "half a million"
            return _Said(end=position + 3, total=part * scale, last=scale)
        if part >= _THOUSAND:
            return _Said(end=position + 1, total=part, last=part)
        return _Said(end=position + 1, rest=part, last=part)

    def _onward(self, words: Sequence[str], said: _Said, *, between: bool) -> _Said | None:
        """Returns the number with the words behind that belong to it; `None` if there are none."""
        end = said.end
        asked = not between and said.last != _HALF and end < len(words)
        half = self._half.at(words, end) if asked else None
        if half is not None:
            whole = said.last if said.last >= _THOUSAND else 1.0
            return replace(said, rest=said.rest + _HALF * whole, end=half.end)
        joined = words[end : end + 1] == ("-",) or (words[end : end + 1] == ("and",) and not between)
        at = end + joined
        part = self._words.get(words[at]) if at < len(words) else None
        if part is None or (joined and not self._joins(words, said, at)):
            return None
        return self._with(said, part, at + 1)

    def _joins(self, words: Sequence[str], said: _Said, at: int) -> bool:
        """Whether the word behind "-" or "and" continues the number: "twenty-five", "two hundred and five"."""
        part = self._words[words[at]]
        if words[at - 1] == "-":
            return _is_ten(said.last) and 1 <= part < 10
        beyond = next((scale for step in (1, 2, 3) if (scale := self._scale(words, at + step)) is not None), None)
        return said.last >= _HUNDRED and 1 <= part < _HUNDRED and beyond != said.last

    def _with(self, said: _Said, part: float, end: int) -> _Said | None:
        if part == _HALF:  # "one half"
            return _Said(end=end, rest=_HALF, last=_HALF) if said.value == 1 else None
        if part >= _THOUSAND:
            if not said.rest and part <= said.last:
                return None
            total = said.total + said.rest * part if said.rest else said.total * part
            return _Said(end=end, total=total, last=part)
        if part == _HUNDRED:
            return None if said.rest >= _HUNDRED else replace(said, rest=(said.rest or 1) * part, last=part, end=end)
        fits = said.rest % _HUNDRED == 0 or (_is_ten(said.last) and part < 10)
        return replace(said, rest=said.rest + part, last=part, end=end) if fits else None


def _is_ten(value: float) -> bool:
    return value in {20, 30, 40, 50, 60, 70, 80, 90}


class Figures:
    """Writes the spoken numbers of a text in figures, in one language."""

    def __init__(self, language: Language) -> None:
        pack = LanguagePack(language, lambda text: tuple(text.casefold().split()))
        self._numerals = Numerals(pack) if language.sections.keys() >= _SECTIONS else None

    def written(self, text: str) -> str:
        """The words with each number from a thousand on in figures: "up to 40,000 pounds".

        A language without number words leaves the text as it is.
        """
        if self._numerals is None:
            return text
        words, told, position = text.split(), list[str](), 0
        bare = tuple(word.casefold().strip(_MARKS) for word in words)
        while position < len(words):
            value, end = self._numerals.at(bare, position)
            spoken = (
                value is not None and value >= _THOUSAND and not any(letter.isdigit() for letter in words[position])
            )
            told.append(f"{value:,.0f}" if spoken else words[position])
            position = end if spoken else position + 1
        return " ".join(told)
