"""Keeps the structured summary of every conversation of one space: each turn is covered once, each change is a version.

Updates of one conversation follow one another here; among servers the store's versions decide, and whoever was second
reads again. A writer that fails leaves the summary as it is, and its turns to the next update. What a person turns down
and what a person raises again is read from the person's words by code, whoever writes the rest. Knows no model.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from r_memory.domain.memories import MemoryItem, Tier, conversation_uid
from r_memory.domain.summaries import (
    FLAGS,
    ConversationSummary,
    KeptSummary,
    archived,
    ended,
    forgotten,
    lifted,
    merged,
    option_of,
    usable,
)
from r_memory.errors import BadReply, InvalidInput, ModelError, WriteConflict
from r_memory.facts.wishes import Wish
from r_memory.protocols import Clock, ConversationStore, SummaryWriter
from r_memory_talk.stream.values import FLAG_NOTHING
from r_memory_talk.summary.exclusions import over_with, raised_again, rejections
from r_memory_talk.summary.local import STATED, LocalSummaryWriter

logger = logging.getLogger(__name__)

Turns = Callable[[str, str], Awaitable[Sequence[MemoryItem]]]
"""Returns the turns of a conversation, by its name and the uid of its subject, oldest first."""

KEEP = 64
"""Entries of an archivable list in the newest version; see `domain.summaries.archived`."""
_ATTEMPTS = 5
_CATCH_UP = 16
"""Most missed turns that one update covers, so that a long outage does not block a call."""
_KNOWN_FLAGS = ("repaired", "missing_fields")
"""Flags that a proposal may have."""
_NOTHING_SAID = "-"
"""Stands for a turn that only asks to forget: an item of the stream needs words."""
_FALLBACK = LocalSummaryWriter()
"""Covers a turn for which the writer twice gave an unreadable answer."""


@dataclass(kw_only=True, eq=False)
class SummaryKeeper:
    """Keeps the structured summaries of one space.

    Every method raises `StoreUnavailable` if the store cannot be read or written; nothing is changed then.
    """

    store: ConversationStore
    writer: SummaryWriter
    clock: Clock
    space: str
    turns: Turns
    wishes: Callable[[str], Wish | None] = lambda _: None
    """Reads what somebody asks to forget: it leaves the summary, and so do the words that ask."""
    wait_s: float = 30.0
    """Most seconds that a reader waits for a running update."""

    def __post_init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each conversation that is updated at this moment."""

    @property
    def is_offline(self) -> bool:
        """Whether summaries are written without a model."""
        return isinstance(self.writer, LocalSummaryWriter)

    async def current(self, conversation: str, *, subject_uid: str = "") -> KeptSummary | None:
        """Returns the newest version, `None` before the first; waits for a running update (CIM 5).

        After `wait_s` seconds it returns the version before the update, which tells the turns it covers.
        """
        uid = self._uid(conversation, subject_uid)
        try:
            async with asyncio.timeout(self.wait_s), self._lock(uid):
                pass
        except TimeoutError:
            logger.warning("A summary is read while its update still runs", extra={"action": "summary_read"})
        return await self._newest(uid)

    async def versions(self, conversation: str, *, subject_uid: str = "", limit: int = 1000) -> tuple[KeptSummary, ...]:
        """Returns the versions of a conversation's summary, newest first."""
        return await self.store.summaries(self.space, self._uid(conversation, subject_uid), limit=limit)

    async def update(self, item: MemoryItem) -> str:
        """Covers a stored turn and the uncovered turns before it; returns why not, empty on success.

        A covered turn changes nothing. Turns that cannot be covered are left to the next update.

        Raises:
            InvalidInput: the item is no stored turn of this space.
        """
        if item.tier is not Tier.TURN or item.index < 1 or item.space != self.space:
            raise InvalidInput("a summary covers turns of its own space as the stream gave them; pass the stored item")
        async with self._lock(item.conversation_uid):
            for _ in range(_ATTEMPTS):
                with suppress(WriteConflict):
                    return await self._updated(item)
        return "others keep changing this summary; the turn is covered with the next one"

    async def lift(self, conversation: str, option: str, *, subject_uid: str = "", actor: str) -> KeptSummary:
        """Returns the new version, made by `actor`, in which an excluded option is allowed again.

        Raises:
            InvalidInput: the option is not excluded.
            WriteConflict: other writers kept changing the summary.
        """
        uid = self._uid(conversation, subject_uid)
        async with self._lock(uid):
            for _ in range(_ATTEMPTS):
                kept = await self._newest(uid)
                if kept is None or (content := lifted(kept.content, option)) == kept.content:
                    raise InvalidInput("no excluded option has that name; look at excluded_options of the summary")
                with suppress(WriteConflict):
                    return await self._stored(kept, content, made_by=actor, flags=("lifted",))
        raise WriteConflict("somebody keeps changing this summary; try again when the conversation rests")

    async def forget(self, conversation: str, *, subject_uid: str = "", after: int) -> int:
        """Erases versions that cover turns after `after`, once a running update has ended; see `forget_turns`."""
        uid = self._uid(conversation, subject_uid)
        async with self._lock(uid):
            return await self.store.forget_turns(self.space, uid, after=after)

    def _uid(self, conversation: str, subject_uid: str) -> str:
        return conversation_uid(self.space, subject_uid, conversation)

    def _lock(self, uid: str) -> asyncio.Lock:
        return self._locks.setdefault(uid, asyncio.Lock())

    async def _newest(self, uid: str) -> KeptSummary | None:
        found = await self.store.summaries(self.space, uid, limit=1)
        return found[0] if found else None

    async def _updated(self, item: MemoryItem) -> str:
        kept = await self._newest(item.conversation_uid)
        if kept is not None and kept.upto >= item.index:
            kept = await self._without_erased(kept, item)
        missed = await self._missed(kept, item)
        for turn in missed[:_CATCH_UP]:
            try:
                kept = await self._covering(kept, turn, newest=item)
            except ModelError as error:
                logger.warning("A summary was not updated", extra={"action": "summary_update", "reason": str(error)})
                return str(error)
        many = len(missed) > _CATCH_UP
        return "many turns were not covered yet; the rest is covered with the next ones" if many else ""

    async def _without_erased(self, kept: KeptSummary, item: MemoryItem) -> KeptSummary | None:
        """Returns the newest version without turns that another server rolled back during the update."""
        turns = await self.turns(item.conversation, item.subject_uid)
        if kept.upto <= max((turn.index for turn in turns), default=item.index):
            return kept
        # What covers this turn's number covered the erased turn that had it before.
        await self.store.forget_turns(self.space, item.conversation_uid, after=item.index - 1)
        return await self._newest(item.conversation_uid)

    async def _missed(self, kept: KeptSummary | None, item: MemoryItem) -> Sequence[MemoryItem]:
        """Returns the uncovered turns up to this one, oldest first."""
        covered = kept.upto if kept else 0
        if covered >= item.index - 1:
            return [item] if covered < item.index else []
        turns = await self.turns(item.conversation, item.subject_uid)
        return [*(turn for turn in turns if covered < turn.index < item.index), item]

    async def _covering(self, kept: KeptSummary | None, turn: MemoryItem, *, newest: MemoryItem) -> KeptSummary:
        """Stores and returns the version that covers one more turn, even if its content is unchanged."""
        before = kept or KeptSummary(
            space=self.space,
            conversation=turn.conversation,
            subject_uid=turn.subject_uid,
            content=ConversationSummary(),
            upto=0,
            made_at=0,
            made_by="",
        )
        content = before.content
        if wish := await asyncio.to_thread(self.wishes, turn.observation):
            content = forgotten(content, wish.means)
            turn = replace(turn, observation=wish.rest, response="", summary=wish.rest or _NOTHING_SAID)
        said, wished = turn.observation, content != before.content
        excluded = [option_of(entry) for entry in content.excluded_options]
        options = await asyncio.to_thread(raised_again, excluded, said)
        for option in options:
            content = lifted(content, option)
        proposal, made_by, flags = await self._proposal(content, turn, again=turn.index < newest.index)
        content = merged(content, proposal)
        for option in options:
            # Whatever the writer says: it has just been raised again.
            content = lifted(content, option)
        refused = await asyncio.to_thread(rejections, said)
        content = merged(content, {"excluded_options": [item.entry for item in refused]})
        over = await asyncio.to_thread(over_with, content.constraints, said)
        content = ended(content, over)
        flags = (*flags, *(("lifted",) if options or over or wished else ()))
        made = await self._stored(replace(before, upto=turn.index), content, made_by=made_by, flags=flags)
        if (smaller := archived(content, KEEP)) == content:
            return made
        return await self._stored(made, smaller, made_by="archive", flags=("archived",))

    async def _proposal(
        self, content: ConversationSummary, turn: MemoryItem, *, again: bool
    ) -> tuple[Mapping[str, object], str, tuple[str, ...]]:
        """Returns a writer's proposal for a turn, the writer's name, and what was wrong with it."""
        try:
            proposal = await _proposed(self.writer, content, turn)
        except BadReply:
            # The writer had its second chance at this turn; the turns after it are not to wait for it for ever.
            if not again:
                raise
            proposal = await _proposed(_FALLBACK, content, turn)
            return _of_stated(proposal, turn), _FALLBACK.name, ("unreadable", "fallback")
        said = proposal.get(FLAGS)
        flags = tuple(flag for flag in _KNOWN_FLAGS if isinstance(said, list | tuple) and flag in said)
        if self.writer.name == _FALLBACK.name:
            proposal = _of_stated(proposal, turn)
        return proposal, self.writer.name, flags

    async def _stored(
        self, before: KeptSummary, content: ConversationSummary, *, made_by: str, flags: tuple[str, ...]
    ) -> KeptSummary:
        """Stores the next version, which covers the same turns."""
        content = replace(content, version=before.version + 1)
        made = replace(before, content=content, made_at=self.clock.now(), made_by=made_by, flags=flags)
        await self.store.add_summary(made)
        return made


def _of_stated(proposal: Mapping[str, object], turn: MemoryItem) -> Mapping[str, object]:
    """Returns a proposal of the local writer without what it takes for stated, if the words state nothing."""
    if FLAG_NOTHING not in turn.flags:
        return proposal
    return {name: value for name, value in proposal.items() if name not in STATED}


async def _proposed(writer: SummaryWriter, content: ConversationSummary, turn: MemoryItem) -> Mapping[str, object]:
    proposal = await writer.propose(content, turn.observation, turn.undisputed.response)
    if not usable(proposal):
        raise BadReply("the summary writer answered with no field of a summary; use a model that follows forms")
    return proposal
