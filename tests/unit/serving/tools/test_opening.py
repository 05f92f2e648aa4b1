import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import cast

import pytest

from r_memory.errors import StoreUnavailable
from r_memory.memory import Memory
from r_memory.serving.tools.calls import SharedMemory

pytestmark = pytest.mark.anyio
MEMORY = cast("Memory", object())


class Opener:
    """Opens when it is let to, after as many failures as it was told; counts what was opened and closed."""

    def __init__(self, *failures: Exception, waits: bool = False) -> None:
        self.let = asyncio.Event()
        self.attempts = 0
        self.closed = 0
        self._failures = list(failures)
        self._waits = waits

    def __call__(self) -> AbstractAsyncContextManager[Memory]:
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Memory]:
        self.attempts += 1
        if self._waits:
            await self.let.wait()
        if self._failures:
            raise self._failures.pop(0)
        try:
            yield MEMORY
        finally:
            self.closed += 1


async def test_opening_begins_before_anybody_asks_and_happens_once() -> None:
    opener = Opener()
    shared = SharedMemory(opener)
    shared.start()
    assert await asyncio.gather(*(shared.get() for _ in range(3))) == [MEMORY] * 3
    await shared.close()
    assert (opener.attempts, opener.closed) == (1, 1)


@pytest.mark.proves("M-40")
async def test_a_failed_opening_is_told_and_the_next_call_tries_again() -> None:
    opener = Opener(StoreUnavailable("nobody answers"))
    shared = SharedMemory(opener)
    with pytest.raises(StoreUnavailable, match="nobody answers"):
        await shared.get()
    assert await shared.get() is MEMORY
    await shared.close()
    assert (opener.attempts, opener.closed) == (2, 1)


@pytest.mark.proves("M-25")
async def test_an_unforeseen_failure_is_told_without_its_text() -> None:
    shared = SharedMemory(Opener(RuntimeError("bolt://user:secret@host")))
    with pytest.raises(StoreUnavailable) as told:
        await shared.get()
    assert str(told.value) == "the memory could not be opened; the server's log says where"


async def test_a_call_that_waits_too_long_is_told_and_opening_goes_on() -> None:
    opener = Opener(waits=True)
    shared = SharedMemory(opener, patience=0.01)
    with pytest.raises(StoreUnavailable, match="try again"):
        await shared.get()
    opener.let.set()
    shared._patience = 60
    assert await shared.get() is MEMORY
    await shared.close()
    assert (opener.attempts, opener.closed) == (1, 1)


async def test_a_cancelled_call_leaves_the_opening_to_others() -> None:
    opener = Opener(waits=True)
    shared = SharedMemory(opener)
    first = asyncio.create_task(shared.get())
    second = asyncio.create_task(shared.get())
    await asyncio.sleep(0)
    first.cancel()
    opener.let.set()
    assert await second is MEMORY
    await shared.close()
    assert (opener.attempts, opener.closed) == (1, 1)


async def test_closing_gives_up_an_opening_and_whoever_waits_is_told() -> None:
    opener = Opener(waits=True)
    shared = SharedMemory(opener)
    waiting = asyncio.create_task(shared.get())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await shared.close()
    with pytest.raises(StoreUnavailable, match="closing"):
        await waiting


async def test_closing_what_was_never_opened_is_harmless() -> None:
    await SharedMemory(Opener()).close()
