"""The conversational memory over Cypher, beside the ledger in the same database.

It knows the queries of each operation of `StreamStore`. Writers of a space run one at a time: within a process by a
lock, among servers by the database.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from r_memory.domain.instants import Instant
from r_memory.domain.memories import Amendment, MemoryItem, StreamChanges, Tier, check_together
from r_memory.domain.storable import check_values
from r_memory.errors import WriteConflict
from r_memory.store import entries
from r_memory.store.bolt import ERASING_LIMIT_S
from r_memory.store.bolt_wire import Row
from r_memory.store.library import Graph
from r_memory.store.properties import Properties, Unreadable, instant_properties, whole_in
from r_memory.store.rows import AMENDMENT, LISTED, NEW_ITEM, memory_of, of_conversation


class CypherStream:
    """A `StreamStore` on a database that its owner prepares and closes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def add_memories(self, items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
        if not items:
            return ()
        check_values(items)
        check_together(items)
        first = items[0]
        rows = await self._graph.write_in(
            first.space,
            "stream/add_memories",
            **of_conversation(first),
            numbered=int(first.tier is Tier.TURN),
            rows=[_entered(item) for item in items],
            log=entries.space_log(first.space),
        )
        places = {str(row["id"]): (whole_in(row, "index"), whole_in(row, "change")) for row in rows}
        missing = [item.id for item in items if item.id not in places]
        known = {item.id: item for item in await self.memories(first.space, missing)}
        for item in items:
            if item.id in places:
                index, change = places[item.id]
                known[item.id] = replace(item, index=index, seq=change, change=change)
        return tuple(known[item.id] for item in items)

    async def memories(self, space: str, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        if not ids:
            return ()
        wanted = sorted(set(ids))
        return await self._graph.values("stream/read_memories", "memory", memory_of, space=space, ids=wanted)

    async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
        found = await self._graph.read("stream/read_latest", space=space)
        latest = whole_in(found[0], "latest") if found else 0
        upto = min(latest, after + limit)
        if upto <= after:
            return StreamChanges(items=(), removed=(), upto=latest, latest=latest)
        rows = await self._graph.read("stream/read_changes", space=space, after=after, upto=upto)
        changed = sorted((item for row in rows for item in _listed(row)), key=lambda one: whole_in(one, "change"))
        return StreamChanges(
            items=tuple(memory_of(item) for item in changed if item["removed_id"] is None),
            removed=tuple(str(item["removed_id"]) for item in changed if item["removed_id"] is not None),
            upto=upto,
            latest=latest,
        )

    async def amend_memories(self, space: str, amendments: Sequence[Amendment]) -> int:
        check_values(tuple(amendments))
        return await self._changed(
            space, [{"id": amendment.id, "properties": AMENDMENT.properties(amendment)} for amendment in amendments]
        )

    async def touch_memories(self, space: str, ids: Sequence[str], *, at: Instant) -> int:
        accessed = instant_properties("accessed_at", at)
        return await self._changed(space, [{"id": id_, "properties": accessed} for id_ in dict.fromkeys(ids)])

    async def remove_memories(
        self, space: str, conversation_uid: str, ids: Sequence[str], *, turns: int, left: int
    ) -> int:
        if not ids:
            return 0
        rows = await self._graph.write_in(
            space,
            "stream/remove_memories",
            conversation_uid=conversation_uid,
            turns=turns,
            left=left,
            limit_s=ERASING_LIMIT_S,
            # A marker has a key of its own: the id is free again, and may be removed again.
            rows=[
                {"id": id_, "marker": {"space": space, "id": f"{id_}#removed-{uuid.uuid4().hex}", "removed_id": id_}}
                for id_ in dict.fromkeys(ids)
            ],
            **entries.noted("removed", space),
        )
        if not rows:
            raise WriteConflict("somebody else added to this conversation, or removed from it, first; look again")
        return whole_in(rows[0], "removed")

    async def _changed(self, space: str, rows: Sequence[Mapping[str, object]]) -> int:
        found = await self._graph.write_in(space, "stream/amend_memories", rows=list(rows)) if rows else ()
        return whole_in(found[0], "amended") if found else 0


def _entered(item: MemoryItem) -> dict[str, object]:
    stored, leaf = entries.logged("item", NEW_ITEM.properties(item))
    return {"id": item.id, "item": stored, "leaf": leaf, **entries.added([leaf])}


def _listed(row: Row) -> list[Properties]:
    try:
        return [dict(zip(LISTED, item, strict=True)) for item in row["memories"]]
    except (TypeError, ValueError) as error:
        raise Unreadable("memories") from error
