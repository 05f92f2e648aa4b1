"""The part `pages`: which figures it gives."""

from functools import partial
from pathlib import Path

import pytest

from r_memory.config.settings import Settings
from r_memory.testing.dict_store import DictStore
from r_memory_lab.bench.filling import fill
from r_memory_lab.bench.pages import pages
from r_memory_lab.bench.population import Population
from tests.unit.lab.bench.test_context import quietly
from tests.unit.memory_world import a_world

pytestmark = pytest.mark.anyio


async def test_each_page_has_its_percentiles_and_what_it_computed(tmp_path: Path) -> None:
    store = DictStore()
    memory = a_world(store=store).memory
    population = Population(memory.schema, space="clinic", seed=1)
    outcome = await pages(
        memory,
        partial(fill, store),
        population,
        Settings(data_dir=tmp_path, space="clinic"),
        store_name="dict",
        sizes=(300,),
        begin=quietly,
        visits=2,
    )
    figures = outcome.groups["Pages, dict"]
    assert {figure.n for figure in figures} == {2}
    assert [figure.aim for figure in figures if figure.name.startswith("review, 300 facts")] == [
        "<= 100 ms",
        "",
        "",
        "",
    ]
    assert len(figures) == 14 * 4
    assert "100 facts" in outcome.notes[0]
