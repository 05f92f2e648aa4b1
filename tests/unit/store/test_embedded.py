"""The embedded database as its users meet it: hosted, attached to, taken over, closed, refused."""

import asyncio
import json
import os
import shutil
import socket
import stat
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import LiteralString

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase
from neo4j.exceptions import ClientError, Forbidden

from r_memory.errors import ConfigurationError, StoreUnavailable
from r_memory.store import embedded
from r_memory.store.bolt import Endpoint
from r_memory.store.embedded import EmbeddedArcade
from r_memory.store.embedded_files import FolderLayout
from r_memory.store.host_lock import LOOPBACK, NOTE_NAME, Announcement, HostLock, announce, announced

pytestmark = pytest.mark.anyio

Rows = list[dict[str, object]]


@asynccontextmanager
async def hosted(folder: Path, *, timeout_ms: int = 30_000) -> AsyncIterator[EmbeddedArcade]:
    arcade = EmbeddedArcade(folder, wait_s=5.0, timeout_ms=timeout_ms)
    try:
        yield arcade
    finally:
        await arcade.close()


@asynccontextmanager
async def driver(endpoint: Endpoint, *, reader: bool = False) -> AsyncIterator[AsyncDriver]:
    login = (endpoint.reader_user, endpoint.reader_password) if reader else (endpoint.user, endpoint.password)
    async with AsyncGraphDatabase.driver(endpoint.uri, auth=login, notifications_min_severity="OFF") as opened:
        yield opened


async def run(endpoint: Endpoint, query: LiteralString, *, reader: bool = False) -> Rows:
    async with driver(endpoint, reader=reader) as opened:
        return [record.data() for record in (await opened.execute_query(query, database_=endpoint.database)).records]


@contextmanager
def no_one_answering(folder: Path) -> Iterator[None]:
    """Somebody holds the folder and hosts nothing: a process in another container, or one that hangs."""
    folder.mkdir(exist_ok=True)
    lock = HostLock(folder)
    assert lock.take()
    try:
        yield
    finally:
        lock.release()


async def test_the_first_process_hosts_and_answers(tmp_path: Path) -> None:
    async with hosted(tmp_path / "store") as arcade:
        endpoint = await arcade.endpoint(refresh=False)
        assert arcade.hosting
        assert await run(endpoint, "RETURN 1 AS one") == [{"one": 1}]


async def test_the_second_attaches_to_the_first(tmp_path: Path) -> None:
    async with hosted(tmp_path) as first, hosted(tmp_path) as second:
        there = await first.endpoint(refresh=False)
        assert await second.endpoint(refresh=False) == there
        assert (first.hosting, second.hosting) == (True, False)


async def test_a_disk_without_room_is_said_before_the_engine_says_it_on_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=16 * 2**20))
    monkeypatch.setattr(embedded, "_started", None)
    async with hosted(tmp_path) as arcade:
        with pytest.raises(StoreUnavailable, match="no space is left for the data folder"):
            await arcade.endpoint(refresh=False)


async def test_asking_again_gives_the_same_address_while_the_host_answers(tmp_path: Path) -> None:
    async with hosted(tmp_path) as first, hosted(tmp_path) as second:
        there = await first.endpoint(refresh=False)
        answers = [await arcade.endpoint(refresh=refresh) for arcade in (first, second) for refresh in (False, True)]
        assert answers == [there] * 4


async def test_an_attached_process_takes_over_what_the_host_left(tmp_path: Path) -> None:
    async with hosted(tmp_path) as first, hosted(tmp_path) as second:
        before = await first.endpoint(refresh=False)
        await second.endpoint(refresh=False)
        await run(before, "CREATE (episode:Episode {id: 'e1'})")
        await first.close()
        after = await second.endpoint(refresh=True)
        assert second.hosting
        assert after.password != before.password
        assert await run(after, "MATCH (episode:Episode) RETURN episode.id AS id") == [{"id": "e1"}]


async def test_what_was_written_is_there_at_the_next_start(tmp_path: Path) -> None:
    async with hosted(tmp_path) as arcade:
        await run(await arcade.endpoint(refresh=False), "CREATE (episode:Episode {id: 'e1'})")
    async with hosted(tmp_path) as arcade:
        rows = await run(await arcade.endpoint(refresh=False), "MATCH (episode:Episode) RETURN episode.id AS id")
    assert rows == [{"id": "e1"}]


async def test_a_note_of_a_dead_process_is_not_believed(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as closed_soon:
        port = closed_soon.getsockname()[1]
    announce(tmp_path, Announcement(port=port, secret="old", reader_secret="old", pid=1, machine="here"))
    async with hosted(tmp_path) as arcade:
        endpoint = await arcade.endpoint(refresh=False)
        assert arcade.hosting
        assert await run(endpoint, "RETURN 1 AS one") == [{"one": 1}]


async def test_a_note_of_a_dead_process_whose_port_is_in_other_use_is_not_believed(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as stranger:
        port = stranger.getsockname()[1]
        announce(tmp_path, Announcement(port=port, secret="old", reader_secret="old", pid=1, machine="here"))
        async with hosted(tmp_path) as arcade:
            endpoint = await arcade.endpoint(refresh=False)
            assert arcade.hosting
            assert endpoint.uri != f"bolt://{LOOPBACK}:{port}"


async def test_closing_twice_is_harmless_and_takes_the_note_away(tmp_path: Path) -> None:
    arcade = EmbeddedArcade(tmp_path)
    await arcade.endpoint(refresh=False)
    assert (tmp_path / NOTE_NAME).exists()
    await arcade.close()
    await arcade.close()
    assert not arcade.hosting
    assert not (tmp_path / NOTE_NAME).exists()


async def test_closing_an_attached_process_leaves_the_host_alone(tmp_path: Path) -> None:
    async with hosted(tmp_path) as first:
        endpoint = await first.endpoint(refresh=False)
        async with hosted(tmp_path) as second:
            await second.endpoint(refresh=False)
        assert announced(tmp_path) is not None
        assert await run(endpoint, "RETURN 1 AS one") == [{"one": 1}]


async def test_a_closed_source_refuses_with_the_way_out(tmp_path: Path) -> None:
    arcade = EmbeddedArcade(tmp_path)
    await arcade.close()
    with pytest.raises(StoreUnavailable, match="open the memory again"):
        await arcade.endpoint(refresh=False)


async def test_closing_ends_a_search_that_would_go_on_for_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching = threading.Event()
    monkeypatch.setattr(embedded, "announced", lambda _: searching.set())
    arcade = EmbeddedArcade(tmp_path, wait_s=60.0)
    with no_one_answering(tmp_path):
        search = asyncio.create_task(arcade.endpoint(refresh=False))
        assert await asyncio.to_thread(searching.wait, 10.0)
        await arcade.close()
        with pytest.raises(StoreUnavailable, match="closed"):
            await search


async def test_the_environment_is_as_it_was_after_the_start(tmp_path: Path) -> None:
    before = dict(os.environ)
    async with hosted(tmp_path) as arcade:
        await arcade.endpoint(refresh=False)
        assert dict(os.environ) == before


async def test_the_umask_is_as_it_was_when_the_last_of_two_hosts_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A count of its own: the store that other tests share may be hosted in this process all the while.
    monkeypatch.setattr(embedded, "_UMASK", embedded._Umask())
    before = os.umask(0o022)
    try:
        async with hosted(tmp_path / "b") as second:
            async with hosted(tmp_path / "a") as first:
                await first.endpoint(refresh=False)
                await second.endpoint(refresh=False)
            assert os.umask(0o077) == 0o077
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no permission bits; the profile folder's rules apply")
async def test_every_file_belongs_to_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    async with hosted(folder) as arcade:
        await run(await arcade.endpoint(refresh=False), "CREATE (episode:Episode {id: 'e1'})")
    open_to_others = [path.name for path in (folder, *folder.rglob("*")) if stat.S_IMODE(path.stat().st_mode) & 0o077]
    assert open_to_others == []


async def test_the_listeners_are_on_loopback_only(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; asks which own address would be used
        except OSError:
            pytest.skip("this machine has loopback only; connect it to a network")
        own_address = probe.getsockname()[0]
    async with hosted(tmp_path) as arcade:
        await arcade.endpoint(refresh=False)
        there = announced(tmp_path)
        assert there is not None
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((own_address, there.port), timeout=5.0)


async def test_commits_are_flushed_and_time_is_limited(tmp_path: Path) -> None:
    async with hosted(tmp_path, timeout_ms=1234) as arcade:
        await arcade.endpoint(refresh=False)
        assert arcade._server is not None
        settings = embedded._settings(arcade._server.create_database("memory"))
    keys = ["txWalFlush", "command.timeout", "opencypher.loadCsv.allowFileUrls", "opencypher.loadCsv.allowRemoteUrls"]
    assert [settings[f"arcadedb.{key}"] for key in keys] == [1, 1234, False, False]


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="this system does not count what a process reads")
async def test_the_first_writes_of_a_process_do_not_look_through_everything_for_space(tmp_path: Path) -> None:
    """At a million facts the first receipt and the first fact after a start would read 1.3 GB."""
    async with hosted(tmp_path) as arcade:
        await run(
            await arcade.endpoint(refresh=False),
            "UNWIND range(1, 3000) AS number CREATE (episode:Episode {id: number, text: reduce(text = '', "
            "part IN range(1, 250) | text + 'some words. ')})",
        )
    stored = sum(file.stat().st_size for file in FolderLayout(folder=tmp_path).database.glob("Episode_0.*"))
    async with hosted(tmp_path) as arcade:
        endpoint = await arcade.endpoint(refresh=False)
        before = _characters_read()
        for _ in range(3):
            await run(endpoint, "UNWIND range(1, 12) AS part CREATE (episode:Episode {text: toString(part)})")
        assert _characters_read() - before < stored / 4


def _characters_read() -> int:
    return int(Path("/proc/self/io").read_text(encoding="ascii").split()[1])


async def test_a_statement_that_runs_too_long_is_ended(tmp_path: Path) -> None:
    endless: LiteralString = (
        "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b < 0 RETURN a"
    )
    async with hosted(tmp_path, timeout_ms=200) as arcade:
        with pytest.raises(ClientError) as refusal:
            await run(await arcade.endpoint(refresh=False), endless)
    assert refusal.value.code == "Neo.ClientError.Transaction.TransactionTimedOut"


async def test_no_file_of_the_machine_can_be_read_by_query_even_by_the_writer(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("private\n", encoding="utf-8")
    async with hosted(tmp_path / "store") as arcade, driver(await arcade.endpoint(refresh=False)) as opened:
        for address in (secret.as_uri(), str(secret)):
            with pytest.raises(Forbidden):
                await opened.execute_query("LOAD CSV FROM $address AS line RETURN line", address=address)


async def test_the_reader_reads(tmp_path: Path) -> None:
    async with hosted(tmp_path) as arcade:
        endpoint = await arcade.endpoint(refresh=False)
        await run(endpoint, "CREATE (episode:Episode {id: 'e1'})")
        rows = await run(endpoint, "MATCH (episode:Episode) RETURN episode.id AS id", reader=True)
    assert rows == [{"id": "e1"}]


WRITES: tuple[LiteralString, ...] = (
    "CREATE (n:Entity:Patient {uid: 'z'})",
    "CREATE (n:Unheard {uid: 'z'})",
    "MERGE (n:Entity {uid: 'z'})",
    "MERGE (n:Entity {uid: 'a'}) ON MATCH SET n.name = 'z'",
    "MATCH (n:Entity {uid: 'a'}) SET n.name = 'z'",
    "MATCH (n:Entity {uid: 'a'}) SET n += {name: 'z'}",
    "MATCH (n:Entity {uid: 'a'}) SET n:Unheard",
    "MATCH (n:Entity {uid: 'a'}) REMOVE n.name",
    "MATCH (n:Entity {uid: 'a'}) REMOVE n:Patient",
    "MATCH (n:Entity {uid: 'a'}) DETACH DELETE n",
    "MATCH (a:Entity)-[known:KNOWS]->(b:Entity) DELETE known",
    "MATCH (a:Entity)-[known:KNOWS]->(b:Entity) SET known.since = 2",
    "MATCH (a:Entity {uid: 'a'}) MATCH (b:Entity {uid: 'b'}) CREATE (a)-[known:KNOWS]->(b)",
    "MATCH (a:Entity {uid: 'a'}) MATCH (b:Entity {uid: 'b'}) MERGE (a)-[unheard:UNHEARD]->(b)",
    "FOREACH (x IN [1] | CREATE (n:Entity {uid: 'z'}))",
    "UNWIND [1, 2] AS x CREATE (n:Entity {uid: 'z' + toString(x)})",
    "CALL { CREATE (n:Entity {uid: 'z'}) RETURN n } RETURN n.uid",
    "CALL merge.node(['Entity'], {uid: 'z'})",
    "CALL apoc.merge.node(['Entity'], {uid: 'z'})",
    "LOAD CSV FROM 'file:///etc/hostname' AS line RETURN line",
    "LOAD CSV FROM 'http://127.0.0.1/' AS line CREATE (n:Entity {uid: line[0]})",
    "CREATE INDEX unheard IF NOT EXISTS FOR (n:Entity) ON (n.name)",
    "CREATE CONSTRAINT unheard IF NOT EXISTS FOR (n:Entity) REQUIRE n.name IS UNIQUE",
    "DROP CONSTRAINT entity_uid IF EXISTS",
    "CREATE USER stranger SET PASSWORD 'abcdefgh'",
    "DROP USER root",
)


async def test_the_reader_is_refused_every_form_of_writing_and_changes_nothing(tmp_path: Path) -> None:
    """The issue: free Cypher and audits go through the store's own read-only path."""
    everything: LiteralString = (
        "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) "
        "RETURN labels(n) AS labels, properties(n) AS node, properties(r) AS relationship ORDER BY n.uid"
    )
    async with hosted(tmp_path) as arcade:
        endpoint = await arcade.endpoint(refresh=False)
        await run(endpoint, "CREATE CONSTRAINT entity_uid IF NOT EXISTS FOR (n:Entity) REQUIRE n.uid IS UNIQUE")
        await run(
            endpoint,
            "CREATE (a:Entity:Patient {uid: 'a', name: 'A'})-[known:KNOWS {since: 1}]->(b:Entity:Patient {uid: 'b'})",
        )
        before = await run(endpoint, everything)
        async with driver(endpoint, reader=True) as opened:
            answers = {query: (await _alone(opened, query), await _among_others(opened, query)) for query in WRITES}
        refused = "Neo.ClientError.Security.Forbidden"
        assert answers == dict.fromkeys(WRITES, (refused, refused))
        assert await run(endpoint, everything) == before
        assert len(await run(endpoint, "SHOW CONSTRAINTS")) == 1


async def _alone(opened: AsyncDriver, query: LiteralString) -> str | None:
    """The code of the refusal, or "passed"."""
    try:
        async with opened.session(database="memory") as session:
            await (await session.run(query)).consume()
    except ClientError as error:
        return error.code
    return "passed"


async def _among_others(opened: AsyncDriver, query: LiteralString) -> str | None:
    """The same in an explicit transaction, where some writes are refused only when they are committed."""
    try:
        async with opened.session(database="memory") as session, await session.begin_transaction() as transaction:
            await (await transaction.run(query)).consume()
            await transaction.commit()
    except ClientError as error:
        return error.code
    return "passed"


async def test_a_port_snatched_by_somebody_else_is_replaced_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_free = embedded._free_ports
    with socket.create_server((LOOPBACK, 0)) as snatched:
        taken = snatched.getsockname()[1]
        ports = iter([(taken, really_free()[1]), (really_free()[0], taken)])
        monkeypatch.setattr(embedded, "_free_ports", lambda: next(ports, None) or really_free())
        async with hosted(tmp_path) as arcade:
            assert await run(await arcade.endpoint(refresh=False), "RETURN 1 AS one") == [{"one": 1}]


async def test_without_a_wheel_for_the_platform_the_error_says_to_set_a_neo4j_uri(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spec: no wheel for Intel Mac or musl; there the start must fail with a sentence that says what to set."""
    monkeypatch.setitem(sys.modules, "arcadedb", None)
    async with hosted(tmp_path) as arcade:
        with pytest.raises(ConfigurationError, match=r"cannot be loaded on .* name a Neo4j in R_MEMORY_STORE_URI"):
            await arcade.endpoint(refresh=False)
        monkeypatch.undo()
        assert (await arcade.endpoint(refresh=False)).engine == "arcadedb"


async def test_a_library_that_does_not_load_says_to_set_a_neo4j_uri(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start() -> None:
        raise OSError("libc.so.6: version `GLIBC_2.28' not found")

    engine = SimpleNamespace(create_server=lambda *_, **__: SimpleNamespace(start=start), ArcadeDBError=RuntimeError)
    monkeypatch.setitem(sys.modules, "arcadedb", engine)
    async with hosted(tmp_path) as arcade:
        with pytest.raises(ConfigurationError, match=r"GLIBC_2\.28.*name a Neo4j in R_MEMORY_STORE_URI"):
            await arcade.endpoint(refresh=False)


async def test_settings_that_the_engine_ignores_stop_the_start() -> None:
    ignoring = SimpleNamespace(
        command=lambda *_: None, query=lambda *_: SimpleNamespace(to_list=lambda: [{"settings": []}])
    )
    with pytest.raises(StoreUnavailable, match=r"does not accept arcadedb\.txWalFlush, arcadedb\.command\.timeout"):
        embedded._secure(ignoring, timeout_ms=1000)


async def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    async with hosted(in_the_way / "store") as arcade:
        with pytest.raises(ConfigurationError, match=r"cannot be used .* name a Neo4j in R_MEMORY_STORE_URI"):
            await arcade.endpoint(refresh=False)


async def test_a_full_disk_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: FolderLayout, __: Announcement) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FolderLayout, "prepare", full)
    async with hosted(tmp_path) as arcade:
        with pytest.raises(StoreUnavailable, match=r"no space is left for the data folder .* free some"):
            await arcade.endpoint(refresh=False)


async def test_a_host_that_does_not_answer_is_named_and_nothing_is_hosted_beside_it(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as closed_soon:
        port = closed_soon.getsockname()[1]
    announce(tmp_path, Announcement(port=port, secret="s", reader_secret="r", pid=4711, machine="ward-3"))
    arcade = EmbeddedArcade(tmp_path, wait_s=0.2)
    with no_one_answering(tmp_path):
        with pytest.raises(StoreUnavailable, match=r"process 4711 on ward-3 holds .* did not answer for 0\.2 s"):
            await arcade.endpoint(refresh=False)
        assert not arcade.hosting


async def test_a_folder_held_by_an_unknown_process_says_what_to_do(tmp_path: Path) -> None:
    arcade = EmbeddedArcade(tmp_path, wait_s=0.2)
    with (
        no_one_answering(tmp_path),
        pytest.raises(StoreUnavailable, match=r"another process holds .* end that process"),
    ):
        await arcade.endpoint(refresh=False)


@pytest.mark.proves("Z14")
@pytest.mark.parametrize("lost", ["schema.json", "dictionary", "Episode_0.", "Episode_0_out_edges"])
async def test_a_damaged_database_is_refused_instead_of_opened_empty(tmp_path: Path, lost: str) -> None:
    """The engine opens such a folder without a word and answers that nothing is there."""
    async with hosted(tmp_path) as arcade:
        await run(await arcade.endpoint(refresh=False), "CREATE (episode:Episode {id: 'e1'})")
    database = FolderLayout(folder=tmp_path).database
    for file in [file for file in database.iterdir() if file.name.startswith(lost)]:
        file.unlink()
    left = sorted(file.name for file in database.iterdir())
    async with hosted(tmp_path) as arcade:
        with pytest.raises(StoreUnavailable, match=r"is damaged: .* restore the whole folder from a backup"):
            await arcade.endpoint(refresh=False)
    assert sorted(file.name for file in database.iterdir()) == left


async def test_a_database_of_a_later_version_is_left_alone_and_says_what_to_do(tmp_path: Path) -> None:
    async with hosted(tmp_path) as arcade:
        await arcade.endpoint(refresh=False)
    mark = tmp_path / "store.json"
    later = json.dumps({**json.loads(mark.read_text(encoding="utf-8")), "format": 99})
    mark.write_text(later, encoding="utf-8")
    async with hosted(tmp_path) as arcade:
        with pytest.raises(StoreUnavailable, match=r"later version .*format 99.* install that version or a later one"):
            await arcade.endpoint(refresh=False)
    assert mark.read_text(encoding="utf-8") == later


async def test_a_dictionary_cut_to_half_is_damage_that_is_named(tmp_path: Path) -> None:
    """Found by attack: all names stood in the first half, and everybody was somebody whom nobody knows."""
    async with hosted(tmp_path) as arcade:
        await run(await arcade.endpoint(refresh=False), "CREATE (episode:Episode {id: 'e1'})")
    [file] = FolderLayout(folder=tmp_path).database.glob("dictionary.*")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    async with hosted(tmp_path) as arcade:
        with pytest.raises(StoreUnavailable, match=r"is damaged: its file dictionary.* restore the whole folder"):
            await arcade.endpoint(refresh=False)


@pytest.mark.parametrize("left", [(), ("configuration.json",), ("dictionary",), ("configuration.json", "dictionary")])
async def test_a_first_start_that_was_killed_halfway_can_be_repeated(tmp_path: Path, left: tuple[str, ...]) -> None:
    whole = tmp_path / "whole"
    async with hosted(whole) as arcade:
        await arcade.endpoint(refresh=False)
    halfway = FolderLayout(folder=tmp_path / "halfway")
    halfway.database.mkdir(parents=True)
    for file in [file for file in FolderLayout(folder=whole).database.iterdir() if file.name.startswith(left)]:
        (halfway.database / file.name).write_bytes(file.read_bytes())
    async with hosted(halfway.folder) as arcade:
        assert await run(await arcade.endpoint(refresh=False), "RETURN 1 AS one") == [{"one": 1}]


async def test_a_database_that_the_engine_refuses_is_reported_with_its_reason(tmp_path: Path) -> None:
    async with hosted(tmp_path) as arcade:
        await arcade.endpoint(refresh=False)
    (FolderLayout(folder=tmp_path).database / "configuration.json").write_text("{bad", encoding="utf-8")
    async with hosted(tmp_path) as arcade:
        with pytest.raises(StoreUnavailable, match=r"did not open .* name a Neo4j in R_MEMORY_STORE_URI"):
            await arcade.endpoint(refresh=False)


async def test_a_start_that_failed_leaves_the_folder_free_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hosted(tmp_path) as first, hosted(tmp_path) as second:
        with monkeypatch.context() as broken:
            broken.setitem(sys.modules, "arcadedb", None)
            with pytest.raises(ConfigurationError):
                await first.endpoint(refresh=False)
        await second.endpoint(refresh=False)
        assert second.hosting


async def test_memory_settings_of_the_user_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCADEDB_NATIVE_ISOLATE_ARGS", "-Xmx64m")
    with embedded._engine_environment(FolderLayout(folder=tmp_path)):
        given = os.environ["ARCADEDB_NATIVE_ISOLATE_ARGS"].split()
    assert given[0] == "-Xmx64m"
    assert "-Xmx512m" not in given


async def test_memory_is_limited_where_the_user_set_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARCADEDB_NATIVE_ISOLATE_ARGS", raising=False)
    with embedded._engine_environment(FolderLayout(folder=tmp_path)):
        assert os.environ["ARCADEDB_NATIVE_ISOLATE_ARGS"].split()[0] == "-Xmx512m"
    assert "ARCADEDB_NATIVE_ISOLATE_ARGS" not in os.environ
