"""Which items were made of which, and what a search sees of them: layers, and a few places beside a conversation.

Nothing is erased by becoming part of something else; a search chooses the layer that it looks at. Knows no rows.
"""

from collections.abc import Callable, Iterator, Sequence

from r_memory.domain.memories import MemoryItem, Scored, Tier

MEMORIES = frozenset({Tier.MEDIUM, Tier.LONG})
ItemOf = Callable[[str], MemoryItem | None]
"""Returns the item with an id; `None` if it is gone."""


def behind_memories(ranked: Sequence[Scored], memory_of: Callable[[str], str]) -> tuple[Scored, ...]:
    """Returns the ranked items; a memory ranked below one of its turns takes that turn's place."""
    by_id = {item.id: item for item in ranked}
    kept: dict[str, Scored] = {}
    for item in ranked:
        memory = by_id.get(memory_of(item.id))
        if memory is not None:
            kept.setdefault(memory.id, memory)
        kept.setdefault(item.id, item)
    return tuple(kept.values())


def with_few_beside(
    ranked: Sequence[Scored], item_of: ItemOf, conversation_uid: str, *, documents: int, elsewhere: int
) -> tuple[Scored, ...]:
    """Returns the ranked items, limited to `documents` from documents and `elsewhere` from other conversations.

    Without a conversation all are kept. Of a document's summary and its sources only the best stays.
    """
    if not conversation_uid:
        return tuple(ranked)
    kept: list[Scored] = []
    read: set[str] = set()
    others = 0
    for each in ranked:
        item = item_of(each.id)
        if item is not None and item.conversation_uid != conversation_uid:
            if item.tier is Tier.DOCUMENT:
                if len(read) >= documents or _tells_the_same(each.id, read, item_of):
                    continue
                read.add(each.id)
            elif others >= elsewhere:
                continue
            else:
                others += 1
        kept.append(each)
    return tuple(kept)


def made_of(id_: str, item_of: ItemOf) -> Iterator[str]:
    """Yields the ids of all direct and indirect sources of an item."""
    waiting = [id_]
    seen: set[str] = set()
    while waiting:
        item = item_of(waiting.pop())
        for source in item.sources if item else ():
            if source not in seen:
                seen.add(source)
                waiting.append(source)
                yield source


def _tells_the_same(id_: str, taken: set[str], item_of: ItemOf) -> bool:
    own = set(made_of(id_, item_of))
    return not own.isdisjoint(taken) or any(id_ in made_of(other, item_of) for other in taken)
