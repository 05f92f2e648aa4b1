"""Everybody of a space, kept between calls: a list of people is read again only after somebody was declared or erased,
and words that name nobody are looked up again only after somebody was declared.

What it keeps is as new as the log of the space, whose end is read each time; whoever waits is read each time.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from r_memory.domain.erasure import is_trace
from r_memory.domain.facts import Entity
from r_memory.domain.identity import identity_key
from r_memory.protocols import Roll
from r_memory.store import entries
from r_memory.store.bolt_wire import Row
from r_memory.store.library import Graph
from r_memory.store.properties import whole_in

_MOST_NEW = 1_000
"""Entries of the log that are looked through; after more, everybody is read again."""
_MOST_KEPT = 8
"""Lists kept, one for each space and type."""
_MOST_WORDS = 20_000
"""Words that name nobody, kept for a space and type: some megabytes at the most."""
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
            people = {uid: person for uid, person in people.items() if person.holds(holding)}
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


@dataclass(frozen=True, slots=True)
class Nameless:
    """Words that name nobody of a space at one end of its log."""

    end: object
    """As the query gives it."""
    words: set[str] = field(default_factory=set)


class NamelessWords:
    """Words of requests that name nobody: most of them do, and each costs two looks into indexes.

    Whoever is declared, by any process, puts the end of the log of the space further on. It is read with every look; if
    it is another one, the words are looked up after all.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Nameless] = {}

    async def rows(
        self,
        space: str,
        type_: str,
        words: Sequence[str],
        look: Callable[[Sequence[str]], Awaitable[list[Row]]],
        met: Callable[[list[Row]], set[str]],
    ) -> list[Row]:
        """Returns the rows of `look` as if it had been given all of the words.

        One of its rows has the end of the log as `declared`; `met` returns the words that name the people in them.
        """
        kept = self._kept.get((space, type_))
        left = words if kept is None else [word for word in words if word not in kept.words]
        rows = await look(left)
        end = next((row["declared"] for row in rows if None not in (row["declared"] or [None])), None)
        if kept is not None and end == kept.end:
            # The end was the same before the look and in it, so that nobody came while it went on.
            if len(kept.words) < _MOST_WORDS:
                kept.words.update(set(left) - met(rows))
            return rows
        if end is not None:
            self._keep((space, type_), Nameless(end))
        return rows if len(left) == len(words) else await look(words)

    def _keep(self, key: tuple[str, str], new: Nameless) -> None:
        self._kept.pop(key, None)
        self._kept[key] = new
        for oldest in [*self._kept][:-_MOST_KEPT]:
            del self._kept[oldest]
