"""A process that dies while it imports (attack S3): what came is on disk, and is never taken for all there is."""

import subprocess
import sys
from pathlib import Path

import pytest

from r_memory.domain.log import IMPORT
from r_memory.space.integrity import verify_space
from r_memory.testing.dict_store import DictStore
from tests.faults.importer import KILLED, space_of
from tests.faults.processes import PATIENCE_S, ROOT, plain_environment
from tests.faults.workload import RELATION, SCHEMA, SHARED, open_store, own_subject, write_once
from tests.store.test_tampering import NO_KNOWLEDGE

pytestmark = pytest.mark.anyio

PEOPLE = (SHARED, own_subject("other"))
WRITES = 13
"""How many writes the import takes."""


async def a_file(folder: Path) -> Path:
    """Two people, each with two statements and their facts."""
    store = DictStore()
    for person in PEOPLE:
        await store.declare_subject(person)
        for number in (1, 2):
            await write_once(store, person, f"{person.id} said {number}")  # type: ignore[arg-type]  # any store will do
    await space_of(store).export(folder / "all.jsonl")
    return folder / "all.jsonl"


def status_of_import(folder: Path, file: Path, writes: int) -> int:
    """Exit status of a process that dies after so many writes of an import."""
    command = [sys.executable, "-m", "tests.faults.importer", str(folder), str(file), str(writes)]
    return subprocess.run(command, cwd=ROOT, env=plain_environment(), check=False, timeout=PATIENCE_S).returncode


@pytest.mark.parametrize("writes", [2, 4, 5, 7, 11, WRITES - 1])
async def test_a_killed_import_is_never_an_answer_and_is_ended_by_doing_it_again(tmp_path: Path, writes: int) -> None:
    file, folder = await a_file(tmp_path), tmp_path / "store"

    assert status_of_import(folder, file, writes) == KILLED
    store = open_store(folder)
    try:
        await store.prepare(SCHEMA)
        found = await verify_space(store, SCHEMA, NO_KNOWLEDGE, SHARED.space)
        assert IMPORT in {one.where for one in found.differences}
        for person in await store.subjects(SHARED.space, "Patient"):
            near = await store.neighbourhood(person, (RELATION,))
            assert (RELATION in near.failed) is (len(near.facts) < 2 or person.uid in await arriving(store))
    finally:
        await store.close()

    assert status_of_import(folder, file, WRITES) == 0
    store = open_store(folder)
    try:
        await store.prepare(SCHEMA)
        for person in PEOPLE:
            near = await store.neighbourhood(person, (RELATION,))
            assert (len(near.facts), dict(near.failed)) == (2, {})
        assert (await verify_space(store, SCHEMA, NO_KNOWLEDGE, SHARED.space)).whole
    finally:
        await store.close()


async def arriving(store: object) -> set[str]:
    """Keys of those of whom something is still to come."""
    return set((await store.arriving(SHARED.space)).subjects)  # type: ignore[attr-defined]
