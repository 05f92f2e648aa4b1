"""Keeps the structured summary of every conversation of one space: each turn is covered once, each change is a version.

Updates of one conversation follow one another here; among servers the store's versions decide, and whoever was second
reads again. A writer that fails leaves the summary as it is, and its turns to the next update. What a person turns down
and what a person raises again is read from the person's words by code, whoever writes the rest. Knows no model.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from r_memory.domain.memories import MemoryItem, Tier, conversation_uid
from r_memory.domain.summaries import (
    FLAGS,
    ConversationSummary,
    KeptSummary,
    archived,
    lifted,
    merged,
    option_of,
    usable,
)
from r_memory.errors import BadReply, InvalidInput, ModelError, WriteConflict
from r_memory.protocols import Clock, ConversationStore, SummaryWriter
from r_memory.talk.summary.exclusions import failures, raised_again, rejections

logger = logging.getLogger(__name__)

Turns = Callable[[str, str], Awaitable[Sequence[MemoryItem]]]
"""Turns of a conversation, by its name and the uid of its subject, oldest first."""

KEEP = 64
"""Entries of an archivable list that the newest version holds; see `domain.summaries.archived`."""
_ATTEMPTS = 5
_CATCH_UP = 16
"""Missed turns that one update covers at most: a model that was away for a day holds nobody up for an hour."""
_KNOWN_FLAGS = ("repaired", "missing_fields")
"""What a proposal may say of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """What became of an update."""

    kept: KeptSummary | None
    """The newest version; `None` while there is none."""
    trouble: str = ""
    """Why it does not cover the turn; empty if it does."""


class SummaryKeeper:
    """The structured summaries of one space."""

    def __init__(
        self,
        *,
        store: ConversationStore,
        writer: SummaryWriter,
        clock: Clock,
        space: str,
        turns: Turns,
        fallback: SummaryWriter | None = None,
        wait_s: float = 30.0,
    ) -> None:
        """`fallback` covers a turn that the writer answered with nonsense twice; without one such a turn is passed
        over, flagged. `wait_s` is the longest that a reader waits for an update that runs.
        """
        self._store = store
        self._writer = writer
        self._clock = clock
        self._space = space
        self._turns = turns
        self._fallback = fallback
        self._wait_s = wait_s
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each conversation that is updated at this moment."""

    async def current(self, conversation: str, *, subject_uid: str = "") -> KeptSummary | None:
        """The newest version, or `None` before the first; an update that runs here ends first (CIM 5).

        An update that takes longer than `wait_s` is not waited for: its version tells which turns it covers.

        Raises:
            StoreUnavailable: it could not be read.
        """
        uid = conversation_uid(self._space, subject_uid, conversation)
        lock = self._lock(uid)
        try:
            async with asyncio.timeout(self._wait_s), lock:
                pass
        except TimeoutError:
            logger.warning("A summary is read while its update still runs", extra={"action": "summary_read"})
        return await self._newest(uid)

    async def update(self, item: MemoryItem) -> Updated:
        """Covers a turn that was stored, and those before it that are not covered yet.

        A turn that is covered already changes nothing. What cannot be covered now is told and left to the next update.

        Raises:
            InvalidInput: the item is no turn of this space as the store gave it.
            StoreUnavailable: the summary could not be read or stored.
        """
        if item.tier is not Tier.TURN or item.index < 1 or item.space != self._space:
            raise InvalidInput("a summary covers turns of its own space as the stream gave them; pass the stored item")
        async with self._lock(item.conversation_uid):
            for _ in range(_ATTEMPTS):
                try:
                    return await self._updated(item)
                except WriteConflict:
                    continue
            return Updated(kept=await self._newest(item.conversation_uid), trouble=_CONTENDED)

    async def lift(self, conversation: str, option: str, *, subject_uid: str = "", actor: str) -> KeptSummary:
        """The version in which an excluded option is allowed again, made by `actor`.

        Raises:
            InvalidInput: no option of that name is excluded.
            WriteConflict: others kept changing the summary.
            StoreUnavailable: nothing was changed.
        """
        uid = conversation_uid(self._space, subject_uid, conversation)
        async with self._lock(uid):
            for _ in range(_ATTEMPTS):
                try:
                    return await self._lifted(uid, option, actor)
                except WriteConflict:
                    continue
        raise WriteConflict("somebody keeps changing this summary; try again when the conversation rests")

    async def versions(self, conversation: str, *, subject_uid: str = "", limit: int = 1000) -> tuple[KeptSummary, ...]:
        """Versions of a conversation's summary, newest first.

        Raises:
            StoreUnavailable: they could not be read.
        """
        return await self._store.summaries(
            self._space, conversation_uid(self._space, subject_uid, conversation), limit=limit
        )

    async def forget(self, conversation: str, *, subject_uid: str = "", after: int) -> int:
        """Erases what covers turns after this one, once an update that runs has ended; see `forget_turns`.

        Raises:
            StoreUnavailable: nothing was erased.
        """
        uid = conversation_uid(self._space, subject_uid, conversation)
        async with self._lock(uid):
            return await self._store.forget_turns(self._space, uid, after=after)

    def _lock(self, uid: str) -> asyncio.Lock:
        return self._locks.setdefault(uid, asyncio.Lock())

    async def _newest(self, uid: str) -> KeptSummary | None:
        found = await self._store.summaries(self._space, uid, limit=1)
        return found[0] if found else None

    async def _updated(self, item: MemoryItem) -> Updated:
        kept = await self._newest(item.conversation_uid)
        if kept is not None and kept.upto >= item.index:
            kept = await self._without_erased(kept, item)
        missed = await self._missed(kept, item)
        for turn in missed[:_CATCH_UP]:
            try:
                kept = await self._covering(kept, turn, newest=item)
            except ModelError as error:
                logger.warning("A summary was not updated", extra={"action": "summary_update", "reason": str(error)})
                return Updated(kept=kept, trouble=str(error))
        return Updated(kept=kept, trouble=_BEHIND if len(missed) > _CATCH_UP else "")

    async def _without_erased(self, kept: KeptSummary, item: MemoryItem) -> KeptSummary | None:
        """The newest version that covers no turn which was rolled back by another server while it was written."""
        turns = await self._turns(item.conversation, item.subject_uid)
        latest = max((turn.index for turn in turns), default=item.index)
        if kept.upto <= latest:
            return kept
        # What covers this turn's number covered the erased turn that had it before.
        await self._store.forget_turns(self._space, item.conversation_uid, after=item.index - 1)
        return await self._newest(item.conversation_uid)

    async def _missed(self, kept: KeptSummary | None, item: MemoryItem) -> Sequence[MemoryItem]:
        """Turns that the summary does not cover, up to this one, oldest first."""
        covered = kept.upto if kept else 0
        if covered >= item.index - 1:
            return [item] if covered < item.index else []
        turns = await self._turns(item.conversation, item.subject_uid)
        return [*(turn for turn in turns if covered < turn.index < item.index), item]

    async def _covering(self, kept: KeptSummary | None, turn: MemoryItem, *, newest: MemoryItem) -> KeptSummary:
        """The version that covers one more turn, as stored.

        Raises:
            ModelError: the writer gave nothing that can be used.
            WriteConflict: another server was first.
        """
        old = kept.content if kept else ConversationSummary()
        options = raised_again([option_of(entry) for entry in old.excluded_options], turn.observation)
        content = old
        for option in options:
            content = lifted(content, option)
        proposal, made_by, flags = await self._proposal(content, turn, again=turn.index < newest.index)
        content = merged(content, _without(proposal, options))
        refused = (*rejections(turn.observation), *failures(turn.observation, await self._answer_before(turn)))
        content = merged(content, {"excluded_options": [one.entry for one in refused]})
        flags = (*flags, *(("lifted",) if options else ()))
        made = await self._store_next(kept, turn, content, made_by=made_by, flags=flags)
        smaller = archived(content, KEEP)
        if smaller == content:
            return made
        return await self._store_next(made, turn, smaller, made_by="archive", flags=("archived",))

    async def _answer_before(self, turn: MemoryItem) -> str:
        """The answer to which this turn replies; looked up only where something is said not to work."""
        if not failures(turn.observation, "some way"):
            return ""
        turns = await self._turns(turn.conversation, turn.subject_uid)
        return next((one.response for one in reversed(turns) if one.index < turn.index), "")

    async def _proposal(
        self, content: ConversationSummary, turn: MemoryItem, *, again: bool
    ) -> tuple[Mapping[str, object], str, tuple[str, ...]]:
        """What a writer proposes for a turn, who it was, and what was wrong with it."""
        try:
            proposal = await self._proposed(self._writer, content, turn)
        except BadReply:
            # The writer had its second chance at this turn; the turns after it are not to wait for it for ever.
            if not again:
                raise
            if self._fallback is None:
                return {}, self._writer.name, ("unreadable",)
            proposal = await self._proposed(self._fallback, content, turn)
            return proposal, self._fallback.name, ("unreadable", "fallback")
        return proposal, self._writer.name, _flags(proposal)

    async def _proposed(
        self, writer: SummaryWriter, content: ConversationSummary, turn: MemoryItem
    ) -> Mapping[str, object]:
        proposal = await writer.propose(content, turn.observation, turn.response)
        if not usable(proposal):
            raise BadReply("the summary writer answered with no field of a summary; use a model that follows forms")
        return proposal

    async def _lifted(self, uid: str, option: str, actor: str) -> KeptSummary:
        kept = await self._newest(uid)
        if kept is None or (content := lifted(kept.content, option)) == kept.content:
            raise InvalidInput("no excluded option has that name; look at excluded_options of the summary")
        made = replace(kept, content=content, made_at=self._clock.now(), made_by=actor, flags=("lifted",))
        await self._store.add_summary(made)
        return made

    async def _store_next(
        self,
        kept: KeptSummary | None,
        turn: MemoryItem,
        content: ConversationSummary,
        *,
        made_by: str,
        flags: tuple[str, ...],
    ) -> KeptSummary:
        """Stores the version after `kept`: also one that says nothing new, because it covers one more turn."""
        made = KeptSummary(
            space=self._space,
            conversation=turn.conversation,
            subject_uid=turn.subject_uid,
            content=replace(content, version=kept.version + 1 if kept else 1),
            upto=turn.index,
            made_at=self._clock.now(),
            made_by=made_by,
            flags=flags,
        )
        await self._store.add_summary(made)
        return made


_CONTENDED = "others keep changing this summary; the turn is covered with the next one"
_BEHIND = "many turns were not covered yet; the rest is covered with the next ones"


def _without(proposal: Mapping[str, object], options: Sequence[str]) -> Mapping[str, object]:
    """The proposal without the exclusion of what has just been raised again."""
    named = proposal.get("excluded_options")
    if not options or not isinstance(named, list | tuple):
        return proposal
    gone = {option.casefold() for option in options}
    kept = [entry for entry in named if not (isinstance(entry, str) and option_of(entry).casefold() in gone)]
    return {**proposal, "excluded_options": kept}


def _flags(proposal: Mapping[str, object]) -> tuple[str, ...]:
    said = proposal.get(FLAGS)
    return tuple(flag for flag in _KNOWN_FLAGS if isinstance(said, list | tuple) and flag in said)
