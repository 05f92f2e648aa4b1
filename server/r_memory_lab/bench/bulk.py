"""Writes charts of new patients into a graph, some hundred in one transaction: a million facts in minutes, not hours.

What lies there afterwards is what `fill` leaves, logs included, and a test holds one against the other. Only for
patients who are new, in a space that nobody else writes to meanwhile. The queries are those of `cypher/` beside this.
"""

import asyncio
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r_memory.config.settings import Settings
from r_memory.domain.schema import Schema
from r_memory.store import entries
from r_memory.store.bolt import Bolt
from r_memory.store.bolt_wire import Run
from r_memory.store.properties import Properties
from r_memory.store.queries import Query, parse_query
from r_memory.store.rows import ENTITY, EVENT, HEAD, fact_properties, of_conversation
from r_memory.wiring import open_bolt
from r_memory_lab.bench.charts import BenchChart
from r_memory_lab.bench.filling import Fill

AT_ONCE = 4_000
"""Facts in one transaction, up to one chart more; with five times as many the engine stopped responding."""
_LIMIT_S = 120.0
_QUERIES = Path(__file__).parent / "cypher"


@asynccontextmanager
async def bulk(settings: Settings, schema: Schema) -> AsyncIterator[Fill]:
    """Yields a function that fills the prepared store of these settings, over its own connections."""
    async with open_bolt(settings, limit_s=_LIMIT_S) as bolt:
        yield Bulk(bolt, schema).fill


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    """The parameters of one transaction."""

    objects: Mapping[str, Sequence[Properties]]
    """Type to nodes that may be missing."""
    charts: Mapping[str, Any]
    facts: Mapping[str, Mapping[str, Any]]
    """Facts by relation."""
    sizes: Sequence[int]
    """Number of facts of each chart."""


class Bulk:
    """Fills one database that was prepared with this schema."""

    def __init__(self, bolt: Bolt, schema: Schema) -> None:
        self._bolt = bolt
        self._schema = schema
        self._objects: set[str] = set()
        """Keys of those that are there."""

    async def fill(self, charts: Iterable[BenchChart], done: Callable[[], None]) -> int:
        """Writes the charts and returns the number of facts; `done` is called after each chart."""
        waiting, written = iter(charts), 0
        load = self._next(waiting)
        while load is not None:
            # The next is made while this one is written: each takes one of two cores.
            following, _ = await asyncio.gather(asyncio.to_thread(self._next, waiting), self._write(load))
            for facts in load.sizes:
                written += facts
                done()
            load = following
        return written

    def _next(self, waiting: Iterator[BenchChart]) -> _Load | None:
        charts, facts = list[BenchChart](), 0
        while facts < AT_ONCE and (chart := next(waiting, None)) is not None:
            charts.append(chart)
            facts += len(chart.batch.facts)
        return self._load(charts) if charts else None

    def _load(self, charts: Sequence[BenchChart]) -> _Load:
        space = charts[0].subject.space
        rows = [_row(chart, place) for place, chart in enumerate(charts, start=1)]
        shared = _shared(event for row in rows for event in row["events"])
        for row in rows:
            row["events"] = [_without(event, shared) for event in row["events"]]
        leaves = [row["leaf"] for row in rows]
        return _Load(
            objects=self._new_objects(charts),
            charts={
                "space": space,
                "log": entries.space_log(space),
                "event": shared,
                "charts": rows,
                **entries.added(leaves),
            },
            facts=_facts(charts),
            sizes=[len(chart.batch.facts) for chart in charts],
        )

    def _new_objects(self, charts: Sequence[BenchChart]) -> Mapping[str, Sequence[Properties]]:
        found = {fact.object.uid: fact.object for chart in charts for fact in chart.batch.facts}
        new: dict[str, list[Properties]] = defaultdict(list)
        for uid in found.keys() - self._objects:
            new[found[uid].type].append(ENTITY.properties(found[uid]))
        self._objects |= found.keys()
        return new

    async def _write(self, load: _Load) -> None:
        labels = self._schema.node_labels

        async def work(run: Run) -> None:
            for type_, objects in load.objects.items():
                await run(_query("fill_objects").with_labels("KIND", labels(type_)).text, {"objects": objects})
            await run(_query("fill_charts").with_labels("KIND", labels(self._schema.subject)).text, load.charts)
            for relation, parameters in load.facts.items():
                await run(_query("fill_facts").with_types("FACT", [relation]).text, parameters)

        await self._bolt.write(work)


def _query(name: str) -> Query:
    return parse_query(f"bench/{name}", (_QUERIES / f"{name}.cypher").read_text(encoding="utf-8"))


def _row(chart: BenchChart, place: int) -> dict[str, Any]:
    """Returns a chart as `fill_charts` takes it; its document was read at once, so its log begins with two entries."""
    declared, leaf = entries.logged("subject", {**ENTITY.properties(chart.subject), "log_id": secrets.token_hex(16)})
    said, of_words = entries.said(chart.batch.episode or chart.episode)
    events, of_events = zip(
        *(entries.logged("event", EVENT.properties(item)) for item in chart.batch.events), strict=True
    )
    leaves = [*of_words, *of_events]
    own_log = {"log_size": len(leaves), "log_sum": entries.added(leaves)["weight"]}
    return {
        "place": place,
        "leaf": leaf,
        "subject": {**declared, **HEAD.properties(chart.batch.head), **own_log, "awaiting": 0},
        "conversation": {**of_conversation(chart.episode)["conversation"], "length": 1},
        "episode": {**said, "seq": 1, "entry": 1, "settled_entry": 2},
        "events": [{**event, "entry": entry} for entry, event in enumerate(events, start=3)],
        "entries": entries.rows(leaves),
    }


def _facts(charts: Sequence[BenchChart]) -> Mapping[str, Mapping[str, Any]]:
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for chart in charts:
        for fact in chart.batch.facts:
            ends = {"subject": chart.subject.uid, "object": fact.object.uid}
            rows[fact.relation].append({**ends, "fact": fact_properties(fact)})
    return {relation: _divided(along) for relation, along in rows.items()}


def _divided(rows: Sequence[dict[str, Any]]) -> Mapping[str, Any]:
    shared = _shared(row["fact"] for row in rows)
    return {"fact": shared, "rows": [{**row, "fact": _without(row["fact"], shared)} for row in rows]}


def _shared(records: Iterable[Properties]) -> Properties:
    """Returns the properties that are equal in all records, which are about half, and are sent only once."""
    records = iter(records)
    shared = dict(next(records))
    for record in records:
        for name in [name for name, value in shared.items() if record.get(name) != value]:
            del shared[name]
    return shared


def _without(record: Properties, shared: Properties) -> dict[str, object]:
    return {name: value for name, value in record.items() if name not in shared}
