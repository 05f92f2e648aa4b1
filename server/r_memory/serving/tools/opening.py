"""The one memory that all calls of a server share, opened in the background and again after a failure.

Knows when to open and close; not what is opened.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from r_memory.errors import RMemoryError, StoreUnavailable
from r_memory.memory import Memory

logger = logging.getLogger(__name__)

OpenMemory = Callable[[], AbstractAsyncContextManager[Memory]]
"""Gives a context that opens a memory on entry and closes it on exit."""

PATIENCE = 45.0
"""Seconds that a call waits for the opening; hosts give up on a call after 60 (reported)."""


class SharedMemory:
    """Opens early, so that the first call need not wait; a call after a failure tries again."""

    def __init__(self, open_memory: OpenMemory, *, ask: str = "", patience: float = PATIENCE) -> None:
        self.ask = ask
        """What to ask people while nothing can be read."""
        self.watched: set[str] = set()
        """Resources that the client of a handshake-era connection wants to hear of."""
        self._open_memory = open_memory
        self._patience = patience
        self._released = asyncio.Event()
        self._holder: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[Memory | RMemoryError] | None = None
        self._first: asyncio.Future[Memory | RMemoryError] | None = None

    def start(self) -> asyncio.Future[Memory | RMemoryError]:
        """Begins to open, unless it is open or opening; gives what comes of it."""
        if self._opened is None or self._holder is None or self._holder.done():
            self._opened = asyncio.get_running_loop().create_future()
            self._first = self._first or self._opened
            self._holder = asyncio.create_task(self._hold(self._opened))
        return self._opened

    async def get(self) -> Memory:
        """The open memory.

        Raises:
            RMemoryError: why it could not be opened; the next call tries again.
        """
        opened = self.start()
        try:
            # Shielded: a call that is cancelled, or gives up, must not end the opening for all others.
            outcome = await asyncio.wait_for(asyncio.shield(opened), self._patience)
        except TimeoutError:
            raise StoreUnavailable("the store did not open in time; try again in a moment") from None
        if isinstance(outcome, RMemoryError):
            raise outcome
        return outcome

    @property
    def starting(self) -> bool:
        """Whether the first opening is still under way, so that slowness says nothing of the store yet."""
        return self._first is not None and not self._first.done()

    async def close(self) -> None:
        """Closes the memory, or gives up opening it; harmless if there is none."""
        if self._holder is None:
            return
        self._released.set()
        if self._opened is not None and not self._opened.done():
            self._holder.cancel()
        await asyncio.wait([self._holder])

    async def _hold(self, opened: asyncio.Future[Memory | RMemoryError]) -> None:
        """Opens and closes in one task, as a context must be."""
        try:
            async with self._open_memory() as memory:
                opened.set_result(memory)
                await self._released.wait()
        except Exception as error:
            message = "Memory was not closed in order" if opened.done() else "Memory could not be opened"
            logger.exception(message, extra={"action": "opening", "error": type(error).__name__})
            if not opened.done():
                told = StoreUnavailable("the memory could not be opened; the server's log says where")
                told.__cause__ = error
                opened.set_result(error if isinstance(error, RMemoryError) else told)
        finally:
            if not opened.done():
                opened.set_result(StoreUnavailable("the server is closing; start it again"))
