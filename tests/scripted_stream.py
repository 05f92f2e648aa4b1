"""A language model whose answers come piece by piece from a script; no network."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TypeAlias

from r_memory.protocols import ChatMessage

Script: TypeAlias = Sequence[str | Exception | asyncio.Event]
"""Pieces; an error to raise at this place; an event to wait for."""


class ScriptedStream:
    """Gives the prepared answers in order, and the last for ever. Implements `r_memory_chat.session.StreamingChat`."""

    name = "scripted"

    def __init__(self, *answers: Script) -> None:
        self.asked: list[tuple[ChatMessage, ...]] = []
        """The messages of every question, in order."""
        self._last: Script = ("Yes.",)
        self._answers: Iterator[Script] = iter(answers)

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """The next answer.

        Raises:
            Exception: the one that was prepared.
        """
        self.asked.append(tuple(messages))
        self._last = next(self._answers, self._last)
        for part in self._last:
            if isinstance(part, Exception):
                raise part
            if isinstance(part, asyncio.Event):
                await part.wait()
            else:
                yield part
