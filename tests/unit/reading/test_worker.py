"""Reading beside the event loop: in turn, and no caller waits for another's hostile text (C2)."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from typing_extensions import override

from r_memory.domain.events import EpisodeStatus
from r_memory.domain.facts import Extraction
from r_memory.facts.recall.rendering import render
from r_memory.protocols import Utterance
from r_memory.reading.worker import ReadingWorker
from r_memory.testing.dict_store import DictStore
from tests.scripted import ScriptedExtractor
from tests.unit.memory_world import ALLERGY, SCRIPT, a_world

pytestmark = pytest.mark.anyio
HOSTILE = "a text that its reader does not get to the end of"
ANTIBIOTIC = "Recommend an antibiotic."


class Stuck(ScriptedExtractor):
    """Reads one text until it is let go."""

    def __init__(self) -> None:
        super().__init__(SCRIPT)
        self.begun = threading.Event()
        self.let_go = threading.Event()

    @override
    def extract(self, utterance: Utterance) -> Extraction:
        if utterance.text == HOSTILE:
            self.begun.set()
            self.let_go.wait()
        return super().extract(utterance)


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    extractor = Stuck()
    yield extractor
    extractor.let_go.set()


async def test_what_is_read_comes_back_and_what_is_raised_is_raised() -> None:
    desk = ReadingWorker()
    assert await desk.run(sorted, [2, 1], reverse=True) == [2, 1]
    with pytest.raises(ValueError, match="invalid literal"):
        await desk.run(int, "x")


async def test_readings_take_turns_beside_the_event_loop() -> None:
    desk, order = ReadingWorker(), list[str]()
    first_begun, go_on = threading.Event(), threading.Event()

    def first() -> None:
        first_begun.set()
        go_on.wait()
        order.append("first")

    both = asyncio.gather(desk.run(first), desk.run(order.append, "second"))
    await asyncio.to_thread(first_begun.wait)
    order.append("the loop")  # which a reading on it would have held up
    go_on.set()
    await both
    assert order == ["the loop", "first", "second"]


async def test_beside_a_reading_that_takes_long_the_next_begins_and_both_are_answered() -> None:
    desk, let_go = ReadingWorker(turn_s=0), threading.Event()
    late = asyncio.create_task(desk.run(let_go.wait, 60))
    assert await desk.run(str, 7) == "7"
    assert not late.done()
    let_go.set()
    assert await late


async def test_a_caller_who_goes_away_leaves_the_worker_to_nobody() -> None:
    desk, begun, let_go = ReadingWorker(), threading.Event(), threading.Event()

    def endless() -> None:
        begun.set()
        let_go.wait()

    caller = asyncio.create_task(desk.run(endless))
    try:
        await asyncio.to_thread(begun.wait)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert await desk.run(str, 7) == "7"
    finally:
        let_go.set()


@pytest.mark.proves("Z15")
async def test_a_hostile_text_holds_up_no_other_caller(stuck: Stuck) -> None:
    world = a_world(extractor=stuck)
    await world.memory.remember(ALLERGY, subject="JD001", subject_name="John Doe")
    hostile = asyncio.create_task(world.memory.remember(HOSTILE, subject="JD001"))
    await asyncio.to_thread(stuck.begun.wait)
    page = await world.memory.list_facts(subject="JD001")
    request = asyncio.create_task(world.memory.build_context(ANTIBIOTIC, subject="JD001"))
    review = await world.memory.review(subject="JD001")
    assert not hostile.done()
    assert [fact.object.name for fact in page.facts] == ["Penicillin"]
    assert [item.episode.text for item in review.items if item.episode] == [HOSTILE]
    stuck.let_go.set()
    assert (await hostile).pending == 0
    assert [line.fact.object.name for line in (await request).lines] == ["Penicillin"]


async def test_a_text_that_takes_long_is_read_to_its_end_and_the_result_says_what_it_states(stuck: Stuck) -> None:
    """No clock decides what is read: see `test_budget.py` for what does."""
    world = a_world(extractor=stuck, worker=ReadingWorker(turn_s=0))
    late = asyncio.create_task(world.memory.remember(HOSTILE, subject="JD001", subject_name="John Doe"))
    await asyncio.to_thread(stuck.begun.wait)
    context = render(await world.memory.build_context(ANTIBIOTIC, subject="JD001"))
    assert HOSTILE in context
    stuck.let_go.set()
    assert (await late).pending == 0


class Killed(BaseException):
    """The process ends here: nothing catches it."""


class Poison(ScriptedExtractor):
    """Its reading takes the process with it."""

    @override
    def extract(self, utterance: Utterance) -> Extraction:
        super().extract(utterance)
        raise Killed


@pytest.mark.proves("Z18")
async def test_a_statement_whose_readings_broke_off_twice_is_not_read_at_the_third_start_and_stays_in_view() -> None:
    store, poison = DictStore(), Poison(SCRIPT)
    with pytest.raises(Killed):
        await a_world(store=store, extractor=poison).memory.remember(ALLERGY, subject="JD001", subject_name="John Doe")
    with pytest.raises(Killed):
        await a_world(store=store, extractor=poison).memory.resume()
    third = a_world(store=store, extractor=poison)
    assert await third.memory.resume() == 0
    assert [utterance.text for utterance in poison.heard] == [ALLERGY, ALLERGY]
    recall = await third.memory.build_context(ANTIBIOTIC, subject="JD001")
    assert [(episode.status, episode.text) for episode in recall.pending] == [(EpisodeStatus.NEEDS_REVIEW, ALLERGY)]
    assert await third.memory.resume() == 0
    assert len(poison.heard) == 2
