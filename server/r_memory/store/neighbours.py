"""What the rows of a traversal add up to: facts, pending episodes, and relations that could not be read.

Pure. A row that cannot be read costs its relation the outcome, never the other rows; a row about somebody else is never
passed on.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from r_memory.domain import holdings
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, Fact
from r_memory.protocols import Neighbourhood
from r_memory.store.properties import Unreadable, every_properties_in, properties_in, whole_in
from r_memory.store.rows import ENTITY, EPISODE, FACT, is_as_written

AWAITS = "AWAITS"
"""From a subject to an open episode, in the present state beside its facts."""
_LOST = "what is stored is not all that was recorded; run `r-memory verify`, and `r-memory rebuild` if it says so"
_ALTERED = "a record was altered or damaged; run `r-memory verify`, and `r-memory rebuild` if it says so"
_FOREIGN = "it leads to records about somebody else; run `r-memory verify`"


@dataclass(slots=True, kw_only=True)
class PartialNeighbourhood:
    """What has been read so far of one neighbourhood."""

    facts: dict[str, Fact] = field(default_factory=dict)
    """By id."""
    pending: dict[str, Episode] = field(default_factory=dict)
    """By id."""
    failed: dict[str, str] = field(default_factory=dict)
    watermark: int = 0
    held: str = ""
    """How many facts there must be along each relation."""
    awaiting: int = 0
    """How many open episodes there must be."""
    known: bool = False
    """There was a row at all: the subject exists."""

    def whole(self, query: str) -> Neighbourhood:
        """All that was read: facts in the order in which they were last spoken of, open episodes oldest first."""
        return Neighbourhood(
            facts=tuple(sorted(self.facts.values(), key=lambda fact: (fact.last_seq, fact.fact_id))),
            pending=tuple(sorted(self.pending.values(), key=lambda episode: (episode.recorded_at, episode.id))),
            failed=self.failed,
            watermark=self.watermark,
            query=query,
        )

    def add(self, rows: Iterable[Mapping[str, object]], subject: Entity, *, source: str = "") -> None:
        """Adds what the rows hold; trouble is named under `source`, or under the relation it is found at."""
        for row in rows:
            self.known = True
            watermark = row.get("watermark")
            if isinstance(watermark, int):
                # Rows of an action type's own traversal have none of these, and are themselves what was found.
                self.watermark, self.held = max(self.watermark, watermark), str(row.get("held") or "")
                self.awaiting = whole_in(row, "awaiting")
            for one in every_properties_in(row, "found") if "found" in row else (row,):
                if (relation := one.get("relation")) is not None:
                    self._add_row(str(relation), one, subject, source or str(relation))

    def lacking(self, relations: Iterable[str]) -> dict[str, str]:
        """Relation to what is wrong, where the facts read are not those that there must be."""
        found = [(fact.relation, fact.fact_id, fact.last_seq) for fact in self.facts.values()]
        lacking = dict.fromkeys(holdings.differing(self.held, found, relations), _LOST)
        return lacking | ({AWAITS: _LOST} if self.awaiting != len(self.pending) else {})

    def _add_row(self, relation: str, row: Mapping[str, object], subject: Entity, source: str) -> None:
        try:
            one: Episode | Fact
            if relation == AWAITS:
                stored = properties_in(row, "object")
                one = EPISODE.value(stored)
                sound = stored.get("hash") == one.hash
            else:
                stored = properties_in(row, "fact")
                one = FACT.value(stored, relation=relation, object=ENTITY.value(properties_in(row, "object")))
                sound = is_as_written(stored)
        except Unreadable as error:
            self.failed[source] = f"a record was altered and has no usable '{error.name}'; run `r-memory verify`"
            return
        if (one.space, one.subject_uid) != (subject.space, subject.uid):
            self.failed[source] = _FOREIGN
        elif isinstance(one, Fact):
            self.facts.setdefault(one.fact_id, one)
        else:
            self.pending[one.id] = one
        if not sound:
            self.failed[source] = _ALTERED
