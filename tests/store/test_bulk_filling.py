"""Filling in bulk, for benchmarks of large stores: what lies there is what the product's own writes leave."""

from dataclasses import replace

import pytest

from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Lexicon
from r_memory.protocols import Store
from r_memory.space.integrity import verify_space
from r_memory.store.bolt import Endpoint
from r_memory.testing.dict_store import DictStore
from r_memory_lab.bench import bulk
from r_memory_lab.bench.bulk import Bulk
from r_memory_lab.bench.charts import BenchChart, charts
from r_memory_lab.bench.filling import fill
from tests.store.stores import NEWEST, Database, engine_at
from tests.store.world import SCHEMA, a_space

pytestmark = pytest.mark.anyio

MARK = a_space()
"""Terms of this file's own: a server is shared, and an object that exists keeps its names."""
TERMS = {type_: {f"{type_} {number} {MARK}": () for number in range(20)} for type_ in ("Drug", "DrugClass")}
WIDE = replace(SCHEMA, lexicon=Lexicon(terms=TERMS))
PATIENTS, FACTS = 7, 6


@pytest.fixture(params=NEWEST)
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


def some(space: str, *, first: int = 0) -> list[BenchChart]:
    return list(charts(WIDE, space=space, first=first, count=PATIENTS, facts=FACTS, seed=1))


async def lying_in(store: Store, made: list[BenchChart]) -> list[object]:
    """Everything that a store says of these patients."""
    return [
        (
            await store.subjects(chart.subject.space, chart.subject.type, id_=chart.subject.id),
            await store.events(chart.subject.uid),
            await store.episodes(chart.subject.space, chart.subject.uid),
            sorted(
                (await store.neighbourhood(chart.subject, list(WIDE.relations))).facts, key=lambda fact: fact.fact_id
            ),
        )
        for chart in made
    ]


async def test_what_is_filled_in_bulk_is_what_single_writes_leave(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 3)
    made, steps, oracle = some(a_space()), list[int](), DictStore()
    written = await Bulk(database.bolt, WIDE).fill(made, lambda: steps.append(1))
    assert (written, len(steps)) == (PATIENTS * FACTS, PATIENTS)
    await fill(oracle, made, lambda: None)
    assert await lying_in(database.store, made) == await lying_in(oracle, made)


async def test_logs_and_counts_hold_also_where_single_writes_go_on(database: Database) -> None:
    space = a_space()
    await fill(database.store, some(space), lambda: None)
    await Bulk(database.bolt, WIDE).fill(some(space, first=PATIENTS), lambda: None)
    await fill(database.store, some(space, first=2 * PATIENTS), lambda: None)
    found = await verify_space(database.store, WIDE, Knowledge(name="none", version="none"), space)
    assert (found.subjects, found.facts, found.differences) == (3 * PATIENTS, 3 * PATIENTS * FACTS, ())
