"""Requirement ids in both directions: what the tests claim to prove, and what `docs/reference/requirements.md`
lists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "requirements.md"
KNOWN = re.compile(r"Z(0[1-9]|[1-3]\d|4[0-2])|RM-([1-9]|1\d|2[0-6])|M-([1-9]|[1-5]\d|6[0-4])")
ROW = re.compile(r"^\| (?P<id>[A-Z]+-?\d+) \| .* \| (?P<state>shown|later) \|$", re.MULTILINE)


def claimed() -> Iterator[tuple[str, str]]:
    """Pairs of id and test file, from every `proves(...)` in the tests."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "proves":
                yield from ((str(arg.value), path.name) for arg in node.args if isinstance(arg, ast.Constant))


def listed(state: str) -> set[str]:
    """Ids that the page gives this state."""
    return {row["id"] for row in ROW.finditer(PAGE.read_text(encoding="utf-8")) if row["state"] == state}


def test_every_id_that_a_test_names_is_a_requirement() -> None:
    assert [pair for pair in claimed() if not KNOWN.fullmatch(pair[0])] == []


def test_the_page_lists_as_shown_exactly_what_tests_prove() -> None:
    assert listed("shown") == {id_ for id_, _ in claimed()}


def test_every_requirement_has_its_row() -> None:
    every = {f"Z{n:02}" for n in range(1, 43)} | {f"RM-{n}" for n in range(1, 27)} | {f"M-{n}" for n in range(1, 65)}
    assert listed("shown") | listed("later") == every
