"""A conversation by its tiers, and what consolidating it would do: what people look at. Changes nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.memories import MemoryItem, Tier
from r_memory_talk.stream.stream import Stream
from r_memory_talk.tiers.tiers import Pair, Tiers, memories_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiered:
    """A conversation divided by tiers."""

    short: tuple[MemoryItem, ...]
    """The last turns, as they were said."""
    waiting: tuple[MemoryItem, ...]
    """Older turns without a memory."""
    medium: tuple[MemoryItem, ...]
    long: tuple[MemoryItem, ...]
    consolidated: Mapping[str, Sequence[str]]
    """Id of a memory to the long memories that include it; it stays stored, and searches leave it out."""
    windows: tuple[tuple[str, ...], ...]
    """Ids of the turns in each memory that consolidating would make."""
    pairs: tuple[Pair, ...]
    """Memories that consolidating would join, nearest first; new ones may add more."""


async def tiered(stream: Stream, tiers: Tiers, conversation: str, *, subject_uid: str = "") -> Tiered:
    """Returns the conversation by tiers, the parts of memories, and the first steps of `Tiers.consolidate`.

    Asks no model.

    Raises:
        StoreUnavailable: the stream could not be read.
    """
    turns = await stream.conversation(conversation, subject_uid=subject_uid)
    memories = memories_of(await stream.items(conversation, subject_uid=subject_uid))
    standing = await stream.standing(conversation, subject_uid=subject_uid)
    ids = {item.id for item in memories}
    parts: dict[str, list[str]] = {}
    for item in memories:
        for source in item.sources:
            parts.setdefault(source, []).append(item.id)
    last = tiers.settings.last
    return Tiered(
        short=turns[-last:],
        waiting=tuple(turn for turn in turns[:-last] if turn.id not in parts),
        medium=tuple(item for item in memories if item.tier is Tier.MEDIUM),
        long=tuple(item for item in memories if item.tier is Tier.LONG),
        consolidated={id_: tuple(found) for id_, found in parts.items() if id_ in ids},
        windows=tuple(tuple(turn.id for turn in window) for window in tiers.windows(standing)),
        pairs=tuple(_apart(await tiers.pairs(conversation, subject_uid))),
    )


def _apart(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yields the pairs that share no memory with an earlier one."""
    taken: set[str] = set()
    for pair in pairs:
        if taken.isdisjoint((pair.older, pair.newer)):
            taken.update((pair.older, pair.newer))
            yield pair
