"""The simplest keeper of summaries, decisions and documents: the oracle that every other one is held against."""

from r_memory.domain.decisions import TurnDecision
from r_memory.domain.documents import Document
from r_memory.domain.storable import check_values
from r_memory.domain.summaries import KeptSummary
from r_memory.errors import WriteConflict
from r_memory.testing.dict_stream import DictStream, matching


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
        for one in gone:
            del self._documents[space, one.id]
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
        gone = [one for one in made if after <= 0 or one.turn > after]
        for one in gone:
            del self._decisions[space, one.id]
        return len(kept) - len(left) + len(gone)
