"""The arrows of the design, over the real imports: `cli → server → tools → memory → {recall, record} → protocols →
domain`."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import r_memory

PACKAGE = Path(r_memory.__file__).parent
ADAPTER = {"errors", "domain", "protocols"}
MAY_SEE = {
    "errors": set[str](),
    "domain": {"errors"},
    "protocols": {"domain"},
    "subjects": ADAPTER,
    "integrity": ADAPTER,
    "record": ADAPTER,
    "recall": ADAPTER,
    "memory": ADAPTER | {"record", "recall", "subjects", "integrity"},
    "extraction": ADAPTER,
    "intents": ADAPTER,
    "store": ADAPTER,
    "testing": ADAPTER,
    "config": {"errors", "domain"},
    "tools": ADAPTER | {"memory", "record", "recall"},
    "logs": {"errors"},
    "server": ADAPTER | {"memory", "tools", "config", "logs", "wiring"},
}
"""Part of the package to the parts it may import; `wiring`, `cli`, `evals` and `bench` stand above all of these and may
see any."""
ONLY_IMPORTERS = {
    "arcadedb": {"store/embedded"},
    "filelock": {"store/host_lock"},
    "mcp": {"server", "tools/", "cli/demo/", "bench/"},
    "neo4j": {"store/bolt"},
    "sklearn": {"intents/training"},
    "spacy": {"extraction/"},
    "typer": {"cli/"},
    "ulid": {"wiring"},
    "yaml": {"config/"},
}
"""A third-party package to the modules (or folders) that may import it."""


def imports() -> Iterator[tuple[str, str]]:
    """Pairs of module (`store/bolt`) and what it imports (`neo4j.exceptions`)."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "defaults" in path.parts:
            continue
        module = path.relative_to(PACKAGE).with_suffix("").as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((module, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield module, node.module


def test_arrows_point_downwards_only() -> None:
    upward = [
        f"{module} imports {imported}"
        for module, imported in imports()
        if imported.startswith("r_memory.")
        and (part := module.split("/")[0]) in MAY_SEE
        and (target := imported.split(".")[1]) != part
        and target not in MAY_SEE[part]
    ]
    assert upward == []


@pytest.mark.parametrize("package", sorted(ONLY_IMPORTERS))
def test_each_third_party_package_has_one_importing_place(package: str) -> None:
    strays = [
        module
        for module, imported in imports()
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


def test_every_part_of_the_package_has_its_place_in_the_order() -> None:
    parts = {
        path.stem if path.is_file() else path.name
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py"))))
    }
    assert parts - {"__init__", "__main__", "wiring", "cli", "evals", "bench"} == set(MAY_SEE) & parts
