"""Which commands wait for a slow store, those that do work in bulk; and what is said where the disk is full."""

import ast
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

import r_memory
import r_memory_lab
from r_memory.cli import running
from r_memory.errors import StoreUnavailable
from tests.unit.cli.conftest import Command

BULK = {
    "checkpoint",
    "embed",
    "eval",
    "export",
    "exported",
    "_moved_in",
    "imported",
    "ingest",
    "listed",
    "rebuild",
    "relink",
    "remember",
    "verify",
}


def test_commands_that_work_in_bulk_wait_for_a_slow_store() -> None:
    folders = [Path(r_memory.__file__).parent / "cli", Path(r_memory_lab.__file__).parent]
    assert {name for folder in folders for path in folder.glob("*.py") for name in waiting(path)} == BULK


def waiting(path: Path) -> set[str]:
    """Functions of the file that open a memory in bulk."""
    functions = [
        node
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return {
        function.name
        for function in functions
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and any(word.arg == "in_bulk" and not isinstance(word.value, ast.Name) for word in call.keywords)
    }


@pytest.mark.parametrize(("free", "said"), [(2**10, True), (2**40, False)])
def test_a_store_that_fails_on_a_full_disk_says_that_the_disk_is_full(
    free: int, said: bool, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing() -> object:
        raise StoreUnavailable("the store could not do a write")

    @asynccontextmanager
    async def broken(*_: object, **__: object) -> AsyncIterator[object]:
        yield await failing()

    monkeypatch.setattr(running, "open_memory", broken)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    done = command("remember", "I am allergic to latex", "--subject", "P1")
    assert done.code == 3
    assert ("is full: make room first" in done.err) is said
