"""When what a model could not read is tried again while the process runs. Knows pauses only."""

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
    """Calls `again` after a pause, for ever; the pause doubles while nothing comes of it, up to a quarter of an hour.

    `again` gives how much was done. Ends only when cancelled.
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
