"""Several processes on one folder, and a host that dies (the issue: second process, host killed, disk full)."""

import logging
import os
import signal
from pathlib import Path

import pytest

from r_memory.store.host_lock import NOTE_NAME, announced
from tests.faults.processes import Writers, writers
from tests.faults.workload import NONE_LOST, PASSWORD, USER, Losses, losses, open_store, own_subject
from tests.faults.writer import REFUSED
from tests.neo4j_servers import Neo4jAddress

pytestmark = pytest.mark.anyio
logger = logging.getLogger(__name__)

KILLS = int(os.environ.get("KILLS", "4"))


async def losses_of(group: Writers) -> Losses:
    """What the store misses of all that was acknowledged, read by a process of its own."""
    store = open_store(group.place)
    try:
        return await losses(store, [writer.name for writer in group.everyone], group.acknowledged)
    finally:
        await store.close()


async def test_a_second_process_attaches_to_the_first_and_both_write(tmp_path: Path) -> None:
    with writers(tmp_path) as group:
        first = group.start()
        group.each_writes(1)
        group.start()
        group.each_writes(5)
        assert group.host() is first
        assert [writer.end() for writer in reversed(group.alive)] == [0, 0]
        group.alive.clear()
        assert await losses_of(group) == NONE_LOST


@pytest.mark.proves("Z18", "Z36")
@pytest.mark.timeout(3600)
async def test_four_kills_of_the_host_lose_and_double_nothing_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    with writers(tmp_path) as group:
        for _ in range(3):
            group.start()
        takeovers = []
        for _ in range(KILLS):
            group.each_writes(25)
            takeovers.append(group.take_over_from(group.host()))
            group.start()
        group.each_writes(25)
        ended = [(writer.end(), writer.complaints) for writer in group.alive]
        assert [status for status, _ in ended] == [0, 0, 0], ended
        group.alive.clear()
        found = await losses_of(group)
    logger.info("Host killed", extra={"acknowledged": len(group.acknowledged), "takeovers_s": takeovers})
    assert found == NONE_LOST


@pytest.mark.proves("Z18", "Z36")
@pytest.mark.neo4j
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("server", ["neo4j_2026"])  # by its name among those that share one
async def test_writers_on_a_server_that_are_killed_lose_and_double_nothing_that_was_acknowledged(
    server: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    address: Neo4jAddress = request.getfixturevalue(server)
    monkeypatch.setenv(USER, address.user)
    monkeypatch.setenv(PASSWORD, address.password)
    with writers(address.uri) as group:
        for _ in range(3):
            group.start()
        for _ in range(KILLS):
            group.start()  # meanwhile the eldest goes on
            group.these_write(group.alive[:1], 5)
            group.kill(group.alive[0])
        group.each_writes(5)
        ended = [(writer.end(), writer.complaints) for writer in group.alive]
        assert [status for status, _ in ended] == [0, 0, 0], ended
        group.alive.clear()
        found = await losses_of(group)
    logger.info("Writers killed", extra={"acknowledged": len(group.acknowledged), "kills": KILLS})
    assert found == NONE_LOST


async def test_a_host_that_is_told_to_end_hands_over_and_takes_its_note_away(tmp_path: Path) -> None:
    with writers(tmp_path) as group:
        group.start()
        group.each_writes(1)
        heir = group.start()
        group.each_writes(5)
        host = group.host()
        group.alive.remove(host)
        assert host.end() == 0
        group.each_writes(5)
        assert group.host() is heir
        assert heir.end() == 0
        group.alive.clear()
        assert not (tmp_path / NOTE_NAME).exists()
        assert await losses_of(group) == NONE_LOST


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals; its TerminateProcess is the kill above")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_a_host_at_once_and_leaves_whole_transactions(
    tmp_path: Path, number: signal.Signals
) -> None:
    with writers(tmp_path) as group:
        host = group.start()
        group.each_writes(10)
        host.process.send_signal(number)
        assert host.wait() == -number
        group.alive.clear()
        assert announced(tmp_path) is not None
        assert await losses_of(group) == NONE_LOST


@pytest.mark.skipif(os.name != "posix", reason="Windows cannot limit the size of a file; fill a small volume instead")
@pytest.mark.proves("Z18")
async def test_a_write_that_the_disk_does_not_take_is_refused_and_those_before_it_stay(tmp_path: Path) -> None:
    with writers(tmp_path) as group:
        writer = group.start(str(4_000_000))
        assert writer.wait() == REFUSED
        group.alive.clear()
        assert len(writer.acknowledged) > 3
        store = open_store(tmp_path)
        try:
            stored = [event.episode_id for event in await store.events(own_subject(writer.name).uid)]
        finally:
            await store.close()
    assert stored == writer.acknowledged


async def test_nothing_but_acknowledged_ids_reaches_standard_output(tmp_path: Path) -> None:
    """In the server, standard output is the wire of the protocol."""
    with writers(tmp_path) as group:
        writer = group.start()
        group.each_writes(5)
        assert writer.end() == 0
        group.alive.clear()
    assert writer.acknowledged == [f"w0-{number}" for number in range(len(writer.acknowledged))]
    assert writer.complaints == ""
