"""Everything that the conversational memory of a space keeps, or keeps about one subject, read to its end.

For whoever takes all of it: an export, an erasure. Reads a page at a time.
"""

from collections.abc import AsyncIterator

from r_memory.domain.decisions import TurnDecision
from r_memory.domain.documents import Document
from r_memory.domain.memories import MemoryItem
from r_memory.protocols import ConversationStore, StreamStore

ALL = 1_000_000
_PAGE = 500


class Streamed:
    """Reads one space."""

    def __init__(self, *, space: str, stream: StreamStore, conversations: ConversationStore) -> None:
        self.space = space
        self.stream = stream
        self.conversations = conversations

    async def items(self, subject_uid: str = "") -> AsyncIterator[MemoryItem]:
        """Items, in the order of their last changes; about one subject, or (empty) all."""
        after = 0
        while True:
            changes = await self.stream.memory_changes(self.space, after=after, limit=_PAGE)
            for item in changes.items:
                if subject_uid in ("", item.subject_uid):
                    yield item
            after = changes.upto
            if after >= changes.latest:
                return

    async def decisions(self, subject_uid: str = "") -> tuple[TurnDecision, ...]:
        """Decisions, oldest first."""
        found = await self.conversations.decisions(self.space, limit=ALL)
        return tuple(one for one in reversed(found) if subject_uid in ("", one.subject_uid))

    async def documents(self, subject_uid: str = "") -> tuple[Document, ...]:
        """Documents, oldest first."""
        found = await self.conversations.documents(self.space, limit=ALL)
        return tuple(one for one in reversed(found) if subject_uid in ("", one.subject_uid))
