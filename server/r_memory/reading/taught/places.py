"""Things found by where they stand, without a look at all of them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Generic, TypeVar

from r_memory.reading.taught.claims import Place

Thing = TypeVar("Thing")
_CELL = 64
"""Characters."""


class Places(Generic[Thing]):
    """Things, each with its place."""

    def __init__(self, things: Iterable[tuple[Place, Thing]]) -> None:
        self._cells: defaultdict[tuple[bool, int], list[tuple[int, Place, Thing]]] = defaultdict(list)
        for number, (place, thing) in enumerate(things):
            for cell in _cells(place):
                self._cells[place.in_question, cell].append((number, place, thing))

    def touching(self, place: Place) -> list[Thing]:
        """Those that share a character with the place, in the order in which they were given."""
        found = {
            number: thing
            for cell in _cells(place)
            for number, other, thing in self._cells.get((place.in_question, cell), ())
            if place.touches(other)
        }
        return [found[number] for number in sorted(found)]


def _cells(place: Place) -> range:
    return range(place.start // _CELL, place.end // _CELL + 1)
