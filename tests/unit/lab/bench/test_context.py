"""The part `context`: which figures it gives, over stores that answer and stores that do not."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from typing_extensions import override

from r_memory.domain.blocks import Receipt
from r_memory.domain.facts import Entity
from r_memory.errors import StoreUnavailable
from r_memory.protocols import Neighbourhood, Traversal
from r_memory.testing.dict_store import DictStore
from r_memory_lab.bench.context import CHART_SIZES, context
from r_memory_lab.bench.remembering import remember
from tests.unit.memory_world import a_world

pytestmark = pytest.mark.anyio
CALLS = 4


@contextmanager
def quietly(_what: str, _total: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


async def test_each_size_of_store_and_chart_has_its_percentiles_and_a_ratio() -> None:
    store = DictStore()
    outcome = await context(
        a_world(store=store).memory, store, store_name="dict", sizes=[400, 200], seed=1, begin=quietly, calls=CALLS
    )
    assert [(figure.name, figure.n, figure.aim) for figure in outcome.figures] == [
        ("build_context, 200 facts, 20 a patient, dict: p95", CALLS, "<= 10 ms"),
        ("build_context, 200 facts, 100 a patient, dict: p95", CALLS, "<= 10 ms"),
        ("build_context, 400 facts, 20 a patient, dict: p95", CALLS, "<= 10 ms"),
        ("build_context, 400 facts, 100 a patient, dict: p95", CALLS, "<= 10 ms"),
        ("p95 at 400 facts over p95 at 200, 20 a patient, dict", CALLS, "<= 2"),
        ("p95 at 400 facts over p95 at 200, 100 a patient, dict", CALLS, "<= 2"),
    ]
    assert len(outcome.groups["Context, dict"]) == 2 * len(CHART_SIZES) * 3


async def test_stores_are_filled_to_the_size_asked_for() -> None:
    store = DictStore()
    await context(
        a_world(store=store).memory, store, store_name="dict", sizes=[200, 400], seed=1, begin=quietly, calls=CALLS
    )
    patients = await store.subjects("clinic", "Patient")
    assert sum([len(await store.events(patient.uid)) for patient in patients]) == pytest.approx(400, rel=0.25)


class NoReceipts(DictStore):
    @override
    async def add_receipt(self, receipt: Receipt) -> None:
        raise StoreUnavailable("full")


class HalfRead(DictStore):
    @override
    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        return Neighbourhood(facts=(), pending=(), failed={"HAS_ALLERGY_TO": "altered"})


@pytest.mark.parametrize("store", [NoReceipts(), HalfRead()], ids=["no receipt", "half read"])
async def test_an_answer_that_is_not_whole_is_not_timed(store: DictStore) -> None:
    with pytest.raises(StoreUnavailable, match="not complete"):
        await context(
            a_world(store=store).memory, store, store_name="dict", sizes=[100], seed=1, begin=quietly, calls=CALLS
        )


async def test_remembering_is_timed_for_words_with_and_without_facts() -> None:
    outcome = await remember(a_world(space="bench").memory, store_name="dict", seed=1, begin=quietly, calls=CALLS)
    assert [(figure.name, figure.aim) for figure in outcome.figures] == [("remember, dict: p95", "<= 30 ms")]
    names = [figure.name for figure in outcome.groups["Remember, dict"]]
    assert names[::3] == ["remember, dict: p50", "remember with facts, dict: p50", "remember without facts, dict: p50"]
