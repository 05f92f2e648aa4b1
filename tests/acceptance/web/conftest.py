"""Pages over each store that people use, one memory for all tests of a module: each takes subjects of its own."""

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from r_memory.config.settings import Settings
from r_memory.memory import Memory
from r_memory.wiring import open_memory
from tests.acceptance.conftest import Installation
from tests.acceptance.web.site import Browser, browsing


@pytest.fixture(scope="module")
def settings(standing: Installation) -> Settings:
    given = {name: value for name, value in standing.settings.items() if name not in {"data_dir", "read_timeout_s"}}
    return Settings(data_dir=Path(standing.settings["data_dir"]), read_timeout_s=60.0, **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
async def memory(settings: Settings) -> AsyncIterator[Memory]:
    async with open_memory(settings) as opened:
        yield opened


@pytest.fixture
async def browser(memory: Memory, settings: Settings) -> AsyncIterator[Browser]:
    """Signed in, and may decide."""
    async with browsing(memory, settings) as opened:
        yield await opened.enter()


@pytest.fixture
async def stranger(memory: Memory, settings: Settings) -> AsyncIterator[Browser]:
    """Not signed in."""
    async with browsing(memory, settings) as opened:
        yield opened


@pytest.fixture
async def reader(memory: Memory, settings: Settings) -> AsyncIterator[Browser]:
    """Signed in, and may not decide."""
    async with browsing(memory, settings, decides=False) as opened:
        yield await opened.enter()


@pytest.fixture
def someone() -> str:
    """The id of a subject that no other test has."""
    return f"P{uuid.uuid4().hex[:8]}"
