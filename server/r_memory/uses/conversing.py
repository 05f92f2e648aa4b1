"""Turns of a conversation: the safety block and what stands beside it, and what is kept of an answered turn."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from r_memory.conversation.tokens import count
from r_memory.domain.blocks import Recall
from r_memory.domain.facts import Entity
from r_memory.domain.turns import Finished, Part, Prepared
from r_memory.errors import RMemoryError
from r_memory.turns import Turn, parts_of
from r_memory.uses.recalling import Recalling

logger = logging.getLogger(__name__)


class Conversing(Recalling):
    """The memory as those use it who hold conversations."""

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
    ) -> Turn:
        """Everything that stands in front of a question: the safety block, first and whole, then the conversation's.

        `sections` are the conversational ones wanted (`scene`, `summary`, `memory`, `previous`); `None` is all.
        `max_tokens` bounds the whole context; the block and the question are never cut for it. Without a
        `conversation_id` this is `build_context`. The question is stored nowhere; see `finish_turn`.

        Raises:
            InvalidInput, StoreUnavailable: as for `build_context`; `UnknownName` for a section or profile.
        """
        parts = parts_of(None if sections is None else tuple(sections))
        if conversation_id:
            self.conversations.policy(profile)
        recall = await self.build_context(
            query, subject=subject, intents=intents, shown_to=shown_to, max_chars=max_chars
        )
        turn = Turn(recall=recall)
        if not conversation_id:
            return turn
        room = None if max_tokens is None else max(1, max_tokens - count(turn.text))
        work = self._prepared(recall, conversation_id, parts, profile, room, scene)
        try:
            prepared = await asyncio.wait_for(work, timeout=self.limits.conversation_s)
        except TimeoutError:
            return replace(turn, trouble=f"it took more than {self.limits.conversation_s:g} s; call again")
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
    ) -> Finished:
        """Stores a turn that was answered, durable on return; facts come from `remember`, never from here.

        Raises:
            InvalidInput: with its subclasses for the subject; no conversation, question or answer.
            KeyUsed: the key belongs to another turn; this one was not stored.
            StoreUnavailable: nothing was stored.
        """
        about = await self._subjects.resolve(subject)
        return await self.conversations.finish(
            text,
            reply,
            conversation_id,
            subject_uid=about.uid,
            speaker=speaker or about.name,
            responder=responder,
            key=key,
        )
