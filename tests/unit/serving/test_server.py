"""What a serving process does with its memory beside opening it."""

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from unittest.mock import AsyncMock, Mock

import pytest

from r_memory import wiring
from r_memory.config.settings import Settings
from r_memory.errors import StoreUnavailable
from r_memory.serving.server import opened

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def sweeping() -> Iterator[None]:
    """As a serving process begins: nothing is swept yet; afterwards as it was."""
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


async def test_no_call_stands_still_while_what_was_loaded_is_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sweep of schema, lexicon and model held up all calls for 140 ms and more."""
    loaded = [[number] for number in range(1_000)]
    memory = AsyncMock(loaded=loaded, facts=Mock())

    @asynccontextmanager
    async def memory_of(_: Settings) -> AsyncIterator[object]:
        yield memory

    monkeypatch.setattr(wiring, "open_memory", memory_of)
    async with opened(Settings()):
        assert gc.isenabled()
        swept = {id(each) for each in gc.get_objects()}
        assert not swept.intersection(map(id, loaded))


async def test_garbage_is_swept_although_the_memory_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def memory_of(_: Settings) -> AbstractAsyncContextManager[object]:
        raise StoreUnavailable("the store does not answer")

    monkeypatch.setattr(wiring, "open_memory", memory_of)
    with pytest.raises(StoreUnavailable):
        async with opened(Settings()):
            pass
    assert gc.isenabled()
