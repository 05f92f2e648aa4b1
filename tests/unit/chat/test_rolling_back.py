"""What was said after a turn is taken back with all that was made of it, and with nothing else."""

from collections.abc import Sequence

import pytest
from typing_extensions import override

from r_memory.domain.memories import Tier
from r_memory.errors import InvalidInput
from r_memory.testing.dict_stream import DictStream
from r_memory_chat.rolling_back import roll_back, roll_back_stream
from r_memory_talk.stream.values import NewTurn
from tests.unit.talk.stream.world import a_stream, tell
from tests.unit.talk.world import TALK, World, said

pytestmark = pytest.mark.anyio

DOG = ("My dog is called Rex.", "Rex is a fine name for a dog.")
CAR = ("I drive a blue van to work.", "A van is handy.")
TEA = ("Tea is what I drink in the morning.", "Tea wakes you gently.")
YES = ("Yes.", "Noted.")


@pytest.mark.proves("SCM-31")
async def test_the_last_turn_can_be_taken_back_with_what_was_made_of_it() -> None:
    stream = a_stream()
    await tell(stream, "red", "blue")
    await stream.append(
        NewTurn(conversation="c", summary="red and blue", tier=Tier.MEDIUM, sources=("item-1", "item-2"))
    )
    await stream.append(NewTurn(conversation="c", summary="colours", tier=Tier.LONG, sources=("item-3",)))
    await stream.append(NewTurn(conversation="c", summary="red alone", tier=Tier.MEDIUM, sources=("item-1",)))
    assert await roll_back_stream(stream, "c", to=1) == 3
    left = await stream.search("red", conversation="c")
    assert {hit.item.gist for hit in left.chosen} == {"red", "red alone"}
    assert (await stream.append(NewTurn(conversation="c", observation="green"))).index == 2


@pytest.mark.proves("SCM-31")
async def test_a_reset_leaves_nothing_of_the_conversation_and_all_of_the_others() -> None:
    stream = a_stream()
    await tell(stream, "red", "blue")
    await tell(stream, "other", conversation="d")
    await stream.append(NewTurn(conversation="c", summary="a book", tier=Tier.DOCUMENT))
    assert await roll_back_stream(stream, "c", to=0) == 3
    assert (await stream.conversation("c"), len(await stream.conversation("d"))) == ((), 1)
    assert (await roll_back_stream(stream, "c", to=0), await roll_back_stream(stream, "never", to=0)) == (0, 0)
    assert await roll_back_stream(stream, "d", to=7) == 0
    with pytest.raises(InvalidInput, match="-1"):
        await roll_back_stream(stream, "d", to=-1)


async def test_a_roll_back_that_meets_a_new_turn_looks_again() -> None:
    class Busy(DictStream):
        """Another server adds a turn just before the first removal."""

        busy = True

        @override
        async def remove_memories(
            self, space: str, conversation_uid: str, ids: Sequence[str], *, turns: int, left: int
        ) -> int:
            if self.busy:
                self.busy = False
                await a_other.append(NewTurn(conversation="c", observation="late", key="late"))
            return await super().remove_memories(space, conversation_uid, ids, turns=turns, left=left)

    store = Busy()
    stream, a_other = a_stream(store), a_stream(store)
    await tell(stream, "red", "blue")
    assert await roll_back_stream(stream, "c", to=1) == 2
    assert [item.observation for item in await stream.conversation("c")] == ["red"]


async def test_what_was_rolled_back_can_be_said_again_at_once() -> None:
    world = World()
    await world.conversations.finish(said(*YES))
    await roll_back(world.conversations, TALK, to=0)
    await world.conversations.finish(said(*YES))
    assert [item.index for item in await world.conversations.turns(TALK)] == [1]


@pytest.mark.proves("SCM-31")
async def test_a_rollback_takes_the_turns_their_summaries_and_their_decisions() -> None:
    world = World()
    await world.talk(DOG, CAR)
    await world.ask("And?")
    await world.talk(TEA)
    assert await roll_back(world.conversations, TALK, to=1) == 2
    kept = await world.conversations.summary(TALK)
    assert kept is not None
    assert kept.upto == 1
    assert TEA[1] not in kept.content.key_data
    assert await world.conversations.decisions(TALK) == ()
    (again,) = await world.talk(CAR)
    assert again.item.index == 2
