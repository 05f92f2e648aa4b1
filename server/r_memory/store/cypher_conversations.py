"""Summaries, decisions and documents over Cypher, beside the stream in the same database.

Knows which queries make up each operation of `ConversationStore`. Does not know what a summary or a decision means.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from r_memory.domain.decisions import TurnDecision
from r_memory.domain.documents import Document
from r_memory.domain.storable import check_values
from r_memory.domain.summaries import KeptSummary
from r_memory.errors import WriteConflict
from r_memory.store import entries
from r_memory.store.bolt import ERASING_LIMIT_S, Bolt, Row
from r_memory.store.conversation_rows import (
    decision_of,
    decision_properties,
    document_of,
    document_properties,
    summary_of,
    summary_properties,
)
from r_memory.store.library import Library
from r_memory.store.properties import properties_in, whole_in

_RECENT = 20
"""Versions among which a repeated write looks for its own."""


class CypherConversations:
    """A `ConversationStore` over one database, which somebody else has prepared and closes."""

    def __init__(self, bolt: Bolt, library: Library, writing: Mapping[str, asyncio.Lock] | None = None) -> None:
        """`writing` as in `CypherStream`."""
        self._writing = defaultdict(asyncio.Lock) if writing is None else writing
        self._bolt = bolt
        self._library = library

    async def add_summary(self, summary: KeptSummary) -> None:
        """As in `ConversationStore`; the very same summary is stored once.

        Raises:
            WriteConflict: the conversation has this version already, or a later one.
        """
        check_values(summary)
        added = await self._write(
            "stream/add_summary",
            **_conversation(summary),
            version=summary.version,
            **entries.entered("summary", summary.space, summary_properties(summary)),
        )
        # No row may also mean that the first of two attempts was committed and its answer lost.
        if not added and summary not in await self.summaries(summary.space, summary.conversation_uid, limit=_RECENT):
            raise WriteConflict("the conversation has this version of its summary already; read it and try again")

    async def summaries(self, space: str, conversation_uid: str, *, limit: int = 1) -> tuple[KeptSummary, ...]:
        """As in `ConversationStore`."""
        check_values((space, conversation_uid))
        rows = await self._read(
            "stream/read_summaries", space=space, conversation_uid=conversation_uid, limit=max(limit, 0)
        )
        return tuple(summary_of(properties_in(row, "summary")) for row in rows)

    async def add_decision(self, decision: TurnDecision) -> None:
        """As in `ConversationStore`."""
        check_values(decision)
        await self._write(
            "stream/add_decision",
            **_conversation(decision),
            id=decision.id,
            turn=decision.turn,
            **entries.entered("decision", decision.space, decision_properties(decision)),
        )

    async def decisions(self, space: str, conversation_uid: str = "", *, limit: int = 50) -> tuple[TurnDecision, ...]:
        """As in `ConversationStore`."""
        check_values((space, conversation_uid))
        wanted = {"space": space, "limit": max(limit, 0)}
        if conversation_uid:
            rows = await self._read("stream/read_decisions", conversation_uid=conversation_uid, **wanted)
        else:
            rows = await self._read("stream/read_space_decisions", **wanted)
        return tuple(decision_of(properties_in(row, "decision")) for row in rows)

    async def put_document(self, document: Document) -> None:
        """As in `ConversationStore`."""
        check_values(document)
        await self._write(
            "stream/put_document",
            space=document.space,
            id=document.id,
            **entries.entered("document", document.space, document_properties(document)),
        )

    async def documents(self, space: str, id_: str = "", *, limit: int = 100) -> tuple[Document, ...]:
        """As in `ConversationStore`."""
        check_values((space, id_))
        if id_:
            rows = (await self._read("stream/read_document", space=space, id=id_))[: max(limit, 0)]
        else:
            rows = await self._read("stream/read_documents", space=space, limit=max(limit, 0))
        return tuple(document_of(properties_in(row, "document")) for row in rows)

    async def forget_documents(self, space: str, subject_uid: str) -> int:
        """As in `ConversationStore`."""
        check_values((space, subject_uid))
        rows = await self._write(
            "erase/documents", space=space, subject_uid=subject_uid, **entries.noted("removed", space)
        )
        return whole_in(rows[0], "erased") if rows else 0

    async def conversations(self, space: str, subject_uid: str = "", *, limit: int = 100) -> tuple[str, ...]:
        """As in `ConversationStore`; a name that several subjects have comes once."""
        check_values((space, subject_uid))
        rows = await self._read("stream/read_conversations", space=space, subject_uid=subject_uid, limit=max(limit, 0))
        return tuple(str(row["name"]) for row in rows)

    async def forget_turns(self, space: str, conversation_uid: str, *, after: int) -> int:
        """As in `ConversationStore`."""
        check_values((space, conversation_uid))
        wanted = {"conversation_uid": conversation_uid, "after": max(after, 0), **entries.noted("removed", space)}
        rows = await self._write("stream/forget_turns", space=space, limit_s=ERASING_LIMIT_S, **wanted)
        return whole_in(rows[0], "erased") if rows else 0

    async def _write(self, name: str, *, space: str, limit_s: float | None = None, **parameters: object) -> list[Row]:
        async with self._writing[space]:
            return await self._bolt.write_one(self._library[name], {"space": space, **parameters}, limit_s=limit_s)

    async def _read(self, name: str, **parameters: object) -> list[Row]:
        return await self._bolt.read(self._library[name], parameters)


def _conversation(made: KeptSummary | TurnDecision) -> dict[str, Any]:
    """What says to which conversation something belongs."""
    return {
        "space": made.space,
        "conversation_uid": made.conversation_uid,
        "conversation": {
            "uid": made.conversation_uid,
            "space": made.space,
            "subject_uid": made.subject_uid,
            "id": made.conversation,
        },
    }
