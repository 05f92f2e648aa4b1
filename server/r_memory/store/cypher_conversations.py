"""Summaries, decisions and documents over Cypher, beside the stream in the same database.

It knows the queries of each operation of `ConversationStore`, and not what a summary or a decision means.
"""

from r_memory.domain.memories import Document
from r_memory.domain.storable import check_values
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import TurnDecision
from r_memory.errors import WriteConflict
from r_memory.store import entries
from r_memory.store.bolt import ERASING_LIMIT_S
from r_memory.store.library import Graph
from r_memory.store.properties import whole_in
from r_memory.store.rows import DECISION, DOCUMENT, SUMMARY, of_conversation

_RECENT = 20
"""Number of recent versions among which a repeated write searches its own."""


class CypherConversations:
    """A `ConversationStore` on a database that its owner prepares and closes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def add_summary(self, summary: KeptSummary) -> None:
        """As in `ConversationStore`; storing the same summary again adds nothing."""
        check_values(summary)
        added = await self._graph.write_in(
            summary.space,
            "stream/add_summary",
            **of_conversation(summary),
            version=summary.version,
            **entries.entered("summary", summary.space, SUMMARY.properties(summary)),
        )
        # No row may also mean that the first of two attempts was committed and its answer lost.
        if not added and summary not in await self.summaries(summary.space, summary.conversation_uid, limit=_RECENT):
            raise WriteConflict("the conversation has this version of its summary already; read it and try again")

    async def summaries(self, space: str, conversation_uid: str, *, limit: int = 1) -> tuple[KeptSummary, ...]:
        wanted = {"space": space, "conversation_uid": conversation_uid, "limit": max(limit, 0)}
        return await self._graph.values("stream/read_summaries", "summary", SUMMARY.value, **wanted)

    async def add_decision(self, decision: TurnDecision) -> None:
        check_values(decision)
        await self._graph.write_in(
            decision.space,
            "stream/add_decision",
            **of_conversation(decision),
            id=decision.id,
            turn=decision.turn,
            **entries.entered("decision", decision.space, DECISION.properties(decision)),
        )

    async def decisions(self, space: str, conversation_uid: str = "", *, limit: int = 50) -> tuple[TurnDecision, ...]:
        wanted = {"space": space, "limit": max(limit, 0)}
        query = "stream/read_decisions" if conversation_uid else "stream/read_space_decisions"
        if conversation_uid:
            wanted["conversation_uid"] = conversation_uid
        return await self._graph.values(query, "decision", DECISION.value, **wanted)

    async def put_document(self, document: Document) -> None:
        check_values(document)
        entered = entries.entered("document", document.space, DOCUMENT.properties(document))
        await self._graph.write_in(document.space, "stream/put_document", id=document.id, **entered)

    async def documents(self, space: str, id_: str = "", *, limit: int = 100) -> tuple[Document, ...]:
        query = "stream/read_document" if id_ else "stream/read_documents"
        wanted: dict[str, object] = {"id": id_} if id_ else {"limit": max(limit, 0)}
        found = await self._graph.values(query, "document", DOCUMENT.value, space=space, **wanted)
        return found[: max(limit, 0)]

    async def forget_documents(self, space: str, subject_uid: str) -> int:
        check_values((space, subject_uid))
        noted = entries.noted("removed", space)
        rows = await self._graph.write_in(space, "erase/documents", subject_uid=subject_uid, **noted)
        return whole_in(rows[0], "erased") if rows else 0

    async def conversations(self, space: str, subject_uid: str = "", *, limit: int = 100) -> tuple[str, ...]:
        """As in `ConversationStore`; a name shared by several subjects is listed once."""
        rows = await self._graph.read(
            "stream/read_conversations", space=space, subject_uid=subject_uid, limit=max(limit, 0)
        )
        return tuple(str(row["name"]) for row in rows)

    async def forget_turns(self, space: str, conversation_uid: str, *, after: int) -> int:
        check_values((space, conversation_uid))
        wanted = {"conversation_uid": conversation_uid, "after": max(after, 0), **entries.noted("removed", space)}
        rows = await self._graph.write_in(space, "stream/forget_turns", limit_s=ERASING_LIMIT_S, **wanted)
        return whole_in(rows[0], "erased") if rows else 0
