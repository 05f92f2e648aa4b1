"""How names are written in the files, and what a message says about one that does not exist.

Each name is a type for the forms: checked with a sentence when a file is read, a pattern in the editors' JSON Schema.
"""

import difflib
import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, WithJsonSchema

from r_memory.domain.schema import FORBIDDEN_ATTRIBUTES

RELATION_PATTERN = "^[A-Z][A-Z0-9_]*$"
TYPE_PATTERN = "^[A-Z][A-Za-z0-9]*$"
_ATTRIBUTE = "^[a-z][a-z0-9_]*$"
_SCOPE = "^[a-z][a-z0-9_]*$"
_FILE = "^[a-z0-9][a-z0-9_-]*$"


def _relation(name: str) -> str:
    return _matching(name, RELATION_PATTERN, "a relation is written in capitals, digits and _, such as HAS_ALLERGY_TO")


def _intent(name: str) -> str:
    return _matching(name, RELATION_PATTERN, "an action type is written in capitals, digits and _, such as MED_ORDER")


def _type(name: str) -> str:
    return _matching(name, TYPE_PATTERN, "a type starts with a capital and has only letters and digits, as DrugClass")


def _attribute(name: str) -> str:
    if name in FORBIDDEN_ATTRIBUTES:
        raise ValueError(f"'{name}' is what the stored fact uses itself; choose another name for the attribute")
    return _matching(name, _ATTRIBUTE, "an attribute is written in small letters, digits and _, such as reaction")


def _scope(name: str) -> str:
    return _matching(name, _SCOPE, "a scope is written in small letters, digits and _, such as any_drug")


def _file(name: str) -> str:
    return _matching(name, _FILE, "the name of a file without folder and ending, such as clinical")


def _matching(name: str, pattern: str, rule: str) -> str:
    if re.fullmatch(pattern, name) is None:
        raise ValueError(f"'{name}' cannot be used; {rule}")
    return name


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _endpoints(value: object) -> object:
    return [value] if isinstance(value, str | dict) else value


def _named(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern})


def _one_or_more(pattern: str) -> WithJsonSchema:
    name = {"type": "string", "pattern": pattern}
    return WithJsonSchema({"anyOf": [name, {"type": "array", "items": name, "minItems": 1}]})


_ENDPOINT = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {
            "type": "object",
            "patternProperties": {TYPE_PATTERN: {"type": "string", "minLength": 1}},
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        },
    ]
}

Word = Annotated[str, StringConstraints(min_length=1)]
Words = Annotated[list[Word], Field(min_length=1)]
RelationName = Annotated[str, AfterValidator(_relation), _named(RELATION_PATTERN)]
IntentName = Annotated[str, AfterValidator(_intent), _named(RELATION_PATTERN)]
TypeName = Annotated[str, AfterValidator(_type), _named(TYPE_PATTERN)]
AttributeName = Annotated[str, AfterValidator(_attribute), _named(_ATTRIBUTE)]
ScopeName = Annotated[str, AfterValidator(_scope), _named(_SCOPE)]
FileName = Annotated[str, AfterValidator(_file), _named(_FILE)]
TypeNames = Annotated[list[TypeName], BeforeValidator(_listed), Field(min_length=1), _one_or_more(TYPE_PATTERN)]
RelationNames = Annotated[
    list[RelationName], BeforeValidator(_listed), Field(min_length=1), _one_or_more(RELATION_PATTERN)
]
WordOrWords = Annotated[list[Word], BeforeValidator(_listed), Field(min_length=1), _one_or_more(".")]
Endpoints = Annotated[
    list[Word | Annotated[dict[TypeName, Word], Field(min_length=1, max_length=1)]],
    BeforeValidator(_endpoints),
    Field(min_length=1),
    WithJsonSchema({"anyOf": [_ENDPOINT, {"type": "array", "items": _ENDPOINT, "minItems": 1}]}),
]
"""Names of concepts, or `{Type: name}`; one alone needs no list."""
StatusName = Literal["active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error"]
Scalar = str | int | float | bool


def unknown_name(kind: str, name: str, known: Sequence[str], where: str, *, shown: int = 60) -> str:
    """A message that offers the nearest known name, lists up to `shown` of them, and says where to add one."""
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    listed = f"known: {', '.join(known)}; or " if 0 < len(known) <= shown else ""
    return f"unknown {kind} '{name}'; {hint}{listed}add it under {where}"
