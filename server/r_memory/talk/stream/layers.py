"""Which items were made of which: turns that a memory covers, memories that were consolidated into another.

Nothing is erased by becoming part of something else; a search chooses the layer that it looks at. Knows no rows.
"""

from collections import defaultdict
from collections.abc import Collection
from enum import StrEnum

from r_memory.domain.memories import MemoryItem, Tier

MEMORIES = frozenset({Tier.MEDIUM, Tier.LONG})
"""Tiers of what was made of turns."""


class Layer(StrEnum):
    """What a search looks at."""

    EVERYTHING = "everything"
    TURNS = "turns"
    """What was said, and documents; no memory made of turns (SCM and CIM know none)."""
    LATEST = "latest"
    """Everything but memories that were consolidated into another."""
    MEMORIES = "memories"
    """Whatever is not part of a memory: memories, and turns that none covers yet."""
    BEHIND = "behind"
    """As the latest; turns that a memory covers stand behind it (Mimir)."""


class Layers:
    """Keeps count of what memories are made of."""

    def __init__(self) -> None:
        self._sources: dict[str, tuple[str, ...]] = {}
        """Id of a memory to the ids that it was made of."""
        self._parts: defaultdict[str, set[str]] = defaultdict(set)
        """Id to the memories that it is part of."""

    def put(self, item: MemoryItem) -> Collection[str]:
        """Takes an item as it is now; gives ids of which `covered` may have changed."""
        changed = set(self.drop(item.id))
        if item.tier not in MEMORIES:
            return changed
        self._sources[item.id] = item.sources
        for source in item.sources:
            self._parts[source].add(item.id)
        return changed.union(item.sources)

    def drop(self, id_: str) -> Collection[str]:
        """Forgets an item; gives ids of which `covered` may have changed."""
        sources = self._sources.pop(id_, ())
        for source in sources:
            self._parts[source].discard(id_)
            if not self._parts[source]:
                del self._parts[source]
        return sources

    def memory_of(self, id_: str) -> str:
        """The memory that an item is part of and that is part of no other; empty for what is part of none."""
        found = ""
        while parts := self._parts.get(found or id_):
            found = min(parts)
        return found

    def covered(self, id_: str) -> bool:
        """Whether it is part of a memory."""
        return id_ in self._parts
