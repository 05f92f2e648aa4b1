"""Servers in turn and at once: what is timed, in which order, and what counts as failed."""

import asyncio

import pytest

from r_memory_lab.bench.turns import at_once, in_turn
from tests.unit.lab.bench.servers import ScriptedServer

pytestmark = pytest.mark.anyio


async def test_each_call_of_a_server_stands_between_two_of_the_other() -> None:
    heard = list[str]()
    servers = [ScriptedServer("a", heard), ScriptedServer("b", heard)]
    turns = await in_turn(servers, calls=2, warm_up=0, done=lambda: None)
    assert heard == ["a 0?", "b 0?", "a 0!", "b 0!", "a 1?", "b 1?", "a 1!", "b 1!"]
    assert [(name, len(one.look_ups), len(one.writes), one.failed) for name, one in turns.items()] == [
        ("a", 2, 2, 0),
        ("b", 2, 2, 0),
    ]


async def test_calls_before_the_first_that_counts_leave_nothing_behind() -> None:
    server = ScriptedServer("a", [], fails=lambda number: number < 0)
    turns = (await in_turn([server], calls=3, warm_up=2, done=lambda: None))["a"]
    assert (len(turns.look_ups), len(turns.writes), turns.failed) == (3, 3, 0)


async def test_what_was_not_answered_as_it_should_be_is_counted() -> None:
    server = ScriptedServer("a", [], fails=lambda number: number == 1)
    assert (await in_turn([server], calls=3, warm_up=0, done=lambda: None))["a"].failed == 2


async def test_calls_at_once_are_made_once_each_by_so_many_tasks() -> None:
    numbers, running, most = list[int](), 0, 0

    async def call(number: int) -> bool:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        numbers.append(number)
        return number != 7

    found = await at_once(call, first=5, calls=10, callers=4)
    assert (sorted(numbers), most, found.calls, found.failed) == (list(range(5, 15)), 4, 10, 1)
    assert found.a_second == pytest.approx(9 / found.seconds)
