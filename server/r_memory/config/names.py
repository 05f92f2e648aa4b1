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
    """The existing names of one kind."""

    kind: str
    names: Collection[str]
    where: str
    """Where a new name would be added."""


Context: TypeAlias = Mapping[str, KnownNames]
"""The existing names by kind; a form that is read with them refuses all others."""


def refer(name: str, of: str, info: ValidationInfo) -> str:
    """Returns the name, if it exists or the existing names are not given.

    Raises:
        ValueError: there is no such name.
    """
    known: KnownNames | None = (info.context or {}).get(of)
    if known is not None and name not in known.names:
        raise ValueError(unknown_name(known.kind, name, tuple(known.names), known.where))
    return name


@dataclass(frozen=True, slots=True)
class _Written:
    """The pattern of a name."""

    pattern: str
    rule: str
    """The pattern in words, for error messages."""
    of: str = ""
    """The kind in a `Context` that the name must belong to; empty for any name."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, *_: object) -> dict[str, Any]:
        return {"type": "string", "pattern": self.pattern}

    def _checked(self, name: str, info: ValidationInfo) -> str:
        if re.fullmatch(self.pattern, name) is None:
            raise ValueError(f"'{name}' cannot be used; {self.rule}")
        return refer(name, self.of, info)


def written(pattern: str, problem: str) -> AfterValidator:
    """Returns a validator of a pattern; its error does not repeat the text, which may be secret."""

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
    """A form that may be written as plain text in place of `{text: …}`."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        whole: Any = handler(source)
        text = core_schema.str_schema(min_length=1)
        both = core_schema.union_schema([text, whole])
        return core_schema.no_info_before_validator_function(self._whole, whole, json_schema_input_schema=both)

    def _whole(self, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value


class _Alone:
    """Accepts a single item in place of a list."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        several: Any = handler(source)
        written = core_schema.union_schema([several["items_schema"][0], {**several, "min_length": 1}])
        return core_schema.no_info_before_validator_function(self._listed, several, json_schema_input_schema=written)

    def _listed(self, value: object) -> object:
        return [value] if isinstance(value, str | dict) else value


Listed: TypeAlias = Annotated[tuple[Item, ...], Field(strict=False)]
"""A list of the file, as a tuple."""
OneOrMore: TypeAlias = Annotated[tuple[Item, ...], Field(strict=False), _Alone(), Field(min_length=1)]
"""A non-empty list; a single item may stand without brackets."""
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
"""A name with the pattern of a type, which need not be a type."""
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
    """Returns a message with the nearest known name, up to `shown` known names, and where to add a new one."""
    listed = f"known: {', '.join(known)}; or " if 0 < len(known) <= shown else ""
    return f"unknown {kind} '{name}'; {meant(name, known)}{listed}add it under {where}"


def meant(name: str, known: Iterable[str], *, likeness: float = 0.6, prefix: str = "") -> str:
    """Returns a hint at the nearest known name, with `prefix` before it; empty if no name is similar."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=likeness)
    return f"did you mean '{prefix}{near[0]}'? " if near else ""


_MARKER = re.compile(r"\[\s*(?:end\s+)?r-memory|\[[a-z][a-z -]*\]\s*:", re.IGNORECASE)
"""Text that looks like a marker of a context block."""


def _shown(text: str) -> str:
    """Returns text that may stand in a context block.

    Raises:
        ValueError: it has a line end, or looks like a marker.
    """
    if not text.isprintable():
        raise ValueError("is shown on one line; remove line breaks and control characters")
    if _MARKER.search(text):
        raise ValueError("looks like a marker of the context block; write it without the square brackets")
    return text


def _bare_slots(line: str) -> str:
    """Returns a line whose slots are plain names.

    Raises:
        ValueError: a slot has a conversion or a format, which could exhaust memory.
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
"""Text that may stand in a context block; may be empty."""
ShownWord = Annotated[Word, AfterValidator(_shown)]
Line = Annotated[ShownWord, AfterValidator(_bare_slots)]
"""Non-empty `Shown` text with slots."""


def slots(line: str) -> tuple[str, ...] | None:
    """Returns the names in braces; `None` if a brace has no partner."""
    try:
        return tuple(slot for _, slot, _, _ in Formatter().parse(line) if slot is not None)
    except ValueError:
        return None


def reached(name: str, onward: Mapping[str, Sequence[str]]) -> set[str]:
    """Returns every name that can be reached from one; the name itself only through a cycle."""
    seen: set[str] = set()
    waiting = [*onward[name]]
    while waiting:
        following = waiting.pop()
        if following not in seen:
            seen.add(following)
            waiting.extend(onward.get(following, ()))
    return seen
