"""The part `context`: which figures it gives, over stores that answer and stores that do not."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pytest
from typing_extensions import override

from r_memory.domain.blocks import Receipt
from r_memory.domain.facts import Entity
from r_memory.errors import StoreUnavailable
from r_memory.protocols import Neighbourhood, Traversal
from r_memory.testing.dict_store import DictStore
from r_memory_lab.bench.context import context
from r_memory_lab.bench.filling import fill
from r_memory_lab.bench.population import CHART_SIZES, Population
from r_memory_lab.bench.remembering import remember
from r_memory_lab.evals.outcomes import CaseOutcome
from tests.unit.memory_world import a_world

pytestmark = pytest.mark.anyio
CALLS = 4


@contextmanager
def quietly(_what: str, _total: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


async def measured(store: DictStore, *sizes: int) -> CaseOutcome:
    memory = a_world(store=store).memory
    population = Population(memory.schema, space="clinic", seed=1)
    return await context(
        memory, partial(fill, store), population, store_name="dict", sizes=sizes, begin=quietly, calls=CALLS, warm_up=1
    )


async def test_each_size_of_store_and_chart_has_its_percentiles_for_one_and_for_sixteen_and_a_ratio() -> None:
    outcome = await measured(DictStore(), 500, 300)
    assert [(figure.name, figure.n, figure.aim) for figure in outcome.figures] == [
        *(
            (f"build_context, {facts} facts, {chart} a patient, {at_once} at once, dict: p95", CALLS, aim)
            for facts in ("300", "500")
            for chart in CHART_SIZES
            for at_once, aim in ((1, "<= 10 ms"), (16, "<= 50 ms"))
        ),
        *((f"p95 at 500 facts over p95 at 300, {chart} a patient, dict", CALLS, "<= 2") for chart in CHART_SIZES),
    ]
    assert len(outcome.groups["Context, dict"]) == 2 * len(CHART_SIZES) * 2 * 3
    assert outcome.notes == ("At 500 facts there were 75 subjects.",)


async def test_stores_are_filled_to_the_size_asked_for() -> None:
    store = DictStore()
    await measured(store, 300, 500)
    patients = await store.subjects("clinic", "Patient")
    assert len(patients) == 75
    assert sum([len(await store.events(patient.uid)) for patient in patients]) == pytest.approx(500, rel=0.25)


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
        await measured(store, 200)


async def test_remembering_is_timed_for_words_with_and_without_facts() -> None:
    outcome = await remember(a_world(space="bench").memory, store_name="dict", seed=1, begin=quietly, calls=CALLS)
    assert [(figure.name, figure.aim) for figure in outcome.figures] == [("remember, dict: p95", "<= 30 ms")]
    names = [figure.name for figure in outcome.groups["Remember, dict"]]
    assert names[::3] == ["remember, dict: p50", "remember with facts, dict: p50", "remember without facts, dict: p50"]
