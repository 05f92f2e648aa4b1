"""How names are written in the files, and what a message says about one that does not exist.

Each name is a type for the forms: checked with a sentence when a file is read, a pattern in the editors' JSON Schema.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    StringConstraints,
    ValidationInfo,
)
from pydantic_core import CoreSchema, core_schema

from r_memory.domain.schema import FORBIDDEN_ATTRIBUTES

RELATION_PATTERN = "^[A-Z][A-Z0-9_]*$"
TYPE_PATTERN = "^[A-Z][A-Za-z0-9]*$"
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNames:
    """The names of one kind that exist."""

    kind: str
    names: Collection[str]
    where: str
    """Where another one would be added."""


Context: TypeAlias = Mapping[str, KnownNames]
"""What may be referred to: given when a form is read, it refuses every other name of these types where it stands."""


def refer(name: str, of: str, info: ValidationInfo) -> str:
    """The name, if there is one such, or nobody said which there are.

    Raises:
        ValueError: there is none.
    """
    known: KnownNames | None = (info.context or {}).get(of)
    if known is not None and name not in known.names:
        raise ValueError(unknown_name(known.kind, name, tuple(known.names), known.where))
    return name


@dataclass(frozen=True, slots=True)
class _Written:
    """How a name is written."""

    pattern: str
    rule: str
    """For whoever wrote it otherwise."""
    of: str = ""
    """In a `Context`: what it must be one of."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, *_: object) -> dict[str, Any]:
        return {"type": "string", "pattern": self.pattern}

    def _checked(self, name: str, info: ValidationInfo) -> str:
        if re.fullmatch(self.pattern, name) is None:
            raise ValueError(f"'{name}' cannot be used; {self.rule}")
        return refer(name, self.of, info)


def written(pattern: str, problem: str) -> AfterValidator:
    """Refuses a text that is written otherwise, and says the problem without the text, which may be secret."""

    def check(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise ValueError(problem)
        return text

    return AfterValidator(check)


def _free(name: str) -> str:
    if name in FORBIDDEN_ATTRIBUTES:
        raise ValueError(f"'{name}' is what the stored fact uses itself; choose another name for the attribute")
    return name


class TextAlone:
    """A form of which `text` alone may stand as plain text."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        whole: Any = handler(source)
        text = core_schema.str_schema(min_length=1)
        both = core_schema.union_schema([text, whole])
        return core_schema.no_info_before_validator_function(self._whole, whole, json_schema_input_schema=both)

    def _whole(self, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value


class _Alone:
    """One alone needs no list."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        several: Any = handler(source)
        written = core_schema.union_schema([several["items_schema"][0], {**several, "min_length": 1}])
        return core_schema.no_info_before_validator_function(self._listed, several, json_schema_input_schema=written)

    def _listed(self, value: object) -> object:
        return [value] if isinstance(value, str | dict) else value


Listed: TypeAlias = Annotated[tuple[Item, ...], Field(strict=False)]
"""A list of the file, as domain values keep it."""
OneOrMore: TypeAlias = Annotated[tuple[Item, ...], Field(strict=False), _Alone(), Field(min_length=1)]
"""The same, never empty; one alone needs no list."""
Word = Annotated[str, StringConstraints(min_length=1)]
Words = Annotated[Listed[Word], Field(min_length=1)]
_RELATION = "a relation is written in capitals, digits and _, such as HAS_ALLERGY_TO"
_TYPE = "a type starts with a capital and has only letters and digits, as DrugClass"
_SMALL = "^[a-z][a-z0-9_]*$"
RelationName = Annotated[str, _Written(RELATION_PATTERN, _RELATION, of="relation")]
PackRelation = Annotated[str, _Written(RELATION_PATTERN, _RELATION, of="pack relation")]
IntentName = Annotated[
    str, _Written(RELATION_PATTERN, "an action type is written in capitals, digits and _, such as MED_ORDER")
]
TypeName = Annotated[str, _Written(TYPE_PATTERN, _TYPE, of="type")]
Label = Annotated[str, _Written(TYPE_PATTERN, _TYPE)]
"""Written like a type, and need not be one."""
AttributeName = Annotated[
    str,
    AfterValidator(_free),
    _Written(_SMALL, "an attribute is written in small letters, digits and _, such as reaction"),
]
ScopeName = Annotated[
    str, _Written(_SMALL, "a scope is written in small letters, digits and _, such as any_drug", of="scope")
]
TemplateName = Annotated[
    str, _Written(_SMALL, "the name of a template is written in small letters, digits and _, such as stopped")
]
GradeName = Annotated[str, _Written(_SMALL, "a grade is written in small letters, digits and _, such as severe")]
FileName = Annotated[
    str, _Written("^[a-z0-9][a-z0-9_-]*$", "the name of a file without folder and ending, such as clinical")
]
TypeNames = OneOrMore[TypeName]
Labels = OneOrMore[Label]
RelationNames = OneOrMore[RelationName]
WordOrWords = OneOrMore[Word]
Endpoints = OneOrMore[Word | Annotated[dict[Label, Word], Field(min_length=1, max_length=1)]]
"""Names of concepts, or `{Type: name}`."""
StatusName = Literal["active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error"]
Scalar = str | int | float | bool


def unknown_name(kind: str, name: str, known: Sequence[str], where: str, *, shown: int = 60) -> str:
    """A message that offers the nearest known name, lists up to `shown` of them, and says where to add one."""
    listed = f"known: {', '.join(known)}; or " if 0 < len(known) <= shown else ""
    return f"unknown {kind} '{name}'; {meant(name, known)}{listed}add it under {where}"


def meant(name: str, known: Iterable[str], *, likeness: float = 0.6, prefix: str = "") -> str:
    """The hint at the name that was probably meant, with the prefix of all of them; empty where none is like it."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=likeness)
    return f"did you mean '{prefix}{near[0]}'? " if near else ""


_MARKER = re.compile(r"\[\s*(?:end\s+)?r-memory|\[[a-z][a-z -]*\]\s*:", re.IGNORECASE)
"""Looks like a marker of a context block."""


def _shown(text: str) -> str:
    """Text that stands in a context block as it is.

    Raises:
        ValueError: it would end its line or look like a marker.
    """
    if not text.isprintable():
        raise ValueError("is shown on one line; remove line breaks and control characters")
    if _MARKER.search(text):
        raise ValueError("looks like a marker of the context block; write it without the square brackets")
    return text


def _bare_slots(line: str) -> str:
    """A line whose slots are names alone.

    Raises:
        ValueError: a slot has a conversion or a format, which could fill the memory.
    """
    try:
        parts = list(Formatter().parse(line))
    except ValueError:
        return line  # told with the slots that there are
    for _, slot, layout, conversion in parts:
        if layout or conversion:
            raise ValueError(f"write {{{slot}}} alone: no '!' and no ':' within the braces")
    return line


Shown = Annotated[str, AfterValidator(_shown)]
"""Text that stands in a context block as it is; may be empty."""
ShownWord = Annotated[Word, AfterValidator(_shown)]
Line = Annotated[ShownWord, AfterValidator(_bare_slots)]
"""The same with slots to be filled in."""


def slots(line: str) -> tuple[str, ...] | None:
    """What a line leaves open in braces; `None` where a brace has no partner."""
    try:
        return tuple(slot for _, slot, _, _ in Formatter().parse(line) if slot is not None)
    except ValueError:
        return None


def reached(name: str, onward: Mapping[str, Sequence[str]]) -> set[str]:
    """Every name that one leads to; itself only by a circle."""
    seen: set[str] = set()
    waiting = [*onward[name]]
    while waiting:
        following = waiting.pop()
        if following not in seen:
            seen.add(following)
            waiting.extend(onward.get(following, ()))
    return seen
