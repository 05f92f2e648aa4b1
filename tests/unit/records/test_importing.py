"""Entries of a record go into the store together, and come to the same as one by one."""

from dataclasses import replace

import pytest

from r_memory.facts.facts import Facts
from r_memory.records import importing
from r_memory.records.importing import Report
from r_memory.records.values import FileReading
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from tests.doubles import scripted_reader
from tests.faults.importer import PATIENT, reading
from tests.faults.workload import RELATION, SCHEMA

pytestmark = pytest.mark.anyio


async def opened() -> DictStore:
    store = DictStore()
    await store.prepare(SCHEMA)
    await store.declare_subject(PATIENT)
    return store


async def imported(store: DictStore, entries: FileReading) -> Report:
    facts = Facts(store, scripted_reader(SCHEMA), FixedClock(), space=PATIENT.space)
    return await importing.store(facts, PATIENT, entries, source="hospital", undated=0)


@pytest.mark.proves("Z18")
async def test_an_import_that_broke_off_goes_on_and_stores_nothing_twice() -> None:
    store = await opened()
    assert (await imported(store, reading("penicillin", "latex"))).counts == {"stored": 2, "refused": 0}

    again = await imported(store, reading("penicillin", "latex", "codeine", "aspirin"))

    assert again.counts == {"known": 2, "stored": 2, "refused": 0}
    facts = (await store.neighbourhood(PATIENT, (RELATION,))).facts
    assert [(fact.object.name, fact.observations) for fact in facts] == [
        ("Penicillin", 1),
        ("Latex", 1),
        ("Codeine", 1),
        ("Aspirin", 1),
    ]


async def test_an_entry_that_a_file_holds_twice_is_stored_once() -> None:
    store = await opened()

    report = await imported(store, reading("penicillin", "latex", "penicillin"))

    assert report.counts == {"stored": 2, "known": 1, "refused": 0}
    assert len(await store.episodes(PATIENT.space, PATIENT.uid)) == 2


async def test_one_thing_in_several_entries_is_one_fact_that_was_observed_as_often() -> None:
    store = await opened()
    first, second = reading("penicillin").entries[0], reading("latex").entries[0]
    other = [replace(second, proposals=first.proposals, text=first.text)]

    report = await imported(store, FileReading(entries=(first, *other)))

    [fact] = (await store.neighbourhood(PATIENT, (RELATION,))).facts
    assert (fact.observations, report.counts) == (2, {"stored": 2, "refused": 0})
