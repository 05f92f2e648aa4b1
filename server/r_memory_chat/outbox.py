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
class Message:
    """What a person sent, and how far it has come."""

    key: str
    """Makes every step of it harmless to repeat."""
    text: str
    episode: str = ""
    """Where its words are stored; empty before."""
    is_heard: bool = False
    """The words are stored, with the facts in them."""
    reply: str | None = None
    """What makes a turn of it: the answer; empty where nobody is there to give one, `None` while it is to come."""
    checked: DraftCheck | None = None
    """What was found against the answer; `None` where it was not held against the memory."""
    is_cut_off: bool = False
    """The answer reached its limit before its end."""


@dataclass(slots=True, kw_only=True)
class Outbox:
    """Everything that is not stored yet."""

    hear: Callable[[Message], Awaitable[Remembered]]
    """Stores the words."""
    finish: Callable[[Message], Awaitable[Finished | None]]
    """Stores the turn."""
    waiting: list[Message] = field(default_factory=list)
    """Oldest first."""

    async def settle(self) -> int:
        """Stores what waits, as far as the store takes it; how many messages.

        Raises:
            InvalidInput: a message can never be stored; it waits no longer.
        """
        before = len(self.waiting)
        with suppress(StoreError):
            await self._empty()
        return before - len(self.waiting)

    async def stored(self, message: Message) -> Remembered | Finished | None:
        """What became of the last step that it has come to, once everything before it is stored.

        Raises:
            StoreError: it waits.
            InvalidInput: it can never be stored.
        """
        if message not in self.waiting:
            self.waiting.append(message)
        return await self._empty()

    async def _empty(self) -> Remembered | Finished | None:
        """Stores all that waits; what became of the newest."""
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

    async def _step(self, message: Message) -> Remembered | Finished | None:
        remembered = None if message.is_heard else await self.hear(message)
        message.is_heard = True
        return remembered if message.reply is None else await self.finish(message)
