"""How many facts a subject has along each relation, and a sum that only those give: what a read is held against.

It stands beside the subject as one short text, so that a part of the present state that is lost is told from nothing
that was ever said, and one that leads elsewhere from one that stands. Pure; knows facts by id, object and newest event
only, so that nobody has to read what they say.
"""

import hashlib
from collections.abc import Iterable, Mapping

Place = tuple[str, str, str, int]
"""A present fact: its relation, its id, the key of its object, and the sequence of its newest event."""
Count = tuple[int, int]
"""How many facts, and the sum of their marks."""
_MODULUS = 2**32


def counted(facts: Iterable[Place]) -> Mapping[str, Count]:
    """Relation to its facts, counted and summed.

    >>> one, other = ("TAKES", "a", "knowledge/Drug/warfarin", 1), ("TAKES", "b", "knowledge/Drug/aspirin", 2)
    >>> counted([one, other]) == counted([other, one])
    True
    >>> counted([one]) == counted([("TAKES", "a", "knowledge/Drug/aspirin", 1)])
    False
    """
    found: dict[str, Count] = {}
    for relation, fact_id, object_uid, last_seq in facts:
        number, total = found.get(relation, (0, 0))
        mark = hashlib.sha256(f"{fact_id}#{last_seq}#{object_uid}".encode("utf-8", "surrogatepass")).digest()[:4]
        found[relation] = number + 1, (total + int.from_bytes(mark)) % _MODULUS
    return found


def written(counts: Mapping[str, Count]) -> str:
    """The text that stands beside the subject; the same facts give the same text."""
    return " ".join(f"{name}:{number}:{total:08x}" for name, (number, total) in sorted(counts.items()) if number)


def differing(held: str, facts: Iterable[Place], relations: Iterable[str]) -> tuple[str, ...]:
    """Those of the relations along which the facts are not the ones that the text counts.

    >>> differing(written({"TAKES": (2, 77)}), (), ["TAKES", "HAS_ALLERGY_TO"])
    ('TAKES',)
    """
    found = counted(facts)
    try:
        wanted = _read(held)
    except ValueError:
        return tuple(relations)
    return tuple(name for name in relations if wanted.get(name) != found.get(name))


def after(held: str, gone: Iterable[Place], come: Iterable[Place]) -> str:
    """The text once some facts moved on: `gone` as they stood, `come` as they stand.

    A text that somebody else wrote stays: what it says is wrong until the present state is rebuilt.
    """
    try:
        counts = _read(held)
    except ValueError:
        return held
    for sign, facts in ((-1, gone), (1, come)):
        for name, (number, total) in counted(facts).items():
            before, sum_before = counts.get(name, (0, 0))
            counts[name] = before + sign * number, (sum_before + sign * total) % _MODULUS
    return written(counts)


def _read(held: str) -> dict[str, Count]:
    parts = [part.split(":") for part in held.split()]
    return {name: (int(number), int(total, 16)) for name, number, total in parts}
