"""The memory, opened for one command and closed after it; knows neither what is done with it nor what is printed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

from r_memory.cli.printing import Answer, Command, on_settings
from r_memory.config.settings import Settings
from r_memory.errors import StoreError, StoreUnavailable
from r_memory.memory import Memory
from r_memory.protocols import unhurried
from r_memory.store.embedded_files import FolderLayout
from r_memory.wiring import open_memory

if TYPE_CHECKING:
    from r_memory_talk.profiles import Profile

Result = TypeVar("Result")


def on_memory(*, in_bulk: bool = False) -> Callable[[Callable[..., Awaitable[Answer]]], Command]:
    """Makes a command of a function over the memory that its settings open; the rest as in `with_memory`."""

    def made(function: Callable[..., Awaitable[Answer]]) -> Command:
        @wraps(function)
        def opened(settings: Settings, **given: object) -> Answer:
            return with_memory(settings, lambda memory: function(memory, **given), in_bulk=in_bulk)

        return on_settings(opened)

    return made


def with_memory(
    settings: Settings,
    use: Callable[[Memory], Awaitable[Result]],
    profiles: "Mapping[str, Profile] | None" = None,
    *,
    in_bulk: bool = False,
) -> Result:
    """What `use` gives for the opened memory, which is closed afterwards; `in_bulk`, it waits for a slow store.

    `profiles` are as in `open_memory`.
    """

    async def used() -> Result:
        async with open_memory(settings, profiles) as memory:
            return await use(memory)

    try:
        with unhurried() if in_bulk else nullcontext():
            keep_logs_quiet()
            return asyncio.run(used())
    except StoreError as error:
        if not (settings.embedded and FolderLayout(folder=settings.store_dir).lacks_room(to_write=True)):
            raise
        why = f"the disk of {settings.store_dir} is full: make room first"
        raise StoreUnavailable(str(error) if "no space" in str(error) else f"{error}; {why}") from error


def keep_logs_quiet() -> None:
    """Log records of the libraries go nowhere: what matters of them is in the errors that commands print."""
    logging.getLogger().addHandler(logging.NullHandler())
