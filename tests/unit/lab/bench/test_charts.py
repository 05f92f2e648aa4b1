"""Made-up patients: the same for the same seed, and whole ledgers that any store takes."""

import pytest

from r_memory.space.integrity import verify
from r_memory.testing.dict_store import DictStore
from r_memory_lab.bench.charts import charts, patient_id
from r_memory_lab.bench.filling import fill
from tests.unit.facts.recall.world import SCHEMA


def made(*, count: int = 3, facts: int = 12, seed: int = 1) -> tuple[object, ...]:
    return tuple(charts(SCHEMA, space="bench", first=0, count=count, facts=facts, seed=seed))


def test_a_seed_gives_the_same_patients_every_time_and_another_seed_others() -> None:
    assert made() == made()
    assert made() != made(seed=2)


def test_patients_are_numbered_on() -> None:
    (chart,) = charts(SCHEMA, space="bench", first=41, count=1, facts=5, seed=1)
    assert chart.subject.id == patient_id(41)
    assert chart == list(charts(SCHEMA, space="bench", first=40, count=2, facts=5, seed=1))[1]


def test_every_fact_is_another_one() -> None:
    for chart in charts(SCHEMA, space="bench", first=0, count=5, facts=30, seed=1):
        assert len({fact.fact_id for fact in chart.batch.facts}) == 30


def test_a_schema_with_too_few_words_gives_fewer_facts_and_ends() -> None:
    (chart,) = charts(SCHEMA, space="bench", first=0, count=1, facts=500, seed=1)
    assert 30 < len(chart.batch.facts) < 500


@pytest.mark.anyio
async def test_a_filled_store_is_whole_and_filling_it_again_changes_nothing() -> None:
    store, steps = DictStore(), list[int]()
    for _ in range(2):
        written = await fill(
            store, charts(SCHEMA, space="bench", first=0, count=3, facts=12, seed=1), lambda: steps.append(1)
        )
        assert written == 36
    subjects = await store.subjects("bench", "Patient")
    found = await verify(store, subjects)
    assert (found.subjects, found.facts, found.events, found.differences, len(steps)) == (3, 36, 36, (), 6)
