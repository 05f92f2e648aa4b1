"""JSON Schemas of the files that people edit, so that editors complete and check them while typing.

Made from the very forms that read the files; `python -m scripts.json_schemas FOLDER` writes them, and a test
compares `schema/json/` with what it would write.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from r_memory.config.conversation_file import ControllerForm, ImportanceForm
from r_memory.config.intents_file import IntentsForm, RequestsForm
from r_memory.config.knowledge_file import KnowledgeForm
from r_memory.config.names import TYPE_PATTERN
from r_memory.config.schema_form import SchemaForm
from r_memory.config.yaml_lines import FileModel

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SYNONYMS = {"type": ["string", "array", "null"], "items": {"type": "string", "minLength": 1}}
_WORDS = {"type": "array", "items": {"type": "string", "minLength": 1}}
_UNDER = {
    "same": "Other words for the very same.",
    "kinds": "Narrower things, each a term of its own.",
    "brands": "Names that it is sold under, each a term of its own.",
}
_OF_TERM = {
    **_SYNONYMS,
    "type": [*_SYNONYMS["type"], "object"],
    "properties": {name: {"description": text, **_SYNONYMS} for name, text in _UNDER.items()},
    "additionalProperties": False,
}


def json_schemas() -> Mapping[str, str]:
    """File name to content, for every kind of file."""
    schemas = {
        "schema": _of(SchemaForm),
        "intents": _of(IntentsForm),
        "requests": _of(RequestsForm),
        "knowledge": _of(KnowledgeForm),
        "lexicon": _LEXICON,
        "language": _LANGUAGE,
        "gate": _of(ControllerForm),
        "importance": _of(ImportanceForm),
    }
    return {
        f"{name}.schema.json": json.dumps({"$schema": _DIALECT, **schema}, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


def _of(form: type[FileModel]) -> dict[str, Any]:
    schema: dict[str, Any] = _tidy(form.model_json_schema())
    return schema


def _tidy(node: Any, *, names: bool = False) -> Any:  # noqa: ANN401 - JSON of any shape
    """Without the titles that pydantic derives (a property called `title` stays), names of a mapping kept to their
    pattern."""
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {"additionalProperties": False} if "patternProperties" in node and not names else {}
    return closed | {
        key: _tidy(value, names=key in {"properties", "patternProperties", "$defs"})
        for key, value in node.items()
        if names or key != "title"
    }


_LEXICON: dict[str, Any] = {
    "description": "`schema/lexicon/<name>.yaml`: type to canonical name to the words that stand under it.",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": False,
    "patternProperties": {TYPE_PATTERN: {"type": "object", "minProperties": 1, "additionalProperties": _OF_TERM}},
    "properties": {
        "include": {"description": "Lexicons that this one builds on.", **_WORDS},
        "attrs": {
            "description": "Type to property to value to the canonical names that have it.",
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": {"type": "object", "additionalProperties": _WORDS},
            },
        },
    },
}
_LANGUAGE: dict[str, Any] = {
    "description": "`schema/language/<name>.yaml`: sections of words.",
    "type": "object",
    "required": ["language"],
    "properties": {"language": {"type": "string"}},
    "additionalProperties": {"type": ["string", "number", "boolean", "array", "object"]},
}


if __name__ == "__main__":
    for file_name, content in json_schemas().items():
        (Path(sys.argv[1]) / file_name).write_text(content, encoding="utf-8")
