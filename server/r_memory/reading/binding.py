"""Finds words that bind somebody: a prohibition, a promise, a limit, a secret, or which side was wrong.

It knows the lists of the language file, section `binding`; whether a fact was read from the words is not its business.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from r_memory.domain.schema import Language
from r_memory.reading.language import listed

__all__ = ["Ban", "Binding"]

_NOTHING = "(?!)"
_REACH = 40
"""Maximum characters between a bound and its amount, or between a denial and its bound."""
_SIGNS = "$\u20ac\u00a3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """The words of a clause that forbid something."""

    end: int
    """Position behind the words."""
    stop: int
    """Position of the words that say how long it holds ("until …"), or the end of the clause."""
    names_it: bool
    """Whether the forbidden thing itself follows ("no gels"), rather than what is not to be done."""


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
        wish = rf"\A\W*{words('none')}\s.*\b{words('wishing')}\W*\Z"
        forbids = rf"{words('forbids_a_thing')}|{words('forbids')}|{opening}"
        binding = rf"{wish}|{forbids}|{words('words')}|{words('secrets')}|{words('wrong')}|{bounds}"
        limit = rf"(?:{words('bounds')}|{words('denied')}){near}\d"
        self._binding = re.compile(binding, re.IGNORECASE)
        self._forbids = re.compile(forbids, re.IGNORECASE)
        self._of_a_thing = re.compile(words("forbids_a_thing"), re.IGNORECASE)
        self._opening = re.compile(opening, re.IGNORECASE)
        self._allows = re.compile(words("allows"), re.IGNORECASE)
        self._ends, self._bans = (re.compile(words(name), re.IGNORECASE) for name in ("ends", "bans"))
        self._unsure = re.compile(rf"{words('unsure')}|\?", re.IGNORECASE)
        bare = rf"{words('none')}\s+(?![^,;:.!?]*{words('reports')})"
        self._none = re.compile(rf"\W*{bare}", re.IGNORECASE)
        self._partly = re.compile(rf"{words('partly')}|{limit}|\?", re.IGNORECASE)
        self._until = re.compile(words("until"), re.IGNORECASE)
        self._secrets = re.compile(words("secrets"), re.IGNORECASE)
        self._free = re.compile(words("free"), re.IGNORECASE)
        self._wrong = re.compile(words("wrong"), re.IGNORECASE)
        self._either = re.compile(rf"{binding}|{words('free')}|(?:\A|(?<=[,;:.!?]\s)){bare}", re.IGNORECASE)

    def binds(self, text: str) -> bool:
        """Whether the text holds binding words."""
        return self._binding.search(text) is not None

    def ban(self, clause: str) -> Ban | None:
        """The words of a clause that say plainly what is not to be; `None` beside a condition, limit or question."""
        if self._partly.search(clause) is not None:
            return None
        until = self._until.search(clause)
        lasting = None if until is None else self._ban_in(clause[: until.start()])
        return lasting or self._ban_in(clause)

    def _ban_in(self, words: str) -> Ban | None:
        bare = self._none.match(words) or self._of_a_thing.search(words)
        found = bare or self._forbids.search(words)
        return None if found is None else Ban(end=found.end(), stop=len(words), names_it=bare is not None)

    def instructs(self, text: str) -> bool:
        """Whether the text tells the listener not to do something, whoever else it names."""
        return self._opening.search(text) is not None

    def lifts(self, sentence: str) -> bool:
        """Whether a sentence says for certain that something forbidden is allowed now."""
        allowed = self._allows.search(sentence) is not None or self.ends_a_ban(sentence)
        return allowed and not self.is_unsure(self._allows.sub(" ", sentence))

    def is_unsure(self, sentence: str) -> bool:
        """Whether a sentence asks, plans, denies or supposes rather than tells."""
        return self._unsure.search(sentence) is not None

    def ends_a_ban(self, sentence: str) -> bool:
        """Whether a sentence says that a ban is no more, whatever it was of."""
        return self._ends.search(sentence) is not None and self._bans.search(sentence) is not None

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
