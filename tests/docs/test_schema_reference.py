"""The reference of the schema file names every key that there is, and none that there is not."""

import re
from pathlib import Path

import pytest

from r_memory.config.schema_file import KINDS
from r_memory.config.schema_form import RelationForm, SchemaForm
from r_memory.config.yaml_lines import FileModel

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "schema.md").read_text(encoding="utf-8")


def listed(heading: str) -> set[str]:
    """What the first column of the table under a heading names."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


@pytest.mark.parametrize(("heading", "form"), [("Keys of the file", SchemaForm), ("Keys of a relation", RelationForm)])
def test_every_key_is_described(heading: str, form: type[FileModel]) -> None:
    keys = {field.alias or name for name, field in form.model_fields.items()}
    assert listed(heading) == keys


def test_every_kind_of_attribute_is_described() -> None:
    assert listed("Kinds of attributes") == set(KINDS)
