"""When two words name the same subject: the one comparison that every store and every surface uses."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from r_memory.domain.erasure import is_trace
from r_memory.domain.facts import Entity

JOINERS = "\u200c\u200d"
"""Part of the spelling of Persian, Malayalam and many other names, and of emoji; invisible everywhere else."""
_WITHOUT_JOINERS = str.maketrans("", "", JOINERS)


def identity_key(word: str) -> str:
    """What two words share that name the same: case, compatible forms, blanks and joiners do not tell people apart.

    >>> identity_key("Ann  LEE") == identity_key("ann lee") == identity_key("Ann\\u200d Lee")
    True
    """
    if word.isascii():
        return " ".join(word.lower().split()) or word
    plain = unicodedata.normalize("NFKC", word).casefold().translate(_WITHOUT_JOINERS)
    # Casefolding can leave a form that is not normalised.
    return " ".join(unicodedata.normalize("NFKC", plain).split()) or word


def is_called(subject: Entity, *words: str) -> bool:
    """Whether its id or its name reads like one of the words."""
    return not {identity_key(subject.id), identity_key(subject.name)}.isdisjoint(map(identity_key, words))


def label(subject: Entity) -> str:
    """Id and name together, which reach a subject whose id alone is somebody else's name as well.

    >>> label(Entity(space="clinic", type="Patient", id="JD001", name="John Doe"))
    'JD001 (John Doe)'
    """
    return f"{subject.id} ({subject.name})"


def labelled(word: str) -> Iterator[tuple[str, str]]:
    """Every id and name that the word may be the label of.

    >>> list(labelled("JD001 (John Doe)")), list(labelled("John Doe"))
    ([('JD001', 'John Doe')], [])
    """
    if word.endswith(")"):
        for gap in re.finditer(r" \(", word):
            yield word[: gap.start()], word[gap.end() : -1]


def meant(word: str, called: Iterable[Entity]) -> tuple[Entity, ...]:
    """Everybody of these whom the word may mean: their id or name reads like it.

    An id means its bearer in any spelling, and where two differ in spelling only, as it is spelt. But where it also
    reads like a name it is nobody's alone: whoever carries that name and whoever carries that id are meant, and nothing
    is guessed.
    """
    called = tuple(one for one in called if is_called(one, word))
    key = identity_key(word)
    alike = tuple(one for one in called if identity_key(one.id) == key)
    exact = tuple(one for one in alike if one.id == word) or alike
    people = tuple(one for one in called if not is_trace(one))
    return people if any(identity_key(one.name) == key for one in people) else exact


def reached_by(subject: Entity, word: str) -> str:
    """What names the subject where the word does not: its id, or its label if the id is the very word."""
    return label(subject) if identity_key(subject.id) == identity_key(word) else subject.id


def shown(subjects: Sequence[Entity]) -> str:
    """Ids with their names, for messages."""
    return ", ".join(map(label, subjects))
