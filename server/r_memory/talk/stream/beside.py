"""Documents beside the turns of a conversation: at most a few, and nothing of them twice. Pure."""

from collections.abc import Callable, Iterator, Sequence

from r_memory.domain.memories import MemoryItem, Scored, Tier

ItemOf = Callable[[str], MemoryItem | None]
"""The item of an id; `None` for one that is gone."""


def with_few_documents(
    ranked: Sequence[Scored], item_of: ItemOf, *, most: int, conversation: str
) -> tuple[Scored, ...]:
    """The ranked ones with at most `most` that stand in documents; those of the conversation itself always count.

    Of a summary and what it was made of the better one stands for both.
    """
    kept: list[Scored] = []
    taken: set[str] = set()
    for one in ranked:
        item = item_of(one.id)
        if item is None or item.tier is not Tier.DOCUMENT or item.conversation == conversation:
            kept.append(one)
        elif len(taken) < most and not _tells_the_same(one.id, taken, item_of):
            kept.append(one)
            taken.add(one.id)
    return tuple(kept)


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
