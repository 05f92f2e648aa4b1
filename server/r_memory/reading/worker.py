"""Where text is read: beside the event loop, one reading after another.

Reading is work for the processor: on the event loop one text would hold up every caller of every tenant. How much is
read of a text is decided by `budget.py`, never here and never by the clock: who asks waits for the whole answer. Knows
nothing of what is read.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

logger = logging.getLogger(__name__)

TURN_S = 10.0
"""Forty times the longest reading on a slow core."""

Given = ParamSpec("Given")
Result = TypeVar("Result")


class ReadingWorker:
    """Runs readings one after another in a thread, which starts with the first.

    One worker for each kind of text is enough, as the interpreter runs one reading at a time.
    """

    def __init__(self, *, turn_s: float = TURN_S) -> None:
        """After `turn_s` seconds of one reading the next starts in another thread."""
        self._turn_s = turn_s
        self._turn = asyncio.Lock()
        self._worker = _new_worker()

    async def run(self, function: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """Returns the result of the function, called in a worker's thread.

        An exception of the function is raised here.
        """
        async with self._turn:
            work = partial(function, *args, **kwargs)
            reading = asyncio.get_running_loop().run_in_executor(self._worker, work)
            try:
                await asyncio.wait([reading], timeout=self._turn_s)
            finally:  # also where the caller was cancelled: the next must not wait for what nobody wants any more
                if not reading.done():
                    self._leave(reading)
        return await asyncio.shield(reading)

    def _leave(self, reading: "asyncio.Future[Result]") -> None:
        """Gives the next reading a new worker.

        A thread cannot be stopped, so the old one reads to its end.
        """
        reading.add_done_callback(_unheard)
        logger.warning("A reading takes long", extra={"action": "reading_left", "turn_s": self._turn_s})
        self._worker.shutdown(wait=False)
        self._worker = _new_worker()


def _unheard(reading: "asyncio.Future[Result]") -> None:
    """Retrieves an exception that no caller awaits any more."""
    if not reading.cancelled():
        reading.exception()


def _new_worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="reading")
