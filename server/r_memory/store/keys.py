"""The unique keys of the store's setup, and how those of a database differ from them.

Without a key, two servers could write a record twice unnoticed. A key of another program refuses our writes, and looks
like a conflict with another writer. Pure; it knows how each engine words a violation.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

_MADE = re.compile(r"FOR \(\w+:(\w+)\) REQUIRE \(?([\w., ]+?)\)? IS UNIQUE")
# Neo4j 5.26 and 2026.09: "Node(0) already exists with label `Entity` and property `id` = 'x'", several as "properties".
_TAKEN_NEO4J = re.compile(r"^Node\(\d+\) already exists with label `([^`]+)` and propert(?:y|ies) ")
_NAMED_NEO4J = re.compile(r"`([^`]+)` = ")
# ArcadeDB 26.11.1.dev2: "Duplicated key [x] found on index 'Entity[id]' already assigned to record #14:0".
_TAKEN_ARCADEDB = re.compile(r" found on index '([^'\[\]]+)\[([^'\[\]]+)\]'")


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """A unique key: nodes of a label have different values of these properties."""

    label: str
    properties: tuple[str, ...]
    """The properties, sorted by name."""

    @override
    def __str__(self) -> str:
        return f"{self.label} ({', '.join(self.properties)})"

    def covers(self, other: "Key") -> bool:
        """Whether everything that this key allows is allowed by the other key."""
        return self.label == other.label and set(self.properties) <= set(other.properties)


def made_by(setup: str) -> frozenset[Key]:
    """The keys that the statements of a setup file create."""
    return frozenset(
        _key(label, (part.rpartition(".")[2].strip() for part in parts.split(",")))
        for label, parts in _MADE.findall(setup)
    )


def found_in(rows: Iterable[Mapping[str, Any]]) -> frozenset[Key]:
    """The keys of a database, from the rows of `setup/keys`."""
    unique = (row for row in rows if "UNIQUENESS" in row["kind"] or row["kind"] == "NODE_KEY")
    return frozenset(_key(label, row["properties"]) for row in unique for label in row["labels"])


def foreign(found: Iterable[Key], own: Iterable[Key], labels: Iterable[str]) -> tuple[Key, ...]:
    """Keys on these labels that can refuse what our own keys allow."""
    own, labels = tuple(own), frozenset(labels)
    return tuple(sorted(key for key in found if key.label in labels and not any(ours.covers(key) for ours in own)))


def violated(message: str, own: Iterable[Key]) -> Key | None:
    """The key of another program that the message names as violated; `None` for our own key, or for another message."""
    if taken := _TAKEN_NEO4J.match(message):
        # Values may hold anything, such as more names: then the key seems wider, and is taken for an own one.
        key = _key(taken[1], _NAMED_NEO4J.findall(message, taken.end() - 1))
    elif named := _TAKEN_ARCADEDB.findall(message):
        label, properties = named[-1]  # the values come before it
        key = _key(label, properties.split(","))
    else:
        return None
    return None if any(ours.covers(key) for ours in own) else key


def _key(label: str, properties: Iterable[str]) -> Key:
    return Key(label, tuple(sorted({name.strip() for name in properties})))
