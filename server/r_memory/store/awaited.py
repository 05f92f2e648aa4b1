"""The open episodes of subjects who await many, kept from one read to the next.

A diary leaves thousands of statements that wait, and each request needs them all. They are read once; afterwards only
what changed is read, and nothing while their mark is the same. Whoever alters one by hand meanwhile is not seen here,
and is told what was recorded; `verify`, and the first read of each process, find it.
"""

from collections import OrderedDict
from dataclasses import dataclass

from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity
from r_memory.store.library import Graph
from r_memory.store.neighbours import Mark, PartialNeighbourhood, oldest_first
from r_memory.store.properties import Properties, every_properties_in

MOST = 50
"""Maximum number of open episodes that are read with the facts of a subject, anew for each request."""
_SUBJECTS, _EPISODES = 200, 50_000
"""Maximum numbers of subjects and of episodes that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitedEpisodes:
    """The open episodes of one subject, as one read found them."""

    mark: Mark
    by_place: dict[int, Episode]
    episodes: tuple[Episode, ...]
    """Oldest first; the same tuple as long as nothing changes."""


class Awaited:
    """Reads open episodes from one database, and keeps them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: OrderedDict[str, AwaitedEpisodes] = OrderedDict()

    async def add_to(
        self, found: PartialNeighbourhood, subject: Entity, before: AwaitedEpisodes | None = None
    ) -> AwaitedEpisodes | None:
        """Adds the open episodes of a subject who awaits too many to have them read with the facts, and returns them;
        `None` if there are few, or if something is wrong with them.

        `before` was read by the same call, before the facts were. It is as good as the same episodes: whatever is not
        awaited any more was recorded by then, and is among the facts. Without it, writers who never pause would keep
        the episodes from ever being those of the facts.
        """
        if found.awaiting <= MOST:
            return None
        known = self._known.get(subject.uid)
        if known is None or known.mark != found.mark:
            if before is not None and before.mark.log == found.mark.log:
                found.add_many(before.episodes, are_whole=True)
                return before
            kept = known.by_place if known is not None and known.mark.log == found.mark.log else {}
            known = await self._read(subject, kept, found)
        found.add_many(known.episodes, are_whole=known.mark == found.mark)
        if found.failed:
            return None
        self._keep(subject.uid, known)
        return known

    def forget(self, subject_uid: str) -> None:
        """Keeps nothing of a subject any more."""
        self._known.pop(subject_uid, None)

    async def _read(self, subject: Entity, before: dict[int, Episode], found: PartialNeighbourhood) -> AwaitedEpisodes:
        """The open episodes as they are now; what is wrong with them is added to what was found."""
        since = max(before, default=0)
        rows = await self._graph.read("read/awaited", subject_uid=subject.uid, space=subject.space, since=since)
        places = [int(place) for row in rows for place in row["places"]]
        if not before.keys() >= {place for place in places if place <= since}:
            return await self._read(subject, {}, found)
        stored = [episode for row in rows for episode in every_properties_in(row, "found")]
        new = PartialNeighbourhood()
        new.add_awaited(stored, subject)
        found.failed |= new.failed
        by_place = {place: before[place] for place in places if place in before}
        by_place |= {
            place: new.pending[id_] for item in stored if (id_ := item["id"]) in new.pending and (place := _place(item))
        }
        whole = len(places) == len(by_place) == len({episode.id for episode in by_place.values()})
        log = "".join(str(row["log"]) for row in rows) if whole else ""
        mark = Mark(log=log, number=len(places), places=sum(places))
        return AwaitedEpisodes(mark=mark, by_place=by_place, episodes=oldest_first(by_place.values()))

    def _keep(self, uid: str, known: AwaitedEpisodes) -> None:
        self._known[uid] = known
        self._known.move_to_end(uid)
        while len(self._known) > 1 and (
            len(self._known) > _SUBJECTS or sum(len(known.episodes) for known in self._known.values()) > _EPISODES
        ):
            self._known.popitem(last=False)


def _place(stored: Properties) -> int:
    """The place in the log of the last entry of an episode."""
    place = stored.get("settled_entry") or stored.get("entry")
    return place if isinstance(place, int) else 0
