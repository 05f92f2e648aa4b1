"""A command beside a server of the same settings is answered there, as it would be here; or it is declined."""

import asyncio
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from r_memory.cli.beside import answer_of, commands, meeting_place
from r_memory.config.settings import Settings
from tests.unit.cli.conftest import Command
from tests.unit.memory_world import World

pytestmark = pytest.mark.anyio
TOLD = ["remember", "I am allergic to latex.", "--subject", "P1", "--subject-name", "Pia"]


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch, world: World) -> Iterator[Path]:
    """A cache whose path is short enough for a socket, and a home; the space is the world's."""
    folder = Path(tempfile.mkdtemp(prefix="rm-"))
    (folder / "home").mkdir()
    monkeypatch.setenv("R_MEMORY_CACHE_DIR", str(folder))
    monkeypatch.setenv("R_MEMORY_HOME", str(folder / "home"))
    monkeypatch.setenv("R_MEMORY_SPACE", world.memory.facts.space)
    monkeypatch.setattr(sys, "stdin", sys.stdin)  # a server takes it away
    yield folder
    shutil.rmtree(folder)


async def test_a_server_answers_a_command_as_it_would_be_answered_here(world: World, command: Command) -> None:
    async with commands(Settings.from_environment())(world.memory):
        stored = await asyncio.to_thread(answer_of, TOLD)
        listed = await asyncio.to_thread(answer_of, ["facts", "--subject", "P1"])
        wrong = await asyncio.to_thread(answer_of, ["facts", "--subject", "nobody"])
    assert stored is not None
    assert (stored["code"], stored["err"]) == (0, "")
    here = await asyncio.to_thread(command, "facts", "--subject", "P1")
    assert listed == {"code": 0, "out": here.out, "err": ""}
    there = await asyncio.to_thread(command, "facts", "--subject", "nobody")
    assert wrong == {"code": there.code, "out": "", "err": there.err}


async def test_the_home_may_be_named_in_the_command(
    world: World, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with commands(Settings.from_environment())(world.memory):
        listed = await asyncio.to_thread(answer_of, ["subjects", "--home", str(places / "home"), "--json"])
        other = await asyncio.to_thread(answer_of, ["subjects", "--home", str(places)])
        monkeypatch.setenv("R_MEMORY_SPACE", "ward-b")
        another = await asyncio.to_thread(answer_of, ["subjects"])
    assert listed == {"code": 0, "out": "[]\n", "err": ""}
    assert (other, another) == (None, None)


@pytest.mark.parametrize("changed", ["config.yaml", "intents.yaml", "schema/clinical.yaml"])
async def test_once_a_file_of_the_home_has_changed_the_command_reads_it_here(
    changed: str, world: World, places: Path
) -> None:
    async with commands(Settings.from_environment())(world.memory):
        path = places / "home" / changed
        path.parent.mkdir(exist_ok=True)
        path.write_text("single_subject: P2\n", encoding="utf-8")
        assert await asyncio.to_thread(answer_of, ["subjects"]) is None


@pytest.mark.parametrize(
    "arguments",
    [["remember"], ["remember", "-"], ["check-text", "-"], ["remember", "-f", "x.txt"], ["doctor"]],
)
async def test_what_reads_a_file_or_a_keyboard_runs_where_it_was_typed(arguments: list[str], world: World) -> None:
    async with commands(Settings.from_environment())(world.memory):
        assert await asyncio.to_thread(answer_of, [*arguments, "--subject", "P1"]) is None


async def test_a_relative_folder_is_another_one_elsewhere(
    world: World, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places)
    monkeypatch.setenv("R_MEMORY_DATA_DIR", "data")
    async with commands(Settings.from_environment())(world.memory):
        assert await asyncio.to_thread(answer_of, ["subjects"]) is not None
        monkeypatch.chdir(places / "home")
        assert await asyncio.to_thread(answer_of, ["subjects"]) is None


async def test_a_server_that_ends_in_the_middle_is_not_asked_to_remember_twice() -> None:
    """Words that may be stored are not stored again; what only reads is read here."""
    place = meeting_place(os.environ["R_MEMORY_HOME"])
    place.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(place))
        door.listen()
        threading.Thread(target=_greet_and_leave, args=(door, door), daemon=True).start()
        unknown = await asyncio.to_thread(answer_of, TOLD)
        assert unknown is not None
        assert unknown["code"] == 3
        assert "ended before it said whether this is stored" in unknown["err"]
        assert await asyncio.to_thread(answer_of, ["facts", "--subject", "P1"]) is None
    assert await asyncio.to_thread(answer_of, TOLD) is None  # nobody listens any more


def _greet_and_leave(*doors: socket.socket) -> None:
    for door in doors:
        caller, _ = door.accept()
        with caller:
            caller.sendall(b"r-memory\n")
            caller.recv(65_536)


async def test_nobody_but_the_user_may_ask(world: World) -> None:
    async with commands(Settings.from_environment())(world.memory):
        assert meeting_place(os.environ["R_MEMORY_HOME"]).parent.stat().st_mode & 0o077 == 0


async def test_a_server_serves_where_no_socket_can_be_made(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R_MEMORY_CACHE_DIR", f"/dev/null/{'x' * 200}")
    async with commands(Settings.from_environment())(world.memory):
        assert await asyncio.to_thread(answer_of, ["subjects"]) is None
