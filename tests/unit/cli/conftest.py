"""Commands as a shell runs them, over a memory of scripts and dictionaries."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from r_memory.cli import running
from r_memory.cli.app import run
from r_memory.config.settings import Settings
from r_memory.memory import Memory
from tests.unit.memory_world import World, a_world


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON of any shape
        """Standard output, read back."""
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A pipe instead of a terminal, and a data folder of its own."""
    for name in ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "TERM", "R_MEMORY_HOME", "R_MEMORY_STORE_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("R_MEMORY_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs one command line in this process."""

    def ran(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = run(arguments)
        captured = capsys.readouterr()
        return Outcome(code=code, out=captured.out, err=captured.err)

    return ran


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """The memory that every command of the test opens."""
    world = a_world()

    @asynccontextmanager
    async def opened(_: Settings, __: object) -> AsyncIterator[Memory]:
        yield world.memory

    monkeypatch.setattr(running, "open_memory", opened)
    return world
