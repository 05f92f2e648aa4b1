"""Whether two names mean one thing, as far as spelling and the lexicon's synonyms tell: what a reading is judged by.

For exams and evaluations; decides nothing of what is stored.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from r_memory.domain.schema import Schema
from r_memory.protocols import Linker, Mention

_SCOPE = re.compile(r"(any|anything|no|none|nothing|all|everything)\b|any_", re.IGNORECASE)
"""How the name of a whole scope begins, in a schema and in speech."""
_IDLE = frozenset(
    {"a", "an", "the", "my", "his", "her", "our", "your", "their", "some", "any", "this", "that", "these", "those"}
    | {"of", "to"}
)
"""Words that do not tell which thing is meant."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the lexicon finds in a name."""

    same: tuple[str, ...] = ()
    """Terms that the whole name means."""
    inside: tuple[str, ...] = ()
    """Terms inside the name, and their kinds and brands."""
    near: tuple[str, ...] = ()
    """Terms of which the name is a misspelling."""


def meaning(name: str, linker: Linker, schema: Schema) -> Meaning:
    """Returns what the lexicon finds in a name."""
    words = " ".join(word for word in name.split() if word.casefold() not in _IDLE) or name
    found = linker.mentions(words)
    whole = {mention.name for mention in found if mention.surface.casefold() == words.casefold()}
    meant = linker.resolve(words, list(schema.lexicon.terms))
    certain = [item for item in meant if words.casefold() in _spellings(item, schema)]
    exact = {item.name for item in certain}
    return Meaning(
        same=tuple(sorted(whole | exact)),
        inside=tuple(sorted({name for each in (*found, *certain) for name in _broader(each, schema)})),
        near=tuple(sorted({item.name for item in meant} - exact)),
    )


def _spellings(term: Mention, schema: Schema) -> set[str]:
    known = schema.lexicon.terms.get(term.type, {}).get(term.name, ())
    return {text.casefold() for text in (term.name, *known)}


def _broader(term: Mention, schema: Schema) -> set[str]:
    return {name for _, name in schema.lexicon.broader((term.type, term.name))}


class Alike:
    """Compares the names of one reading; `meanings` are looked up by the name in small letters."""

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        self._meanings = meanings

    def same(self, gold: str, name: str) -> bool:
        """Whether two names are the same words, or synonyms of one term."""
        if _key(gold) == _key(name):
            return True
        return bool(set(self._of(gold).same) & set(self._of(name).same))

    def alike(self, gold: str, name: str) -> bool:
        """Whether two names are the same, or `name` adds words to `gold`."""
        if _SCOPE.match(gold) or _SCOPE.match(name):
            return _key(gold) == _key(name)
        within = f" {_key(gold)} " in f" {_key(name)} "
        return within or self.same(gold, name) or bool(set(self._of(gold).same) & set(self._of(name).inside))

    def spoken(self, gold: str, name: str) -> bool:
        """As `alike`, and true for a misspelt name and for two different words for a scope."""
        scopes = bool(_SCOPE.match(gold) and _SCOPE.match(name))
        return scopes or self.alike(gold, name) or bool(set(self._of(gold).same) & set(self._of(name).near))

    def _of(self, name: str) -> Meaning:
        return self._meanings.get(name.casefold(), Meaning())


@lru_cache(maxsize=50_000)
def _key(name: str) -> str:
    """The words of a name without case, articles and plural."""
    words = re.sub(r"\W+", " ", name.casefold()).split()
    said = [word for word in words if word not in _IDLE] if len(words) > 1 else words
    return " ".join(map(_singular, said or words))


def _singular(word: str) -> str:
    """Good enough to compare two names: both sides are cut alike.

    >>> _singular("allergies"), _singular("nuts"), _singular("glass"), _singular("boxes")
    ('allergy', 'nut', 'glass', 'box')
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
