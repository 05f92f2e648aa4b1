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
"""Forty times what the longest utterance takes on a slow core."""

Given = ParamSpec("Given")
Result = TypeVar("Result")


class ReadingWorker:
    """One worker, to whom callers come in turn; started with the first.

    One for texts of a kind, because the interpreter would not run two of them at once anyway.
    """

    def __init__(self, *, turn_s: float = TURN_S) -> None:
        """After `turn_s` seconds of one reading the next begins beside it, in another thread."""
        self._turn_s = turn_s
        self._turn = asyncio.Lock()
        self._worker = _new_worker()

    async def run(self, function: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """Returns what the function gives, called in a worker's thread. Raises what it raises."""
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
        """Lets the next go to a new worker; a thread cannot be stopped, and the old one reads to its end."""
        reading.add_done_callback(_unheard)
        logger.warning("A reading takes long", extra={"action": "reading_left", "turn_s": self._turn_s})
        self._worker.shutdown(wait=False)
        self._worker = _new_worker()


def _unheard(reading: "asyncio.Future[Result]") -> None:
    """Takes an exception that nobody may wait for any more."""
    if not reading.cancelled():
        reading.exception()


def _new_worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="reading")
