"""`doctor`: each usual trouble is found, with what it means and what to do, and no password is ever shown."""

import importlib.util
import json
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from r_memory.cli import doctor
from r_memory.cli.app import Exit
from r_memory.cli.doctor import (
    HealthFinding,
    about_files,
    about_imports,
    about_keys,
    about_version,
    about_waiting,
    engine,
    folder,
    host,
    room,
    store_findings,
)
from r_memory.config.loading import Loaded, load_domain
from r_memory.config.settings import Settings
from r_memory.domain.events import Difference
from r_memory.domain.log import IMPORT, UNENDED
from r_memory.protocols import StoreHealth
from r_memory.space.integrity import Verification
from r_memory.store.bolt_errors import QueryRefused
from r_memory.store.host_lock import Announcement, HostLock, announce
from r_memory.store.host_proof import Prover, listening
from tests.unit.cli.conftest import Command

SECRET = "hunter2-very-secret"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """An embedded installation without a store yet."""
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture
def store(settings: Settings) -> Path:
    """The folder of a store that was used before."""
    settings.store_dir.mkdir(parents=True, mode=0o700)
    return settings.store_dir


@pytest.fixture
def hosted(store: Path) -> Iterator[None]:
    """A host of the store that accepts connections and proves itself."""
    lock, proof = HostLock(store), listening()
    assert lock.take()
    with socket.create_server(("127.0.0.1", 0)) as database:
        note = Announcement(
            port=database.getsockname()[1],
            proof_port=proof.getsockname()[1],
            secret=SECRET,
            reader_secret=SECRET,
            pid=4242,
            machine="here",
        )
        announce(store, note)
        prover = Prover(proof, note)
        yield
        prover.close()
    lock.release()


def leave_note(store: Path, *, port: int) -> None:
    announce(store, Announcement(port=port, secret=SECRET, reader_secret=SECRET, pid=4242, machine="here"))


def closed_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
    return port


def only(findings: Iterator[HealthFinding]) -> HealthFinding:
    (finding,) = findings
    return finding


def says_what_to_do(finding: HealthFinding) -> bool:
    return finding.level != "fine" and bool(finding.what and finding.why and finding.remedy)


def health(**changes: object) -> StoreHealth:
    told = {"name": "Neo4j 5.26.16", "latency_ms": 1.0, "pending": 0, "schema_version": "", "pack_version": ""}
    return StoreHealth(**{**told, **changes})  # type: ignore[arg-type]  # keyword arguments


@pytest.fixture(scope="module")
def domain() -> Loaded:
    return load_domain(Settings().files, "clinical")


def test_a_fresh_installation_has_nothing_to_mend(command: Command) -> None:
    done = command("doctor")
    assert (done.code, done.err) == (Exit.DONE, "")
    assert "there is no store yet" in done.out
    assert done.out.endswith("Nothing to mend.\n")


def test_looking_makes_no_store(command: Command) -> None:
    command("doctor")
    assert not Path(os.environ["R_MEMORY_DATA_DIR"]).exists()


def test_json_holds_every_finding_with_the_same_words(command: Command) -> None:
    text = command("doctor").out
    found = command("doctor", "--json").json
    assert found["healthy"] is True
    assert all(finding["what"] in text for finding in found["findings"] if finding["check"] != "disk")
    assert set(found["findings"][0]) == {"check", "level", "what", "why", "remedy", "store_down"}


def test_wrong_settings_are_a_finding_with_file_and_line(command: Command, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("space: [\n", encoding="utf-8")
    done = command("doctor", "--home", str(tmp_path))
    assert (done.code, done.err) == (Exit.CHECK_FAILED, "")
    assert f"TROUBLE settings: {tmp_path / 'config.yaml'}:" in done.out


def test_bad_yaml_is_a_finding_with_file_and_line(command: Command, tmp_path: Path) -> None:
    (tmp_path / "intents.yaml").write_text("version: 1\nintents: {}\nextra: 1\n", encoding="utf-8")
    done = command("doctor", "--home", str(tmp_path))
    assert done.code == Exit.CHECK_FAILED
    assert f"TROUBLE files: {tmp_path / 'intents.yaml'}:" in done.out
    assert "what to do: mend the line named" in done.out


def test_a_platform_without_the_engine_is_told_to_use_neo4j(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    finding = only(engine(settings))
    assert (finding.store_down, says_what_to_do(finding)) == (True, True)
    assert "R_MEMORY_STORE_URI=neo4j://" in finding.remedy


def test_a_folder_that_cannot_be_made_is_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    finding = only(folder(Settings(data_dir=tmp_path / "file" / "data")))
    assert (finding.level, finding.store_down, says_what_to_do(finding)) == ("trouble", True, True)
    assert str(tmp_path / "file") in finding.what


def test_a_folder_that_refuses_to_be_written_is_found(
    settings: Settings, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    finding = only(folder(settings))
    assert (finding.level, finding.what) == ("trouble", f"{store} cannot be written (Permission denied)")


@pytest.mark.skipif(os.name != "posix", reason="permissions of other systems work differently")
def test_a_data_folder_that_may_not_be_entered_is_found(settings: Settings, store: Path) -> None:
    settings.data_dir.chmod(0)
    os.seteuid(os.getuid() or 65534)  # the administrator may enter anything
    try:
        found = [finding for look in (folder, room, host) for finding in look(settings) if finding.level != "fine"]
    finally:
        os.seteuid(os.getuid())
        settings.data_dir.chmod(0o700)
    assert [(finding.check, finding.level, finding.store_down) for finding in found] == [("folder", "trouble", True)]
    assert "cannot be written (Permission denied)" in found[0].what
    assert store.is_dir()


@pytest.mark.anyio
async def test_a_damaged_file_of_the_database_is_not_answered_with_run_doctor(
    settings: Settings, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing() -> object:
        raise QueryRefused("cypher/read/logged_state.cypher", "Neo.ClientError.Statement.ArgumentError", "")

    @asynccontextmanager
    async def damaged(_: Settings) -> AsyncIterator[object]:
        yield await failing()

    monkeypatch.setattr(doctor, "open_store", damaged)
    (finding,) = await store_findings(settings)
    assert (finding.level, finding.store_down) == ("trouble", True)
    assert finding.what.startswith("the store refused cypher/read/logged_state.cypher")
    assert finding.remedy == f"end what uses it, and restore the whole folder {store} from a backup"


@pytest.mark.skipif(os.name != "posix", reason="permissions of other systems work differently")
def test_a_store_that_others_may_read_is_noted(settings: Settings, store: Path) -> None:
    store.chmod(0o755)
    finding = only(folder(settings))
    assert (finding.level, says_what_to_do(finding)) == ("note", True)
    store.chmod(0o700)
    assert only(folder(settings)).level == "fine"


def test_a_full_disk_is_found(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100 * 2**20))
    finding = only(room(settings))
    assert (finding.level, finding.store_down, says_what_to_do(finding)) == ("trouble", False, True)


def test_a_disk_without_room_to_open_the_store_is_the_one_trouble_and_its_engine_is_left_alone(
    command: Command, store: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine's own complaint is a page of Java, and its advice would be to restore a backup."""
    monkeypatch.setenv("R_MEMORY_DATA_DIR", str(store.parent))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1024))
    done = command("doctor")
    assert (done.code, done.err) == (Exit.UNAVAILABLE, "")
    assert [line for line in done.out.splitlines() if line.startswith("TROUBLE")] == [
        f"TROUBLE disk: only 0 MiB are free where {store} lies"
    ]
    request.getfixturevalue("hosted")
    assert not only(room(Settings(data_dir=store.parent))).store_down  # whoever hosts it can be asked


@pytest.mark.usefixtures("hosted")
def test_a_host_that_answers_is_fine(settings: Settings) -> None:
    assert only(host(settings)).what == "process 4242 hosts the store and accepts connections"


def test_somebody_else_at_the_port_of_a_host_is_no_host(settings: Settings, store: Path) -> None:
    lock = HostLock(store)
    assert lock.take()
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        leave_note(store, port=stranger.getsockname()[1])
        assert only(host(settings)).store_down
        lock.release()
        assert "is stale" in only(host(settings)).what


def test_a_stale_note_is_told_apart_from_a_host_that_hangs(settings: Settings, store: Path) -> None:
    leave_note(store, port=closed_port())
    stale = only(host(settings))
    assert (stale.level, "stale" in stale.what, says_what_to_do(stale)) == ("note", True, True)
    lock = HostLock(store)
    assert lock.take()
    try:
        hanging = only(host(settings))
    finally:
        lock.release()
    assert (hanging.level, hanging.store_down, says_what_to_do(hanging)) == ("trouble", True, True)
    assert "process 4242 on here holds" in hanging.what


def test_a_store_that_nobody_hosts_is_fine_and_its_lock_stays_free(settings: Settings, store: Path) -> None:
    assert "nobody hosts the store" in only(host(settings)).what
    lock = HostLock(store)
    assert lock.take()
    lock.release()


def test_an_old_neo4j_is_found_and_a_new_one_is_not() -> None:
    assert says_what_to_do(only(about_version(health(name="Neo4j 4.4.9"))))
    assert [list(about_version(health(name=name))) for name in ("Neo4j 5.26.16", "Neo4j 2026.09.0", "dict")] == [
        [],
        [],
        [],
    ]


def test_a_store_prepared_with_another_schema_is_noted_with_both_versions(domain: Loaded) -> None:
    findings = list(about_files(health(schema_version="0123456789ab", pack_version=domain.knowledge.version), domain))
    assert [finding.level for finding in findings] == ["note", "fine"]
    assert says_what_to_do(findings[0])
    assert "0123456789ab" in findings[0].what
    assert domain.schema.version in findings[0].what


def test_a_store_that_was_never_prepared_is_noted(domain: Loaded) -> None:
    assert all(says_what_to_do(finding) for finding in about_files(health(), domain))


def test_statements_that_wait_for_a_person_are_noted() -> None:
    assert says_what_to_do(only(about_waiting(health(pending=3))))
    assert list(about_waiting(health())) == []


def test_a_server_that_cannot_be_reached_is_exit_code_three_without_address_or_password(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = closed_port()
    monkeypatch.setenv("R_MEMORY_STORE_URI", f"bolt://127.0.0.1:{port}")
    monkeypatch.setenv("R_MEMORY_STORE_PASSWORD", SECRET)
    done = command("doctor")
    assert done.code == Exit.UNAVAILABLE
    assert "TROUBLE store: the store cannot be reached" in done.out
    assert "what to do: start it, or correct its address" in done.out
    found = command("doctor", "--json")
    assert json.loads(found.out)["healthy"] is False
    assert SECRET not in done.out + done.err + found.out + found.err


def test_an_import_that_has_not_ended_is_found_and_how_to_end_it_is_said() -> None:
    halves = [Difference(subject_uid=uid, where=IMPORT, problem=UNENDED) for uid in ("clinic", "clinic/Patient/JD001")]
    [finding] = about_imports(Verification(differences=tuple(halves)))
    assert (finding.check, finding.level) == ("import", "trouble")
    assert finding.what == "an import has not ended: 2 parts of the space wait for it"
    assert "`r-memory import FILE` with the same file again" in finding.remedy
    other = Difference(subject_uid="clinic/Patient/JD001", where="event 1", problem="was altered")
    assert [
        *about_imports(Verification(differences=(other,))),
        *about_imports(Verification()),
        *about_imports(None),
    ] == []


def test_keys_that_somebody_dropped_and_keys_of_another_program_are_troubles() -> None:
    lost = only(about_keys(health(schema_version="0123456789ab", lost_keys=("Entity (uid)",))))
    theirs = only(about_keys(health(foreign_keys=("Entity (id)",))))
    assert [(finding.level, says_what_to_do(finding)) for finding in (lost, theirs)] == [("trouble", True)] * 2
    assert "Entity (uid)" in lost.what
    assert "another program prepared this database" in theirs.what


def test_a_database_that_nobody_prepared_yet_has_lost_no_keys() -> None:
    assert list(about_keys(health(lost_keys=("Entity (uid)",)))) == []
