"""The page of guarantees against the tests: a promise without a test that runs is none."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "guarantees.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def promises() -> list[str]:
    """Rows of every table, without heads and rules."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [row for row in rows if row != "| promise | proven by |"]


def functions_of(path: Path) -> set[str]:
    """Names of the test functions of a file; none for a file that is not there."""
    if not path.is_file():
        return set()
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_promise_names_a_test_that_exists() -> None:
    named = {row: NAMED.findall(row) for row in promises()}

    assert [row for row, tests in named.items() if not tests] == []
    missing = [
        f"{path}::{name}" for tests in named.values() for path, name in tests if name not in functions_of(ROOT / path)
    ]
    assert missing == []
