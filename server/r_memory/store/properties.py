"""Converts domain values to properties of nodes and relationships, and back, by the declared fields of their classes.

Nothing is stored as null: absent values are left out. Instants also have an ISO-8601 text for people. Closed sets of
words are stored as texts and several texts as a list; values that no engine stores are JSON.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache, partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from r_memory.domain.codec import Misfit, Read, encoded, reading
from r_memory.domain.facts import Attributes
from r_memory.domain.instants import EARLIEST, LATEST, Instant, iso
from r_memory.errors import InvalidInput, StoreError

Value = TypeVar("Value")
Properties = Mapping[str, object]
_Write = Callable[[Any], object]
_Kept = tuple[str, str, Read, _Write, object, bool]
"""Field, property, reader, writer, value if the property is missing, and whether the property is always written."""
_NEEDED = object()
"""Marks a property that must not be missing."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_WHOLE = partial(encoded, whole=True)
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=lambda value: {"no value": repr(value)})
"""Unknown value types are hashed as `{"no value": ...}`, so that the digest matches no record of ours."""


class Unreadable(StoreError):
    """Stored properties that are no domain value: r-memory did not write them."""

    def __init__(self, name: str) -> None:
        super().__init__(f"a stored record has no usable '{name}'; run `r-memory verify`, and `rebuild` if it says so")
        self.name = name


def properties_in(row: Mapping[str, object], column: str) -> Properties:
    """The properties in a column of a row.

    Raises:
        Unreadable: the column holds none.
    """
    value = row.get(column)
    if isinstance(value, Mapping):
        return value
    raise Unreadable(column)


def every_properties_in(row: Mapping[str, object], column: str) -> Sequence[Properties]:
    """The list of properties in a column of a row.

    Raises:
        Unreadable: the column holds none.
    """
    value = row.get(column)
    if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        return value
    raise Unreadable(column)


def whole_in(row: Mapping[str, object], column: str) -> int:
    """The integer in a column of a row.

    Raises:
        Unreadable: the column holds none.
    """
    value = row.get(column)
    if type(value) is int:
        return value
    raise Unreadable(column)


def is_number(value: object, wanted: int) -> bool:
    """Whether the value is this integer; 1.0 and true are not."""
    return type(value) is int and value == wanted


def number_of(value: object, otherwise: int = 0) -> int:
    """The value if it is an integer, `otherwise` if it is not: it may have been altered."""
    return value if type(value) is int else otherwise


def instant_properties(name: str, instant: Instant) -> dict[str, object]:
    """Milliseconds and, for years that have one, the ISO-8601 text."""
    if EARLIEST <= instant <= LATEST:
        return {name: instant, f"{name}_iso": iso(instant)}
    return {name: instant}


def digest(properties: Properties) -> str:
    """A shortened sha256 of stored properties."""
    text = _ENCODER.encode(properties)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Layout(Generic[Value]):
    """How values of one class are stored: each field as a property of the same name, unless the arguments say
    otherwise.
    """

    def __init__(
        self,
        kind: type[Value],
        *,
        names: Mapping[str, str] = _NOTHING,
        parts: "Mapping[str, Layout[Any]]" = _NOTHING,
        apart: Collection[str] = (),
        spared: Collection[str] = (),
        later: Collection[str] = (),
        beside: Callable[[Value], Properties] = lambda _: _NOTHING,
        refused: str = "",
    ) -> None:
        """Exceptions from that rule.

        `names`: fields with another property name. `parts`: fields whose own fields are stored among the properties.
        `apart`: fields stored elsewhere. `spared`: fields left out if empty. `later`: fields that older records lack.
        `beside`: extra properties for people and audits, which are not read. `refused`: the property named in the error
        if the value is invalid.
        """
        self._make = cast("Callable[..., Value]", kind)
        self._parts, self.beside, self._refused = tuple(parts.items()), beside, refused
        self._plain: dict[str, tuple[str, type]] = {}
        """By property: field and type of values that are stored unchanged."""
        self._others: list[_Kept] = []
        self._instants: list[str] = []
        hints = get_type_hints(kind, include_extras=True)
        for field in fields(kind):  # type: ignore[arg-type]  # a dataclass, as every value of the domain
            if field.name not in parts and field.name not in apart:
                name, hint = names.get(field.name, field.name), hints[field.name]
                absent = field.default if field.name in {*spared, *later} else _NEEDED
                if type(None) in get_args(hint):
                    hint, absent = next(part for part in get_args(hint) if part is not type(None)), None
                if hint == Instant:
                    self._instants.append(name)
                    hint = int
                if hint in {str, int, bool} and absent is _NEEDED:
                    self._plain[name] = (field.name, hint)
                else:
                    self._others.append((field.name, name, *_ways(hint), absent, field.name in spared))
        self._fields, self._types = (
            [item for item, _ in self._plain.values()],
            [item for _, item in self._plain.values()],
        )
        self.names = frozenset((*self._plain, *(name for _, name, *_ in self._others)))
        """Properties that are read."""
        bare = not self._plain and not parts and all(absent is not _NEEDED for *_, absent, _ in self._others)
        self.empty = self._make() if bare else None
        """The value of an empty set of properties; `None` if a property is required."""
        # Two names at least, for otherwise it gives no tuple.
        self._told = attrgetter(*self._fields, "__class__", "__class__")

    def properties(self, value: Value) -> dict[str, object]:
        """The stored properties of a value."""
        stored = {**self.beside(value), **dict(zip(self._plain, self._told(value), strict=False))}
        for field, name, _, write, _, spared in self._others:
            part = getattr(value, field)
            if part or (part is not None and not spared):
                stored[name] = write(part)
        for name in self._instants:
            if name in stored:
                stored.update(instant_properties(name, cast("Instant", stored[name])))
        for field, layout in self._parts:
            if (part := getattr(value, field)) is not None and part is not layout.empty:
                stored |= layout.properties(part)
        return stored

    def value(self, properties: Properties, **apart: object) -> Value:
        """The value with these properties, and with the fields that are stored elsewhere.

        Raises:
            Unreadable: the properties are no value of the class.
        """
        get = properties.get
        # Looked at together: a stream has a hundred thousand items, and one property after another took twice as long.
        plain = [*map(get, self._plain)]
        if [*map(type, plain)] != self._types:
            raise Unreadable(next(name for name, (_, kind) in self._plain.items() if type(get(name)) is not kind))
        made = dict(zip(self._fields, plain, strict=True))
        for field, name, read, _, absent, _ in self._others:
            part = get(name)
            try:
                made[field] = absent if part is None and absent is not _NEEDED else read(part)
            except Misfit as error:
                raise Unreadable(name) from error
        for field, layout in self._parts:
            lacks = layout.empty is not None and layout.names.isdisjoint(properties)
            made[field] = layout.empty if lacks else layout.value(properties)
        try:
            return self._make(**made, **apart)
        except InvalidInput as error:
            raise Unreadable(self._refused) from error


def _ways(hint: Any) -> tuple[Read, _Write]:  # noqa: ANN401 - a type hint may be anything
    """The reader and the writer of a property of this type."""
    read, origin, arguments = reading(hint), get_origin(hint), get_args(hint)
    if origin is Mapping or (origin is tuple and is_dataclass(arguments[0])):
        # Attributes by name, so that the same ones are the same text.
        encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=hint == Attributes, default=_WHOLE)
        parse = _of_attributes if hint == Attributes else partial(_parsed, read)
        # Most facts have none.
        empty = "{}" if origin is Mapping else "[]"
        return partial(_of_json, parse), lambda value: encoder.encode(value) if value else empty
    if isinstance(hint, type) and issubclass(hint, Enum):
        return read, {word: word.value for word in hint}.__getitem__
    return read, list if origin is tuple else encoded


def _of_json(parse: Read, text: object) -> object:
    if not isinstance(text, str):
        raise Misfit("must be a text")
    return parse(text)


def _parsed(read: Read, text: str) -> object:
    try:
        data: object = json.loads(text)
    except ValueError:
        raise Misfit("must be JSON") from None
    return read(data)


# Most facts have none, and nearly all of the others one of a few severities.
_of_attributes = lru_cache(maxsize=1024)(partial(_parsed, reading(Attributes)))
