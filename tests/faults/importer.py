"""A process that imports entries of a record and is killed in the middle; the fault tests start it.

    python -m tests.faults.importer FOLDER QUERIES

QUERIES counts those of the import's transaction that are answered before the process dies as `kill -9` ends one; with
all of them it dies once the import has come back.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from r_memory.domain.facts import Proposal, Route
from r_memory.facts.facts import Facts
from r_memory.records import importing
from r_memory.records.importing import Report
from r_memory.records.values import FileEntry, FileReading
from r_memory.store.cypher_store import CypherStore
from r_memory.store.library import Graph
from r_memory.testing.clock import FixedClock
from tests.doubles import scripted_reader
from tests.faults.mover import KILLED
from tests.faults.workload import RELATION, SCHEMA, open_store, own_subject

PATIENT = own_subject("imported")
THINGS = ("penicillin", "latex", "codeine")
ALL_QUERIES = 2
"""One for each entry, and one for what all of them say."""


def reading(*things: str) -> FileReading:
    """An allergy for each thing."""
    return FileReading(entries=tuple(_entry(thing) for thing in things))


def _entry(thing: str) -> FileEntry:
    words = f"Allergy: {thing}"
    said = Proposal(relation=RELATION, object=thing, evidence=words, route=Route.RECORD, extractor="fhir/1")
    return FileEntry(id=thing, text=words, said_at=FixedClock().now(), proposals=(said,))


async def imported(store: CypherStore, *things: str) -> Report:
    """What came of importing the allergies."""
    facts = Facts(store, scripted_reader(SCHEMA), FixedClock(), space=PATIENT.space)
    return await importing.store(facts, PATIENT, reading(*things), source="hospital", undated=0)


async def run(folder: Path, queries: int) -> None:
    """Declares the patient, then imports until it dies."""
    store = open_store(folder)
    await store.prepare(SCHEMA)
    await store.declare_subject(PATIENT)
    left = iter(range(queries))
    together = Graph.together

    async def dying(self: Graph, work: Callable[[Any], Awaitable[Any]], **limits: Any) -> object:  # noqa: ANN401 - as it is
        async def counted(asked: Any) -> object:  # noqa: ANN401 - a `Run`
            async def answered(query: Any, /, **parameters: object) -> object:  # noqa: ANN401 - as a `Run` takes it
                if next(left, None) is None:
                    os._exit(KILLED)
                return await asked(query, **parameters)

            return await work(answered)

        return await together(self, counted, **limits)

    Graph.together = dying  # type: ignore[method-assign,assignment]  # of this process, which dies of it
    await imported(store, *THINGS)
    os._exit(KILLED)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), int(sys.argv[2])))
