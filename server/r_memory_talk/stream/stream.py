"""The conversational memory of one space: append after a turn, search, use.

Knows in which order things happen. What is stored is the store's business, what is similar the index's, what counts the
profile's. Searching never writes; an item's access time moves only when somebody says that it was used.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, replace
from weakref import WeakValueDictionary

import numpy as np

from r_memory.domain.instants import Instant
from r_memory.domain.memories import (
    Amendment,
    Hit,
    Layer,
    MemoryItem,
    StreamChanges,
    Tier,
    conversation_uid,
    importance_of,
)
from r_memory.errors import InvalidInput
from r_memory.protocols import Clock, Embedder, Floats, StreamStore
from r_memory_talk.stream.candidates import candidate_pool
from r_memory_talk.stream.index import Scope, StreamIndex
from r_memory_talk.stream.layers import behind_memories, with_few_beside
from r_memory_talk.stream.meaning import ItemVectors
from r_memory_talk.stream.scoring import DEFAULT, SCORINGS, Scoring
from r_memory_talk.stream.values import FLAG_IMPORTANCE, NewTurn, SearchResult, Watch
from r_memory_talk.stream.words import Term, search_query, without_names

logger = logging.getLogger(__name__)

_BATCH = 256
"""Items embedded again in one call."""
_PART = 1_000
"""Changes of one read; other tasks wait while its items are made."""
_AT_ONCE = 3
"""Parallel reads: the store reads the next items while these are unpacked."""
_NEAR = 2
"""Messages of the last turn."""
_BREATH = 100
"""Items indexed before other tasks run, as the first use of a large stream takes seconds."""


@dataclass(kw_only=True, eq=False)
class Stream:
    """The conversational memory of one space.

    Every method raises `StoreUnavailable` if the store cannot be read or written; nothing is changed then.
    """

    space: str
    store: StreamStore
    embedder: InitVar[Embedder | None]
    clock: Clock
    new_id: Callable[[], str]

    def __post_init__(self, embedder: Embedder | None) -> None:
        self._meaning = ItemVectors(embedder)
        self.model = self._meaning.model
        """The present embedder; empty without one."""
        self._index = StreamIndex(model=self.model, dimensions=self._meaning.dimensions)
        self._seen = 0
        """Newest change that the index knows."""
        self._refreshing = asyncio.Lock()
        self._appending: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each conversation that somebody adds to at this moment."""

    # --- adding ----------------------------------------------------------------------------------------------------

    async def append(self, new: NewTurn) -> MemoryItem:
        """Stores an answered turn, durable on return, and returns the item.

        Turns of one conversation are stored in the order of the calls. If no vector can be computed, the item is stored
        without.

        Raises:
            InvalidInput: the turn has no words, or cannot be stored.
        """
        (item,) = await self.append_all([new])
        return item

    async def append_all(self, turns: Sequence[NewTurn]) -> tuple[MemoryItem, ...]:
        """Stores several turns of one conversation, all or none; raises as `append`."""
        if not turns:
            return ()
        key = conversation_uid(self.space, turns[0].subject_uid, turns[0].conversation)
        async with self._appending.setdefault(key, asyncio.Lock()):
            items = [self.item_of(new) for new in turns]
            vectors = await self._meaning.of_items(items)
            return await self.store.add_memories(
                [replace(item, vector=vector) for item, vector in zip(items, vectors, strict=True)]
            )

    def item_of(self, new: NewTurn) -> MemoryItem:
        """Returns the item for a turn, without its vector and its place; stores nothing."""
        importance, read = importance_of(new.importance)
        said_at = self.clock.now() if new.said_at is None else new.said_at
        return MemoryItem(
            id=new.key or self.new_id(),
            space=self.space,
            conversation=new.conversation,
            subject_uid=new.subject_uid,
            speaker=new.speaker,
            observation=new.observation,
            responder=new.responder,
            response=new.response,
            objections=new.objections,
            summary=new.summary,
            tier=new.tier,
            sources=new.sources,
            importance=importance,
            flags=new.flags if read or new.importance is None else (*new.flags, FLAG_IMPORTANCE),
            created_at=said_at,
            accessed_at=said_at,
        )

    # --- searching -------------------------------------------------------------------------------------------------

    async def search(
        self,
        text: str,
        *,
        conversation: str | None = None,
        subject_uid: str = "",
        scoring: Scoring = SCORINGS[DEFAULT],
        k: int = 6,
        skip_last: int = 0,
        recent: Sequence[str] = (),
        without: Collection[str] = (),
        layer: Layer = Layer.LATEST,
        documents: int = 0,
        elsewhere: int = 0,
        now: Instant | None = None,
    ) -> SearchResult:
        """Returns the items that bear on a question; changes nothing.

        `conversation` limits the search to one conversation about the subject, `None` to the subject, and without a
        subject to the space. `k` may exceed the number of items; 0 chooses none. `skip_last` leaves out the newest
        turns. The messages `recent` add to the question, with less weight the more telling words it has itself. `layer`
        selects turns or what was made of them. Within a conversation, at most `documents` of the chosen items are from
        documents about the subject or no subject, and at most `elsewhere` from the subject's other conversations.

        Raises:
            InvalidInput: `k` is negative.
        """
        if k < 0:
            raise InvalidInput(f"k is {k}; give 0 for none, or how many items to choose")
        watch = Watch()
        await self.refresh()
        watch.lap("refresh")
        own = "" if conversation is None else self._key(conversation, subject_uid)
        scope = Scope(
            conversation_uid=own,
            subject_uid=subject_uid,
            skip_last=skip_last,
            without=frozenset(without),
            layer=layer,
            documents=documents > 0 if own else bool(subject_uid),
            elsewhere=elsewhere > 0,
        )
        # What was said last counts twice: "they" are of the last turn before they are of the one before.
        near = recent[-_NEAR:] if len(recent) > _NEAR else ()
        before, at = "\n".join((*recent, *near)), self.clock.now() if now is None else now
        asked = search_query(text, self._index.languages, before=before)
        meant = without_names(text, self._index.speakers(scope)) if scoring.speakers else text
        vector, trouble = await self._meaning.of_question(meant, before=before, weight=asked.weight)
        watch.lap("embed")
        whole = "\n".join(filter(None, (before, text)))
        pool = candidate_pool(self._index, asked, vector, scope, text=whole, now=at)
        watch.lap("gather")
        ranked = scoring.score(*pool)
        if layer is Layer.BEHIND:
            ranked = behind_memories(ranked, self._index.memory_of)
        eligible = with_few_beside(ranked, self._index.get, own, documents=documents, elsewhere=elsewhere)
        chosen = ((self._index.get(each.id), each) for each in scoring.choose(eligible, k))
        hits = tuple(Hit(item=item, score=entry.score, components=entry.components) for item, entry in chosen if item)
        watch.lap("score")
        return SearchResult(hits, ranked, trouble, watch.laps)

    def has_beside(self, conversation: str, subject_uid: str, *, elsewhere: bool) -> bool:
        """Whether a turn may find a document, or with `elsewhere` another conversation; as of the last read."""
        return self._index.holds_beside(self._turn_scope(conversation, subject_uid, elsewhere))

    def most_held(
        self, weights: Mapping[tuple[Term, ...], float], conversation: str, subject_uid: str, *, elsewhere: bool
    ) -> float:
        """Returns the largest weight of a question's words in one item that a turn may find; as of the last read."""
        return self._index.most_held(weights, self._turn_scope(conversation, subject_uid, elsewhere))

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages in use, most frequent first; as of the last read."""
        return self._index.languages

    def _turn_scope(self, conversation: str, subject_uid: str, elsewhere: bool) -> Scope:  # noqa: FBT001 - private
        return replace(self._whole(conversation, subject_uid), documents=True, elsewhere=elsewhere)

    async def likeness(self, ids: Sequence[str], text: str = "") -> Floats:
        """Returns the cosines of items with each other, or of a text with each (one row).

        0 where a vector is missing, and everywhere if the embedder is missing or fails.
        """
        vector = None
        if text:
            vector, _ = await self._meaning.of_question(text)
            if vector is None:
                return np.zeros((1, len(ids)), dtype=np.float32)
        await self.refresh()
        return self._index.likeness(ids, vector)

    # --- reading ---------------------------------------------------------------------------------------------------

    async def items(
        self, name: str, *, subject_uid: str = "", layer: Layer = Layer.EVERYTHING
    ) -> tuple[MemoryItem, ...]:
        """Returns all items of one conversation, turns and memories, in the order of storing."""
        await self.refresh()
        return self._index.within(replace(self._whole(name, subject_uid), layer=layer))

    async def conversation(
        self, name: str, *, subject_uid: str = "", last: int | None = None
    ) -> tuple[MemoryItem, ...]:
        """Returns the turns of one conversation, oldest first; with `last`, only the newest `last`."""
        turns = [item for item in await self.items(name, subject_uid=subject_uid) if item.tier is Tier.TURN]
        turns.sort(key=lambda item: item.index)
        return tuple(turns if last is None else turns[max(0, len(turns) - last) :])

    async def standing(self, name: str, *, subject_uid: str = "") -> tuple[MemoryItem, ...]:
        """Returns the items of a conversation that are part of no memory, in the order of storing.

        These are uncovered turns, unconsolidated memories, and documents.
        """
        return await self.items(name, subject_uid=subject_uid, layer=Layer.MEMORIES)

    def known(self, ids: Iterable[str]) -> tuple[MemoryItem, ...]:
        """Returns the items with these ids that exist; as of the last read."""
        return tuple(item for id_ in ids if (item := self._index.get(id_)) is not None)

    async def everyone(self) -> tuple[tuple[str, str], ...]:
        """Returns every conversation with turns, with the uid of its subject."""
        await self.refresh()
        turns = (item for item in self._index.within(Scope()) if item.tier is Tier.TURN)
        return tuple(dict.fromkeys((item.conversation, item.subject_uid) for item in turns))

    async def rested(self, subject_uid: str, *, since: Instant, least: int) -> tuple[str, ...]:
        """Returns a subject's conversations that have no turns since `since`.

        Only conversations with at least `least` turns that are in no memory.
        """
        await self.refresh()
        return self._index.rested(subject_uid, before=since, least=least)

    # --- changing --------------------------------------------------------------------------------------------------

    async def use(self, ids: Collection[str]) -> int:
        """Records that items were in a context, which renews their recency; returns how many exist."""
        return await self.store.touch_memories(self.space, list(ids), at=self.clock.now())

    async def renew(self, id_: str, *, importance: int, sources: Sequence[str]) -> bool:
        """Marks a memory as used now, with this importance and these sources; returns whether it exists."""
        amendment = Amendment(id=id_, importance=importance, sources=tuple(sources))
        return bool(await self.store.amend_memories(self.space, [amendment])) and bool(await self.use([id_]))

    async def unmeant(self) -> int:
        """Returns the number of items without a vector of the present embedder; 0 without an embedder."""
        await self.refresh()
        return sum(1 for _ in self._index.stale()) if self.model else 0

    async def embed_again(self, done: Callable[[int], None]) -> int:
        """Computes missing vectors of the present embedder; returns how many items got one.

        `done` gets the number of items tried. Vectors of another model are not used; until then, items are found by
        words.

        Raises:
            ModelError: the embedder failed; vectors so far are kept.
        """
        if not self.model:
            return 0
        await self.refresh()
        waiting, given = list(self._index.stale()), 0
        for start in range(0, len(waiting), _BATCH):
            batch = waiting[start : start + _BATCH]
            vectors = await self._meaning.of_all(batch)
            amendments = [
                Amendment(id=item.id, vector=vector)
                for item, vector in zip(batch, vectors, strict=True)
                if vector is not None
            ]
            given += await self.store.amend_memories(self.space, amendments)
            done(len(batch))
        await self.refresh()
        logger.info("Stream embedded again", extra={"action": "stream_embedded", "count": given, "model": self.model})
        return given

    # --- keeping up with the store ---------------------------------------------------------------------------------

    async def refresh(self) -> None:
        """Reads the store's changes into the index, those of other servers included."""
        async with self._refreshing:
            parts: list[StreamChanges] = []
            try:
                await self._read_into(parts)
            finally:
                await self._take(parts)

    async def _read_into(self, parts: list[StreamChanges]) -> None:
        """Appends all changes since the last read to `parts`; if a read fails, those read so far."""
        parts.append(await self._changes_after(self._seen))
        while (last := parts[-1]).upto < last.latest:
            starts = range(last.upto, last.latest, _PART)[:_AT_ONCE]
            parts += await asyncio.gather(*map(self._changes_after, starts))

    async def _changes_after(self, change: int) -> StreamChanges:
        return await self.store.memory_changes(self.space, after=change, limit=_PART)

    async def _take(self, parts: Sequence[StreamChanges]) -> None:
        """Adds the changes to the index in the order in which items were made; every start gives the same index."""
        latest: dict[str, MemoryItem | None] = {}
        for part in parts:
            # First: an id that was erased may have been given again since.
            latest |= dict.fromkeys(part.removed)
            latest |= {item.id: item for item in part.items}
        for id_ in latest:
            if latest[id_] is None:
                self._index.drop(id_)
        items = sorted((item for item in latest.values() if item is not None), key=lambda item: item.seq)
        for start in range(0, len(items), _BREATH):
            self._index.put_all(items[start : start + _BREATH])
            await asyncio.sleep(0)
        if parts:
            self._seen = parts[-1].upto

    def _key(self, name: str, subject_uid: str) -> str:
        return conversation_uid(self.space, subject_uid, name)

    def _whole(self, name: str, subject_uid: str) -> Scope:
        return Scope(conversation_uid=self._key(name, subject_uid), subject_uid=subject_uid)
