"""JSON Schemas as hosts can all read them: closed, without references on the input side, without generated words.

Pure functions on plain data; knows no tool.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Schema = dict[str, Any]
_DEFINITIONS = "#/$defs/"
_NAMED_BY_US = frozenset({"properties", "$defs"})


def portable_input(schema: Schema, *, also_required: Sequence[str] = ()) -> Schema:
    """The schema of a tool's arguments: nothing beyond its properties is allowed, and no `$ref` is left to follow.

    `also_required` are listed as required where the tool has them.
    """
    closed = _bare(_inlined(schema, schema.get("$defs", {})), {"title", "$defs"})
    properties = closed.get("properties", {})
    required = list(dict.fromkeys((*closed.get("required", ()), *filter(properties.__contains__, also_required))))
    for name in required:
        properties[name].pop("default", None)
    return {**closed, "additionalProperties": False, "required": required}


def portable_output(schema: Schema) -> Schema:
    """The schema of a result, without what says nothing to its reader: generated titles, defaults, docstrings."""
    bare = _bare(schema, {"title", "default"})
    for model in (bare, *bare.get("$defs", {}).values()):
        model.pop("description", None)
    return bare


def _inlined(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The schema with every reference replaced by what it names; definitions must not refer to themselves."""
    reference = schema.get("$ref", "")
    if reference.startswith(_DEFINITIONS):
        named = definitions[reference.removeprefix(_DEFINITIONS)]
        schema = {**named, **{key: value for key, value in schema.items() if key != "$ref"}}
    return {key: _inlined_value(value, definitions) for key, value in schema.items()}


def _inlined_value(value: object, definitions: Mapping[str, Schema]) -> object:
    if isinstance(value, list):
        return [_inlined_value(item, definitions) for item in value]
    return _inlined(value, definitions) if isinstance(value, dict) else value


def _bare(schema: Schema, dropped: set[str]) -> Schema:
    """The schema without some keywords; a property that happens to be called like one of them stays."""
    return {key: _bare_value(key, value, dropped) for key, value in schema.items() if key not in dropped}


def _bare_value(key: str, value: object, dropped: set[str]) -> object:
    if isinstance(value, list):
        return [_bare(item, dropped) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    return (
        {name: _bare(part, dropped) for name, part in value.items()} if key in _NAMED_BY_US else _bare(value, dropped)
    )
