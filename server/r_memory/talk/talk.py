"""Talk: the safety block and what stands beside it, what is kept of an answered turn, and documents.

Takes facts from `facts` and may fail; the block goes out all the same.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from r_memory.domain.blocks import Recall
from r_memory.domain.facts import Entity
from r_memory.domain.turns import Finished, Part, Prepared
from r_memory.errors import RMemoryError
from r_memory.facts.facts import Facts
from r_memory.talk.conversations import Conversations
from r_memory.talk.documents.ingesting import Ingestion
from r_memory.talk.documents.reading.values import DocumentText
from r_memory.talk.documents.summarising import Plan
from r_memory.talk.documents.values import Progress
from r_memory.talk.stream.stream import Stream
from r_memory.talk.turn import TurnContext, parts_of
from r_memory.text.tokens import count

logger = logging.getLogger(__name__)


class Talk:
    """The conversational memory of one space; the facts never depend on it."""

    def __init__(self, *, facts: Facts, stream: Stream, conversations: Conversations, documents: Ingestion) -> None:
        self._facts = facts
        self.stream = stream
        """Everything that was said, ranked and searched."""
        self.conversations = conversations
        """Turns with their summaries and decisions."""
        self.documents = documents
        """Documents with their parts and summaries."""

    async def build_turn(
        self,
        query: str,
        *,
        subject: str | Entity = "",
        conversation_id: str = "",
        intents: Sequence[str] = (),
        sections: Sequence[str] | None = None,
        profile: str = "",
        max_tokens: int | None = None,
        scene: str = "",
        shown_to: str = "",
        max_chars: int | None = None,
    ) -> TurnContext:
        """Everything that stands in front of a question: the safety block, first and whole, then the conversation's.

        `sections` are the conversational ones wanted (`scene`, `summary`, `memory`, `previous`); `None` is all.
        `max_tokens` bounds the whole context; the block and the question are never cut for it. Without a
        `conversation_id` this is `build_context`. The question is stored nowhere; see `finish_turn`.

        Raises:
            InvalidInput, StoreUnavailable: as for `build_context`; `UnknownName` for a section or profile.
        """
        parts = parts_of(None if sections is None else tuple(sections))
        if conversation_id:
            self.conversations.profile(profile)
        recall = await self._facts.recalling.build_context(
            query, subject=subject, intents=intents, shown_to=shown_to, max_chars=max_chars
        )
        turn = TurnContext(recall=recall)
        if not conversation_id:
            return turn
        room = None if max_tokens is None else max(1, max_tokens - count(turn.text))
        work = self._prepared(recall, conversation_id, parts, profile, room, scene)
        try:
            prepared = await asyncio.wait_for(work, timeout=self._facts.limits.conversation_s)
        except TimeoutError:
            return replace(turn, trouble=f"it took more than {self._facts.limits.conversation_s:g} s; call again")
        except Exception as error:  # noqa: BLE001 - whatever goes wrong beside it, the safety block goes out
            logger.warning("Conversation missing", extra={"action": "build_turn", "error": type(error).__name__})
            return replace(turn, trouble=str(error) if isinstance(error, RMemoryError) else type(error).__name__)
        return replace(turn, prepared=prepared)

    async def _prepared(
        self,
        recall: Recall,
        conversation_id: str,
        parts: Sequence[Part] | None,
        profile: str,
        room: int | None,
        scene: str,
    ) -> Prepared:
        return await self.conversations.prepare(
            recall.query,
            conversation_id,
            subject_uid=recall.subject.uid,
            profile=profile,
            parts=parts,
            max_tokens=room,
            scene=scene,
        )

    async def finish_turn(
        self,
        text: str,
        reply: str,
        *,
        subject: str | Entity = "",
        conversation_id: str,
        speaker: str = "",
        responder: str = "",
        key: str = "",
        cut_off: bool = False,
    ) -> Finished:
        """Stores a turn that was answered, durable on return; facts come from `remember`, never from here.

        Raises:
            InvalidInput: with its subclasses for the subject; no conversation, question or answer.
            KeyUsed: the key belongs to another turn; this one was not stored.
            StoreUnavailable: nothing was stored.
        """
        about = await self._facts.subjects.resolve(subject)
        return await self.conversations.finish(
            text,
            reply,
            conversation_id,
            subject_uid=about.uid,
            speaker=speaker or about.name,
            responder=responder,
            key=key,
            cut_off=cut_off,
        )

    async def ingest(
        self,
        name: str,
        reading: DocumentText,
        *,
        subject: str | Entity = "",
        subject_name: str = "",
        another_than: Sequence[str] = (),
        plan: Plan | None = None,
        start_part: int = 0,
        limit_s: float | None = None,
    ) -> AsyncIterator[Progress]:
        """Reads a document: its parts, the facts in them, its summaries; reports after each step (see `Ingestion`).

        Without a subject in an installation of many, no facts are looked for.

        Raises:
            InvalidInput: with its subclasses for the subject; the document cannot be read.
            StoreUnavailable, NotStored: what was reported is stored; the same call goes on from there.
        """
        subjects = self._facts.subjects
        named = subject or subject_name or subjects.single
        about = await subjects.resolve_or_declare(subject, subject_name, another_than=another_than) if named else None
        reports = self.documents.ingest(name, reading, about=about, plan=plan, start_part=start_part, limit_s=limit_s)
        async with aclosing(reports):
            async for report in reports:
                yield report
