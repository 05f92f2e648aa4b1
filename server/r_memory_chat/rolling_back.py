"""Erasing what was said after some turn of a conversation, with everything that was made of it; facts stay."""

import logging

from r_memory.domain.memories import Tier, conversation_uid
from r_memory.errors import InvalidInput, WriteConflict
from r_memory_talk.conversations import Conversations
from r_memory_talk.stream.layers import made_of
from r_memory_talk.stream.stream import Stream

logger = logging.getLogger(__name__)

_ATTEMPTS = 5


async def roll_back(talks: Conversations, conversation: str, *, to: int, subject_uid: str = "") -> int:
    """Erases every turn after turn `to` (0 for all), with its summaries and decisions; returns the number of items.

    Raises:
        InvalidInput: `to` is negative.
        WriteConflict: other writers kept adding to the conversation.
    """
    removed = await roll_back_stream(talks.stream, conversation, to=to, subject_uid=subject_uid)
    await talks.keeper.forget(conversation, subject_uid=subject_uid, after=to)
    return removed


async def roll_back_stream(stream: Stream, conversation: str, *, to: int, subject_uid: str = "") -> int:
    """Erases every turn after turn `to` with its memories; returns the number of items. Raises as `roll_back`."""
    if to < 0:
        raise InvalidInput(f"a conversation cannot be rolled back to turn {to}; give 0 or more")
    for _ in range(_ATTEMPTS):
        try:
            return await _rolled_back(stream, conversation, subject_uid, to)
        except WriteConflict:
            continue
    raise WriteConflict("somebody keeps adding to this conversation; try again when it rests")


async def _rolled_back(stream: Stream, conversation: str, subject_uid: str, to: int) -> int:
    items = {item.id: item for item in await stream.items(conversation, subject_uid=subject_uid)}
    turns = [item for item in items.values() if item.tier is Tier.TURN]
    gone = {item.id for item in turns if item.index > to}
    made = [
        item.id
        for item in items.values()
        if item.tier is not Tier.TURN and (to == 0 or not gone.isdisjoint(made_of(item.id, items.get)))
    ]
    if not (gone or made):
        return 0
    latest = max((item.index for item in turns), default=0)
    removed = await stream.store.remove_memories(
        stream.space,
        conversation_uid(stream.space, subject_uid, conversation),
        [*sorted(gone), *made],
        turns=latest,
        left=min(to, latest),
    )
    await stream.refresh()
    logger.info("Stream rolled back", extra={"action": "stream_removed", "count": removed, "left": to})
    return removed
