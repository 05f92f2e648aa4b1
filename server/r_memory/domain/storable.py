"""What every store accepts: values that every engine returns unchanged, and transactions about one subject of one
space.

It knows the limits of the engines, not the engines. Every store calls it before writing, so that the simplest store
refuses the same as the others.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from r_memory.domain.events import Batch
from r_memory.domain.facts import KNOWLEDGE_SPACE, Entity, Fact
from r_memory.domain.knowledge import Knowledge
from r_memory.errors import ConfigurationError, InvalidInput

_INT64 = range(-(2**63), 2**63)
_HALF = re.compile("[\ud800-\udfff]")


def check_values(value: object) -> None:
    """Checks that every engine stores a value unchanged; also dataclasses, mappings and sequences of values.

    Raises:
        InvalidInput: a text contains NUL or a lone surrogate, an integer exceeds 64 bits, or a number is not finite.
    """
    waiting = [value]
    for item in waiting:  # which grows by the parts of each
        kind: Any = type(item)
        waiting += _look_at(kind)(item)


def check_batch(batch: Batch) -> None:
    """Checks that every part of a transaction is about its subject, and that its objects may occur in its space.

    Raises:
        InvalidInput: a part belongs to another subject or space; or as for `check_values`.
    """
    about = {(event.space, event.subject_uid) for event in batch.events}
    said = (*batch.entries, *([] if batch.episode is None else [batch.episode]))
    about.update((episode.space, episode.subject_uid) for episode in said)
    about.update((fact.space, fact.subject_uid) for fact in batch.facts)
    _check_owner(batch.subject, about)
    _check_objects(batch.subject, (item.object for item in (*batch.events, *batch.facts)))
    check_values(batch)


def check_facts(subject: Entity, facts: Iterable[Fact]) -> None:
    """Checks that facts are about this subject, and that their objects may occur in its space.

    Raises:
        InvalidInput: as for `check_batch`.
    """
    facts = tuple(facts)
    _check_owner(subject, {(fact.space, fact.subject_uid) for fact in facts})
    _check_objects(subject, (fact.object for fact in facts))
    check_values(facts)


def check_pack(knowledge: Knowledge) -> None:
    """Checks that all links of a pack connect two of its concepts.

    Raises:
        ConfigurationError: a link leads to a concept that the pack does not have.
        InvalidInput: as for `check_values`.
    """
    for link in knowledge.links:
        for uid in (link.start, link.end):
            if uid not in knowledge.concepts:
                raise ConfigurationError(f"the pack links '{uid}' by {link.relation} and has no such concept; add it")
    check_values((tuple(knowledge.concepts.values()), knowledge.links))


def _check_owner(subject: Entity, about: set[tuple[str, str]]) -> None:
    if about - {(subject.space, subject.uid)}:
        raise InvalidInput("a write holds parts about another subject or space; write each subject by itself")


def _check_objects(subject: Entity, objects: Iterable[Entity]) -> None:
    if any(entity.space not in {subject.space, KNOWLEDGE_SPACE} for entity in objects):
        raise InvalidInput("a fact's object lives in another space; use a concept of the pack or of the own space")


def _leaf(holds: Callable[[Any], bool], told: str) -> Callable[[Any], tuple[()]]:
    """Returns a check of values without parts; the check raises InvalidInput with this message."""

    def passed(value: Any) -> tuple[()]:  # noqa: ANN401 - of the one class for which it is asked
        if not holds(value):
            raise InvalidInput(told)
        return ()

    return passed


_LEAVES = {
    str: _leaf(
        lambda text: "\0" not in text and (text.isascii() or not _HALF.search(text)),
        "a text holds NUL or half of a surrogate pair; remove it and send the text again",
    ),
    int: _leaf(_INT64.__contains__, "a whole number needs more than 64 bits; give a smaller one or a text"),
    float: _leaf(math.isfinite, "a number is infinite or not a number; give a finite one"),
}


@cache
def _look_at(kind: Any) -> Callable[[Any], Iterable[object]]:  # noqa: ANN401 - mypy takes no type for a key of a cache
    """Returns a check of values of this class that also returns their parts; cached, as a write checks hundreds."""
    for leaf, passed in _LEAVES.items():
        if issubclass(kind, leaf):
            return passed
    if issubclass(kind, (list, tuple, set, frozenset)):
        return iter
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return attrgetter(*names, names[0])  # one name alone would give no tuple
    return (lambda value: (*value.keys(), *value.values())) if issubclass(kind, Mapping) else lambda _: ()
