"""The arrows of the architecture page, over the real imports."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import r_memory

PACKAGE = Path(r_memory.__file__).parent
TALK = "r_memory_talk"
"""The conversational memory: a package beside the product, with a row of its own in the table."""
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "architecture.md"
TOP = {"wiring", "cli"}
"""They stand above all rooms and may see any."""


def allowed() -> dict[str, set[str]]:
    """Room to the rooms it may import: the last table of the architecture page."""
    table = PAGE.read_text(encoding="utf-8").split("| room | may import |")[1]
    rows = re.findall(r"^\| (\w+) \|([^|]*)\|$", table, re.MULTILINE)
    return {room: {name.strip() for name in names.split(",") if name.strip()} for room, names in rows}


CONVERSATIONAL = (
    "r_memory_talk",
    "r_memory.domain.documents",
    "r_memory.domain.memories",
    "r_memory.domain.summaries",
    "r_memory.domain.turns",
)
ONLY_IMPORTERS = {
    "arcadedb": {"store/embedded"},
    "charset_normalizer": {"documents/plain"},
    "cryptography": {"space/signing"},
    "dateutil": {"reading/dates"},
    "docx": {"documents/docx"},
    "jinja2": {"web/rendering"},
    "json_repair": {"providers/replies"},
    "agents": {"gates/openai_agents"},
    "httpx2": {"gates/proxy/app"},
    "langchain": {"gates/langchain"},
    "langchain_core": {"gates/langchain"},
    "langgraph": {"gates/langchain"},
    "opentelemetry": {"gates/telemetry", "serving/tools/strict"},
    "pydantic_ai": {"gates/pydantic_ai"},
    "openai": {"providers/openai"},
    "filelock": {"store/host_lock"},
    "jwt": {"serving/http/tokens"},
    "markdown_it": {"documents/plain"},
    "mcp": {"serving/"},
    "neo4j": {"store/bolt"},
    "py3langid": {"reading/foreign"},
    "pypdf": {"documents/pdf"},
    "sentence_transformers": {"providers/sentence_model"},
    "snowballstemmer": {"stream/words"},
    "starlette": {"gates/proxy/app", "serving/", "web/", "cds/app"},
    "tomlkit": {"cli/installing/toml"},
    "typer": {"cli/"},
    "ulid": {"facts/facts"},
    "uvicorn": {"serving/http/serving"},
    "wordllama": {"providers/wordllama"},
    "yaml": {"config/"},
}
"""A third-party package to the modules (or folders) that may import it."""


@cache
def imports(package: Path = PACKAGE) -> tuple[tuple[str, str], ...]:
    """Pairs of module (`store/bolt`) and what it imports when it runs (`neo4j.exceptions`)."""
    return tuple(_imports(package))


def _imports(package: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(package.rglob("*.py")):
        if "defaults" in path.parts:
            continue
        module = path.relative_to(package).with_suffix("").as_posix()
        for node in _running(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((module, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield module, node.module


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from _running(node)


def test_arrows_point_downwards_only() -> None:
    rooms = allowed()
    rooms.pop(TALK)
    upward = [
        f"{module} imports {imported}"
        for module, imported in imports()
        if imported.startswith("r_memory.")
        and (room := module.split("/")[0]) in rooms
        and (target := imported.split(".")[1]) != room
        and target not in rooms[room]
    ]
    assert upward == []


@pytest.mark.proves("RM-26")
def test_facts_are_written_and_read_without_the_conversational_memory() -> None:
    safety = {"facts", "reading"}
    seen = [
        f"{module} imports {imported}"
        for module, imported in imports()
        if module.split("/")[0] in safety and imported.startswith(CONVERSATIONAL)
    ]
    assert seen == []


@pytest.mark.proves("RM-26")
def test_whatever_needs_no_conversation_starts_without_talk_being_loaded() -> None:
    code = "import sys, {}; print([name for name in sys.modules if name.startswith('r_memory_talk')])"
    code = code.format("r_memory.facts.facts, r_memory.wiring, r_memory.cli, r_memory.serving.server")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_files_of_other_systems_are_loaded_by_those_who_have_such_a_file() -> None:
    """Issue 32: nothing of `records` before it is used; nor of the page and the cards."""
    rooms = ("r_memory.records", "r_memory.web", "r_memory.cds")
    code = "import sys, {}; print([name for name in sys.modules if name.startswith({})])"
    code = code.format(
        "r_memory.wiring, r_memory.cli.facts, r_memory.cli.moving, r_memory.serving.tools.surface", rooms
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("package", sorted(ONLY_IMPORTERS))
def test_each_third_party_package_has_one_importing_place(package: str) -> None:
    strays = [
        module
        for module, imported in (*imports(), *imports(PACKAGE.parent / TALK))
        if imported.split(".")[0] == package
        and not any(module == place or module.startswith(place) for place in ONLY_IMPORTERS[package])
    ]
    assert strays == []


def test_the_domain_needs_the_standard_library_only() -> None:
    strays = [
        f"{module} imports {imported}"
        for module, imported in imports()
        if module.startswith("domain/")
        and (top := imported.split(".")[0]) not in sys.stdlib_module_names
        and top != "r_memory"
    ]
    assert strays == []


def test_every_room_of_the_package_has_its_row_on_the_architecture_page() -> None:
    rooms = {
        path.stem if path.is_file() else path.name
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py"))))
    }
    assert rooms - {"__init__", "defaults"} == set(allowed()) - {TALK} | TOP


def test_the_product_imports_no_package_beside_it() -> None:
    strays = [
        f"{module} imports {name}"
        for module, name in imports()
        if name.startswith(("r_memory_lab", "r_memory_chat", TALK))
    ]
    assert strays == []


def test_talk_sees_the_rooms_of_its_row_and_has_one_door() -> None:
    """`wiring` opens it by name for `Memory.talk` alone; `opening` may see whom the settings choose."""
    seen = {
        (module, name.split(".")[1])
        for module, name in imports(PACKAGE.parent / TALK)
        if name.startswith("r_memory.") and module != "opening"
    }
    assert {room for _, room in seen} == allowed()[TALK]
    doors = [path for path in PACKAGE.rglob("*.py") if f'"{TALK}' in path.read_text(encoding="utf-8")]
    assert [path.relative_to(PACKAGE).as_posix() for path in doors] == ["wiring/__init__.py"]
