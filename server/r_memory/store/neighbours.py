"""Collects the rows of a traversal: facts, pending episodes, and relations that could not be read.

Pure. A row that cannot be read makes its relation fail, and no other; rows about other subjects are dropped.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from r_memory.domain import holdings
from r_memory.domain.events import OPEN, Episode
from r_memory.domain.facts import Entity, Fact
from r_memory.errors import ARRIVING
from r_memory.protocols import Neighbourhood
from r_memory.store.properties import Unreadable, every_properties_in, properties_in, whole_in
from r_memory.store.rows import EPISODE, read_fact

AWAITS = "AWAITS"
"""Leads from a subject to an open episode, in the present state."""
_LOST = "what is stored is not all that was recorded; run `r-memory verify`, and `r-memory rebuild` if it says so"
_ALTERED = "a record was altered or damaged; run `r-memory verify`, and `r-memory rebuild` if it says so"
_FOREIGN = "it leads to records about somebody else; run `r-memory verify`"
_DOUBLED = "one record is there more than once; run `r-memory verify`, and `r-memory rebuild` if it says so"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Which open episodes a subject awaits.

    Each change of an episode gives it a later place, so that other episodes never have the same number and sum.
    """

    log: str
    """The log of the subject; another one after an erasure."""
    number: int
    places: int
    """The sum of their places in the log."""


NOTHING_AWAITED = Mark(log="", number=0, places=0)


@dataclass(slots=True, kw_only=True)
class PartialNeighbourhood:
    """The rows read so far for one neighbourhood."""

    facts: dict[str, Fact] = field(default_factory=dict)
    """By id."""
    pending: dict[str, Episode] = field(default_factory=dict)
    """By id."""
    failed: dict[str, str] = field(default_factory=dict)
    watermark: int = 0
    held: str = ""
    """Expected number of facts along each relation, as `holdings.py` writes it."""
    awaiting: int = 0
    """Expected number of open episodes."""
    awaited: int = 0
    """Number of open episodes found, including duplicates."""
    mark: Mark = NOTHING_AWAITED
    many: tuple[Episode, ...] | None = None
    """The open episodes, oldest first, if they are too many to come with the facts."""
    arriving: str = ""
    """What an import has still to bring."""
    known: bool = False
    """Whether there was a row: the subject exists."""
    doubled: bool = False
    """Whether several rows stand for the subject, which no sound store has."""

    def whole(self, query: str) -> Neighbourhood:
        """The neighbourhood: facts in the order in which they were last mentioned, open episodes oldest first."""
        return Neighbourhood(
            facts=tuple(sorted(self.facts.values(), key=lambda fact: (fact.last_seq, fact.fact_id))),
            pending=oldest_first(self.pending.values()) if self.many is None else self.many,
            failed=self.failed,
            watermark=self.watermark,
            query=query,
        )

    def add(self, rows: Iterable[Mapping[str, object]], subject: Entity, *, source: str = "") -> None:
        """Adds rows. Problems are recorded under `source`, or under the relation they concern.

        `source` is the traversal of an action type, which may return facts that were found already.
        """
        subjects = 0
        for row in rows:
            self.known = True
            watermark = row.get("watermark")
            if isinstance(watermark, int):
                # Rows of an action type's own traversal have none of these, and are themselves what was found.
                self.watermark, self.held = max(self.watermark, watermark), str(row.get("held") or "")
                self.awaiting, self.awaited = whole_in(row, "awaiting"), 0
                self.arriving = str(row.get("arriving") or "")
                number, places = whole_in(row, "awaited"), whole_in(row, "places")
                self.mark = Mark(log=str(row.get("log") or ""), number=number, places=places)
                subjects += 1
                self.doubled = subjects > 1
            for item in every_properties_in(row, "found") if "found" in row else (row,):
                if (relation := item.get("relation")) is not None:
                    self._add_row(str(relation), item, subject, source or str(relation))

    def lacking(self, relations: Iterable[str]) -> dict[str, str]:
        """By relation: what is wrong, if its facts are not the expected ones."""
        if self.doubled:
            return dict.fromkeys((*relations, AWAITS), _DOUBLED)
        if self.arriving:
            return dict.fromkeys((*relations, AWAITS), ARRIVING)
        found = [fact.place for fact in self.facts.values()]
        lacking = dict.fromkeys(holdings.differing(self.held, found, relations), _LOST)
        return lacking | ({AWAITS: _LOST} if self.awaiting != self.awaited else {})

    def add_many(self, episodes: tuple[Episode, ...], *, are_whole: bool) -> None:
        """Adds the open episodes, read by themselves; they are lacking unless they are whole beside these facts."""
        self.many, self.awaited = episodes, self.mark.number if are_whole else -1

    def add_awaited(self, stored: Iterable[Mapping[str, object]], subject: Entity) -> None:
        """Adds open episodes, given by their properties."""
        for item in stored:
            self._add_row(AWAITS, {"object": item}, subject, AWAITS)

    def _add_row(self, relation: str, row: Mapping[str, object], subject: Entity, source: str) -> None:
        try:
            one: Episode | Fact
            if relation == AWAITS:
                stored = properties_in(row, "object")
                one = EPISODE.value(stored)
                sound = stored.get("hash") == one.hash and one.status in OPEN
            else:
                one, sound = read_fact(relation, row)
        except Unreadable as error:
            self.failed[source] = f"a record was altered and has no usable '{error.name}'; run `r-memory verify`"
            return
        if not sound:
            self.failed[source] = _ALTERED
        if (one.space, one.subject_uid) != (subject.space, subject.uid):
            self.failed[source] = _FOREIGN
        elif isinstance(one, Fact):
            self._add_fact(one, source)
        else:
            self.awaited += 1
            self.pending[one.id] = one

    def _add_fact(self, fact: Fact, source: str) -> None:
        """Adds a fact.

        A duplicate makes its relation fail, because the order in the database would decide which one is read.
        """
        first = self.facts.setdefault(fact.fact_id, fact)
        again = first is not fact and source == fact.relation
        if again or (first.relation, first.object.uid) != (fact.relation, fact.object.uid):
            self.failed.update({source: _DOUBLED, first.relation: _DOUBLED})


def oldest_first(episodes: Iterable[Episode]) -> tuple[Episode, ...]:
    """The episodes in the order in which they were recorded."""
    return tuple(sorted(episodes, key=lambda episode: (episode.recorded_at, episode.id)))
