"""The memory, opened for one command and closed after it.

Knows neither what is done with the memory nor how errors are shown.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from typing import TypeVar

from r_memory.config.settings import Settings
from r_memory.memory import Memory
from r_memory.protocols import unhurried
from r_memory.talk.profiles import PROFILES, Profile
from r_memory.wiring import open_memory

Result = TypeVar("Result")


def with_memory(
    settings: Settings,
    use: Callable[[Memory], Awaitable[Result]],
    profiles: Mapping[str, Profile] = PROFILES,
    *,
    in_bulk: bool = False,
    reads: bool = False,
) -> Result:
    """What `use` gives for the opened memory, which is closed afterwards; `in_bulk`, it waits for a slow store.

    `profiles` are those that a call may name. With `reads`, the language is made ready while the store starts; without,
    when something is first read.
    """
    keep_logs_quiet()

    async def used() -> Result:
        async with open_memory(settings, profiles, late=not reads) as memory:
            return await use(memory)

    with unhurried() if in_bulk else nullcontext():
        return asyncio.run(used())


def keep_logs_quiet() -> None:
    """Log records of the libraries go nowhere: what matters of them is in the errors that commands print."""
    logging.getLogger().addHandler(logging.NullHandler())
