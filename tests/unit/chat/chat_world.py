"""A conversation over dictionaries and scripts, and a memory that can be told to fail."""

import itertools
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from r_memory.domain.memories import MemoryItem
from r_memory.errors import StoreUnavailable
from r_memory.memory import Memory
from r_memory.testing.dict_store import DictStore
from r_memory.text.tokens import count
from r_memory_chat.events import Event
from r_memory_chat.orders import Manner
from r_memory_chat.session import ChatPerson, Session
from tests.scripted_stream import ScriptedStream
from tests.unit.facts.recall.world import JANE, JOHN
from tests.unit.memory_world import World, a_world
from tests.unit.talk.world import World as Talk

REQUEST = "Recommend an antibiotic."
DOWN = "the store at bolt://10.0.0.5:7687 does not answer; start it"


class Broken:
    """Stands in the place of every method of a store that is not there."""

    async def __call__(self, *_: object, **__: object) -> None:
        raise StoreUnavailable(DOWN)


@dataclass
class ChatWorld:
    chat: ScriptedStream | None = field(default_factory=ScriptedStream)
    manner: Manner = field(default_factory=Manner)
    base: World = field(default_factory=a_world)
    talk: Talk = field(default_factory=Talk)

    def __post_init__(self) -> None:
        self.memory.talk.stream = self.talk.stream
        self.memory.talk.conversations = self.talk.conversations
        self.session = self.another()

    @property
    def memory(self) -> Memory:
        return self.base.memory

    def another(self) -> Session:
        """A session as after a new start of the program: the same store, and nothing else."""
        numbers = itertools.count(1)
        return Session(
            self.memory,
            self.chat,
            self.manner,
            count=count,
            time=lambda: "2026-11-21T10:15:02Z",
            new_key=lambda: f"{id(numbers)}-{next(numbers)}",
        )

    async def with_john(self) -> "ChatWorld":
        """With John, who is known."""
        for entity in (JOHN, JANE):
            await self.base.store.declare_subject(entity)
        self.session.choose(ChatPerson(entity=JOHN))
        return self

    def breaks(self, *methods: str) -> None:
        """From now on these methods of the ledger or the stream do not answer; without any, none does."""
        assert isinstance(self.base.store, DictStore)
        for store in (self.base.store, self.talk.store):
            for name in methods or [name for name in dir(store) if not name.startswith("_")]:
                if callable(getattr(store, name, None)):
                    store.__dict__[name] = Broken()

    def mends(self) -> None:
        """Everything answers again."""
        for store in (self.base.store, self.talk.store):
            for name in [name for name, value in store.__dict__.items() if isinstance(value, Broken)]:
                del store.__dict__[name]

    async def send(self, text: str) -> list[Event]:
        async with aclosing(self.session.send(text)) as events:
            return [event async for event in events]

    async def stored(self) -> Sequence[MemoryItem]:
        return await self.talk.stream.conversation(self.manner.conversation, subject_uid=JOHN.uid)


def only(events: Sequence[Event], kind: type[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, kind)]
