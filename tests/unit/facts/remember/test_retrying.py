"""What a model could not read is tried again after pauses that grow while nothing comes of it."""

import asyncio

import pytest

from r_memory.errors import StoreUnavailable
from r_memory.facts.remember.retrying import keep_trying

pytestmark = pytest.mark.anyio


class Enough(Exception):
    """Ends what would go on for ever."""


async def pauses(outcomes: list[int | Exception]) -> list[float]:
    slept: list[float] = []
    script = iter(outcomes)

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0)

    async def again() -> int:
        outcome = next(script, Enough())
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    with pytest.raises(Enough):
        await keep_trying(again, sleep=sleep)
    return slept


async def test_pauses_double_up_to_a_quarter_of_an_hour() -> None:
    assert await pauses([0] * 6) == [30, 60, 120, 240, 480, 900, 900]


async def test_success_makes_the_pause_short_again() -> None:
    assert await pauses([0, 0, 3, 0]) == [30, 60, 120, 30, 60]


async def test_a_store_that_is_away_does_not_end_it() -> None:
    assert await pauses([StoreUnavailable("gone"), 1]) == [30, 60, 30]
