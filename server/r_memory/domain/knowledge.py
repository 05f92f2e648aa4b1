"""The knowledge pack as a graph of concepts that closures are taken over; read-only, apart from what anybody said.

Every connection carries tier, rate and source, and whether its source was read by somebody. The pack is loaded into
the space
`knowledge` of the store as well, for audits and for Cypher; the closure itself is taken over this value, which is the
same pack.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from r_memory.domain.facts import Entity

MEMBER_OF = "MEMBER_OF"
"""From a concept to a class it belongs to."""
HAS_INGREDIENT = "HAS_INGREDIENT"
"""From a compound to what it contains."""
CROSS_REACTS_WITH = "CROSS_REACTS_WITH"
"""A risk of the start carries over to the end; from a class to itself, among its members."""

Tier = Literal["A", "B", "C", ""]
"""A: undisputed stop. B: show. C: disputed or local, both sides are shown. Empty: a plain classification."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One directed connection between two concepts."""

    relation: str
    """`MEMBER_OF`, `HAS_INGREDIENT`, `CROSS_REACTS_WITH`, or another that the pack declares."""
    start: str
    """Entity uid."""
    end: str
    tier: Tier = ""
    rate: str = ""
    condition: str = ""
    """When it holds, in words; empty: always."""
    action: str = ""
    source: str = ""
    reviewed: bool = False
    """The cited source was read for this pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A concept at the end of a path from another."""

    uid: str
    path: tuple[Link, ...]
    """Empty for the concept itself."""

    @property
    def taken(self) -> tuple[str, ...]:
        """The relations of its path, sorted: what is used up of the steps."""
        return tuple(sorted(link.relation for link in self.path))


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """One version of the pack."""

    name: str
    version: str
    """First twelve digits of a sha256 over the files."""
    concepts: Mapping[str, Entity] = field(default_factory=dict)
    """By uid."""
    links: tuple[Link, ...] = ()

    @cached_property
    def _outgoing(self) -> Mapping[str, tuple[Link, ...]]:
        return _grouped((link.start, link) for link in self.links)

    @cached_property
    def _incoming(self) -> Mapping[str, tuple[Link, ...]]:
        return _grouped((link.end, link) for link in self.links)

    def outgoing(self, uid: str, relation: str) -> tuple[Link, ...]:
        """Links of one relation that start at the concept."""
        return tuple(link for link in self._outgoing.get(uid, ()) if link.relation == relation)

    def incoming(self, uid: str, relation: str) -> tuple[Link, ...]:
        """Links of one relation that end at the concept."""
        return tuple(link for link in self._incoming.get(uid, ()) if link.relation == relation)

    def upward(self, uid: str, steps: Mapping[str, int]) -> tuple[Reached, ...]:
        """The concept and everything above it, nearest first: at most `steps[relation]` steps along each relation."""
        start = Reached(uid=uid, path=())
        found = {uid: start}
        # Two ways to one concept differ in the steps they leave, so both are followed further.
        seen = {(uid, start.taken)}
        frontier = [start]
        while frontier:
            reached = {(onward.uid, onward.taken): onward for here in frontier for onward in self._onward(here, steps)}
            frontier = [onward for state, onward in reached.items() if state not in seen]
            seen.update(reached)
            for onward in frontier:
                found.setdefault(onward.uid, onward)
        return tuple(found.values())

    def _onward(self, here: Reached, steps: Mapping[str, int]) -> Iterable[Reached]:
        for link in self._outgoing.get(here.uid, ()):
            if here.taken.count(link.relation) < steps.get(link.relation, 0):
                yield Reached(uid=link.end, path=(*here.path, link))


def _grouped(pairs: Iterable[tuple[str, Link]]) -> Mapping[str, tuple[Link, ...]]:
    groups: dict[str, list[Link]] = defaultdict(list)
    for key, link in pairs:
        groups[key].append(link)
    return {key: tuple(links) for key, links in groups.items()}
