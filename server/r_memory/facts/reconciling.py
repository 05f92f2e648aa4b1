"""Said against recorded: what people told beside what stands in the record, one row for each matter, with a question.

Decides nothing and writes nothing.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from r_memory.domain.events import Episode, FactEvent
from r_memory.domain.facts import HAS_INGREDIENT, IS_A, RISK, Entity, Fact, Route, Status
from r_memory.domain.folding import fold_all, joined, telling
from r_memory.domain.instants import day_shown
from r_memory.domain.knowledge import MEMBER_OF, Knowledge
from r_memory.domain.schema import Schema
from r_memory.facts.listing import FactList
from r_memory.protocols import Store, Table
from r_memory.reading.reader import Reader
from r_memory.text.inert import inert, inert_name

_UPWARDS = (IS_A, MEMBER_OF, HAS_INGREDIENT)
_LONG = 100
"""Events from which a comparison waits its turn among long texts."""
_Kinds = Callable[[Entity], Collection[str]]
"""Gives the uids of a thing, and of everything that it is a kind of or contains."""


class Cell(StrEnum):
    """How the two voices compare in one matter; the gravest comes first."""

    CONTRADICTS = "contradicts"
    SAID = "said, not recorded"
    RECORDED = "recorded, not said"
    NEVER_ASKED = "never asked"
    AGREES = "agrees"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One matter with both voices and a question."""

    id: str
    """The same as long as the same facts stand in the row."""
    cell: Cell
    relation: str
    thing: str
    said: Fact | None = None
    recorded: Fact | None = None
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """Every matter of one subject."""

    subject: Entity
    rows: tuple[Row, ...]
    pending: tuple[Episode, ...]
    """What was said and is not, or not wholly, understood: it stands in no row."""
    failed: Mapping[str, str]
    """Relations that could not be read, with the reason; every matter has its row only when there are none."""


class Reconciling:
    """Holds what was said beside what is recorded, in one space."""

    def __init__(self, *, store: Store, reader: Reader, lists: FactList) -> None:
        self._store = store
        self._reader = reader
        self._lists = lists

    async def reconcile(self, subject: str | Entity, *, recorded: Iterable[Fact] | None = None) -> Reconciled:
        """What was said about a subject beside what is recorded, one row for each matter, the gravest first.

        `recorded` are facts of a record that is not stored, to be compared in place of those that are.

        Raises:
            InvalidInput: its subclasses for the subject.
        """
        known = await self._lists.list_facts(subject=subject)
        rows = await self.rows(known.subject, recorded=recorded)
        return Reconciled(subject=known.subject, rows=rows, pending=known.pending, failed=known.failed)

    async def rows(
        self, subject: Entity, *, recorded: Iterable[Fact] | None = None, also: Sequence[Fact] = ()
    ) -> tuple[Row, ...]:
        """The rows alone; `also` are facts of a record that is not stored, compared together with those that are.

        They are compared beside the event loop, as two long charts take their time.
        """
        events = await self._store.events(subject.uid)
        worker = self._reader.worker if len(events) > _LONG else self._reader.quick
        return await worker.run(self._rows, subject, events, recorded, also)

    def _rows(
        self, subject: Entity, events: Sequence[FactEvent], recorded: Iterable[Fact] | None, also: Sequence[Fact]
    ) -> tuple[Row, ...]:
        schema, knowledge = self._reader.schema, self._reader.knowledge
        said, stored = voices(events, schema)
        kept = stored if recorded is None else recorded
        return reconcile(subject, said, joined((*kept, *also)) if also else kept, schema, knowledge)


def voices(events: Sequence[FactEvent], schema: Schema) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """Returns the facts of people's statements and decisions, and the facts of records."""
    scale = schema.severity.grades
    # Who went against a fact said nothing of how it stands.
    said = fold_all([event for event in telling(events) if event.route is not Route.RECORD], scale=scale)
    return said, fold_all([event for event in events if event.route is Route.RECORD], scale=scale)


def reconcile(
    subject: Entity, said: Iterable[Fact], recorded: Iterable[Fact], schema: Schema, knowledge: Knowledge
) -> tuple[Row, ...]:
    """Returns a row for each matter of either voice, the gravest first.

    A critical relation of which neither voice says anything has a row too.
    """
    told = [fact for fact in said if fact.status is not Status.ENTERED_IN_ERROR]
    kept = [fact for fact in recorded if fact.status is not Status.ENTERED_IN_ERROR]
    closures: dict[tuple[str, tuple[str, ...]], Collection[str]] = {}

    def kinds(thing: Entity) -> Collection[str]:
        key = (thing.uid, thing.is_a)
        if key not in closures:
            closures[key] = frozenset(_closure(thing, knowledge))
        return closures[key]

    rows, met = [], set[str]()
    beside = _Candidates(kept, kinds)
    for mine in told:
        others = [other for other in beside.of(mine) if _same_matter(mine, other, schema, kinds)]
        against = [other for other in others if _contradict(mine, other)]
        other = next(iter(against or others), None)
        cell = Cell.SAID if other is None else Cell.CONTRADICTS if against else Cell.AGREES
        met |= {item.fact_id for item in others}
        rows.append(_row(subject, cell, mine, other))
    rows += [_row(subject, Cell.RECORDED, None, other) for other in kept if other.fact_id not in met]
    asked = {fact.relation for fact in (*told, *kept)}
    rows += [
        _never_asked(subject, name, relation.question)
        for name, relation in schema.relations.items()
        if relation.critical and name not in asked
    ]
    order = list(Cell)
    return tuple(sorted(rows, key=lambda row: (order.index(row.cell), row.relation, row.thing, row.id)))


class _Candidates:
    """The facts of one voice, found by what they may have in common with one of the other voice."""

    def __init__(self, kept: Sequence[Fact], kinds: _Kinds) -> None:
        self._kept = kept
        self._kinds = kinds
        self._places: defaultdict[str, set[int]] = defaultdict(set)
        """By the id of a fact, the uid of its thing (`=`) or of a kind of it, or for absences (`0`) its relation."""
        for place, fact in enumerate(kept):
            keys = [fact.fact_id, fact.relation, f"={fact.object.uid}", *kinds(fact.object)]
            for key in [*keys, *([f"0{fact.relation}"] if fact.is_absence else [])]:
                self._places[key].add(place)

    def of(self, mine: Fact) -> list[Fact]:
        """Returns every fact that may be about the same matter, in order."""
        keys = [mine.fact_id, mine.object.uid, f"0{mine.relation}"]
        keys += [mine.relation] if mine.is_absence else [f"={uid}" for uid in self._kinds(mine.object)]
        places = set[int]().union(*(self._places.get(key, ()) for key in keys))
        return [self._kept[place] for place in sorted(places)]


def _same_matter(mine: Fact, other: Fact, schema: Schema, kinds: _Kinds) -> bool:
    """Whether two facts are about one thing, under one relation or under two that exclude each other."""
    first, second = schema.relations.get(mine.relation), schema.relations.get(other.relation)
    if first is None or second is None:
        return mine.fact_id == other.fact_id
    if mine.is_absence or other.is_absence:
        return mine.relation == other.relation and _covers(mine, other, schema)
    same = all(mine.attrs.get(name) == other.attrs.get(name) for name in first.identity)
    is_matter = same if mine.relation == other.relation else _excludes(mine, other, schema)
    return is_matter and _related(mine.object, other.object, kinds)


def _excludes(mine: Fact, other: Fact, schema: Schema) -> bool:
    """Whether one side takes the thing and the other side has a risk of it."""
    both = mine.status in RISK and other.status in RISK
    first, second = schema.relations[mine.relation], schema.relations[other.relation]
    return both and (mine.relation in second.suppressed_by or other.relation in first.suppressed_by)


def _covers(mine: Fact, other: Fact, schema: Schema) -> bool:
    """Whether both absences are the same, or one voice's absence includes the other's thing."""
    if mine.is_absence and other.is_absence:
        return mine.object.uid == other.object.uid
    scope, thing = (mine.object.id, other) if mine.is_absence else (other.object.id, mine)
    return thing.status in RISK and schema.speaks_of(scope, thing.object.type)


def _contradict(mine: Fact, other: Fact) -> bool:
    same_relation = mine.relation == other.relation
    return (mine.status in RISK) != (other.status in RISK) or not same_relation


def _related(one: Entity, other: Entity, kinds: _Kinds) -> bool:
    """Whether both are one thing, or one is a kind of the other."""
    return one.uid in kinds(other) or other.uid in kinds(one)


def _closure(entity: Entity, knowledge: Knowledge) -> list[str]:
    """Returns the keys of the thing, its kinds and its ingredients."""
    found = [entity.uid, *entity.is_a]
    for uid in found:  # which grows by what is above each
        above = [link.end for relation in _UPWARDS for link in knowledge.outgoing(uid, relation)]
        found += [each for each in dict.fromkeys(above) if each not in found]
    return found


def _row(subject: Entity, cell: Cell, said: Fact | None, recorded: Fact | None) -> Row:
    shown = said or recorded
    assert shown is not None  # noqa: S101 - every caller gives one of them
    told = {
        Cell.AGREES: "",
        Cell.SAID: f"Told, and not in the record: {_quoted(said)}. Is it right, and should the record say so?",
        Cell.RECORDED: f"In the record, and never said: {_quoted(recorded)}. Does it hold?",
        Cell.CONTRADICTS: f"Said: {_quoted(said)}. Recorded: {_quoted(recorded)}. Which is right?",
    }
    facts = [fact.fact_id for fact in (said, recorded) if fact is not None]
    id_ = _id(subject, cell, *facts)
    thing = shown.object.name
    return Row(
        id=id_, cell=cell, relation=shown.relation, thing=thing, said=said, recorded=recorded, question=told[cell]
    )


def _never_asked(subject: Entity, relation: str, question: str) -> Row:
    id_ = _id(subject, Cell.NEVER_ASKED, relation)
    return Row(id=id_, cell=Cell.NEVER_ASKED, relation=relation, thing="", question=question)


def _id(subject: Entity, *parts: str) -> str:
    return hashlib.sha256("\x1f".join((subject.uid, *parts)).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _quoted(fact: Fact | None) -> str:
    return "" if fact is None else f'"{inert(fact.evidence, 160)}" ({source_of(fact)})'


def source_of(fact: Fact) -> str:
    """Status, who and when, in short: who said it, or who decided since that it stands so."""
    if fact.changed_at is not None:
        return f"{fact.status.value} by {inert_name(fact.changed_by)}, {day_shown(fact.changed_at)}"
    return f"{fact.status.value}, {inert_name(fact.speaker)}, {day_shown(fact.said_at)}"


COLUMNS = ("id", "outcome", "relation", "thing", "said", "said_by", "recorded", "recorded_by", "question")


def table_of(rows: Iterable[Row]) -> Table:
    """The rows under `COLUMNS`, all of them texts."""
    return Table(columns=COLUMNS, rows=tuple(map(_cells, rows)))


def _cells(row: Row) -> tuple[str, ...]:
    sides = [("", "") if fact is None else (fact.evidence, source_of(fact)) for fact in (row.said, row.recorded)]
    return (row.id, row.cell.value, row.relation, row.thing, *sides[0], *sides[1], row.question)
