"""The turns of conversations in one space: what stands in front of a question, and what an answered turn leaves.

After the answer, and only then: the item, its summary, the structured summary, the tiers. Whatever fails is told, and
is made good with the next turn. Nothing here reads or writes a fact.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from r_memory.domain.decisions import TurnDecision
from r_memory.domain.memories import MemoryItem, conversation_uid
from r_memory.domain.turns import Finished, Part
from r_memory.errors import InvalidInput, KeyUsed, ModelError, RMemoryError
from r_memory.protocols import Clock, ConversationStore, Judge, Shortener
from r_memory.talk.controller.gate import Familiar
from r_memory.talk.kinds import KindClassifier
from r_memory.talk.preparing import STANDING, Preparer, check_named
from r_memory.talk.profiles import PROFILES, Profile
from r_memory.talk.shortening import turn_summary
from r_memory.talk.stream.stream import Stream
from r_memory.talk.stream.values import FLAG_CUT, NewTurn
from r_memory.talk.summary.keeper import SummaryKeeper
from r_memory.talk.tiers.tiers import Tiers

logger = logging.getLogger(__name__)

_SENT_AGAIN_MS = 120_000
"""Clients give up on a call after a minute, some after less, and send it again; people say "yes" once more later."""


class Conversations:
    """Every conversation of one space.

    Where the store cannot be read or written, the methods raise StoreUnavailable and have stored nothing.
    """

    def __init__(
        self,
        *,
        stream: Stream,
        store: ConversationStore,
        judge: Judge,
        keeper: SummaryKeeper,
        shortener: Shortener,
        tiers: Tiers,
        clock: Clock,
        new_id: Callable[[], str],
        kinds: KindClassifier | None = None,
        familiar: Familiar | None = None,
        rate: Callable[[str], int] | None = None,
        usual: str = "default",
        profiles: Mapping[str, Profile] = PROFILES,
    ) -> None:
        """`usual` is the profile of a call that names none; without `kinds`, none is tuned by the kind of talk,
        and without `familiar` the judge alone decides. `rate` is how much a turn matters whose importance nobody gives.

        Raises:
            UnknownName: there is no such profile.
        """
        self._space = stream.space
        self._stream = stream
        self._store = store
        self._keeper = keeper
        self._shortener = shortener
        self.tiers = tiers
        """Memories made of windows of turns."""
        preparer = Preparer(
            stream=stream,
            store=store,
            judge=judge,
            keeper=keeper,
            familiar=familiar,
            kinds=kinds,
            clock=clock,
            new_id=new_id,
            profiles=profiles,
            usual=usual,
        )
        self._clock = clock
        self._rate = rate
        self.profile = preparer.profile
        """The switches of a profile by its name; without a name, of the usual one."""
        self.prepare = preparer.prepare
        """What stands in front of a question, beside the safety block."""
        self.summary = keeper.current
        """The newest version of a conversation's structured summary; `None` before the first."""
        self.summaries = keeper.versions
        """All versions of it, newest first."""
        self.lift = keeper.lift
        """The summary once an excluded option is allowed again."""
        self.turns = stream.conversation
        """Turns of a conversation, oldest first."""

    # --- after the answer --------------------------------------------------------------------------------------------

    async def finish(
        self,
        question: str,
        answer: str,
        conversation: str,
        *,
        subject_uid: str = "",
        speaker: str = "",
        responder: str = "",
        importance: object = None,
        key: str = "",
        cut_off: bool = False,
        objections: Sequence[str] = (),
    ) -> Finished:
        """Stores a turn that was answered, durable on return, and brings up to date what is made of turns.

        The same `key` stores the turn once. Without one, a turn like the last of the conversation, two minutes old at
        most, is that one sent again. The next question sees the structured summary of this turn. An answer
        that was `cut_off` is marked so wherever it stands. One to which there are `objections` stands behind them, in
        full, and nothing is made of it.

        Raises:
            InvalidInput: no conversation is named, or there is no question or no answer.
            KeyUsed: the key belongs to another turn; this one was not stored.
        """
        check_named(conversation)
        if not (question.strip() and answer.strip()):
            raise InvalidInput("a turn needs what was asked and what was answered; store it once there is an answer")
        troubles: dict[str, str] = {}
        summary = ""
        try:
            if not objections:
                summary = await turn_summary(self._shortener, question, answer, speaker=speaker, responder=responder)
        except ModelError as error:
            troubles["turn_summary"] = str(error)
        if importance is None and self._rate:
            importance = await asyncio.to_thread(self._rate, question)
        new = NewTurn(
            conversation=conversation,
            observation=question,
            response=answer,
            objections=tuple(objections),
            speaker=speaker,
            responder=responder,
            subject_uid=subject_uid,
            summary=summary,
            importance=importance,
            key=key,
            flags=(FLAG_CUT,) if cut_off else (),
        )
        return await self._kept(new, troubles)

    async def note(
        self, words: str, conversation: str, *, subject_uid: str = "", speaker: str = "", key: str = ""
    ) -> Finished:
        """Stores words that nobody is there to answer as a turn of their own, otherwise as `finish` does.

        Raises:
            InvalidInput: no conversation is named, or nothing was said.
        """
        check_named(conversation)
        new = NewTurn(conversation=conversation, observation=words, speaker=speaker, subject_uid=subject_uid, key=key)
        return await self._kept(new, {})

    async def _kept(self, new: NewTurn, troubles: dict[str, str]) -> Finished:
        item = await self._stream.append(new if new.key else replace(new, key=await self._key_of(new)))
        uid = conversation_uid(self._space, new.subject_uid, new.conversation)
        if (item.conversation_uid, item.observation, item.response) != (uid, new.observation, new.response):
            raise KeyUsed(new.key, what="turns")
        if item.vector is None and self._stream.model:
            troubles["vector"] = "the turn has no vector yet; run r-memory embed"
        version, made = await self._brought_up_to_date(item, troubles)
        return Finished(item=item, summary_version=version, made=made, troubles=troubles)

    async def _key_of(self, new: NewTurn) -> str:
        """The id of the last turn if this is the same sent again; else one that every other try of this turn gets."""
        last = await self.turns(new.conversation, subject_uid=new.subject_uid, last=1)
        said = (new.speaker, new.observation, new.responder, new.response)
        for turn in last:
            same = said == (turn.speaker, turn.observation, turn.responder, turn.response)
            if same and self._clock.now() - turn.created_at <= _SENT_AGAIN_MS:
                return turn.id
        after = last[-1].index if last else 0
        parts = (self._space, new.subject_uid, new.conversation, after, *said)
        return f"turn.{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"

    async def _brought_up_to_date(self, item: MemoryItem, troubles: dict[str, str]) -> tuple[int, tuple[str, ...]]:
        """The version of the summary that covers the item, and the memories made; what fails is named."""
        version, made = 0, tuple[str, ...]()
        try:
            await self._used(item)
            updated = await self._keeper.update(item)
            version = updated.kept.version if updated.kept else 0
            if updated.trouble:
                troubles["summary"] = updated.trouble
            report = await self.tiers.after_turn(item.conversation, subject_uid=item.subject_uid)
            others = self.profile("").elsewhere > 0
            rested = await self.tiers.after_rest(item.subject_uid if others else "", now=self._clock.now())
            made = (*report.made, *rested.made)
            if trouble := report.trouble or rested.trouble:
                troubles["tiers"] = trouble
        except RMemoryError as error:
            # The turn itself is stored: an error here would make the caller store it again.
            logger.warning("Memory is behind its turns", extra={"action": "finish", "error": type(error).__name__})
            troubles.setdefault("summary", str(error))
        return version, made

    async def _used(self, item: MemoryItem) -> None:
        """What stood in the context of this turn was used, the turn before it too: its recency begins anew (A-1)."""
        [*decided] = await self._store.decisions(self._space, item.conversation_uid, limit=1)
        if not decided or decided[0].turn != item.index:
            return
        standing = [one.id for one in decided[0].candidates if one.form in STANDING]
        if Part.PREVIOUS.value in decided[0].tokens:
            last = await self.turns(item.conversation, subject_uid=item.subject_uid, last=2)
            standing += [turn.id for turn in last if turn.id != item.id]
        if standing:
            await self._stream.use(standing)

    # --- for people --------------------------------------------------------------------------------------------------

    async def names(self, *, subject_uid: str = "", limit: int = 100) -> tuple[str, ...]:
        """Names of conversations, newest first."""
        return await self._store.conversations(self._space, subject_uid, limit=limit)

    async def decisions(
        self, conversation: str = "", *, subject_uid: str = "", limit: int = 50
    ) -> Sequence[TurnDecision]:
        """What was decided, newest first; of one conversation, or of all."""
        key = conversation_uid(self._space, subject_uid, conversation) if conversation else ""
        return await self._store.decisions(self._space, key, limit=limit)

    async def roll_back(self, conversation: str, *, to: int, subject_uid: str = "") -> int:
        """Erases every turn after turn `to` (0 for all) with everything made of them; how many items. Facts stay.

        Raises:
            InvalidInput, WriteConflict: as in `Stream.roll_back`.
        """
        removed = await self._stream.roll_back(conversation, to=to, subject_uid=subject_uid)
        await self._keeper.forget(conversation, subject_uid=subject_uid, after=to)
        return removed
