"""JSON Schemas as hosts can all read them: closed, without references on the input side, without generated words.

Pure functions on plain data; knows no tool.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = dict[str, Any]
_DEFINITIONS = "#/$defs/"
LOOSE = "x-loose"
"""Marks what `portable_output` lists by its kind alone."""
_NAMED_BY_US = frozenset({"properties", "$defs"})


def portable_input(schema: Schema, *, also_required: Sequence[str] = ()) -> Schema:
    """The schema of a tool's arguments: nothing beyond its properties is allowed, and no `$ref` is left to follow.

    `also_required` are listed as required where the tool has them. A default that is empty goes without saying.
    """
    closed = _bare(_inlined(schema, _undescribed(schema.get("$defs", {}))), {"title", "$defs"})
    properties = closed.get("properties", {})
    required = list(dict.fromkeys((*closed.get("required", ()), *filter(properties.__contains__, also_required))))
    for name, parameter in properties.items():
        if name in required or not parameter.get("default", True):
            parameter.pop("default", None)
    return {**closed, "additionalProperties": False, "required": required}


def portable_output(schema: Schema) -> Schema:
    """The schema of a result: names and types, without words and without what each of its parts must have.

    Models do not see it, and lists of tools are short of room; `docs/reference/tools.md` has the rest.
    """
    bare = _bare(_loosened(schema), {"title", "default", "description"})
    used = frozenset(_used(bare, bare.get("$defs", {})))
    parts = {name: model for name, model in bare.pop("$defs", {}).items() if name in used}
    for model in parts.values():
        model.pop("required", None)
    return {"$defs": parts, **bare} if parts else bare


def _loosened(value: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """The part with everything that is marked reduced to its kind."""
    if isinstance(value, list):
        return [_loosened(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get(LOOSE):
        kind = value.get("type", "object")
        return {"type": kind, "items": {"type": "object"}} if kind == "array" else {"type": kind}
    return {key: _loosened(part) for key, part in value.items()}


def _used(value: object, definitions: Mapping[str, Schema]) -> Iterator[str]:
    """Names of the definitions that something outside of them leads to."""
    if isinstance(value, list):
        for item in value:
            yield from _used(item, definitions)
    elif isinstance(value, dict):
        if str(reference := value.get("$ref", "")).startswith(_DEFINITIONS):
            name = str(reference).removeprefix(_DEFINITIONS)
            yield name
            yield from _used(definitions[name], definitions)
        for key, part in value.items():
            if key != "$defs":
                yield from _used(part, definitions)


def _undescribed(definitions: Mapping[str, Schema]) -> dict[str, Schema]:
    """The models without their docstrings, which are for readers of the code."""
    return {
        name: {key: value for key, value in model.items() if key != "description"}
        for name, model in definitions.items()
    }


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
