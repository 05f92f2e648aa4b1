"""What is made of each recorded fact, or of each statement that waits, whatever a draft says. Pure.

It is made once for an item as it stands, for all sentences of an answer and for the requests after it.
"""

from collections.abc import Callable
from typing import Generic, TypeVar, cast

__all__ = ["Prepared"]

Item = TypeVar("Item")
Made = TypeVar("Made")
_MOST_KEPT = 5_000
"""Maximum number of items of which something is kept."""


class Prepared(Generic[Item]):
    """Keeps what functions make of items; an item that has changed is made anew."""

    def __init__(self, id_of: Callable[[Item], str]) -> None:
        """`id_of` returns the id under which an item is known while it changes."""
        self._id_of = id_of
        self._kept: dict[str, tuple[Item, dict[object, object]]] = {}
        """By id: the item as it was last seen, and what was made of it by each function."""

    def of(self, make: Callable[[Item], Made], item: Item) -> Made:
        """Returns what `make` makes of the item; `make` must depend on nothing else that changes."""
        made = self._made_of(item)
        if make not in made:
            made[make] = make(item)
        return cast("Made", made[make])

    def _made_of(self, item: Item) -> dict[object, object]:
        key = self._id_of(item)
        kept = self._kept.get(key)
        if kept is not None and kept[0] is item:
            return kept[1]
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        made = kept[1] if kept is not None and kept[0] == item else {}
        self._kept[key] = item, made
        return made
