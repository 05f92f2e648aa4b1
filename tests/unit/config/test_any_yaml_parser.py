"""Shipped YAML is YAML: every file reads alike with every parser that a user may have (PyYAML may lack libyaml)."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(path for top in ("schema", "intents") for path in (ROOT / top).rglob("*.yaml"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
FENCE = re.compile(r"^```yaml\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
PARSERS: dict[str, Callable[[str], Any]] = {
    "pure Python": lambda text: yaml.load(text, yaml.SafeLoader),
    "YAML 1.2": lambda text: YAML(typ="safe", pure=True).load(text),
}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("file", [ROOT / "intents.yaml", *SHIPPED], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_shipped_file_is_read_by_every_parser(file: Path, parser: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert set(PARSERS[parser](text)) == set(yaml.load(text, yaml.CSafeLoader))


@pytest.mark.parametrize("parser", PARSERS)
def test_every_yaml_example_of_the_pages_is_read_by_every_parser(parser: str) -> None:
    examples = [found["text"] for page in PAGES for found in FENCE.finditer(page.read_text(encoding="utf-8"))]
    assert len(examples) >= 4
    assert all(PARSERS[parser](example) is not None for example in examples)
