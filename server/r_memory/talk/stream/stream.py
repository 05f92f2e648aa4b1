"""The conversational memory of one space: append after a turn, search, use, roll back, export, reset.

Knows in which order things happen. What is stored is the store's business, what is similar the index's, what counts the
profile's. Searching never writes; an item's access time moves only when somebody says that it was used.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

import numpy as np

from r_memory.domain.instants import Instant
from r_memory.domain.memories import Amendment, MemoryItem, Scored, StreamChanges, Tier, conversation_uid, importance_of
from r_memory.errors import InvalidInput, WriteConflict
from r_memory.protocols import Clock, Embedder, Floats, StreamStore
from r_memory.talk.controller.familiar import Familiar, opens
from r_memory.talk.stream.beside import behind_memories, with_few_beside
from r_memory.talk.stream.candidates import Gathered, gathered
from r_memory.talk.stream.index import Scope, StreamIndex
from r_memory.talk.stream.layers import Layer
from r_memory.talk.stream.meaning import Meaning
from r_memory.talk.stream.scoring import DEFAULT, SCORINGS, Scoring
from r_memory.talk.stream.values import FLAG_IMPORTANCE, Hit, NewTurn, SearchResult, StreamSettings
from r_memory.talk.stream.words import search_query
from r_memory.talk.watch import Watch

logger = logging.getLogger(__name__)

_BATCH = 256
"""Items that are embedded again by one call."""
_ATTEMPTS = 5
_PART = 1_000
"""Changes of one read: its items are made in one go, and nobody else gets a turn meanwhile."""
_AT_ONCE = 3
"""Reads at once: the store looks the next items up while these are unpacked."""
_BREATH = 100
"""Items that are indexed before others get their turn: a large stream takes seconds at its first use."""


class Stream:
    """One space's conversational memory."""

    def __init__(
        self,
        *,
        space: str,
        store: StreamStore,
        embedder: Embedder | None,
        clock: Clock,
        new_id: Callable[[], str],
        settings: StreamSettings | None = None,
    ) -> None:
        self.space = space
        self.settings = settings or StreamSettings()
        self._store = store
        self._meaning = Meaning(embedder, limit_s=self.settings.embed_limit_s)
        self._clock = clock
        self._new_id = new_id
        self._index = StreamIndex(
            model=self._meaning.model,
            dimensions=self._meaning.dimensions,
            settings=self.settings.bm25,
        )
        self._seen = 0
        """Newest change that the index knows."""
        self._refreshing = asyncio.Lock()
        self._appending: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each conversation that somebody adds to at this moment."""

    @property
    def model(self) -> str:
        """The present embedder; empty without one."""
        return self._meaning.model

    async def append(self, new: NewTurn) -> MemoryItem:
        """Stores a turn that was answered, durable on return, and gives what is stored.

        Turns of one conversation are stored one after the other, in the order of the calls. A vector that cannot be
        had or used costs the vector, never the item.

        Raises:
            InvalidInput: nothing was said, or it cannot be stored.
            StoreUnavailable: nothing was stored.
        """
        (item,) = await self.append_all([new])
        return item

    async def append_all(self, turns: Sequence[NewTurn]) -> tuple[MemoryItem, ...]:
        """Stores several turns of one conversation together: all or none.

        Raises:
            InvalidInput, StoreUnavailable: as in `append`.
        """
        if not turns:
            return ()
        key = conversation_uid(self.space, turns[0].subject_uid, turns[0].conversation)
        async with self._appending.setdefault(key, asyncio.Lock()):
            items = [self._item(new) for new in turns]
            vectors = await self._meaning.of_items([item.gist for item in items])
            return await self._store.add_memories(
                [replace(item, vector=vector) for item, vector in zip(items, vectors, strict=True)]
            )

    async def search(
        self,
        text: str,
        *,
        conversation: str | None = None,
        subject_uid: str = "",
        scoring: Scoring = SCORINGS[DEFAULT],
        k: int | None = None,
        skip_last: int = 0,
        recent: Sequence[str] = (),
        window: int | None = None,
        without: Collection[str] = (),
        layer: Layer = Layer.LATEST,
        documents: int = 0,
        elsewhere: int = 0,
        now: Instant | None = None,
    ) -> SearchResult:
        """Items that bear on a question; changes nothing, so that probes can be asked one by one.

        `conversation` confines it to one conversation about the subject, `None` to the subject, and without a subject
        to nothing but the space. `k` is clamped to what there is; 0 chooses none. `skip_last` leaves out the newest
        turns. Of the messages `recent`, the last `window` belong to the question and count half as much. `layer` says
        whether turns or what was made of them are searched. Within a conversation at most `documents` of the chosen
        stand in documents about the subject or nobody, at most `elsewhere` in the subject's other conversations.

        Raises:
            InvalidInput: `k` is negative.
            StoreUnavailable: the stream could not be read.
        """
        number = self.settings.k if k is None else k
        if number < 0:
            raise InvalidInput(f"k is {number}; give 0 for none, or how many items to choose")
        watch = Watch()
        await self.refresh()
        watch.lap("refresh")
        before = self._before(recent, window)
        vector, trouble = await self._meaning.of_question(text, before=before)
        watch.lap("embed")
        own = "" if conversation is None else conversation_uid(self.space, subject_uid, conversation)
        scope = Scope(
            conversation_uid=own,
            subject_uid=subject_uid,
            skip_last=skip_last,
            without=frozenset(without),
            layer=layer,
            documents=documents > 0 if own else bool(subject_uid),
            elsewhere=elsewhere > 0,
        )
        found = self._gathered(text, before, vector, scope, now=now, scoring=scoring)
        watch.lap("gather")
        ranked = scoring.score(found.question, found.candidates)
        if layer is Layer.BEHIND:
            ranked = behind_memories(ranked, self._index.memory_of)
        eligible = with_few_beside(ranked, self._index.get, own, documents=documents, elsewhere=elsewhere)
        chosen = self._hits(scoring.choose(eligible, number))
        watch.lap("score")
        return SearchResult(chosen, ranked, found.searched, found.unmeant, trouble, watch.laps)

    def _before(self, recent: Sequence[str], window: int | None) -> str:
        last = self.settings.window if window is None else window
        return "\n".join(recent[-last:] if last else ())

    def _hits(self, chosen: Sequence[Scored]) -> tuple[Hit, ...]:
        items = ((one, self._index.get(one.id)) for one in chosen)
        return tuple(
            Hit(item=item, score=one.score, components=one.components) for one, item in items if item is not None
        )

    def has_documents(self, subject_uid: str) -> bool:
        """Whether there are documents about the subject or about nobody in particular, as of the last read."""
        return self._index.has_documents(subject_uid)

    def has_elsewhere(self, conversation: str, subject_uid: str) -> bool:
        """Whether there is something of the subject's other conversations, as of the last read."""
        return self._index.has_elsewhere(conversation_uid(self.space, subject_uid, conversation), subject_uid)

    def is_about_stored(
        self, question: str, familiar: Familiar, *, conversation: str, subject_uid: str, elsewhere: bool
    ) -> bool:
        """Whether the question is about an item that a turn may find, as of the last read; see `familiar`."""
        weights = familiar.weights(question, self._index.languages)
        scope = replace(self._whole(conversation, subject_uid), documents=True, elsewhere=elsewhere)
        return opens(self._index.most_held(weights, scope), weights)

    async def everyone(self) -> tuple[tuple[str, str], ...]:
        """Every conversation with turns, and the uid of whom it is about.

        Raises:
            StoreUnavailable: the stream could not be read.
        """
        await self.refresh()
        turns = (item for item in self._index.within(Scope()) if item.tier is Tier.TURN)
        return tuple(dict.fromkeys((item.conversation, item.subject_uid) for item in turns))

    async def rested(self, subject_uid: str, *, since: Instant, least: int) -> tuple[str, ...]:
        """Conversations about a subject in which nothing was said since, with so many turns that are in no memory.

        Raises:
            StoreUnavailable: the stream could not be read.
        """
        await self.refresh()
        return self._index.rested(subject_uid, before=since, least=least)

    async def use(self, ids: Collection[str]) -> int:
        """Records that items stood in a context: their recency begins anew. Gives how many there were."""
        return await self._store.touch_memories(self.space, list(ids), at=self._clock.now())

    async def conversation(
        self, name: str, *, subject_uid: str = "", last: int | None = None
    ) -> tuple[MemoryItem, ...]:
        """Turns of one conversation, oldest first; the newest `last` of them if given.

        Raises:
            StoreUnavailable: the stream could not be read.
        """
        turns = [item for item in await self.items(name, subject_uid=subject_uid) if item.tier is Tier.TURN]
        turns.sort(key=lambda item: item.index)
        return tuple(turns if last is None else turns[max(0, len(turns) - last) :])

    async def items(self, name: str, *, subject_uid: str = "") -> tuple[MemoryItem, ...]:
        """Everything of one conversation, turns and what was made of them, in the order of storing.

        Raises:
            StoreUnavailable: the stream could not be read.
        """
        await self.refresh()
        return self._index.within(self._whole(name, subject_uid))

    async def standing(self, name: str, *, subject_uid: str = "") -> tuple[MemoryItem, ...]:
        """What is part of no memory in a conversation: turns that none covers yet, and memories not consolidated.

        In the order of storing, documents included.

        Raises:
            StoreUnavailable: the stream could not be read.
        """
        await self.refresh()
        return self._index.within(replace(self._whole(name, subject_uid), layer=Layer.MEMORIES))

    async def likeness(self, ids: Sequence[str], text: str = "") -> Floats:
        """Cosines of items with one another, or of a text with each (one row); 0 where one of two has no vector.

        Without an embedder, or when it fails, nothing is like anything.

        Raises:
            StoreUnavailable: the stream could not be read.
        """
        vector = None
        if text:
            vector, _ = await self._meaning.of_question(text)
            if vector is None:
                return np.zeros((1, len(ids)), dtype=np.float32)
        await self.refresh()
        return self._index.likeness(ids, vector)

    async def renew(self, id_: str, *, importance: int, sources: Sequence[str]) -> bool:
        """Records that a memory was met again: it counts as used now, with this importance and these sources.

        Gives whether there is such a memory.

        Raises:
            StoreUnavailable: nothing was changed.
        """
        amendment = Amendment(id=id_, importance=importance, sources=tuple(sources))
        return bool(await self._store.amend_memories(self.space, [amendment])) and bool(await self.use([id_]))

    async def roll_back(self, name: str, *, to: int, subject_uid: str = "") -> int:
        """Erases every turn of a conversation after turn `to`, and what was made of those turns; how many items.

        Raises:
            InvalidInput: `to` is negative.
            WriteConflict: others kept adding to the conversation.
            StoreUnavailable: nothing was erased.
        """
        if to < 0:
            raise InvalidInput(f"a conversation cannot be rolled back to turn {to}; give 0 or more")
        for _ in range(_ATTEMPTS):
            try:
                return await self._rolled_back(name, subject_uid, to)
            except WriteConflict:
                continue
        raise WriteConflict("somebody keeps adding to this conversation; try again when it rests")

    async def reset(self, name: str, *, subject_uid: str = "") -> int:
        """Erases a conversation from the stream, with everything made of it; how many items.

        Raises:
            WriteConflict, StoreUnavailable: as in `roll_back`.
        """
        return await self.roll_back(name, to=0, subject_uid=subject_uid)

    async def unmeant(self) -> int:
        """Items that have no vector of the present embedder yet."""
        await self.refresh()
        return self._index.unmeant if self.model else 0

    async def embed_again(self, done: Callable[[int], None]) -> int:
        """Gives every item a vector of the present embedder; how many got one. `done` is told how many were tried.

        Vectors of another model stay unused from the first moment on; items are found by their words meanwhile.

        Raises:
            ModelError: the embedder gave up; what was done is kept.
            StoreUnavailable: as above.
        """
        if not self.model:
            return 0
        await self.refresh()
        waiting, given = list(self._index.stale()), 0
        for start in range(0, len(waiting), _BATCH):
            batch = waiting[start : start + _BATCH]
            vectors = await self._meaning.of_all([item.gist for item in batch])
            amendments = [
                Amendment(id=item.id, vector=vector)
                for item, vector in zip(batch, vectors, strict=True)
                if vector is not None
            ]
            given += await self._store.amend_memories(self.space, amendments)
            done(len(batch))
        await self.refresh()
        logger.info("Stream embedded again", extra={"action": "stream_embedded", "count": given, "model": self.model})
        return given

    async def refresh(self) -> None:
        """Makes the index as new as the store: what other servers wrote is seen as well.

        Raises:
            StoreUnavailable: the store could not be read; the index stays as it was.
        """
        async with self._refreshing:
            parts: list[StreamChanges] = []
            try:
                await self._read_into(parts)
            finally:
                await self._take(parts)

    async def _read_into(self, parts: list[StreamChanges]) -> None:
        """Adds everything after the last change that the index knows, in parts; those that were read, if it fails."""
        parts.append(await self._changes_after(self._seen))
        while (last := parts[-1]).upto < last.latest:
            starts = range(last.upto, last.latest, _PART)[:_AT_ONCE]
            parts += await asyncio.gather(*map(self._changes_after, starts))

    async def _changes_after(self, change: int) -> StreamChanges:
        return await self._store.memory_changes(self.space, after=change, limit=_PART)

    async def _take(self, parts: Sequence[StreamChanges]) -> None:
        """Makes the index know them, in the order in which items were made: it is then the same after every start."""
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

    def _gathered(
        self, text: str, before: str, vector: Floats | None, scope: Scope, *, now: Instant | None, scoring: Scoring
    ) -> Gathered:
        return gathered(
            self._index,
            search_query(text, self._index.languages, before=before),
            vector,
            scope,
            text="\n".join(filter(None, (before, text))),
            now=self._clock.now() if now is None else now,
            limit=self.settings.candidates,
            reads_text=scoring.reads_text,
        )

    def _item(self, new: NewTurn) -> MemoryItem:
        now = self._clock.now()
        importance, read = importance_of(new.importance)
        said_at = now if new.said_at is None else new.said_at
        return MemoryItem(
            id=new.key or self._new_id(),
            space=self.space,
            conversation=new.conversation,
            subject_uid=new.subject_uid,
            speaker=new.speaker,
            observation=new.observation,
            responder=new.responder,
            response=new.response,
            summary=new.summary,
            tier=new.tier,
            sources=new.sources,
            importance=importance,
            flags=new.flags if read or new.importance is None else (*new.flags, FLAG_IMPORTANCE),
            created_at=said_at,
            accessed_at=said_at,
        )

    def _whole(self, name: str, subject_uid: str) -> Scope:
        return Scope(conversation_uid=conversation_uid(self.space, subject_uid, name), subject_uid=subject_uid)

    async def _rolled_back(self, name: str, subject_uid: str, to: int) -> int:
        await self.refresh()
        items = self._index.within(self._whole(name, subject_uid))
        turns = [item for item in items if item.tier is Tier.TURN]
        gone = {item.id for item in turns if item.index > to}
        others = (item for item in items if item.tier is not Tier.TURN)
        made = [item.id for item in others if to == 0 or _rests_on(item, gone, items)]
        if not (gone or made):
            return 0
        key = conversation_uid(self.space, subject_uid, name)
        latest = max((item.index for item in turns), default=0)
        ids = [*sorted(gone), *made]
        removed = await self._store.remove_memories(self.space, key, ids, turns=latest, left=min(to, latest))
        await self.refresh()
        logger.info("Stream rolled back", extra={"action": "stream_removed", "count": removed, "left": to})
        return removed


def as_pairs(items: Sequence[MemoryItem]) -> list[dict[str, str]]:
    """Turns as pairs of user and system, for JSON."""
    return [{"user": item.observation, "system": item.response} for item in items]


def as_text(items: Sequence[MemoryItem]) -> str:
    """Turns as plain text, each under its number."""
    return "\n\n".join(f"[Turn {item.index}]\n{item.raw}" for item in items)


def _rests_on(item: MemoryItem, gone: Collection[str], items: Sequence[MemoryItem]) -> bool:
    """Whether an item was made of erased turns, at any remove."""
    sources = {one.id: one.sources for one in items}
    waiting, seen = list(item.sources), set[str]()
    while waiting:
        id_ = waiting.pop()
        if id_ in gone:
            return True
        if id_ not in seen:
            seen.add(id_)
            waiting += sources.get(id_, ())
    return False
