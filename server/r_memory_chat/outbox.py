"""Messages on their way into the memory: each is heard, then finished, in the order in which they were sent.

What the store cannot take at this moment waits here and goes first the next time. Knows neither model nor person.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from r_memory.domain.blocks import DraftCheck
from r_memory.domain.turns import Finished
from r_memory.errors import InvalidInput, StoreError
from r_memory.facts.remember.results import Remembered


@dataclass(slots=True, kw_only=True)
class OutboxMessage:
    """What a person sent, and how far it has come."""

    key: str
    """Key that makes every step repeatable."""
    text: str
    episode: str = ""
    """Id of the stored words; empty before."""
    is_heard: bool = False
    """Whether the words and their facts are stored."""
    reply: str | None = None
    """The answer that completes the turn; empty without a model, `None` while it is awaited."""
    checked: DraftCheck | None = None
    """The check of the answer; `None` if it was not checked."""
    is_cut_off: bool = False
    """Whether the answer was cut off at its length limit."""


@dataclass(slots=True, kw_only=True)
class Outbox:
    """Messages that are not stored yet."""

    hear: Callable[[OutboxMessage], Awaitable[Remembered]]
    """Stores the words of a message."""
    finish: Callable[[OutboxMessage], Awaitable[Finished | None]]
    """Stores the turn of a message."""
    waiting: list[OutboxMessage] = field(default_factory=list)
    """Waiting messages, oldest first."""

    async def settle(self) -> int:
        """Stores waiting messages as far as the store accepts them; returns how many.

        Raises:
            InvalidInput: a message can never be stored; it is removed.
        """
        before = len(self.waiting)
        with suppress(StoreError):
            await self._empty()
        return before - len(self.waiting)

    async def stored(self, message: OutboxMessage) -> Remembered | Finished | None:
        """Stores all earlier messages and then this one; returns the result of its last step.

        Raises:
            StoreError: the message waits.
            InvalidInput: it can never be stored.
        """
        if message not in self.waiting:
            self.waiting.append(message)
        return await self._empty()

    async def _empty(self) -> Remembered | Finished | None:
        """Stores all waiting messages; returns the result of the newest."""
        last = None
        while self.waiting:
            try:
                last = await self._step(self.waiting[0])
            except InvalidInput:
                # It would bar the way for ever.
                del self.waiting[0]
                raise
            del self.waiting[0]
        return last

    async def _step(self, message: OutboxMessage) -> Remembered | Finished | None:
        remembered = None if message.is_heard else await self.hear(message)
        message.is_heard = True
        return remembered if message.reply is None else await self.finish(message)
