"""Where text is read: one reading at a time, beside the event loop, and none that is waited for without end.

Reading is work for the processor: on the event loop one text would hold up every caller of every tenant. Knows nothing
of what is read.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from r_memory.errors import ReadingTooLong

logger = logging.getLogger(__name__)

LIMIT_S = 10.0
"""Forty times what the longest utterance takes on a slow core."""

Given = ParamSpec("Given")
Result = TypeVar("Result")


class ReadingWorker:
    """One worker, to whom callers come in turn; started with the first.

    One for texts of a kind, because the interpreter would not run two of them at once anyway.
    """

    def __init__(self, *, limit_s: float = LIMIT_S) -> None:
        """`limit_s` counts from the beginning of a reading: nobody is given up for those before him."""
        self._limit_s = limit_s
        self._turn = asyncio.Lock()
        self._worker = _new_worker()

    async def run(self, function: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """What the function gives, called in the worker's thread. Whatever it raises is raised.

        Raises:
            ReadingTooLong: it was not done in time.
        """
        async with self._turn:
            work = partial(function, *args, **kwargs)
            reading = asyncio.get_running_loop().run_in_executor(self._worker, work)
            try:
                await asyncio.wait([reading], timeout=self._limit_s)
            finally:  # also where the caller was cancelled: the next must not wait for what nobody wants any more
                if not reading.done():
                    self._leave(reading)
        if not reading.done():
            raise ReadingTooLong(f"the text was not read within {self._limit_s:g} s")
        return reading.result()

    def _leave(self, reading: "asyncio.Future[Result]") -> None:
        """Lets the next go to a new worker.

        A thread cannot be killed: the old one reads to its end, which comes because every reader takes time in
        proportion to its text (`r-memory bench text`). The limit only keeps callers from waiting for it.
        """
        logger.warning("A reading was left", extra={"action": "reading_left", "limit_s": self._limit_s})
        reading.add_done_callback(_unheard)
        self._worker.shutdown(wait=False)
        self._worker = _new_worker()


def _unheard(reading: "asyncio.Future[Result]") -> None:
    """Nobody waits for what it gives or raises."""
    if not reading.cancelled():
        reading.exception()


def _new_worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="reading")
