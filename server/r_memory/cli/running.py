"""What commands need to run: the settings of this call, and the memory opened with them.

Knows neither what is done with the memory nor how errors are shown.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from r_memory.config.settings import Settings, load_settings
from r_memory.memory import Memory
from r_memory.wiring import open_memory

Result = TypeVar("Result")


def settings_of(home: Path | None, space: str | None = None) -> Settings:
    """The settings of this installation, with what the command line says on top.

    Raises:
        ConfigurationError: a setting or the home cannot be used.
    """
    return load_settings(os.environ, home=home, space=space)


def with_memory(settings: Settings, use: Callable[[Memory], Awaitable[Result]]) -> Result:
    """What `use` gives for the opened memory, which is closed afterwards."""
    return asyncio.run(_used(settings, use))


async def _used(settings: Settings, use: Callable[[Memory], Awaitable[Result]]) -> Result:
    async with open_memory(settings) as memory:
        return await use(memory)


def keep_logs_quiet() -> None:
    """Log records of the libraries go nowhere: what matters of them is in the errors that commands print."""
    logging.getLogger().addHandler(logging.NullHandler())
