"""The arrows of the design, over the real imports: `cli → server → tools → memory → {recall, record} → protocols →
domain`."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import r_memory

PACKAGE = Path(r_memory.__file__).parent
ADAPTER = {"errors", "domain", "protocols"}
MAY_SEE = {
    "errors": set[str](),
    "domain": {"errors"},
    "protocols": {"domain"},
    "desk": {"errors"},
    "subjects": ADAPTER,
    "listing": ADAPTER,
    "integrity": ADAPTER,
    "administration": ADAPTER | {"subjects"},
    "record": ADAPTER | {"desk"},
    "recall": ADAPTER | {"desk"},
    "stream": ADAPTER,
    "conversation": ADAPTER | {"stream"},
    "documents": ADAPTER | {"stream", "conversation"},
    "document_facts": ADAPTER | {"documents", "record"},
    "turns": ADAPTER | {"recall"},
    "uses": ADAPTER
    | {"turns", "record", "recall", "stream", "conversation", "documents", "subjects", "listing", "integrity"}
    | {"administration"},
    "memory": ADAPTER
    | {"uses", "record", "recall", "stream", "conversation", "documents", "subjects", "listing", "administration"},
    "extraction": ADAPTER,
    "intents": ADAPTER,
    "providers": ADAPTER,
    "store": ADAPTER,
    "testing": ADAPTER,
    "config": {"errors", "domain"},
    "importing": {"errors"},
    "tools": ADAPTER | {"memory", "listing", "documents", "turns", "record", "recall", "stream"},
    "logs": {"errors"},
    "http": ADAPTER | {"memory", "tools", "config", "logs"},
    "server": ADAPTER | {"memory", "tools", "http", "config", "logs", "wiring"},
}
"""Part of the package to the parts it may import; `wiring`, `cli`, `evals` and `bench` stand above all of these and may
see any."""
CONVERSATIONAL = (
    "r_memory.stream",
    "r_memory.conversation",
    "r_memory.documents",
    "r_memory.domain.memories",
    "r_memory.domain.summaries",
    "r_memory.domain.turns",
    "r_memory.domain.decisions",
)
ONLY_IMPORTERS = {
    "arcadedb": {"store/embedded"},
    "charset_normalizer": {"documents/reading/plain"},
    "dateutil": {"extraction/dates"},
    "docx": {"documents/reading/docx"},
    "json_repair": {"providers/replies"},
    "opentelemetry": {"tools/tracing"},
    "openai": {"providers/openai", "providers/openai_embeddings"},
    "filelock": {"store/host_lock"},
    "jwt": {"http/oauth"},
    "markdown_it": {"documents/reading/plain"},
    "mcp": {"server", "tools/", "http/", "cli/demo/", "bench/"},
    "neo4j": {"store/bolt"},
    "py3langid": {"extraction/foreign"},
    "pypdf": {"documents/reading/pdf"},
    "sentence_transformers": {"providers/sentence_model"},
    "sklearn": {"conversation/controller/learning", "intents/training"},
    "spacy": {"extraction/"},
    "snowballstemmer": {"stream/words"},
    "starlette": {"server", "http/"},
    "textual": {"cli/chat/"},
    "tomlkit": {"cli/installing/toml"},
    "typer": {"cli/"},
    "ulid": {"wiring"},
    "uvicorn": {"http/serving"},
    "wordllama": {"providers/wordllama"},
    "yaml": {"config/"},
}
"""A third-party package to the modules (or folders) that may import it."""


@cache
def imports() -> tuple[tuple[str, str], ...]:
    """Pairs of module (`store/bolt`) and what it imports (`neo4j.exceptions`)."""
    return tuple(_imports())


def _imports() -> Iterator[tuple[str, str]]:
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


@pytest.mark.proves("RM-26")
def test_facts_are_written_and_read_without_the_conversational_memory() -> None:
    safety = {"record", "recall", "extraction", "intents", "subjects", "integrity"}
    seen = [
        f"{module} imports {imported}"
        for module, imported in imports()
        if module.split("/")[0] in safety and imported.startswith(CONVERSATIONAL)
    ]
    assert seen == []


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
    assert (
        parts - {"__init__", "__main__", "wiring", "wiring_conversation", "cli", "evals", "bench"}
        == set(MAY_SEE) & parts
    )
