"""Writes the values of a file that was checked into a space, each once.

Everything carries its own id, so that importing again adds nothing, and an import that was killed goes on.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from r_memory.domain.decisions import TurnDecision
from r_memory.domain.documents import Document
from r_memory.domain.events import Batch, ChainHead, FactEvent
from r_memory.domain.folding import fold_all
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.schema import Schema
from r_memory.domain.summaries import KeptSummary
from r_memory.protocols import Store
from r_memory.space.streamed import ALL, Streamed
from r_memory.space.transfer.file import people_of
from r_memory.space.transfer.values import Line, Person, about

_EVENTS = 100
"""In one transaction, with their facts."""
_ITEMS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of an import."""

    added: Mapping[str, int]
    """Kind of a line to how many were new here."""
    known: int
    """Lines that were here already."""
    left_out: int = 0
    """Lines about people who were erased here."""


class Importer:
    """Imports into one space."""

    def __init__(self, *, store: Store, kept: Streamed, schema: Schema) -> None:
        self._store = store
        self._kept = kept
        self._schema = schema

    async def restore(self, path: Path, *, without: Collection[str] = (), step: Callable[[], None]) -> Imported:
        """Writes what is not here yet, `without` everything about some subjects; `step` is called after each line.

        Raises:
            StoreUnavailable, NotStored: some of it is written; the same call goes on.
        """
        added: Counter[str] = Counter()
        lines = left_out = 0
        talk: list[Line] = []

        async def flush() -> None:
            added.update(await self._talk([line.value for line in talk]))
            talk.clear()

        for part in people_of(path):
            if isinstance(part, Person):
                size = 1 + len(part.statements) + len(part.events) + len(part.receipts)
                if part.subject.uid in without:
                    left_out += size
                else:
                    added.update(await self._person(part))
            elif about(part.value) in without:
                size = 1
                left_out += size
            else:
                talk.append(part)
                if len(talk) >= _ITEMS:
                    await flush()
                size = 1
            lines += size
            for _ in range(size):
                step()
        await flush()
        return Imported(added=dict(added), known=lines - left_out - sum(added.values()), left_out=left_out)

    async def _person(self, person: Person) -> Mapping[str, int]:
        subject = person.subject
        new = not await self._store.subjects(subject.space, subject.type, id_=subject.id)
        await self._store.declare_subject(subject)
        said = {episode.id for episode in await self._store.episodes(subject.space, subject.uid)}
        statements = [episode for episode in person.statements if episode.id not in said]
        for episode in statements:
            await self._store.add_episode(episode)
        here = len(await self._store.events(subject.uid))
        for start in range(here, len(person.events), _EVENTS):
            await self._append(person, start)
        shown = {receipt.id for receipt in await self._store.receipts(subject.space, subject.uid, limit=ALL)}
        receipts = [receipt for receipt in person.receipts if receipt.id not in shown]
        for receipt in receipts:
            await self._store.add_receipt(receipt)
        return {
            "subject": int(new),
            "statement": len(statements),
            "event": max(len(person.events) - here, 0),
            "receipt": len(receipts),
        }

    async def _append(self, person: Person, start: int) -> None:
        before, events = person.events[:start], person.events[start : start + _EVENTS]
        touched = {event.fact_id for event in events}
        known: list[FactEvent] = [event for event in (*before, *events) if event.fact_id in touched]
        previous = ChainHead().after(before)
        await self._store.append(
            Batch(
                subject=person.subject,
                events=events,
                facts=fold_all(known, scale=self._schema.severity.grades),
                episode=None,
                previous=previous,
                head=previous.after(events, earlier=before),
            )
        )

    async def _talk(self, values: Sequence[object]) -> Mapping[str, int]:
        items = [value for value in values if isinstance(value, MemoryItem)]
        return {
            "item": await self._items(items),
            "summary": sum([await self._summary(one) for one in values if isinstance(one, KeptSummary)]),
            "decision": await self._decisions([one for one in values if isinstance(one, TurnDecision)]),
            "document": sum([await self._document(one) for one in values if isinstance(one, Document)]),
        }

    async def _items(self, items: Sequence[MemoryItem]) -> int:
        here = {item.id for item in await self._kept.stream.memories(self._kept.space, [item.id for item in items])}
        missing = [item for item in items if item.id not in here]
        for _, together in groupby(missing, key=lambda item: (item.conversation_uid, item.tier is Tier.TURN)):
            await self._kept.stream.add_memories(tuple(together))
        return len(missing)

    async def _summary(self, summary: KeptSummary) -> int:
        newest = await self._kept.conversations.summaries(summary.space, summary.conversation_uid)
        if newest and newest[0].version >= summary.version:
            return 0
        await self._kept.conversations.add_summary(summary)
        return 1

    async def _decisions(self, decisions: Sequence[TurnDecision]) -> int:
        if not decisions:
            return 0
        here = {one.id for one in await self._kept.decisions()}
        missing = [one for one in decisions if one.id not in here]
        for one in missing:
            await self._kept.conversations.add_decision(one)
        return len(missing)

    async def _document(self, document: Document) -> int:
        here = await self._kept.conversations.documents(document.space, document.id)
        if here and here[0].read >= document.read:
            return 0
        await self._kept.conversations.put_document(document)
        return 1
