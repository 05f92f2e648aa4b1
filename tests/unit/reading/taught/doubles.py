"""An encoder without a model, and heads whose weights are known."""

import re
from typing import Any

import numpy as np

from r_memory.domain.facts import Status
from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Person
from r_memory.reading.taught.heads import DISTANCES
from r_memory.reading.taught.pieces import Pieces, Vectors
from r_memory.reading.taught.weights import Labels, Temperatures

WIDTH = 8
THING, DETAIL = 500, 600
"""Ids of words that the heads below take for a thing, or for a detail."""
STATUSES = (Status.ACTIVE, Status.UNCONFIRMED, Status.NEGATED, Status.RESOLVED, Status.REFUTED)


def labels(domain: str = "garden", **changes: object) -> Labels:
    found: dict[str, Any] = {
        "domain": domain,
        "speakers": ("gardener", "note"),
        "relations": ("HAS_PEST",),
        "statuses": STATUSES,
        "persons": (Person.SUBJECT, Person.OTHER),
        "attributes": ("year",),
        "classes": {"scope": ("", "any")},
        "temperatures": Temperatures(),
        **changes,
    }
    return Labels(**{"thresholds": dict.fromkeys(found["relations"], Thresholds()), **found})


def arrays(domain: str = "garden") -> dict[str, np.ndarray]:
    """Layers under which `slugs` is a thing, `2019` a detail, and everything else nothing."""

    def layer(name: str, outputs: int, inputs: int) -> dict[str, np.ndarray]:
        return {
            f"{name}.weight": np.zeros((outputs, inputs), np.float32),
            f"{name}.bias": np.zeros(outputs, np.float32),
        }

    found: dict[str, np.ndarray] = {f"{domain}.distance": np.zeros((1, 2 * DISTANCES + 1), np.float32)}
    for name, outputs in (("relation", 4), ("stance", 4), ("thing", 4), ("detail", 4)):
        found |= layer(name, outputs, 4 * WIDTH)
    for name, outputs, inputs in (
        ("tags", 3, WIDTH),
        ("details", 3, WIDTH),
        ("relations", 2, 4),
        ("statuses", 5, 4),
        ("persons", 2, 4),
        ("binding", 1, 4),
        ("scope", 2, 4),
    ):
        found |= layer(f"{domain}.{name}", outputs, inputs)
    found[f"{domain}.tags.weight"][1, 0] = 20
    found[f"{domain}.details.weight"][1, 1] = 20
    found[f"{domain}.tags.bias"][0] = found[f"{domain}.details.bias"][0] = 10
    found["relation.weight"][0, 0] = 1  # the first number of a span's first piece: whether it is a thing
    found[f"{domain}.relations.weight"][0, 0] = 12
    found[f"{domain}.relations.bias"][:] = (-6, -3)
    found[f"{domain}.statuses.bias"][2] = 4
    found[f"{domain}.persons.bias"][0] = 4
    found[f"{domain}.scope.bias"][0] = 1
    found[f"{domain}.binding.bias"][0] = 2
    return found


class FakeEncoder:
    """Words and marks are pieces, long words several; a vector says whether its piece is a thing or a detail."""

    begin, stop = 1, 2

    def __init__(self) -> None:
        self.seen: list[tuple[tuple[int, ...], int]] = []

    def pieces(self, text: str) -> Pieces:
        found = [
            (match.start() + at, min(match.start() + at + 6, match.end()), number)
            for number, match in enumerate(re.finditer(r"\w+|[^\w\s]", text))
            for at in range(0, match.end() - match.start(), 6)
        ]
        return Pieces(
            ids=tuple(_id(text[start:end]) for start, end, _ in found),
            starts=tuple(start for start, _, _ in found),
            ends=tuple(end for _, end, _ in found),
            words=tuple(number for _, _, number in found),
        )

    def vectors(self, ids: tuple[int, ...], second: int) -> Vectors:
        self.seen.append((ids, second))
        found = np.zeros((len(ids), WIDTH), np.float32)
        for row, number in enumerate(ids):
            found[row, :2] = number == THING, number == DETAIL
        return found


def _id(piece: str) -> int:
    return {"slugs": THING, "2019": DETAIL}.get(piece, 10 + sum(map(ord, piece)) % 90)
