"""Small conversations for tests of the structured summary: a stream over the oracle, and writers with a script."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.protocols import ConversationStore, SummaryWriter
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory_talk.summary.keeper import SummaryKeeper
from r_memory_talk.summary.local import LocalSummaryWriter

SPACE = "office"
Answer: TypeAlias = Mapping[str, object] | Exception | Callable[[str], Mapping[str, object]]


class ScriptedWriter:
    """Proposes what was prepared, in order, and the last for ever."""

    name = "scripted/1"

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[ConversationSummary, str, str]] = []

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
        self.asked.append((old, question, answer))
        given = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(given, Exception):
            raise given
        return given(question) if callable(given) else given


@dataclass(frozen=True, kw_only=True)
class Updated:
    """The newest version after an update, and why it does not cover the turn."""

    kept: KeptSummary | None
    trouble: str


class Office:
    """One space with its stream, its store of summaries and a keeper."""

    def __init__(
        self,
        writer: SummaryWriter | None = None,
        *,
        store: ConversationStore | None = None,
        wait_s: float = 30.0,
    ) -> None:
        self.stream = DictStream()
        self.store = store or DictConversations(self.stream)
        self.items: list[MemoryItem] = []
        self.keeper = self.another_keeper(writer or LocalSummaryWriter(), wait_s=wait_s)

    def another_keeper(self, writer: SummaryWriter, *, wait_s: float = 30.0) -> SummaryKeeper:
        """As a second server would have it."""
        return SummaryKeeper(
            store=self.store,
            writer=writer,
            clock=FixedClock(),
            space=SPACE,
            turns=self.turns,
            wait_s=wait_s,
        )

    async def turns(self, conversation: str, subject_uid: str) -> Sequence[MemoryItem]:
        return [item for item in self.items if (item.conversation, item.subject_uid) == (conversation, subject_uid)]

    async def said(self, question: str, answer: str = "Noted.", *, conversation: str = "c") -> MemoryItem:
        """One more turn, stored and not yet covered."""
        id_ = f"t{len(self.items) + 1}"
        item = MemoryItem(
            id=id_,
            space=SPACE,
            conversation=conversation,
            observation=question,
            response=answer,
            created_at=FixedClock().now(),
            accessed_at=FixedClock().now(),
        )
        (stored,) = await self.stream.add_memories([item])
        self.items.append(stored)
        return stored

    async def told(self, question: str, answer: str = "Noted.", *, conversation: str = "c") -> Updated:
        """One more turn, stored and covered as far as the writer can."""
        trouble = await self.keeper.update(await self.said(question, answer, conversation=conversation))
        return Updated(kept=await self.keeper.current(conversation), trouble=trouble)

    async def content(self, conversation: str = "c") -> ConversationSummary:
        """The newest summary; an empty one before the first."""
        kept = await self.keeper.current(conversation)
        return kept.content if kept else ConversationSummary()
