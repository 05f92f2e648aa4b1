"""Whether two words name the same subject: the comparison that all stores and surfaces use."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from r_memory.domain.erasure import is_trace
from r_memory.domain.facts import Entity

JOINERS = "\u200c\u200d"
"""Invisible joiners; they belong to the spelling of Persian, Malayalam and other names, and of emoji."""
_WITHOUT_JOINERS = str.maketrans("", "", JOINERS)


def identity_key(word: str) -> str:
    """A key that is equal for names that differ only in case, compatible forms, blanks or joiners.

    >>> identity_key("Ann  LEE") == identity_key("ann lee") == identity_key("Ann\\u200d Lee")
    True
    """
    if word.isascii():
        return " ".join(word.lower().split()) or word
    plain = unicodedata.normalize("NFKC", word).casefold().translate(_WITHOUT_JOINERS)
    # Casefolding can leave a form that is not normalised.
    return " ".join(unicodedata.normalize("NFKC", plain).split()) or word


def is_called(subject: Entity, *words: str) -> bool:
    """Whether the subject's id or name reads like one of the words."""
    return not {identity_key(subject.id), identity_key(subject.name)}.isdisjoint(map(identity_key, words))


def label(subject: Entity) -> str:
    """Id and name together; this finds a subject whose id is also another subject's name.

    >>> label(Entity(space="clinic", type="Patient", id="JD001", name="John Doe"))
    'JD001 (John Doe)'
    """
    return f"{subject.id} ({subject.name})"


def labelled(word: str) -> Iterator[tuple[str, str]]:
    """All pairs of id and name of which the word may be the label.

    >>> list(labelled("JD001 (John Doe)")), list(labelled("John Doe"))
    ([('JD001', 'John Doe')], [])
    """
    if word.endswith(")"):
        for gap in re.finditer(r" \(", word):
            yield word[: gap.start()], word[gap.end() : -1]


def initialled(word: str) -> str:
    """The longest part of a name that has initials and other parts, as names are compared; empty for any other word.

    >>> initialled("O. Pryce"), initialled("Owen Pryce"), initialled("O")
    ('pryce', '', '')
    """
    parts = _parts(word)
    longest = max(parts, key=len, default="")
    return longest if len(longest) > 1 and any(len(part) == 1 for part in parts) else ""


def abbreviates(word: str, name: str) -> bool:
    """Whether a name with initials may stand for the other name.

    >>> abbreviates("O. Pryce", "Owen Pryce"), abbreviates("Pryce, O", "Owen M. Pryce"), abbreviates("A Lee", "Bo Lee")
    (True, True, False)
    """
    short, whole = _parts(word), _parts(name)
    if not initialled(word) or len(short) > len(whole):
        return False
    orders = [short, [*short[1:], short[0]]] if len(short[-1]) == 1 else [short]
    return any(
        _fits(order[0], whole[0]) and _fits(order[-1], whole[-1]) and _fit_in_order(order[1:-1], whole[1:-1])
        for order in orders
    )


def _parts(name: str) -> list[str]:
    return identity_key(name.replace(".", " ").replace(",", " ")).split()


def _fits(part: str, whole: str) -> bool:
    return whole.startswith(part) if len(part) == 1 else whole == part


def _fit_in_order(parts: Sequence[str], whole: Sequence[str]) -> bool:
    left = iter(whole)
    return all(any(_fits(part, other) for other in left) for part in parts)


def meant(word: str, called: Iterable[Entity]) -> tuple[Entity, ...]:
    """Those of the subjects that the word may mean: their id or name reads like it.

    If it reads like an id, it means that subject; if several ids read like it, the one with the same spelling. If it
    also reads like a name, all subjects with that id or name are returned.
    """
    called = tuple(entity for entity in called if is_called(entity, word))
    key = identity_key(word)
    alike = tuple(entity for entity in called if identity_key(entity.id) == key)
    exact = tuple(entity for entity in alike if entity.id == word) or alike
    people = tuple(entity for entity in called if not is_trace(entity))
    return people if any(identity_key(person.name) == key for person in people) else exact


def reached_by(subject: Entity, word: str) -> str:
    """A word that means only this subject where `word` is ambiguous: its id, or its label if the id is
    `word` itself.
    """
    return label(subject) if identity_key(subject.id) == identity_key(word) else subject.id


def shown(subjects: Sequence[Entity]) -> str:
    """Ids and names of the subjects, for messages."""
    return ", ".join(map(label, subjects))
