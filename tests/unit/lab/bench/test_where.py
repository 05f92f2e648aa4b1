"""The part `where`: the steps of a call, and that they leave nothing of it out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from r_memory.testing.dict_store import DictStore
from r_memory_lab.bench.filling import fill
from r_memory_lab.bench.where import where
from tests.unit.memory_world import a_world

pytestmark = pytest.mark.anyio


@contextmanager
def quietly(_what: str, _total: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


async def test_each_step_of_a_call_has_a_row_for_computing_and_one_for_waiting() -> None:
    store = DictStore()
    outcome = await where(
        a_world(store=store).memory, partial(fill, store), store_name="dict", seed=1, begin=quietly, calls=3
    )
    asked = [figure.name for figure in outcome.groups["Where build_context spends its time, dict"]]
    assert asked[:2] == ["the whole call, computing p50", "the whole call, waiting p50"]
    assert {"store: surroundings", "store: add_receipt", "reading: classify"} <= {name.split(",")[0] for name in asked}
    told = [figure.name for figure in outcome.groups["Where remember spends its time, dict"]]
    assert {"store: append", "store: add_episode", "reading: extract"} <= {name.split(",")[0] for name in told}
    assert len(asked) == 2 * len({name.rsplit(", ", 1)[0] for name in asked})
