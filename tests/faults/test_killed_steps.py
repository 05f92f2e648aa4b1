"""`r-memory bench kills` in small: writers at once and an import, each killed somewhere."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from r_memory.config.settings import Settings
from r_memory_lab.bench.core import environment
from r_memory_lab.bench.killed import killed

pytestmark = pytest.mark.anyio
STEPS = ("together", "import")


@contextmanager
def unseen(_: str, __: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="what is killed is forked")
@pytest.mark.proves("Z18")
@pytest.mark.timeout(600)
async def test_processes_that_are_killed_lose_nothing_and_leave_nothing_half_unnamed(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", space="killed")

    found = await killed(
        settings,
        environment(settings, os.environ),
        steps=STEPS,
        kills=len(STEPS),
        store_name="here",
        folder=tmp_path,
        seed=7,
        begin=unseen,
    )

    figures = {figure.name: (figure.value, figure.n) for figure in found.figures}
    assert figures["kills, here"][0] == 2
    assert figures["acknowledged facts and steps lost, here"][1] > 0
    assert [ids for ids in found.details.values() if ids] == []
