"""Whom a document names beside its subject: the patient in the next bed, or a row of beds on one sheet.

Knows places and how another patient is called; who of several is the subject, it takes from the subject's name alone.
"""

import re
from collections.abc import Sequence

from r_memory.domain.schema import Language
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain

_BEFORE = r"[\s#*\u2022-]*(?:\d{1,2}[.)]\s+)?"
"""What may stand before a heading."""
_NUMBER = r"[a-z]?\d{1,3}[a-z]?"


class Bystanders:
    """Finds other people in documents of one language."""

    def __init__(self, language: Language) -> None:
        forms = _either(listed(language, "sheets", "others"))
        places = _either(listed(language, "persons", "places"))
        self._named = re.compile(rf"\b(?:{forms})(?!\w)", re.IGNORECASE)
        self._heading = re.compile(rf"{_BEFORE}(?:\w+\s+)?(?:{forms})\s*(?:\([^()]*\))?[\s:*]*", re.IGNORECASE)
        self._label = re.compile(rf"{_BEFORE}(?P<place>(?:{places})\s*{_NUMBER})\s*(?:[:|\u2013-]|$)", re.IGNORECASE)

    def named(self, text: str) -> bool:
        """Whether the text speaks of another patient."""
        return bool(self._named.search(plain(text)))

    def heads(self, line: str) -> bool:
        """Whether a line is nothing but the name of another patient."""
        return bool(self._heading.fullmatch(plain(line)))

    def place(self, line: str) -> str:
        """Returns the bed that begins a line, as on a sheet for a whole ward; empty if none does."""
        found = self._label.match(plain(line))
        return "" if found is None else " ".join(found["place"].casefold().split())

    def are_several(self, lines: Sequence[str]) -> bool:
        """Whether the lines belong to more than one bed."""
        return len({place for line in lines if (place := self.place(line))}) > 1


def _either(forms: Sequence[str]) -> str:
    """Returns the forms as one pattern, the longest first; `#` stands for a number."""
    texts = sorted(forms, key=len, reverse=True)
    return "|".join(re.escape(each).replace(r"\#", _NUMBER) for each in texts) or "(?!)"
