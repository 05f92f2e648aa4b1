"""Requirement ids in both directions: what the tests claim to prove, and what `docs/reference/requirements.md`
lists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "requirements.md"
NUMBERED = {"RM": 26, "M": 64, "SCM": 40, "CIM": 28, "MIM": 19, "A": 15, "T": 24}
"""Groups of requirements and how many each has: of the memory systems RM, SCM, CIM, MIM (Mimir), ambiguities A and
tests T."""
KNOWN = frozenset(
    {f"Z{n:02}" for n in range(1, 43)}
    | {f"{group}-{n}" for group, most in NUMBERED.items() for n in range(1, most + 1)}
)
ROW = re.compile(r"^\| (?P<id>[A-Z]+-?\d+) \| .* \| (?P<state>shown|later|declined) \|$", re.MULTILINE)


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
    assert [pair for pair in claimed() if pair[0] not in KNOWN] == []


def test_the_page_lists_as_shown_exactly_what_tests_prove() -> None:
    assert listed("shown") == {id_ for id_, _ in claimed()}


def test_every_requirement_has_its_row() -> None:
    assert listed("shown") | listed("later") | listed("declined") == KNOWN
