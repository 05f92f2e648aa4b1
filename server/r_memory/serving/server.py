"""The process that serves MCP, on standard input and output or over HTTP.

Knows streams, signals and start-up; what is served is `tools/`, what is opened is `wiring`, who may come in over
HTTP is `http/`.
"""

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING

import anyio

from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.serving.logs import log_to_standard_error
from r_memory.serving.tools.offer import USUAL, Offer

if TYPE_CHECKING:  # at run time these take a second, and may print: only after `take_streams`
    from r_memory.memory import Memory
    from r_memory.serving.tools.strict import StrictServer

logger = logging.getLogger(__name__)

_USAGE = 2
_INTERRUPTED = 130
"""Exit codes, as on the command line."""
_CLOSING_S = 2.0
TURN_S = 0.001
"""Seconds after which a reading thread lets waiting calls run. With Python's own 5 ms, each of a call's dozen store
answers waited that long; its slowest took twice as long beside a long text (measured)."""


def main() -> None:
    """Serves the installation in the environment; `r-memory serve` does the same with arguments."""
    serve(Settings.from_environment())


def serve(settings: Settings, offer: Offer = USUAL) -> None:
    """Serves MCP on standard input and output until the client closes them.

    The first answer needs neither store nor model, as the memory is opened meanwhile.

    Raises:
        ConfigurationError: a file is wrong; nothing was served.
    """
    wires = take_streams()
    gc.disable()  # until the memory is open, see `opened`
    sys.setswitchinterval(TURN_S)
    log_to_standard_error()
    told = offer.of(settings)
    from r_memory.serving.tools.surface import build  # noqa: PLC0415 - imports the SDK, see above

    try:
        anyio.run(_until_interrupted, build(lambda: opened(settings, hooks=True), told), *wires)
    except* BrokenPipeError:
        logger.info("The client left in the middle of an answer", extra={"action": "client_left"})


def prepare_process() -> None:
    """Sets up a process that serves and opens its memory with `opened`."""
    gc.disable()  # as in `serve`
    sys.setswitchinterval(TURN_S)
    log_to_standard_error()


def take_streams() -> tuple[int, int]:
    """Reserves standard input and output for the protocol and returns their descriptors.

    Other readers then get no input, and other output goes to standard error, at any time until exit. The SDK would
    redirect them only while it serves, so that buffered output could reach the client at exit.
    """
    wires = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wires


@asynccontextmanager
async def opened(settings: Settings, *, hooks: bool = False) -> "AsyncIterator[Memory]":
    """Opens the memory; its imports run in a thread beside the first answers, as they take seconds.

    The garbage collector is told to ignore the loaded objects, which stay until the end.
    """
    try:
        wiring = await asyncio.to_thread(import_module, "r_memory.wiring")
        async with wiring.open_memory(settings) as memory:
            # The lexicon is indexed when a text is first read; no call shall wait for that.
            await asyncio.to_thread(memory.facts.reader.linker.mentions, "")
            # Otherwise all calls stood still for 140 to 290 ms, about once in a hundred calls (measured).
            gc.freeze()
            gc.enable()
            from r_memory.serving.hooking import answering_hooks  # noqa: PLC0415 - late, as it imports `wiring`

            async with wiring.stream_loading(memory), answering_hooks(settings, memory) if hooks else nullcontext():
                yield memory
    except ConfigurationError as error:
        # A mistake in a query of one's own shows only once the store's part is loaded.
        print(f"r-memory: {error}", file=sys.stderr, flush=True)  # noqa: T201 - as the command line tells the others
        os._exit(_USAGE)
    finally:
        gc.enable()


async def _until_interrupted(server: "StrictServer", inward: int, outward: int) -> None:
    interrupted = asyncio.Event()
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(interrupted.set))
    async with anyio.create_task_group() as group:
        group.start_soon(_leave_when, interrupted, server)
        await server.serve_on(inward, outward)
        group.cancel_scope.cancel()


async def _leave_when(interrupted: asyncio.Event, server: "StrictServer") -> None:
    """Ends the process on SIGINT, as the SDK's reader still waits for a terminal's standard input."""
    await interrupted.wait()
    with anyio.move_on_after(_CLOSING_S):
        if server.shared is not None:
            await server.shared.close()
    sys.stderr.flush()
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
