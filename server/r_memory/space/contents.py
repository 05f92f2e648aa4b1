"""Reads all records of a space, or all about one subject, page by page.

Exports, imports and erasures all use it.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace

from r_memory.domain.blocks import Receipt
from r_memory.domain.events import Episode, FactEvent
from r_memory.domain.facts import Entity
from r_memory.domain.memories import Document, MemoryItem
from r_memory.domain.schema import Schema
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import TurnDecision
from r_memory.protocols import ConversationStore, Store, StreamStore

ALL = 1_000_000
_CHANGES = 500
_ITEMS = 200
"""Number of items on a page."""

Kept = Entity | Episode | FactEvent | Receipt | MemoryItem | KeptSummary | TurnDecision | Document
KINDS: Mapping[str, type[Kept]] = {
    "subject": Entity,
    "statement": Episode,
    "event": FactEvent,
    "receipt": Receipt,
    "item": MemoryItem,
    "summary": KeptSummary,
    "decision": TurnDecision,
    "document": Document,
}
"""Kinds of records in the order in which they are read: for each subject the first four, then the others."""
OF_SUBJECT = ("subject", "statement", "event", "receipt")


Step = Callable[[], None]
"""Called after each finished step, to show progress."""


def unseen() -> None:
    """Ignores progress."""


def kind_of(value: Kept) -> str:
    """The name of the kind of a record."""
    return next(kind for kind, class_ in KINDS.items() if isinstance(value, class_))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Reads the records of one space."""

    space: str
    schema: Schema
    store: Store
    stream: StreamStore
    conversations: ConversationStore

    async def ledger(self, subject: Entity) -> AsyncIterator[Kept]:
        """The subject and all its ledger records: statements, events, receipts, each oldest first."""
        # Events first: what they rest on was said before, and is then among the statements.
        events = await self.store.events(subject.uid)
        yield subject
        for said in await self.store.episodes(subject.space, subject.uid):
            yield said
        for event in events:
            yield event
        for receipt in reversed(await self.store.receipts(subject.space, subject.uid, limit=ALL)):
            yield receipt

    async def talk(self, subject_uid: str = "") -> AsyncIterator[Kept]:
        """The conversational memory about one subject, or (empty) of the space.

        Items come in the order in which they were stored.
        """
        places = sorted([(item.seq, item.id, item.conversation_uid) async for item in self.items(subject_uid)])
        for start in range(0, len(places), _ITEMS):
            ids = [id_ for _, id_, _ in places[start : start + _ITEMS]]
            for item in sorted(await self.stream.memories(self.space, ids), key=lambda item: item.seq):
                # Their order says it; the numbers are the store's own.
                yield replace(item, seq=0, change=0)
        decisions = await self.decisions(subject_uid)
        for uid in sorted({uid for _, _, uid in places} | {each.conversation_uid for each in decisions}):
            for summary in reversed(await self.conversations.summaries(self.space, uid, limit=ALL)):
                yield summary
        for decision in decisions:
            yield decision
        for document in reversed(await self.conversations.documents(self.space, limit=ALL)):
            if subject_uid in ("", document.subject_uid):
                yield document

    async def items(self, subject_uid: str = "") -> AsyncIterator[MemoryItem]:
        """Items in the order of their last changes."""
        after = 0
        while True:
            changes = await self.stream.memory_changes(self.space, after=after, limit=_CHANGES)
            for item in changes.items:
                if subject_uid in ("", item.subject_uid):
                    yield item
            after = changes.upto
            if after >= changes.latest:
                return

    async def decisions(self, subject_uid: str = "") -> tuple[TurnDecision, ...]:
        """Decisions, oldest first."""
        found = await self.conversations.decisions(self.space, limit=ALL)
        return tuple(item for item in reversed(found) if subject_uid in ("", item.subject_uid))
