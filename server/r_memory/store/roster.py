"""Everybody of a space, kept between calls: a list of people is read again only after somebody was declared or erased.

What it keeps is as new as the log of the space, whose end is read each time; whoever waits is read each time.
"""

from dataclasses import dataclass
from itertools import islice

from r_memory.domain.erasure import is_trace
from r_memory.domain.facts import Entity
from r_memory.domain.identity import identity_key
from r_memory.protocols import Roll
from r_memory.store import entries
from r_memory.store.library import Graph
from r_memory.store.properties import whole_in

_MOST_NEW = 1_000
"""Entries of the log that are looked through; after more, everybody is read again."""
_MOST_KEPT = 8
"""Lists kept, one for each space and type."""
End = tuple[int, int]
"""Number of entries of a log, and their sum."""


@dataclass(frozen=True, slots=True)
class RosterEntry:
    """Somebody in a list."""

    entity: Entity
    keys: tuple[str, str]
    """Id and name, as names are compared."""

    def holds(self, key: str) -> bool:
        """Whether id or name contains the key."""
        return key in self.keys[0] or key in self.keys[1]


@dataclass(frozen=True, slots=True)
class Everybody:
    """The people of a space at one end of its log."""

    end: End
    people: dict[str, RosterEntry]
    """By unique key, in the order of ids; without traces."""


class Rosters:
    """The lists of people of the spaces of one database."""

    def __init__(self, graph: Graph, open_statuses: list[str]) -> None:
        self._graph = graph
        self._open = open_statuses
        self._kept: dict[tuple[str, str], Everybody] = {}

    async def roll(self, space: str, type_: str, *, holding: str, start: int, limit: int) -> Roll:
        """As `Store.roll`."""
        rows = await self._graph.read("read/awaiting", space=space, statuses=self._open)
        # After those who wait: whoever was declared meanwhile is in the list.
        people = await self._people(space, type_)
        if holding:
            people = {uid: one for uid, one in people.items() if one.holds(holding)}
        waits = {uid: whole_in(row, "waits") for row in rows if (uid := str(row["subject_uid"])) in people}
        first = sorted(waits, key=lambda uid: (-waits[uid], people[uid].entity.id))
        following = (uid for uid in people if uid not in waits)
        page = [*first[start : start + limit]]
        page += islice(following, max(start - len(first), 0), max(start + limit - len(first), 0))
        return Roll(
            people=tuple((people[uid].entity, waits.get(uid, 0)) for uid in page),
            number=len(people),
            waiting=sum(waits.values()),
        )

    async def _people(self, space: str, type_: str) -> dict[str, RosterEntry]:
        key, end = (space, type_), await self._end(space)
        kept = self._kept.pop(key, None)
        if kept is None or end is None or await self._has_others(space, kept.end, end):
            [row] = await self._graph.read("read/roll", space=space, type=type_)
            found = (Entity(space=space, type=type_, id=str(id_), name=str(name)) for id_, name in row["people"])
            ordered = sorted((entity for entity in found if not is_trace(entity)), key=lambda one: one.id)
            people = {
                entity.uid: RosterEntry(entity, (identity_key(entity.id), identity_key(entity.name)))
                for entity in ordered
            }
        else:
            people = kept.people
        if end is not None:
            self._kept[key] = Everybody(end, people)
            for oldest in [*self._kept][:-_MOST_KEPT]:
                del self._kept[oldest]
        return people

    async def _end(self, space: str) -> End | None:
        """Returns the end of the log of a space; `None` if it has none, as in a store of an old version."""
        rows = await self._graph.read("read/log_end", space=space)
        return next(((whole_in(row, "size"), whole_in(row, "sum")) for row in rows), None)

    async def _has_others(self, space: str, known: End, end: End) -> bool:
        """Whether somebody may have been declared or erased between two ends of a log."""
        if end == known:
            return False
        if not 0 < end[0] - known[0] <= _MOST_NEW:
            return True
        places = [*range(known[0] + 1, end[0] + 1)]
        [row] = await self._graph.read("read/declared_at", log=entries.space_log(space), places=places)
        return whole_in(row, "number") > 0
