"""Which people around the owner a request means: by name, or by their relation to the owner ("my brother"). Pure.

It reads the relation that says who is who, and the language's words for relatives, but no facts about these people.
It also tells which unknown people stand in recorded facts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from r_memory.domain.facts import Fact
from r_memory.domain.schema import Language, Schema
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.reading.language import either, listed
from r_memory.reading.names import KIN

_WORD = re.compile(r"[\w'-]+")
_OWNED = "(?:['’]?s)?"  # noqa: RUF001 - both kinds of apostrophes
"""Pattern of a possessive ending, with its apostrophe or without."""
_BEYOND = re.compile(r"[^\w\s'-]")
"""Ends what somebody is to the owner, before more is told of them: "father, 80"."""
_OWN = ("my", "our")


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    """The people around the owner whom a request means."""

    facts: tuple[Fact, ...] = ()
    """The facts that say who they are."""
    unknown: tuple[str, ...] = ()
    """Kinship words of the request for which no fact says who it is, each in its first form: "mother"."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the people, each once."""
        return tuple(dict.fromkeys(fact.object.name for fact in self.facts))


class Circles:
    """Finds the people that a request means, under one schema; finds none if no relation says who is who."""

    def __init__(self, schema: Schema) -> None:
        self._who = {name: relation.people for name, relation in schema.relations.items() if relation.people}
        called = schema.language.sections.get("persons", {})
        others = called.get("called", {}) if isinstance(called, dict) else {}
        self._same = {str(other): str(word) for word, names in others.items() for other in names}
        spoken = (schema.language, *schema.languages.values())
        groups = {phrase for language in spoken for phrase in listed(language, "persons", "everybody")}
        self._all = re.compile(rf"(?<!\w)(?:{either(groups)})(?!\w)", re.IGNORECASE)
        self._groups = tuple(_groups(schema.language))
        """Words for a group of people around the owner, and what the owner calls its members."""
        self._them = _without_names(schema.language)
        self._kin = frozenset(word for section in KIN for word in listed(schema.language, "persons", section))
        self._alone = frozenset(listed(schema.language, "kin")).intersection(self._same)
        """Words that call a relative by themselves: "what does dad take"."""
        self._before = frozenset((*listed(schema.language, "determiners"), *listed(schema.language, "possessives")))

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations that say who is who."""
        return tuple(self._who)

    def means_all(self, request: str, *, of_owner: bool, names_any: bool) -> bool:
        """Whether the request speaks of several people without naming them.

        One `of_owner` may call them a group ("the dogs"), or "them", unless it `names_any`: then "they" are those.
        """
        said = " ".join(request.split())
        if self._all.search(said) is not None:
            return True
        in_group = of_owner and any(words.search(said) for words, _ in self._groups)
        return in_group or (of_owner and not names_any and self._them.search(said) is not None)

    def first_meant(self, request: str, facts: Iterable[Fact]) -> tuple[str, ...]:
        """The names of those who belong to a group that the request speaks of: "the kids"; of "them", those of any."""
        said = " ".join(request.split())
        named = [roles for words, roles in self._groups if words.search(said)]
        wanted = frozenset[str]().union(*(named or (roles for _, roles in self._groups)))
        told = (fact for fact in facts if fact.relation in self._who and speaks_for_risk(fact))
        return tuple(fact.object.name for fact in told if not wanted.isdisjoint(_WORD.findall(self._role(fact))))

    def of(self, request: str, facts: Iterable[Fact]) -> Circle:
        """The people whom the request means, by the facts that say who is who."""
        told = [fact for fact in facts if fact.relation in self._who and speaks_for_risk(fact) and not fact.is_absence]
        said = self._said(request)
        loosely = self._said(request, loosely=True)
        meant = tuple(
            fact for fact in told if self._named(fact, request) or self._means(fact, said) or self._means(fact, loosely)
        )
        known = {self._role(fact) for fact in meant}
        relatives = dict.fromkeys((*self._relatives(said), *self._called(request)))
        return Circle(facts=meant, unknown=tuple(word for word in relatives if word not in known))

    def _said(self, request: str, *, loosely: bool = False) -> Sequence[str]:
        """The words of a request, relatives by their first word; `loosely` also those with a bare possessive ending."""
        words = [word.removesuffix("'s") for word in _WORD.findall(request.casefold().replace("’", "'"))]  # noqa: RUF001
        words = [
            word[:-1] if loosely and word.endswith("s") and self._is_relative(word[:-1]) else word for word in words
        ]
        return [self._same.get(word, word) for word in words]

    def _is_relative(self, word: str) -> bool:
        return word in self._kin or word in self._same

    def _role(self, fact: Fact) -> str:
        role = _BEYOND.split(str(fact.attrs.get(self._who[fact.relation], "")).casefold())[0].strip()
        return self._same.get(role, role)

    def _means(self, fact: Fact, said: Sequence[str]) -> bool:
        """Whether the words contain the whole relation of this person to the owner."""
        role = self._role(fact).split()
        return bool(role) and any(list(said[at : at + len(role)]) == role for at in range(len(said)))

    def _named(self, fact: Fact, request: str) -> bool:
        """Whether the request contains the name, or the first name with its capital."""
        name = fact.object.name
        first = name.split()[0].capitalize()
        whole, part = (rf"(?<!\w){re.escape(word)}{_OWNED}(?!\w)" for word in (name, first))
        return bool(re.search(rf"(?i){whole}|(?-i:{part})", request))

    def _relatives(self, said: Sequence[str]) -> Iterator[str]:
        """Kinship words for relatives of the owner, each once."""
        pairs = dict.fromkeys(pairwise(said))
        return (word for own, word in pairs if self._who and own in _OWN and word in self._kin)

    def _called(self, request: str) -> Iterator[str]:
        """Relatives whom the request calls by a word that stands alone as a name: "mum", not "a mum" or "Bo's mum"."""
        words = _WORD.findall(request.casefold().replace("’", "'"))  # noqa: RUF001
        for before, word in pairwise(("", *words) if self._who else ()):
            called = word.removesuffix("'s")
            if called in self._alone and before not in self._before and not before.endswith("'s"):
                yield self._same[called]


def _groups(language: Language) -> Iterator[tuple[re.Pattern[str], frozenset[str]]]:
    for name in listed(language, "persons", "groups"):
        words, who = (listed(language, "persons", "groups", name, part) for part in ("words", "who"))
        yield re.compile(rf"(?<!\w)(?:{either(words)})(?!\w)", re.IGNORECASE), frozenset(who)


def _without_names(language: Language) -> re.Pattern[str]:
    """What speaks of people in somebody's care without naming them: "feed them", "may they eat"."""
    care, giving, them, they, may, doing, no_gift = (
        either(listed(language, "persons", "spoken_of", name))
        for name in ("in_care", "giving", "them", "they", "may", "doing", "no_gift")
    )
    given = rf"(?:{giving})\s+(?:{them})\s+(?!(?:{no_gift})(?!\w))\w"
    asked = rf"(?:{may})\s+(?:{they})\s+(?:{doing})(?!\w)"
    return re.compile(rf"(?<!\w)(?:(?:{care})\s+(?:{them})(?!\w)|{given}|{asked})", re.IGNORECASE)


def told_of(names: Sequence[str], facts: Iterable[Fact]) -> tuple[str, ...]:
    """Those of the names that stand in a fact which is not taken back."""
    told = [
        _plain(" ".join((fact.object.name, fact.evidence, *map(str, fact.attrs.values()))))
        for fact in facts
        if speaks_for_risk(fact)
    ]
    return tuple(name for name in names if any(_plain(name) in text for text in told))


def _plain(text: str) -> str:
    """The words of a text between blanks, in small letters."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
