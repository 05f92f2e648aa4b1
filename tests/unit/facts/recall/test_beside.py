"""What a write is held against: the record that was read while it was stored, or a newer one."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from typing_extensions import override

from r_memory.domain.blocks import StandingCheck
from r_memory.domain.events import Batch
from r_memory.domain.facts import Entity
from r_memory.facts.facts import Facts
from r_memory.facts.remember.utterances import Statement
from r_memory.protocols import Neighbourhood, Traversal
from r_memory.reading.worker import ReadingWorker
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from tests.model_world import JOHN, language

pytestmark = pytest.mark.anyio
TAKES = "I take amoxicillin."
ALLERGIC = "I am allergic to penicillin."


class BusyStore(DictStore):
    """A store that commits nothing before it was asked for the record; `another` writes between the two."""

    def __init__(self) -> None:
        super().__init__()
        self.another = ""
        self.reads = 0
        self._asked = asyncio.Event()
        self._anothers = False

    @override
    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        found = await super().neighbourhood(subject, relations, traversals)
        self.reads += 1
        if self.another:
            said, self.another, self._anothers = Statement(text=self.another, subject=subject), "", True
            await a_memory(self).remembering.record(said)
            self._anothers = False
        self._asked.set()
        return found

    @override
    async def append(self, batch: Batch) -> None:
        if not self._anothers:
            await self._asked.wait()
        await super().append(batch)


def a_memory(store: DictStore) -> Facts:
    reader = replace(language("clinical"), worker=ReadingWorker(), quick=ReadingWorker())
    return Facts(store, reader, FixedClock(), space=JOHN.space)


async def told(facts: Facts, text: str) -> StandingCheck:
    return (await facts.remembering.remember(text, subject=JOHN.id)).standing


async def a_record(*said: str) -> BusyStore:
    store = BusyStore()
    await store.declare_subject(JOHN)
    for text in said:
        await told(a_memory(store), text)
    store.reads = 0
    return store


async def test_a_write_is_held_against_what_was_read_while_it_was_stored() -> None:
    store = await a_record(ALLERGIC)
    (clash,) = (await told(a_memory(store), TAKES)).clashes
    assert clash.text == "takes Amoxicillin + allergy Penicillin: Amoxicillin is a Penicillin."
    assert store.reads == 1


async def test_what_another_process_stores_meanwhile_is_held_against_the_write() -> None:
    store = await a_record()
    store.another = ALLERGIC
    (clash,) = (await told(a_memory(store), TAKES)).clashes
    assert clash.text == "takes Amoxicillin + allergy Penicillin: Amoxicillin is a Penicillin."
    assert store.reads == 2
