"""Standard input and output as the SDK's transport takes them: lines in, answers out.

Pipes and sockets are read and written by the event loop itself: a worker thread for each line, each answer and each
flush took .4 ms of processor, four tenths of a call that does nothing. Files, terminals and Windows keep the threads.

Lines are mended: half of a surrogate pair, which JSON can spell and no text can hold, would make the SDK drop the whole
message without an answer; bytes that are not UTF-8 are replaced.
"""

import asyncio
import io
import os
import re
import stat
import sys
from collections.abc import AsyncIterator, Callable
from typing import cast

import anyio
from typing_extensions import override

_AT_ONCE = 65_536
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def lines_of(descriptor: int) -> anyio.AsyncFile[str]:
    """Every line that comes, to the end."""
    if _by_the_loop(descriptor):
        # The transport does nothing but iterate.
        return cast("anyio.AsyncFile[str]", _Lines(descriptor))
    wrapped = _WholeCharacters(os.fdopen(descriptor, "rb", closefd=False), encoding="utf-8", errors="replace")
    return anyio.wrap_file(wrapped)


def answers_to(descriptor: int) -> anyio.AsyncFile[str]:
    """Takes whole lines; what was written is on its way."""
    if _by_the_loop(descriptor):
        # The transport does nothing but write and flush.
        return cast("anyio.AsyncFile[str]", _Answers(descriptor))
    return anyio.wrap_file(os.fdopen(descriptor, "w", encoding="utf-8", newline="\n", closefd=False))


def whole_characters(line: str) -> str:
    r"""The line of JSON with U+FFFD for every escaped half of a surrogate pair that stands without the other.

    >>> whole_characters(r'"\ud83d\ude00 \ud800 \\ud800"')
    '"\\ud83d\\ude00 \\ufffd \\\\ud800"'
    """
    return _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found.group(), line) if "\\" in line else line


def _by_the_loop(descriptor: int) -> bool:
    kind = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind))


class _Lines:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def __aiter__(self) -> AsyncIterator[str]:
        loop, unread = asyncio.get_running_loop(), bytearray()
        while True:
            await _ready(self._descriptor, loop.add_reader, loop.remove_reader)
            try:
                came = os.read(self._descriptor, _AT_ONCE)
            except BlockingIOError:
                continue
            *whole, rest = (unread + came).split(b"\n") if b"\n" in came else (unread + came,)
            for line in whole:
                yield _text(line)
            unread = rest
            if not came:
                break
        if unread:
            yield _text(unread)


class _Answers:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        # Of our end alone. In pieces that a blocking pipe takes for sure, a client would wake for each.
        os.set_blocking(descriptor, False)

    async def write(self, text: str) -> None:
        loop, left = asyncio.get_running_loop(), memoryview(text.encode())
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


class _WholeCharacters(io.TextIOWrapper):
    @override
    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # the stubs of the base say so themselves
        return whole_characters(super().readline(size))
