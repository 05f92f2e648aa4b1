"""`bench stream` at small sizes: what it measures, and that growth costs neither needles nor facts (T-2)."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from r_memory.memory import Memory
from r_memory.testing.dict_store import DictStore
from r_memory_lab.bench.streaming import ASKED, PATIENTS, K, stream
from r_memory_lab.evals.measures import share
from r_memory_talk.stream.scoring import SCORINGS
from r_memory_talk.stream.stream import Stream
from tests.unit.lab.bench.test_trials import Intakes
from tests.unit.memory_world import a_world
from tests.unit.talk.stream.world import a_stream

SIZES = (10, 150)


@contextmanager
def quietly(_what: str, _total: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


@pytest.mark.anyio
@pytest.mark.proves("T-2", "SCM-6", "MIM-9")
async def test_needles_and_facts_are_found_at_every_size_and_every_time_is_reported(tmp_path: Path) -> None:
    """The sizes that people reach are in evals/reports; the same code made them."""
    store = DictStore()
    (tmp_path / "file").write_bytes(bytes(3_000_000))

    @asynccontextmanager
    async def opened() -> AsyncIterator[tuple[Memory, Stream]]:
        yield a_world(store=store, extractor=Intakes({})).memory, a_stream(store.stream)

    outcome = await stream(opened, store_name="dict", sizes=SIZES, seed=7, begin=quietly, folder=tmp_path, calls=4)
    figures = {figure.name: figure for figure in outcome.figures}
    for size in SIZES:
        assert figures[f"needles among the first {K} at {size}, dict"].value == 1.0
        name = f"allergies in the block with {size} items, dict"
        assert figures[name] == share(name, PATIENTS * ASKED, PATIENTS * ASKED, aim="1.000")
    searches = {figure.name for figure in outcome.groups["Search, dict"]}
    assert {f"search at 150, {name}, dict: p95" for name in SCORINGS} <= searches
    sizes = {figure.name: figure for figure in outcome.groups["Starts and sizes, dict"]}
    assert sizes["files of the store at 150, dict"].value == 3.0
    assert "first search after a start at 150, dict" in sizes
    assert sum(item.tier == "turn" for item in (await store.stream.memory_changes("clinic", after=0)).items) == 50 + 152
