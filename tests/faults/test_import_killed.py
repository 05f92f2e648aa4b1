"""A process that dies while it stores entries of a record: all of them are there with what they say, or none."""

import subprocess
import sys
from pathlib import Path

import pytest

from r_memory.space.integrity import verify
from tests.faults.importer import ALL_QUERIES, PATIENT, THINGS, imported
from tests.faults.mover import KILLED
from tests.faults.processes import PATIENCE_S, ROOT, plain_environment
from tests.faults.workload import RELATION, SCHEMA, open_store

pytestmark = pytest.mark.anyio


def status_of_import(folder: Path, queries: int) -> int:
    """Exit status of a process that dies after so many queries of an import."""
    command = [sys.executable, "-m", "tests.faults.importer", str(folder), str(queries)]
    return subprocess.run(command, cwd=ROOT, env=plain_environment(), check=False, timeout=PATIENCE_S).returncode


@pytest.mark.proves("Z18")
@pytest.mark.parametrize("queries", range(ALL_QUERIES + 1))
async def test_a_killed_import_left_all_of_its_entries_or_none_and_goes_on_when_done_again(
    tmp_path: Path, queries: int
) -> None:
    assert status_of_import(tmp_path, queries) == KILLED
    store = open_store(tmp_path)
    try:
        await store.prepare(SCHEMA)
        there = await store.episodes(PATIENT.space, PATIENT.uid)
        facts = (await store.neighbourhood(PATIENT, (RELATION,))).facts
        assert (len(there), len(facts)) == ((3, 3) if queries == ALL_QUERIES else (0, 0))
        assert (await verify(store, [PATIENT])).whole

        report = await imported(store, *THINGS)

        assert report.counts == {"known" if queries == ALL_QUERIES else "stored": 3, "refused": 0}
        found = await store.neighbourhood(PATIENT, (RELATION,))
        assert sorted(fact.object.name.casefold() for fact in found.facts) == sorted(THINGS)
        assert ({fact.observations for fact in found.facts}, found.pending) == ({1}, ())
        assert (await verify(store, [PATIENT])).whole
    finally:
        await store.close()
