"""A conversation by its tiers, and what consolidating it would do: what people look at. Changes nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.memories import MemoryItem, Tier
from r_memory_talk.stream.stream import Stream
from r_memory_talk.tiers.tiers import Pair, Tiers, memories_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiered:
    """A conversation by its tiers."""

    short: tuple[MemoryItem, ...]
    """The last turns, as they were said."""
    waiting: tuple[MemoryItem, ...]
    """Older turns that are in no memory yet."""
    medium: tuple[MemoryItem, ...]
    long: tuple[MemoryItem, ...]
    consolidated: Mapping[str, Sequence[str]]
    """Id of a memory to the long ones that it is part of; it stays stored, and searches leave it out."""
    windows: tuple[tuple[str, ...], ...]
    """Ids of turns that consolidating would make a memory of, each."""
    pairs: tuple[Pair, ...]
    """Memories that it would make one of, nearest first; new ones may bring more."""


async def tiered(stream: Stream, tiers: Tiers, conversation: str, *, subject_uid: str = "") -> Tiered:
    """The conversation by its tiers, which memory is part of which, and what `Tiers.consolidate` would begin with; asks
    no model.

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
    """Pairs of which no memory stands in an earlier one."""
    taken: set[str] = set()
    for pair in pairs:
        if taken.isdisjoint((pair.older, pair.newer)):
            taken.update((pair.older, pair.newer))
            yield pair
