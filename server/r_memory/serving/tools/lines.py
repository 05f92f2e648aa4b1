"""Standard input and output as the SDK's transport takes them: lines in, answers out.

Pipes and sockets are read and written by the event loop itself: a worker thread for each line, each answer and each
flush took .4 ms of processor, four tenths of a call that does nothing. Files, terminals and Windows keep the threads.

Lines are mended: half of a surrogate pair, which JSON can spell and no text can hold, would make the SDK drop the whole
message without an answer; bytes that are not UTF-8 are replaced.
"""

import asyncio
import os
import re
import stat
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import cast

import anyio
import anyio.to_thread

_AT_ONCE = 65_536
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def lines_of(descriptor: int) -> anyio.AsyncFile[str]:
    """Every line that comes, to the end."""
    # The transport does nothing but iterate.
    return cast("anyio.AsyncFile[str]", _lines(descriptor))


def answers_to(descriptor: int) -> anyio.AsyncFile[str]:
    """Takes whole lines; what was written is on its way."""
    # The transport does nothing but write and flush.
    return cast("anyio.AsyncFile[str]", _Answers(descriptor))


def whole_characters(line: str) -> str:
    r"""The line of JSON with U+FFFD for every escaped half of a surrogate pair that stands without the other.

    >>> whole_characters(r'"\ud83d\ude00 \ud800 \\ud800"')
    '"\\ud83d\\ude00 \\ufffd \\\\ud800"'
    """
    return _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found.group(), line) if "\\" in line else line


def _by_the_loop(descriptor: int) -> bool:
    kind = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind))


async def _lines(descriptor: int) -> AsyncIterator[str]:
    came, unread = b"-", bytearray()
    while came:
        came = await _read(descriptor)
        *whole, unread = (unread + came).split(b"\n") if b"\n" in came else (unread + came,)
        for line in whole:
            yield _text(line)
    if unread:
        yield _text(unread)


async def _read(descriptor: int) -> bytes:
    """What came; nothing at the end."""
    if not _by_the_loop(descriptor):
        return await anyio.to_thread.run_sync(os.read, descriptor, _AT_ONCE)
    loop = asyncio.get_running_loop()
    while True:
        await _ready(descriptor, loop.add_reader, loop.remove_reader)
        with suppress(BlockingIOError):
            return os.read(descriptor, _AT_ONCE)


class _Answers:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._by_the_loop = _by_the_loop(descriptor)
        if self._by_the_loop:
            # Of our end alone. In pieces that a blocking pipe takes for sure, a client would wake for each.
            os.set_blocking(descriptor, False)

    async def write(self, text: str) -> None:
        loop, left = asyncio.get_running_loop(), memoryview(text.encode())
        while left and not self._by_the_loop:
            left = left[await anyio.to_thread.run_sync(os.write, self._descriptor, left) :]
        while left:
            try:
                left = left[os.write(self._descriptor, left) :]
            except BlockingIOError:
                await _ready(self._descriptor, loop.add_writer, loop.remove_writer)

    async def flush(self) -> None:
        """Nothing is held back."""


async def _ready(descriptor: int, add: Callable[..., object], remove: Callable[[int], object]) -> None:
    ready = asyncio.Event()
    add(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        remove(descriptor)


def _text(line: bytearray) -> str:
    return whole_characters(line.decode(errors="replace"))
