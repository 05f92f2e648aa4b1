"""The hazard log in both directions: every hazard has a named test, every named test its hazard."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "hazard-log.md"
ROW = re.compile(r"^\| (?P<id>Z\d\d) \|(?P<cells>.*)\|$", re.MULTILINE)


def rows() -> dict[str, list[str]]:
    """Cells behind the id of each hazard."""
    found = ROW.finditer(PAGE.read_text(encoding="utf-8"))
    return {row["id"]: [cell.strip() for cell in row["cells"].split(" | ")] for row in found}


def written() -> Iterator[tuple[str, set[str]]]:
    """Each test of a hazard, with the ids that it claims to prove."""
    for path in sorted((ROOT / "tests" / "hazards").glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_z"):
                calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
                marks = [call for call in calls if ast.unparse(call.func).endswith(".proves")]
                yield (
                    node.name,
                    {str(arg.value) for mark in marks for arg in mark.args if isinstance(arg, ast.Constant)},
                )


def test_every_hazard_has_its_row_with_control_test_and_residual_risk() -> None:
    assert sorted(rows()) == [f"Z{number:02}" for number in range(1, 43)]
    assert [id_ for id_, cells in rows().items() if len(cells) != 5 or not all(cells)] == []


def test_every_row_names_exactly_the_tests_that_prove_it() -> None:
    proven: dict[str, set[str]] = {}
    for name, ids in written():
        assert {f"Z{name[6:8]}"} == ids, name
        for id_ in ids:
            proven.setdefault(id_, set()).add(name)
    assert {id_: set(re.findall(r"`(test_\w+)`", cells[3])) for id_, cells in rows().items()} == proven


def test_every_control_is_where_the_row_says() -> None:
    missing = {
        path for cells in rows().values() for path in re.findall(r"`([^`]+)`", cells[2]) if not (ROOT / path).is_file()
    }
    assert missing == set()


def test_every_file_that_a_row_names_exists() -> None:
    named = re.findall(r"`((?:server|schema|cypher)/[\w/.-]+)`", PAGE.read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
