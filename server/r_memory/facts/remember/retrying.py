"""Repeats the reading of what a model could not read, while the process runs. It knows only pauses."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from r_memory.errors import RMemoryError

logger = logging.getLogger(__name__)

FIRST_S = 30.0
LONGEST_S = 900.0


async def keep_trying(
    again: Callable[[], Awaitable[int]], *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> None:
    """Calls `again` after a pause, until cancelled. The pause doubles, up to 15 minutes, while `again` returns 0.

    `again` returns the number of statements it read.
    """
    pause = FIRST_S
    while True:
        await sleep(pause)
        done = 0
        try:
            done = await again()
        except RMemoryError as error:
            logger.warning("Not tried again", extra={"action": "retry", "error": type(error).__name__})
        pause = FIRST_S if done else min(pause * 2, LONGEST_S)
