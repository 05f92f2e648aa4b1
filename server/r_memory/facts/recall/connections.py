"""Paths through the knowledge pack, remembered between requests.

The pack is the same for every tenant and never changes while it is loaded; what is remembered holds nothing that
anybody said.
"""

from collections.abc import Mapping
from dataclasses import replace

from r_memory.domain.knowledge import CROSS_REACTS_WITH, Knowledge, Link

Path = tuple[Link, ...]
Closure = Mapping[str, Path]
"""Uid of each concept that is reached to the shortest path there; the first is the start itself, with no path."""
Steps = tuple[tuple[str, int], ...]
"""Relations with how many steps may be taken along each."""


class Connections:
    """What is above each concept, and which concepts cross-react."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.weighed = knowledge.weighed
        self._closures: dict[tuple[str, Steps], Closure] = {}
        self._rows: dict[str, tuple[tuple[str, Link], ...]] = {}

    def closure(self, uid: str, steps: Steps) -> Closure:
        """The concept and everything above it within the steps; only itself for a word that the pack does not know."""
        if uid not in self.knowledge.concepts:
            return {uid: ()}
        key = (uid, steps)
        if key not in self._closures:
            self._closures[key] = {there.uid: there.path for there in self.knowledge.upward(uid, dict(steps))}
        return self._closures[key]

    def crossing_rows(self, uid: str) -> tuple[tuple[str, Link], ...]:
        """Rows that join a concept with another (or a class with itself), read from the concept; stated ones first."""
        if uid not in self.knowledge.concepts:
            return ()
        if uid not in self._rows:
            stated = [(link.end, link) for link in self.knowledge.outgoing(uid, CROSS_REACTS_WITH)]
            backwards = [(link.start, _reversed(link)) for link in self.knowledge.incoming(uid, CROSS_REACTS_WITH)]
            self._rows[uid] = (*stated, *backwards)
        return self._rows[uid]

    def name(self, uid: str, otherwise: str = "") -> str:
        """The pack's name of a concept, not yet inert; else the given one, else what the key alone says."""
        known = self.knowledge.concepts.get(uid)
        return known.name if known is not None else otherwise or uid.rsplit("/", 1)[-1]


def _reversed(link: Link) -> Link:
    """The row read against its direction: the risk may carry over, but its rate was measured the other way round."""
    rate = f"{link.rate}, measured in the other direction" if link.rate else ""
    return replace(link, start=link.end, end=link.start, rate=rate)
