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
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import anyio

from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.serving.logs import log_to_standard_error
from r_memory.serving.tools.offer import USUAL, Offer

if TYPE_CHECKING:  # at run time these take a second, and may print: only after `take_streams`
    from starlette.types import ASGIApp

    from r_memory.memory import Memory
    from r_memory.serving.http.app import Pages
    from r_memory.serving.http.plan import HttpPlan
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
    gc.disable()  # until the memory is open, see `_opened`
    sys.setswitchinterval(TURN_S)
    log_to_standard_error()
    told = offer.of(settings)
    from r_memory.serving.tools.surface import build  # noqa: PLC0415 - imports the SDK, see above

    try:
        anyio.run(_until_interrupted, build(lambda: _opened(settings, hooks=True), told), *wires)
    except* BrokenPipeError:
        logger.info("The client left in the middle of an answer", extra={"action": "client_left"})


def serve_http(
    settings: Settings,
    address: str,
    offer: Offer = USUAL,
    *,
    pages: "Pages | None" = None,
    cards: "Pages | None" = None,
) -> None:
    """Serves MCP over streamable HTTP at `HOST:PORT` until it is stopped.

    `pages` serve people, and `cards` the programs of a clinic, at the same address.
    """
    from r_memory.serving.http.plan import parse_address, planned  # noqa: PLC0415 - stdio needs none of it, and starts sooner
    from r_memory.serving.http.serving import run  # noqa: PLC0415 - see above

    log_to_standard_error()
    plan = planned(settings, parse_address(address))
    told = offer.of(settings)  # a mistake is told here, before anything listens
    run(plan, partial(http_application, plan, told, pages, cards))


def http_application(
    plan: "HttpPlan", offer: Offer, pages: "Pages | None" = None, cards: "Pages | None" = None
) -> "ASGIApp":
    """Returns the application; it opens the memory when it starts."""
    from r_memory.serving.http.app import application  # noqa: PLC0415 - see above

    _prepare_process()
    return application(lambda: _opened(plan.settings), plan, offer, pages=pages, cards=cards)


def serve_pages(plan: "HttpPlan", pages: "Pages", *, path: str = "/") -> None:
    """Serves only pages for people until it is stopped; `path` is the first page."""
    from r_memory.serving.http.serving import run  # noqa: PLC0415 - see above

    log_to_standard_error()
    run(plan, partial(_page_application, plan, pages), path=path)


def _page_application(plan: "HttpPlan", pages: "Pages") -> "ASGIApp":
    from r_memory.serving.http.app import page_application  # noqa: PLC0415 - see above

    _prepare_process()
    return page_application(lambda: _opened(plan.settings), plan, pages)


def _prepare_process() -> None:
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
async def _opened(settings: Settings, *, hooks: bool = False) -> "AsyncIterator[Memory]":
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
            async with wiring.stream_loading(memory), _hooks(settings, memory) if hooks else nullcontext():
                yield memory
    except ConfigurationError as error:
        # A mistake in a query of one's own shows only once the store's part is loaded.
        print(f"r-memory: {error}", file=sys.stderr, flush=True)  # noqa: T201 - as the command line tells the others
        os._exit(_USAGE)
    finally:
        gc.enable()


def _hooks(settings: Settings, memory: "Memory") -> AbstractAsyncContextManager[None]:
    """Answers the hooks of clients beside this server, if the environment alone defines the memory."""
    if settings != Settings.from_environment():
        return nullcontext()
    from r_memory.gates.hooks import Sessions, answer  # noqa: PLC0415 - late, see above
    from r_memory.gates.line import answering  # noqa: PLC0415 - late, see above
    from r_memory.wiring import gates_over  # noqa: PLC0415 - late, see above

    async def told(event: str, given: bytes) -> tuple[int, bytes, bytes]:
        gates = gates_over(memory, settings)  # each time: the policy may be edited meanwhile
        return (await answer(event, given, gates, Sessions(settings.cache_dir / "gates"))).printed

    return answering(told)


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
