"""Servers called in turn, so that whatever else the machine does falls on all of them alike; and called at once."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from r_memory_lab.bench.clients import Server
from r_memory_lab.bench.timing import timed


@dataclass(slots=True)
class CallTimes:
    """Times of a server's calls, which alternate with those of every other server."""

    look_ups: list[float] = field(default_factory=list)
    """Milliseconds."""
    writes: list[float] = field(default_factory=list)
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AtOnce:
    """Results of calls by several tasks over one connection."""

    calls: int
    failed: int
    seconds: float

    @property
    def a_second(self) -> float:
        """Answered calls per second."""
        return (self.calls - self.failed) / self.seconds


async def in_turn(
    servers: Sequence[Server], *, calls: int, warm_up: int, done: Callable[[], None]
) -> dict[str, CallTimes]:
    """Returns the call times of each server: a look-up of each, a write of each, and so on, about many patients."""
    found: dict[str, CallTimes] = defaultdict(CallTimes)
    for number in range(-warm_up, calls):
        if number == 0:
            found.clear()
        for server in servers:
            found[server.name].failed += await _timed(server.look_up, number, found[server.name].look_ups)
        for server in servers:
            found[server.name].failed += await _timed(server.write, number, found[server.name].writes)
        if number >= 0:
            done()
    return found


async def _timed(call: Callable[[int], Awaitable[bool]], number: int, times: list[float]) -> bool:
    answered, milliseconds = await timed(lambda: call(number))
    times.append(milliseconds)
    return not answered


async def at_once(call: Callable[[int], Awaitable[bool]], *, first: int, calls: int, callers: int) -> AtOnce:
    """Makes calls with these numbers by `callers` tasks; each calls again after its answer."""
    waiting, failed = iter(range(first, first + calls)), 0

    async def caller() -> None:
        nonlocal failed
        for number in waiting:
            answered = await call(number)
            failed += not answered

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return AtOnce(calls=calls, failed=failed, seconds=time.perf_counter() - began)
