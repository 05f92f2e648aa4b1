"""JSON Schemas as hosts can all read them: closed, without references on the input side, without generated words.

Pure functions on plain data; knows no tool.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Schema = dict[str, Any]
_DEFINITIONS = "#/$defs/"
_REFERENCE = re.compile(r'"#/\$defs/([^"]+)"')
LOOSE = "x-loose"
"""Marks what `portable_output` lists by its kind alone."""
_NAMED_BY_US = frozenset({"properties", "$defs"})
"""Keywords whose parts have names of ours, which may be those of keywords."""
_LENGTHS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "maxProperties"})
_WORDS = frozenset({"title", "default", "description"})


def portable_input(schema: Schema, *, also_required: Sequence[str] = ()) -> Schema:
    """The schema of a tool's arguments as it is listed: closed, and without lengths.

    These are checked all the same, and an error names them; lists of tools are short of room.
    """
    return _rewritten(closed_input(schema, also_required=also_required), lambda part: _without(part, _LENGTHS))


def closed_input(schema: Schema, *, also_required: Sequence[str] = ()) -> Schema:
    """The schema of a tool's arguments: nothing beyond its properties is allowed, and no `$ref` is left to follow.

    `also_required` are listed as required where the tool has them. A default that is empty goes without saying.
    """
    definitions: Mapping[str, Schema] = schema.get("$defs", {})
    closed = _rewritten(schema, lambda part: _inlined(part, definitions))
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
    bare = _rewritten(schema, _loosened)
    definitions: Mapping[str, Schema] = bare.pop("$defs", {})
    used: set[str] = set()
    waiting = [bare]
    while waiting:
        found = set(_REFERENCE.findall(json.dumps(waiting.pop()))) - used
        used |= found
        waiting += [definitions[name] for name in found]
    parts = {name: model for name, model in definitions.items() if name in used}
    for model in parts.values():
        model.pop("required", None)
    return {"$defs": parts, **bare} if parts else bare


def _inlined(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The schema with a reference replaced by what it names, whose docstring is for readers of the code."""
    reference = str(schema.get("$ref", ""))
    if reference.startswith(_DEFINITIONS):
        named = definitions[reference.removeprefix(_DEFINITIONS)]
        schema = {**_without(named, {"description"}), **_without(schema, {"$ref"})}
    return _without(schema, {"title", "$defs"})


def _loosened(schema: Schema) -> Schema:
    """The schema without words, and reduced to its kind where it is marked."""
    if not schema.get(LOOSE):
        return _without(schema, _WORDS)
    return {"type": schema.get("type", "object")}


def _without(schema: Schema, dropped: set[str] | frozenset[str]) -> Schema:
    return {key: value for key, value in schema.items() if key not in dropped}


def _rewritten(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """The schema with every schema in it changed, the outer ones first; definitions must not refer to themselves."""
    return {key: _part(key, value, change) for key, value in change(schema).items()}


def _part(key: str, value: object, change: Callable[[Schema], Schema]) -> object:
    if isinstance(value, list):
        return [_rewritten(item, change) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    if key in _NAMED_BY_US:
        return {name: _rewritten(part, change) for name, part in value.items()}
    return _rewritten(value, change)
