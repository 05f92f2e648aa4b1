"""Writes everything that a space holds, or holds about one subject, into a file.

Reads subject by subject and page by page; what is recorded meanwhile is in the file or not, never half of it.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from r_memory.domain.facts import Entity
from r_memory.domain.instants import iso_seconds
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.protocols import Clock, Store
from r_memory.space.streamed import ALL, Streamed
from r_memory.space.transfer.file import written
from r_memory.space.transfer.values import Exportable, Header

_PAGE = 200


class Exporter:
    """Exports one space."""

    def __init__(self, *, store: Store, kept: Streamed, schema: Schema, knowledge: Knowledge, clock: Clock) -> None:
        self._store = store
        self._kept = kept
        self._schema = schema
        self._knowledge = knowledge
        self._clock = clock

    async def export(
        self, path: Path, subjects: Sequence[Entity], *, only: Entity | None, step: Callable[[], None]
    ) -> Header:
        """Writes the file, all of it or nothing; `step` is called after each subject.

        With `only`, the conversational memory about that subject; without, all of it.

        Raises:
            InvalidInput: nothing can be written there.
            StoreUnavailable: it could not be read; there is no file.
        """
        with written(path) as writer:
            for subject in subjects:
                async for value in self._ledger(subject):
                    writer.add(value)
                step()
            async for value in self._talk("" if only is None else only.uid):
                writer.add(value)
            return writer.finish(
                Header(
                    space=self._kept.space,
                    subject="" if only is None else only.id,
                    exported_at=iso_seconds(self._clock.now()),
                    schema=self._schema.name,
                    schema_version=self._schema.version,
                    pack=self._knowledge.name,
                    pack_version=self._knowledge.version,
                )
            )

    async def _ledger(self, subject: Entity) -> AsyncIterator[Exportable]:
        # Events first: what they rest on was said before, and is then among the statements.
        events = await self._store.events(subject.uid)
        yield subject
        for said in await self._store.episodes(subject.space, subject.uid):
            yield said
        for event in events:
            yield event
        for receipt in reversed(await self._store.receipts(subject.space, subject.uid, limit=ALL)):
            yield receipt

    async def _talk(self, subject_uid: str) -> AsyncIterator[Exportable]:
        """Items in the order in which they came, so that turns get their numbers again."""
        places = sorted([(item.seq, item.id, item.conversation_uid) async for item in self._kept.items(subject_uid)])
        for start in range(0, len(places), _PAGE):
            ids = [id_ for _, id_, _ in places[start : start + _PAGE]]
            for item in sorted(await self._kept.stream.memories(self._kept.space, ids), key=lambda item: item.seq):
                # Their order says it; the numbers are the store's own.
                yield replace(item, seq=0, change=0)
        for uid in sorted({uid for _, _, uid in places}):
            for summary in reversed(await self._kept.conversations.summaries(self._kept.space, uid, limit=ALL)):
                yield summary
        for decision in await self._kept.decisions(subject_uid):
            yield decision
        for document in await self._kept.documents(subject_uid):
            yield document
