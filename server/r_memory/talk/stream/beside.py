"""What stands beside the turns of a conversation: a few documents and a few items of other conversations. Pure."""

from collections.abc import Callable, Iterator, Sequence

from r_memory.domain.memories import MemoryItem, Scored, Tier

ItemOf = Callable[[str], MemoryItem | None]
"""The item of an id; `None` for one that is gone."""


def with_few_beside(
    ranked: Sequence[Scored], item_of: ItemOf, conversation_uid: str, *, documents: int, elsewhere: int
) -> tuple[Scored, ...]:
    """The ranked ones with at most so many that stand in documents, and so many of other conversations.

    Without a conversation nothing is beside it, and all are kept. Of a document's summary and what it was made of the
    better one stands for both.
    """
    if not conversation_uid:
        return tuple(ranked)
    kept: list[Scored] = []
    read: set[str] = set()
    others = 0
    for one in ranked:
        item = item_of(one.id)
        if item is None or item.conversation_uid == conversation_uid:
            kept.append(one)
        elif item.tier is Tier.DOCUMENT:
            if len(read) < documents and not _tells_the_same(one.id, read, item_of):
                kept.append(one)
                read.add(one.id)
        elif others < elsewhere:
            kept.append(one)
            others += 1
    return tuple(kept)


def behind_memories(ranked: Sequence[Scored], memory_of: Callable[[str], str]) -> tuple[Scored, ...]:
    """The ranked ones, each turn behind the memory that covers it, which takes its place if it ranks lower."""
    by_id = {one.id: one for one in ranked}
    kept: dict[str, Scored] = {}
    for one in ranked:
        memory = by_id.get(memory_of(one.id))
        if memory is not None:
            kept.setdefault(memory.id, memory)
        kept.setdefault(one.id, one)
    return tuple(kept.values())


def _tells_the_same(id_: str, taken: set[str], item_of: ItemOf) -> bool:
    return any(one in taken for one in _made_of(id_, item_of)) or any(
        id_ in set(_made_of(other, item_of)) for other in taken
    )


def _made_of(id_: str, item_of: ItemOf) -> Iterator[str]:
    """Ids of everything that an item was made of, at any remove."""
    item = item_of(id_)
    waiting = list(item.sources) if item else []
    while waiting:
        source = waiting.pop()
        yield source
        made = item_of(source)
        waiting += made.sources if made else ()
