"""Which commands wait for a slow store: those that do work in bulk."""

import ast
from pathlib import Path

import r_memory
import r_memory_lab

BULK = {"checkpoint", "embed", "export", "import_", "ingest", "rebuild", "remember", "verify", "eval"}


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
