"""Number and checksum of a subject's facts of each relation. A read of the present state is compared with it.

It is stored with the subject as one short text. It distinguishes lost facts from facts that were never recorded, and
detects altered links. Pure; it uses only the id, the object and the newest event of each fact.
"""

import hashlib
from collections.abc import Iterable, Mapping

Place = tuple[str, str, str, int]
"""A present fact: its relation, its id, the key of its object, and the sequence number of its newest event."""
Count = tuple[int, int]
"""Number of facts, and the sum of their hashes."""
_MODULUS = 2**32


def counted(facts: Iterable[Place]) -> Mapping[str, Count]:
    """Number and checksum of the facts, by relation.

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
    """The text that is stored with the subject; equal facts give an equal text."""
    return " ".join(f"{name}:{number}:{total:08x}" for name, (number, total) in sorted(counts.items()) if number)


def differing(held: str, facts: Iterable[Place], relations: Iterable[str]) -> tuple[str, ...]:
    """The relations whose facts do not match the text; all of them if the text cannot be read.

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
    """The text after a change of facts: `gone` as they were, `come` as they are.

    A text that cannot be read is returned unchanged: it stays wrong until the present state is rebuilt.
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
