"""Finds words that bind somebody: a prohibition, a promise, a limit, a secret, or which side was wrong.

It knows the lists of the language file, section `binding`; whether a fact was read from the words is not its business.
"""

import re
from collections.abc import Iterable, Mapping

from r_memory.domain.schema import Language
from r_memory.reading.language import listed

__all__ = ["Binding"]

_NOTHING = "(?!)"
_REACH = 40
"""Maximum characters between a bound and its amount, or between a denial and its bound."""
_SIGNS = "$\u20ac\u00a3"


class Binding:
    """Finds binding words in raw or in normalised text, in one language."""

    def __init__(self, language: Language) -> None:
        def words(name: str) -> str:
            return _any_of(listed(language, "binding", name))

        near = rf"[^.;?!]{{0,{_REACH}}}?"
        measured = _any_of([*_units(language), *listed(language, "binding", "measures")])
        amount = rf"{near}(?:[{_SIGNS}]\s?\d|(?:\d[\d.,]*|\ba|\bone)\s*(?:%|[{_SIGNS}]|(?:{measured})))"
        denial = rf"(?:{words('denials')}|n['\u2019]t\b)"
        bounds = rf"(?:{words('bounds')}|{denial}{near}{words('denied')}){amount}"
        opening = rf"(?:\A|(?<=[.!?;]\s))\W*{words('opening')}\s+(?!(?:\w+\s)?{words('idle')})"
        binding = rf"{words('words')}|{opening}|{words('secrets')}|{words('wrong')}|{bounds}"
        self._binding = re.compile(binding, re.IGNORECASE)
        self._secrets = re.compile(words("secrets"), re.IGNORECASE)
        self._free = re.compile(words("free"), re.IGNORECASE)
        self._wrong = re.compile(words("wrong"), re.IGNORECASE)
        self._either = re.compile(rf"{binding}|{words('free')}", re.IGNORECASE)

    def binds(self, text: str) -> bool:
        """Whether the text holds binding words."""
        return self._binding.search(text) is not None

    def frees(self, text: str) -> bool:
        """Whether the text says what is left free, if the words before it bind."""
        return self._free.search(text) is not None

    def takes_back(self, text: str) -> bool:
        """Whether the text says that what was said before was wrong."""
        return self._wrong.search(text) is not None

    def is_secret(self, text: str) -> bool:
        """Whether the words say that somebody must not know: they name others, and still bind the speaker's side."""
        return self._secrets.search(text) is not None

    def at(self, text: str) -> int | None:
        """Position of the first words that bind, or that say what is left free; `None` if there are none."""
        found = self._either.search(text)
        return None if found is None else found.start()


def _units(language: Language) -> Iterable[str]:
    units = language.sections.get("units")
    known = units if isinstance(units, Mapping) else {}
    return (str(text) for texts in known.values() for text in texts if str(text).isalpha())


def _any_of(texts: Iterable[str]) -> str:
    """A pattern for any of the texts as whole words, with the short forms of "not"; nothing for no texts."""
    parts = [re.escape(text).replace(r"\ not", r"(?:\ ?not|n?['\u2019]t)") for text in texts]
    return rf"\b(?:{'|'.join(parts)})(?!\w)" if parts else _NOTHING
