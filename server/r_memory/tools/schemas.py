"""JSON Schemas as hosts can all read them: closed, without references on the input side, without generated words.

Pure functions on plain data; knows no tool.
"""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]
_DEFINITIONS = "#/$defs/"


def portable_input(schema: Mapping[str, Any], *, also_required: tuple[str, ...] = ()) -> Schema:
    """The schema of a tool's arguments: nothing beyond its properties is allowed, and no `$ref` is left to follow."""
    definitions = schema.get("$defs", {})
    closed = _inlined({**schema, "additionalProperties": False}, definitions)
    closed.pop("$defs", None)
    added = [name for name in also_required if name in closed.get("properties", {})]
    required = [*closed.get("required", ()), *(name for name in added if name not in closed.get("required", ()))]
    for name in added:
        closed["properties"][name].pop("default", None)
    return _bare(closed) | ({"required": required} if required else {})


def portable_output(schema: Mapping[str, Any]) -> Schema:
    """The schema of a result, without what says nothing to its reader."""
    return _bare(dict(schema), drop=("title", "default"))


def _inlined(node: Any, definitions: Mapping[str, Any]) -> Any:
    """The node with every reference replaced by what it names; definitions must not refer to themselves."""
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref", "")
    if reference.startswith(_DEFINITIONS):
        named = definitions[reference.removeprefix(_DEFINITIONS)]
        node = {**named, **{key: value for key, value in node.items() if key != "$ref"}}
    return {key: _inlined(value, definitions) for key, value in node.items()}


def _bare(node: Any, drop: tuple[str, ...] = ("title",)) -> Any:
    """The node without generated keywords; a property that happens to be called so stays."""
    if isinstance(node, list):
        return [_bare(item, drop) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _properties(value, drop) if key in {"properties", "$defs"} else _bare(value, drop)
        for key, value in node.items()
        if key not in drop
    }


def _properties(node: Mapping[str, Any], drop: tuple[str, ...]) -> Schema:
    return {name: _bare(schema, drop) for name, schema in node.items()}
