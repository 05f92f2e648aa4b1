"""What pages show of a memory: people, facts, receipts, audits, health. Reads only."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, Response

from r_memory.domain.blocks import Receipt
from r_memory.domain.changes import shown_status
from r_memory.domain.events import EventKind, FactEvent
from r_memory.domain.facts import RISK, Entity, Fact, Status, entity_of_key
from r_memory.domain.folding import decisive, opposing
from r_memory.errors import InvalidInput, StoreUnavailable
from r_memory.facts.listing import worst_first
from r_memory.facts.recall.rendering import pending_line
from r_memory.facts.reconciling import Cell, source_of, table_of
from r_memory.facts.reviewing import DECISIONS
from r_memory.memory import Memory
from r_memory.protocols import Table
from r_memory.space.signing import KEY_FILE, signing_key
from r_memory.space.tables import as_csv_text
from r_memory.text.inert import inert
from r_memory.web.case import case_file
from r_memory.web.rendering import HEADERS
from r_memory.web.visit import Visit

AT_ONCE = 100
"""Rows of a page; critical facts are always on the first page."""
_CONFLICTS = 20
_AUDIT_ROWS = 500
_CSV_ROWS = 100_000


async def subjects(visit: Visit) -> Response:
    """Returns all subjects, or those whose id or name contains some words, with the number of waiting items."""
    sought = visit.asked("q").strip()
    found = await visit.memory.roll(sought, start=visit.number("from"), limit=AT_ONCE)
    return visit.page(
        "subjects.html",
        title="Subjects",
        found=found.people,
        number=found.number,
        sought=sought,
        waiting=found.waiting,
        **visit.part_of(found.number, AT_ONCE),
    )


# --- one person ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Facts of one relation."""

    relation: str
    critical: bool
    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A fact that was asserted and denied, with the newest words of each side."""

    fact: Fact
    stands: FactEvent
    against: FactEvent | None


async def person(visit: Visit) -> Response:
    """Returns the page of one person's facts, critical facts first; now, or as known at an instant."""
    memory, as_of = visit.memory, visit.as_of
    page = await memory.list_facts(subject=_subject(visit), as_of=as_of)
    critical = frozenset(fact.fact_id for fact in page.facts if memory.is_critical(fact))
    ordered = worst_first(page.facts, critical, memory.schema)
    risks = [fact for fact in ordered if fact.fact_id in critical and fact.status in RISK]
    risks.sort(key=lambda fact: fact.status is Status.UNCONFIRMED)  # as in the block
    rest = [fact for fact in ordered if fact not in risks]
    start = visit.number("from")
    return visit.page(
        "person.html",
        title=page.subject.name,
        about=page.subject,
        risks=risks,
        groups=list(_grouped(rest[start : start + AT_ONCE], critical)),
        number=len(page.facts),
        **visit.part_of(len(rest), AT_ONCE),
        conflicts=[] if as_of is not None else [conflict async for conflict in _conflicts(memory, ordered)],
        pending=[pending_line(item) for item in page.pending[:AT_ONCE]],
        unshown=max(len(page.pending) - AT_ONCE, 0),
        failed={name: inert(why) for name, why in page.failed.items()},
        unasked=[name for name, count in page.counts.items() if not count and _is_critical(memory, name)],
        as_of=visit.asked("as_of"),
    )


def _subject(visit: Visit) -> str:
    """Returns the subject that the address names."""
    return visit.asked("id")


def _is_critical(memory: Memory, relation: str) -> bool:
    declared = memory.schema.relations.get(relation)
    return declared is not None and declared.critical


def _grouped(facts: Sequence[Fact], critical: frozenset[str]) -> Iterator[Group]:
    by_relation: dict[str, list[Fact]] = {}
    for fact in facts:
        by_relation.setdefault(fact.relation, []).append(fact)
    for relation, several in by_relation.items():
        yield Group(relation=relation, critical=any(item.fact_id in critical for item in several), facts=several)


async def _conflicts(memory: Memory, facts: Sequence[Fact]) -> Any:  # noqa: ANN401 - an asynchronous generator
    for fact in [item for item in facts if item.contradicted][:_CONFLICTS]:
        events = await memory.history(fact.fact_id)
        yield Conflict(fact=fact, stands=decisive(events), against=opposing(events))


async def timeline(visit: Visit) -> Response:
    """Returns the page of all events about one person, newest first."""
    about = await visit.memory.find_subject(_subject(visit))
    events = list(reversed(await visit.memory.facts.store.events(about.uid)))
    start = visit.number("from")
    return visit.page(
        "timeline.html",
        title=f"Timeline of {about.name}",
        about=about,
        events=events[start : start + AT_ONCE],
        number=len(events),
        **visit.part_of(len(events), AT_ONCE),
        erased=EventKind.ERASED,
        observed=EventKind.OBSERVED,
    )


async def fact(visit: Visit) -> Response:
    """Returns the page of one fact with its history and its open decisions."""
    about, found = await visit.memory.find_fact(visit.asked("id"))
    return visit.page(
        "fact.html",
        title=f"{found.relation} {found.object.name}",
        about=about,
        fact=found,
        history=await visit.memory.history(found.fact_id),
        critical=visit.memory.is_critical(found),
        decisions=DECISIONS,
        observed=EventKind.OBSERVED,
    )


async def reconciled(visit: Visit) -> Response:
    """What was said about one person beside what is recorded, gravest first: all that is open, and what agrees."""
    found = await visit.memory.reconcile(_subject(visit))
    opened = sum(row.cell is not Cell.AGREES for row in found.rows)
    shown = found.rows[: max(opened, AT_ONCE)]
    return visit.page(
        "reconciled.html",
        title=f"Said and recorded of {found.subject.name}",
        about=found.subject,
        rows=shown,
        source=source_of,
        counts=Counter(row.cell.value for row in found.rows),
        unshown=len(found.rows) - len(shown),
        waiting=len(found.pending),
        failed={name: inert(why) for name, why in found.failed.items()},
    )


async def reconciled_csv(visit: Visit) -> Response:
    """Returns every row of the comparison as a file for spreadsheets."""
    found = await visit.memory.reconcile(_subject(visit))
    if found.failed:
        raise StoreUnavailable(f"could not read {', '.join(found.failed)}; try again")
    return _saved("said-and-recorded", table_of(found.rows))


# --- the graph -------------------------------------------------------------------------------------------------------

_STEPS = 2
"""Levels of concepts that the graph shows above a fact's object."""
_MOST_NODES = 300


async def graph(visit: Visit) -> Response:
    """Returns the page of a person's facts and concepts, as a table and, with a script, as a picture."""
    about, edges = await _edges(visit)
    return visit.page(
        "graph.html", title=f"Graph of {about.name}", about=about, edges=edges, cut=len(edges) >= _MOST_NODES
    )


async def graph_data(visit: Visit) -> Response:
    """Returns the graph as JSON for the script."""
    about, edges = await _edges(visit)
    names = {uid: name for edge in edges for uid, name in ((edge["start"], edge["from"]), (edge["end"], edge["to"]))}
    nodes = [
        {"data": {"id": uid, "name": name, "kind": "person" if uid == about.uid else "thing"}}
        for uid, name in names.items()
    ]
    drawn = [
        {
            "data": {
                "id": f"e{place}",
                "source": item["start"],
                "target": item["end"],
                "name": item["relation"],
                "kind": item["kind"],
            }
        }
        for place, item in enumerate(edges)
    ]
    return JSONResponse([*nodes, *drawn], headers=HEADERS)


async def _edges(visit: Visit) -> tuple[Entity, list[dict[str, str]]]:
    page = await visit.memory.list_facts(subject=_subject(visit))
    about, knowledge = page.subject, visit.memory.facts.reader.knowledge
    edges = [
        _edge(about.uid, about.name, fact.relation, fact.object.uid, fact.object.name, shown_status(fact))
        for fact in page.facts
    ]
    frontier = {fact.object.uid: fact.object for fact in page.facts}
    seen = set(frontier)
    for thing in list(frontier.values()):
        for key in thing.is_a:
            edges.append(_edge(thing.uid, thing.name, "IS_A", key, _called(key), "concept"))
            frontier[key] = entity_of_key(key)
    by_start: dict[str, list[Any]] = {}
    for link in knowledge.links:
        by_start.setdefault(link.start, []).append(link)
    level = set(frontier)
    for _ in range(_STEPS):
        following: set[str] = set()
        for uid in sorted(level):
            for link in by_start.get(uid, ()):
                edges.append(_edge(uid, _called(uid), link.relation, link.end, _called(link.end), "concept"))
                if link.end not in seen:
                    following.add(link.end)
        seen |= following
        level = following
    return about, edges[:_MOST_NODES]


def _called(uid: str) -> str:
    name = entity_of_key(uid).name
    return name[:1].upper() + name[1:]


def _edge(start: str, from_: str, relation: str, end: str, to: str, kind: str) -> dict[str, str]:
    return {"start": start, "from": inert(from_), "relation": relation, "end": end, "to": inert(to), "kind": kind}


# --- receipts --------------------------------------------------------------------------------------------------------


async def receipts(visit: Visit) -> Response:
    """Returns the page of receipts about one person, newest first."""
    about = await visit.memory.find_subject(_subject(visit))
    found = await visit.memory.receipts(subject=about, limit=AT_ONCE)
    return visit.page("receipts.html", title=f"Receipts of {about.name}", about=about, found=found, most=AT_ONCE)


async def receipt(visit: Visit) -> Response:
    """Returns the page of one receipt: what was shown to whom, and the facts as of then."""
    found = await _receipt(visit)
    about = entity_of_key(found.subject_uid)
    then = await visit.memory.list_facts(subject=about.id, as_of=found.shown_at)
    facts = [item for item in then.facts if item.fact_id in found.fact_ids]
    return visit.page(
        "receipt.html",
        title=f"Receipt {found.id}",
        receipt=found,
        about=then.subject,
        facts=facts,
        gone=len(found.fact_ids) - len(facts),
    )


async def case(visit: Visit) -> Response:
    """Returns the case file of a receipt, signed by this installation."""
    found = await _receipt(visit)
    text = await case_file(visit.memory, found.id, signing_key(visit.plan.settings.data_dir / KEY_FILE))
    attached = {**HEADERS, "Content-Disposition": f'attachment; filename="case-{found.id}.html"'}
    return Response(text, media_type="text/html; charset=utf-8", headers=attached)


async def _receipt(visit: Visit) -> Receipt:
    found = await visit.memory.facts.store.receipt(visit.memory.facts.space, visit.asked("id"))
    if found is None:
        raise InvalidInput(f"no receipt of this space has the id '{visit.asked('id')[:40]}'; take one from the list")
    return found


# --- audits and health -----------------------------------------------------------------------------------------------


async def audits(visit: Visit) -> Response:
    """Returns the page of all audits with their titles."""
    listed = [(name, visit.memory.space.audits[name].title) for name in sorted(visit.memory.space.audits)]
    return visit.page("audits.html", title="Audits", listed=listed)


async def audit(visit: Visit) -> Response:
    """Returns the page of one audit: its rows and its query."""
    name = visit.asked("name")
    table = await visit.memory.audit(name, limit=_AUDIT_ROWS)
    rows = [[_cell(value) for value in row[1:]] for row in table.rows]
    about = visit.memory.space.audits[name]
    return visit.page("audit.html", title=about.title, about=about, columns=table.columns[1:], rows=rows, table=table)


async def audit_csv(visit: Visit) -> Response:
    """Returns the rows of one audit as CSV."""
    name = visit.asked("name")
    return _saved(name, await visit.memory.audit(name, limit=_CSV_ROWS))


def _saved(name: str, table: Table) -> Response:
    attached = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(as_csv_text(table), media_type="text/csv; charset=utf-8", headers=attached)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return inert(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), 1_000)


async def health(visit: Visit) -> Response:
    """Returns the page of store, schema and reader; with `verify`, also the result of a verification."""
    found = await visit.memory.verify() if visit.asked("verify") else None
    return visit.page("health.html", title="Health", about=await visit.memory.describe(), found=found)
