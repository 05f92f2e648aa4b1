"""Mimir's tiers of one space: windows of turns become memories, and memories of one matter become one.

Knows when what is made of what; everything is of one conversation about one subject. Nothing is erased: what a memory
was made of stays, and its id follows from it, so that doing the work twice, or on two servers at once, makes it once.
Nothing here is a fact, or evidence for one. Defaults follow memory-systems A-6 and A-7.
"""

import asyncio
import logging
import re
import unicodedata
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from weakref import WeakValueDictionary

import numpy as np

from r_memory.domain.instants import Instant
from r_memory.domain.memories import MemoryItem, Tier, conversation_uid
from r_memory.errors import BadReply, ModelError, ModelRefused, StoreError
from r_memory.protocols import Memorable, MemoryWriter
from r_memory_talk.stream.layers import MEMORIES
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.stream.words import language_of, terms

logger = logging.getLogger(__name__)

_NAMES = uuid.UUID("6f6b5f3e-5f0a-5d6c-9f43-0a2c4b1f7d21")
_ALL = 1_000_000
_ASIDES = 8
"""Most topics, people and feelings that are added to a summary, of each kind."""
_ASIDE = re.compile(r" \((?:topics|people|feelings): [^()]*\)\Z")
_NO_BRACKETS = str.maketrans("()", "  ")
_REST = 86_400_000
"""Milliseconds without a turn after which a conversation has rested and its remaining turns become a memory."""
_LEAST = 2
"""Turns below which a rested conversation gets no memory, as its turns are found themselves."""
_PATIENCE = 3
"""Unreadable answers about one window before the fallback writes its memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Cosines between which two memories become one."""

    low: float = 0.80
    """Below it, two memories are about different matters."""
    high: float = 0.95
    """Above it, the newer adds nothing."""


_BANDS: Mapping[str, Band] = {"wordllama": Band(low=0.72)}
"""Beginning of an embedder's name to its measured band (docs/reference/tiers.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSettings:
    """Settings of the tiers."""

    last: int = 20
    """N: turns that always stay as they were said, and the length of a window (A-6)."""
    full: int = 40
    """Turns without a memory from which the oldest `last` become one (2N, A-6)."""
    band: Band | None = None
    """`None`: the band measured for the embedder, else that of A-7."""
    most_parts: int = 4
    """Most windows in one long memory; more would blur it."""
    most_windows: int = 5
    """Most memories made after one turn; an imported conversation takes several turns."""
    most_merges: int = 5


@dataclass(slots=True, kw_only=True)
class TierReport:
    """What was made after a turn; filled during the work."""

    made: tuple[str, ...] = ()
    """Ids of new memories, medium and long."""
    trouble: str = ""
    """Why work is left for the next turn; empty if none is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two memories of one conversation about one matter."""

    older: str
    newer: str
    cosine: float


@dataclass(eq=False)
class Tiers:
    """Keeps the tiers of every conversation of one space."""

    stream: Stream
    writer: MemoryWriter
    settings: TierSettings = field(default_factory=TierSettings)
    _: KW_ONLY
    fallback: MemoryWriter | None = None
    """Writes a memory after the writer gave `_PATIENCE` unreadable answers."""

    def __post_init__(self) -> None:
        self._unreadable: Counter[str] = Counter()
        """First turn of a window to how often the writer's answer was of no use."""
        self._working: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each conversation that is worked on at this moment."""
        self._settled: set[str] = set()
        """Conversations whose memories were compared since one was made."""

    async def after_turn(self, conversation: str, *, subject_uid: str = "") -> TierReport:
        """Makes the memories that are due after a turn, one call at a time for each conversation; usually none.

        Never raises for a failing model or store: the report says what is left for the next turn.
        """
        return await self._work(conversation, subject_uid, self.settings)

    async def after_rest(self, subject_uid: str, *, now: Instant) -> TierReport:
        """Makes memories of turns without one in the subject's conversations that rested for a day.

        Other conversations can then find them. Conversations without a subject are left out. Raises as `after_turn`.
        """
        if not subject_uid:
            return TierReport()
        try:
            names = await self.stream.rested(subject_uid, since=now - _REST, least=_LEAST)
        except StoreError as error:
            return TierReport(trouble=_told(error))
        settings = replace(self.settings, full=_LEAST, most_windows=1)
        reports = [await self._work(name, subject_uid, settings) for name in names[: self.settings.most_windows]]
        made = tuple(id_ for report in reports for id_ in report.made)
        return TierReport(made=made, trouble=next((report.trouble for report in reports if report.trouble), ""))

    async def consolidate(self, conversation: str, *, subject_uid: str = "") -> TierReport:
        """Makes everything that is due in a conversation, without a limit."""
        self._settled.discard(self._key(conversation, subject_uid))
        everything = replace(self.settings, most_windows=_ALL, most_merges=_ALL)
        return await self._work(conversation, subject_uid, everything)

    def _key(self, conversation: str, subject_uid: str) -> str:
        return conversation_uid(self.stream.space, subject_uid, conversation)

    async def _work(self, conversation: str, subject_uid: str, settings: TierSettings) -> TierReport:
        """Makes memories of windows, then consolidates the nearest first; the report names failures."""
        key, report = self._key(conversation, subject_uid), TierReport()
        async with self._working.setdefault(key, asyncio.Lock()):
            try:
                for _ in range(settings.most_windows):
                    standing = await self.stream.standing(conversation, subject_uid=subject_uid)
                    if (window := next(self.windows(standing, settings.full), None)) is None:
                        break
                    report.made += await self._remembered(window, conversation, subject_uid)
                if report.made or key not in self._settled:
                    self._settled.discard(key)
                    for _ in range(settings.most_merges):
                        pair = next(iter(await self.pairs(conversation, subject_uid)), None)
                        if pair is None:
                            self._settled.add(key)
                            break
                        report.made += await self._merged(pair, conversation, subject_uid)
            except (ModelError, StoreError) as error:
                self._settled.discard(key)
                report.trouble = _told(error)
        return report

    # --- windows -----------------------------------------------------------------------------------------------------

    def windows(self, standing: Sequence[MemoryItem], full: int = 0) -> Iterator[Sequence[MemoryItem]]:
        """Yields windows of due turns, oldest first: while there are `full` turns (0:

        the setting), the oldest `last`.
        """
        turns = sorted((item for item in standing if item.tier is Tier.TURN), key=lambda item: item.index)
        while len(turns) >= (full or self.settings.full):
            yield turns[: self.settings.last]
            turns = turns[self.settings.last :]

    async def _remembered(self, window: Sequence[MemoryItem], conversation: str, subject_uid: str) -> tuple[str, ...]:
        """Makes a memory of a window, unless an old one says the same (MIM 4); returns its id if it is new."""
        medium = self._new(Tier.MEDIUM, await self._memorable(window), window, window[0])
        near, cosine = await self._nearest(medium.summary, conversation, subject_uid)
        if near is None or not self._repeats(near.summary, medium.summary, cosine):
            return await self._stored(medium)
        # A window that says nothing new makes no memory: it is one more source of the one there is.
        sources = list(dict.fromkeys([*near.sources, *medium.sources]))
        importance = max(near.importance, self.stream.item_of(medium).importance)
        await self.stream.renew(near.id, importance=importance, sources=sources)
        return ()

    async def _memorable(self, window: Sequence[MemoryItem]) -> Memorable:
        """Returns the memory of a window.

        If the model fails repeatedly, the fallback writes it, so that later windows are not blocked.
        """
        turns, first = [turn.undisputed.raw for turn in window], window[0].id
        try:
            made = await self.writer.memorable(turns)
            _text(made)
        except (BadReply, ModelRefused):
            self._unreadable[first] += 1
            if self.fallback is None or self._unreadable[first] < _PATIENCE:
                raise
            logger.warning("A memory was made without the model", extra={"action": "tiers"})
            made = await self.fallback.memorable(turns)
        self._unreadable.pop(first, None)
        return made

    async def _stored(self, new: NewTurn) -> tuple[str, ...]:
        """Stores a memory unless its sources were erased meanwhile; returns its id if stored."""
        there = {item.id for item in await self.stream.items(new.conversation, subject_uid=new.subject_uid)}
        return ((await self.stream.append(new)).id,) if there.issuperset(new.sources) else ()

    # --- consolidation -----------------------------------------------------------------------------------------------

    @property
    def _band(self) -> Band:
        measured = (band for name, band in _BANDS.items() if self.stream.model.startswith(name))
        return self.settings.band or next(measured, Band())

    def _repeats(self, older: str, newer: str, cosine: float) -> bool:
        """Whether a memory adds nothing to the older one.

        A changed number hardly changes the cosine, so a word that the older one lacks counts as new.
        """
        language = language_of(older)
        return cosine > self._band.high and set(terms(newer, language)).issubset(terms(older, language))

    async def _nearest(self, text: str, conversation: str, subject_uid: str) -> tuple[MemoryItem | None, float]:
        """Returns the nearest memory and its cosine; `None` if there is none."""
        memories = memories_of(await self.stream.standing(conversation, subject_uid=subject_uid))
        if not memories:
            return None, 0.0
        (cosines,) = await self.stream.likeness([item.id for item in memories], text)
        best = int(np.argmax(cosines))
        return memories[best], float(cosines[best])

    async def pairs(self, conversation: str, subject_uid: str) -> list[Pair]:
        """Returns pairs of memories about one matter, nearest first; changes nothing and asks no model."""
        items = {item.id: item for item in await self.stream.items(conversation, subject_uid=subject_uid)}
        memories = sorted(
            memories_of(await self.stream.standing(conversation, subject_uid=subject_uid)),
            key=lambda item: (item.created_at, item.seq),
        )
        cosines = await self.stream.likeness([item.id for item in memories])
        parts = [_parts(item, items) for item in memories]
        found: list[Pair] = []
        for each, other in zip(*np.nonzero(np.triu(cosines >= self._band.low, 1)), strict=True):
            if parts[each] + parts[other] <= self.settings.most_parts:
                found.append(
                    Pair(older=memories[each].id, newer=memories[other].id, cosine=float(cosines[each, other]))
                )
        return sorted(found, key=lambda pair: (-pair.cosine, pair.older, pair.newer))

    async def _merged(self, pair: Pair, conversation: str, subject_uid: str) -> tuple[str, ...]:
        """Makes one memory of two; returns its id, unless one of them was erased meanwhile."""
        items = {item.id: item for item in await self.stream.items(conversation, subject_uid=subject_uid)}
        older, newer = items[pair.older], items[pair.newer]
        made = await self.writer.joined(*(_ASIDE.sub("", part.summary) for part in (older, newer)))
        return await self._stored(self._new(Tier.LONG, made, (older, newer), newer))

    def _new(self, tier: Tier, memorable: Memorable, parts: Sequence[MemoryItem], like: MemoryItem) -> NewTurn:
        """Returns a memory made of these parts; of memories, the larger importance counts, not the writer's."""
        sources = tuple(part.id for part in parts)
        told = memorable.importance if tier is Tier.MEDIUM else max(part.importance for part in parts)
        name = "\x1f".join([like.space, like.conversation_uid, tier, *sources])
        return NewTurn(
            conversation=like.conversation,
            subject_uid=like.subject_uid,
            summary=_text(memorable),
            # Nobody judged is no reading of a judgement: it is flagged.
            importance="" if told is None else told,
            tier=tier,
            sources=sources,
            said_at=max(part.created_at for part in parts),
            key=f"memory-{uuid.uuid5(_NAMES, name).hex}",
        )


def _told(error: ModelError | StoreError) -> str:
    logger.warning("Memories wait for the next turn", extra={"action": "tiers", "error": type(error).__name__})
    return str(error)


def _text(memorable: Memorable) -> str:
    """Returns the summary with the topics, people and feelings that it lacks.

    Raises:
        BadReply: the summary has no words.
    """
    summary = cleaned(memorable.summary)
    if not any(map(str.isalnum, summary)):
        raise BadReply("the model made a memory without words; use a model that keeps to a form")
    known, asides = summary.casefold(), []
    told = {"topics": memorable.topics, "people": memorable.people, "feelings": memorable.emotions}
    for name, values in told.items():
        words = (cleaned(value.translate(_NO_BRACKETS)) for value in values[:_ASIDES])
        if missing := [word for word in words if word and word.casefold() not in known]:
            asides.append(f"{name}: {', '.join(missing)}")
    return f"{summary} ({'; '.join(asides)})" if asides else summary


def memories_of(items: Sequence[MemoryItem]) -> list[MemoryItem]:
    """Returns the items that were made of turns."""
    return [item for item in items if item.tier in MEMORIES]


def _parts(item: MemoryItem, items: Mapping[str, MemoryItem]) -> int:
    """Returns the number of windows in a memory, directly or indirectly."""
    if item.tier is not Tier.LONG:
        return 1
    return sum(_parts(items[id_], items) for id_ in item.sources if id_ in items and items[id_].tier in MEMORIES)


def cleaned(text: str) -> str:
    """Returns a text that every store keeps unchanged: without control characters and lone surrogates.

    >>> cleaned("A\\x00 b\\n\\tc ")
    'A b\\n c'
    """
    kept = (" " if char == "\t" else char for char in text if char in "\n\t" or unicodedata.category(char)[0] != "C")
    return "".join(kept).strip()
