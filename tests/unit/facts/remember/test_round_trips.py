"""What a write asks of the store: each question is a round trip that somebody waits for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from r_memory.domain.events import Batch, EventKind
from r_memory.domain.facts import Status
from r_memory.domain.folding import fold_all
from r_memory.facts.remember.results import Remembered
from r_memory.protocols import Store
from r_memory.testing.dict_store import DictStore
from tests.model_world import Practice

pytestmark = pytest.mark.anyio
PENICILLIN = "I am allergic to penicillin."


class Noting:
    """A store that notes what it is asked."""

    def __init__(self, store: DictStore) -> None:
        self._store = store
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        self.asked.append(name)
        method: Callable[..., Any] = getattr(self._store, name)
        return method


async def a_refutation(practice: Practice, remembered: Remembered) -> Batch:
    """What a colleague's decision about the first fact writes."""
    (fact_id,) = {result.fact.fact_id for result in remembered.results if result.fact}
    chain = await practice.store.chain(practice.john.uid, [fact_id])
    last = chain.events[-1]
    change = replace(
        last, id="change", kind=EventKind.CHANGED, status=Status.REFUTED, seq=last.seq + 1, prev_hash=last.hash
    ).sealed()
    return Batch(
        subject=practice.john,
        events=(change,),
        facts=fold_all((*chain.events, change)),
        episode=None,
        previous=chain.head,
        head=chain.after([change]),
    )


ONCE = ["add_episode", "chain", "append"]


@pytest.mark.parametrize("key", ["", "k1"])
async def test_a_statement_asks_for_the_chain_once(key: str) -> None:
    noting = Noting(DictStore())
    practice = Practice(None, store=cast("Store", noting))
    await practice.hear(PENICILLIN, key=key)
    assert noting.asked == ["declare_subject", *ONCE]
    assert await practice.shown() == {"HAS_ALLERGY_TO penicillin active"}


async def test_words_repeated_after_somebody_else_decided_are_heard_again_and_the_next_ones_ask_once() -> None:
    """The decision is made in another process: this one learns of it from the store."""
    noting = Noting(DictStore())
    practice = Practice(None, store=cast("Store", noting))
    first = await practice.hear(PENICILLIN)
    await practice.store.append(await a_refutation(practice, first))
    noting.asked.clear()

    again = await practice.hear(PENICILLIN)

    assert noting.asked == ["declare_subject", "add_episode", "chain", *ONCE]
    assert (again.results[0].verdict, again.episode_id != first.episode_id) == ("stored", True)
    noting.asked.clear()
    await practice.hear("I take warfarin.")
    assert noting.asked == ["declare_subject", *ONCE]
