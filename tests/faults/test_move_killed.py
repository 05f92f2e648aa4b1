"""A process that dies while it moves a fact from one subject to another (clinical-safety 3.5, points 3 and 5)."""

import subprocess
import sys
from pathlib import Path

import pytest

from r_memory.domain.changes import requested
from r_memory.domain.facts import Status
from r_memory.space.integrity import verify
from tests.faults.mover import ALL_WRITES, KILLED, RIGHT, WRONG, facts_of, moved
from tests.faults.processes import PATIENCE_S, ROOT, plain_environment
from tests.faults.workload import RELATION, SCHEMA, open_store

pytestmark = pytest.mark.anyio


def status_of_move(folder: Path, writes: int) -> int:
    """Exit status of a process that dies after so many writes of a move."""
    command = [sys.executable, "-m", "tests.faults.mover", str(folder), str(writes)]
    return subprocess.run(command, cwd=ROOT, env=plain_environment(), check=False, timeout=PATIENCE_S).returncode


@pytest.mark.proves("Z18")
@pytest.mark.parametrize("writes", range(ALL_WRITES + 1))
async def test_a_killed_move_loses_nothing_says_so_and_is_finished_by_doing_it_again(
    tmp_path: Path, writes: int
) -> None:
    assert status_of_move(tmp_path, writes) == KILLED
    store = open_store(tmp_path)
    try:
        await store.prepare(SCHEMA)
        [here], there = await facts_of(store, WRONG), await facts_of(store, RIGHT)
        wishes = [requested(episode) for episode in (await store.neighbourhood(WRONG, (RELATION,))).pending]
        found = await verify(store, [WRONG, RIGHT])

        assert found.differences == ()
        assert here.status is (Status.ENTERED_IN_ERROR if writes == ALL_WRITES else Status.ACTIVE)
        assert [fact.status for fact in there] == [Status.ACTIVE] * (writes >= 2)
        assert [wish is not None and wish.to for wish in wishes] == [RIGHT.id] * (writes in {1, 2})

        done = await moved(store, here)
        [last] = await facts_of(store, RIGHT)
        assert (done.outcome == "already") == (writes == ALL_WRITES)
        assert (done.after.status, last.status, last.observations) == (Status.ENTERED_IN_ERROR, Status.ACTIVE, 1)
        assert (last.evidence, last.said_at) == (here.evidence, here.said_at)
        assert (await store.neighbourhood(WRONG, (RELATION,))).pending == ()
        assert (await verify(store, [WRONG, RIGHT])).whole
    finally:
        await store.close()
