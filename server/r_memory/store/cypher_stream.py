"""The conversational memory over Cypher, beside the ledger in the same database.

Knows which queries make up each operation of `StreamStore`. One writer of a space is let in at a time: here by a lock,
among servers by the database.
"""

import asyncio
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from r_memory.domain.instants import Instant
from r_memory.domain.memories import Amendment, MemoryItem, StreamChanges, Tier, check_together
from r_memory.domain.storable import check_values
from r_memory.errors import WriteConflict
from r_memory.store import entries
from r_memory.store.bolt import ERASING_LIMIT_S, Bolt, Row
from r_memory.store.conversation_rows import (
    LISTED,
    accessed_properties,
    amended_properties,
    memory_of,
    memory_properties,
)
from r_memory.store.library import Library
from r_memory.store.properties import Properties, Unreadable, properties_in, whole_in


class CypherStream:
    """A `StreamStore` over one database, which somebody else has prepared and closes."""

    def __init__(self, bolt: Bolt, library: Library, writing: Mapping[str, asyncio.Lock] | None = None) -> None:
        """`writing` lets one writer of a space in at a time, for whoever else writes to the log of the space."""
        self._bolt = bolt
        self._library = library
        self._writing = defaultdict(asyncio.Lock) if writing is None else writing

    async def add_memories(self, items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
        """As in `StreamStore`.

        Raises:
            InvalidInput: they are of several conversations, or of turns and other tiers.
        """
        if not items:
            return ()
        check_values(items)
        check_together(items)
        first = items[0]
        rows = await self._write(
            first.space,
            "stream/add_memories",
            conversation_uid=first.conversation_uid,
            conversation={
                "uid": first.conversation_uid,
                "space": first.space,
                "subject_uid": first.subject_uid,
                "id": first.conversation,
            },
            numbered=int(first.tier is Tier.TURN),
            rows=[_entered(item) for item in items],
            log=entries.space_log(first.space),
        )
        places = {str(row["id"]): (whole_in(row, "index"), whole_in(row, "change")) for row in rows}
        known = {item.id: item for item in await self.memories(first.space, _missing(items, places))}
        return tuple(_placed(item, places) if item.id in places else known[item.id] for item in items)

    async def memories(self, space: str, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """As in `StreamStore`."""
        check_values((space, tuple(ids)))
        if not ids:
            return ()
        rows = await self._read("stream/read_memories", space=space, ids=sorted(set(ids)))
        return tuple(memory_of(properties_in(row, "memory")) for row in rows)

    async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
        """As in `StreamStore`."""
        found = await self._read("stream/read_latest", space=space)
        latest = whole_in(found[0], "latest") if found else 0
        upto = min(latest, after + limit)
        if upto <= after:
            return StreamChanges(items=(), removed=(), upto=latest, latest=latest)
        rows = await self._read("stream/read_changes", space=space, after=after, upto=upto)
        changed = sorted(
            (one for row in rows for one in _listed(row, "memories")), key=lambda one: whole_in(one, "change")
        )
        return StreamChanges(
            items=tuple(memory_of(one) for one in changed if one["removed_id"] is None),
            removed=tuple(str(one["removed_id"]) for one in changed if one["removed_id"] is not None),
            upto=upto,
            latest=latest,
        )

    async def amend_memories(self, space: str, amendments: Sequence[Amendment]) -> int:
        """As in `StreamStore`."""
        check_values(tuple(amendments))
        return await self._changed(space, [{"id": one.id, "properties": amended_properties(one)} for one in amendments])

    async def touch_memories(self, space: str, ids: Sequence[str], *, at: Instant) -> int:
        """As in `StreamStore`."""
        return await self._changed(
            space, [{"id": id_, "properties": accessed_properties(at)} for id_ in dict.fromkeys(ids)]
        )

    async def remove_memories(
        self, space: str, conversation_uid: str, ids: Sequence[str], *, turns: int, left: int
    ) -> int:
        """As in `StreamStore`.

        Raises:
            WriteConflict: the conversation does not have `turns` turns any more.
        """
        if not ids:
            return 0
        rows = await self._write(
            space,
            "stream/remove_memories",
            conversation_uid=conversation_uid,
            turns=turns,
            left=left,
            limit_s=ERASING_LIMIT_S,
            rows=[{"id": id_, "marker": _marker(space, id_)} for id_ in dict.fromkeys(ids)],
            **entries.noted("removed", space),
        )
        if not rows:
            raise WriteConflict("somebody else added to this conversation, or removed from it, first; look again")
        return whole_in(rows[0], "removed")

    async def _changed(self, space: str, rows: Sequence[Mapping[str, object]]) -> int:
        if not rows:
            return 0
        found = await self._write(space, "stream/amend_memories", rows=list(rows))
        return whole_in(found[0], "amended") if found else 0

    async def _write(self, space: str, name: str, *, limit_s: float | None = None, **parameters: object) -> list[Row]:
        async with self._writing[space]:
            return await self._bolt.write_one(self._library[name], {"space": space, **parameters}, limit_s=limit_s)

    async def _read(self, name: str, **parameters: object) -> list[Row]:
        return await self._bolt.read(self._library[name], parameters)


def _entered(item: MemoryItem) -> dict[str, object]:
    stored, leaf = entries.logged_in_part("item", memory_properties(item))
    return {"id": item.id, "item": stored, "leaf": leaf, **entries.added([leaf])}


def _marker(space: str, id_: str) -> dict[str, object]:
    # A key of its own: the id is free again, and may be removed again.
    return {"space": space, "id": f"{id_}#removed-{uuid.uuid4().hex}", "removed_id": id_}


def _missing(items: Sequence[MemoryItem], places: Mapping[str, tuple[int, int]]) -> list[str]:
    return [item.id for item in items if item.id not in places]


def _placed(item: MemoryItem, places: Mapping[str, tuple[int, int]]) -> MemoryItem:
    index, change = places[item.id]
    return replace(item, index=index, seq=change, change=change)


def _listed(row: Row, column: str) -> list[Properties]:
    value = row[column]
    if not isinstance(value, list) or not all(isinstance(one, list) for one in value):
        raise Unreadable(column)
    try:
        return [dict(zip(LISTED, one, strict=True)) for one in value]
    except ValueError as error:
        raise Unreadable(column) from error
