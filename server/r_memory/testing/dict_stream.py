"""The simplest conversational memory there is: the oracle that every other one is held against."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import TypeVar

from r_memory.domain.instants import Instant
from r_memory.domain.memories import Amendment, Document, MemoryItem, StreamChanges, Tier, check_together
from r_memory.domain.storable import check_values
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import TurnDecision
from r_memory.errors import WriteConflict

Value = TypeVar("Value")


def matching(values: Iterable[Value], **wanted: object) -> list[Value]:
    """Those of the values whose fields are these."""
    return [item for item in values if all(getattr(item, name) == value for name, value in wanted.items())]


class DictStream:
    """A `StreamStore` in a few dictionaries."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str], MemoryItem] = {}
        """By space and id."""
        self._removed: dict[str, list[tuple[int, str]]] = {}
        """Space to change and id."""
        self._changes: dict[str, int] = {}
        """Space to its newest change."""
        self._turns: dict[str, int] = {}
        """Key of a conversation to its number of turns."""
        self._told: dict[str, MemoryItem] = {}
        """Key of a conversation to one of its turns."""
        self._touched: dict[str, int] = {}
        """Key of a conversation to the change that last added or erased turns."""

    async def add_memories(self, items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
        check_values(items)
        check_together(items)
        return tuple(self._added(item) for item in items)

    def _added(self, item: MemoryItem) -> MemoryItem:
        known = self._items.get((item.space, item.id))
        if known is not None:
            return known
        index = 0
        if item.tier is Tier.TURN:
            index = self._turns[item.conversation_uid] = self._turns.get(item.conversation_uid, 0) + 1
            self._told[item.conversation_uid] = item
            self._touched[item.conversation_uid] = self._changes.get(item.space, 0) + 1
        return self._put(replace(item, index=index, seq=self._changes.get(item.space, 0) + 1))

    def _put(self, item: MemoryItem) -> MemoryItem:
        stored = replace(item, change=self._next(item.space))
        self._items[item.space, item.id] = stored
        return stored

    async def memories(self, space: str, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        check_values((space, tuple(ids)))
        return tuple(self._items[space, id_] for id_ in sorted(set(ids)) if (space, id_) in self._items)

    async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
        latest = self._changes.get(space, 0)
        upto = max(min(latest, after + limit), after) if after < latest else latest
        items = [item for item in self._items.values() if item.space == space and after < item.change <= upto]
        removed = [id_ for change, id_ in self._removed.get(space, ()) if after < change <= upto]
        ordered = sorted(items, key=lambda item: item.change)
        return StreamChanges(items=tuple(ordered), removed=tuple(removed), upto=upto, latest=latest)

    async def amend_memories(self, space: str, amendments: Sequence[Amendment]) -> int:
        check_values(tuple(amendments))
        return sum(self._amended(space, amendment) for amendment in amendments)

    def _amended(self, space: str, amendment: Amendment) -> int:
        item = self._items.get((space, amendment.id))
        if item is None:
            return 0
        given = {field.name: getattr(amendment, field.name) for field in fields(amendment)}
        self._put(replace(item, **{name: value for name, value in given.items() if value is not None}))
        return 1

    async def touch_memories(self, space: str, ids: Sequence[str], *, at: Instant) -> int:
        found = [item for id_ in dict.fromkeys(ids) if (item := self._items.get((space, id_))) is not None]
        for item in found:
            self._put(replace(item, accessed_at=at))
        return len(found)

    async def remove_memories(
        self, space: str, conversation_uid: str, ids: Sequence[str], *, turns: int, left: int
    ) -> int:
        if not ids:
            return 0
        gone = [id_ for id_ in dict.fromkeys(ids) if (space, id_) in self._items]
        if self._turns.get(conversation_uid, 0) != turns:
            raise WriteConflict("somebody else added to this conversation, or removed from it, first; look again")
        self._turns[conversation_uid] = left
        for id_ in gone:
            del self._items[space, id_]
            self._removed.setdefault(space, []).append((self._next(space), id_))
        self._touched[conversation_uid] = self._changes.get(space, 0)
        return len(gone)

    def conversations(self, space: str, subject_uid: str) -> tuple[str, ...]:
        """Names of conversations with turns, about one subject or (empty) all, newest first, each once."""
        found = [
            (self._touched[uid], item.conversation)
            for uid, item in self._told.items()
            if item.space == space and self._turns[uid] and subject_uid in ("", item.subject_uid)
        ]
        return tuple(dict.fromkeys(name for _, name in sorted(found, reverse=True)))

    def _next(self, space: str) -> int:
        self._changes[space] = self._changes.get(space, 0) + 1
        return self._changes[space]


class DictConversations:
    """A `ConversationStore` in a few dictionaries."""

    def __init__(self, stream: DictStream) -> None:
        """Of the stream it asks only which conversations have turns."""
        self._stream = stream
        self._summaries: dict[tuple[str, str], list[KeptSummary]] = {}
        """By space and key of the conversation, oldest first."""
        self._decisions: dict[tuple[str, str], TurnDecision] = {}
        """By space and id."""
        self._documents: dict[tuple[str, str], Document] = {}
        """By space and id."""

    async def add_summary(self, summary: KeptSummary) -> None:
        """As in `ConversationStore`; the very same summary is stored once."""
        check_values(summary)
        kept = self._summaries.setdefault((summary.space, summary.conversation_uid), [])
        if summary in kept:
            return
        if kept and summary.version <= kept[-1].version:
            raise WriteConflict("the conversation has this version of its summary already; read it and try again")
        kept.append(summary)

    async def summaries(self, space: str, conversation_uid: str, *, limit: int = 1) -> tuple[KeptSummary, ...]:
        check_values((space, conversation_uid))
        return tuple(self._summaries.get((space, conversation_uid), ())[::-1][: max(limit, 0)])

    async def add_decision(self, decision: TurnDecision) -> None:
        check_values(decision)
        self._decisions.setdefault((decision.space, decision.id), decision)

    async def decisions(self, space: str, conversation_uid: str = "", *, limit: int = 50) -> tuple[TurnDecision, ...]:
        check_values((space, conversation_uid))
        wanted = {"conversation_uid": conversation_uid} if conversation_uid else {}
        found = matching(self._decisions.values(), space=space, **wanted)
        return tuple(sorted(found, key=lambda one: (one.at, one.id), reverse=True)[: max(limit, 0)])

    async def put_document(self, document: Document) -> None:
        check_values(document)
        self._documents[document.space, document.id] = document

    async def documents(self, space: str, id_: str = "", *, limit: int = 100) -> tuple[Document, ...]:
        check_values((space, id_))
        found = matching(self._documents.values(), space=space, **({"id": id_} if id_ else {}))
        return tuple(sorted(found, key=lambda one: (one.made_at, one.id), reverse=True)[: max(limit, 0)])

    async def forget_documents(self, space: str, subject_uid: str) -> int:
        check_values((space, subject_uid))
        gone = matching(self._documents.values(), space=space, subject_uid=subject_uid)
        for item in gone:
            del self._documents[space, item.id]
        return len(gone)

    async def conversations(self, space: str, subject_uid: str = "", *, limit: int = 100) -> tuple[str, ...]:
        """As in `ConversationStore`; a name that several subjects have comes once."""
        check_values((space, subject_uid))
        return self._stream.conversations(space, subject_uid)[: max(limit, 0)]

    async def forget_turns(self, space: str, conversation_uid: str, *, after: int) -> int:
        check_values((space, conversation_uid))
        kept = self._summaries.pop((space, conversation_uid), [])
        left = [summary for summary in kept if after > 0 and summary.upto <= after]
        if left:
            self._summaries[space, conversation_uid] = left
        made = matching(self._decisions.values(), space=space, conversation_uid=conversation_uid)
        gone = [item for item in made if after <= 0 or item.turn > after]
        for item in gone:
            del self._decisions[space, item.id]
        return len(kept) - len(left) + len(gone)
