"""Values of the domain as properties of nodes and relationships, and back, by the fields that their classes declare.

Nothing is stored as null: what a value does not have is left out. Instants carry an ISO-8601 text beside them, for
people. Words of a closed set are texts, several texts a list; what no engine keeps as a property is JSON.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
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
"""Field, property, how it is read and written, what it is where there is no property, and whether nothing is spared."""
_NEEDED = object()
"""Stands where nothing may stand for a property that is missing."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_WHOLE = partial(encoded, whole=True)
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False)


class Unreadable(StoreError):
    """Stored properties that no value of the domain has: somebody else wrote them."""

    def __init__(self, name: str) -> None:
        super().__init__(f"a stored record has no usable '{name}'; run `r-memory verify`, and `rebuild` if it says so")
        self.name = name


def properties_in(row: Mapping[str, object], column: str) -> Properties:
    """The properties in a column of a row.

    Raises:
        Unreadable: there are none.
    """
    value = row.get(column)
    if not isinstance(value, Mapping):
        raise Unreadable(column)
    return value


def every_properties_in(row: Mapping[str, object], column: str) -> Sequence[Properties]:
    """The list of properties in a column of a row.

    Raises:
        Unreadable: there is none.
    """
    value = row.get(column)
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise Unreadable(column)
    return value


def whole_in(row: Mapping[str, object], column: str) -> int:
    """The whole number in a column of a row.

    Raises:
        Unreadable: there is none.
    """
    value = row.get(column)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unreadable(column)
    return value


def instant_properties(name: str, instant: Instant) -> dict[str, object]:
    """Milliseconds and, for years that have one, the ISO-8601 form."""
    if EARLIEST <= instant <= LATEST:
        return {name: instant, f"{name}_iso": iso(instant)}
    return {name: instant}


def digest(properties: Properties) -> str:
    """sha256, shortened, of properties as they are stored."""
    text = _ENCODER.encode(properties)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Layout(Generic[Value]):
    """How the values of one class lie in properties: one for each field, of its name, where nothing else is said."""

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
        """What differs from that.

        `names`: fields under other names. `parts`: fields whose own fields lie among the properties. `apart`: fields
        that lie elsewhere. `spared`: fields that are left out where they are empty. `later`: fields that older records
        lack. `beside`: properties for people and audits, which are not read. `refused`: the property to name where the
        value refuses itself.
        """
        self._make = cast("Callable[..., Value]", kind)
        self._parts, self._beside, self._refused = tuple(parts.items()), beside, refused
        self._plain: list[tuple[str, str]] = []
        """Field and property of what is kept as it is and has one type, at the same place in `_types`."""
        self._types: list[type] = []
        self._others: list[_Kept] = []
        self._instants: list[str] = []
        for field in fields(kind):  # type: ignore[arg-type]  # a dataclass, as every value of the domain
            if field.name not in parts and field.name not in apart:
                absent = field.default if field.name in {*spared, *later} else _NEEDED
                hint = get_type_hints(kind, include_extras=True)[field.name]
                self._keep(field.name, names.get(field.name, field.name), hint, absent, spared=field.name in spared)

    def _keep(self, field: str, name: str, hint: Any, absent: object, *, spared: bool) -> None:  # noqa: ANN401 - see `_ways`
        if type(None) in get_args(hint):
            hint, absent = next(part for part in get_args(hint) if part is not type(None)), None
        if hint == Instant:
            self._instants.append(name)
        exact = int if hint == Instant else hint
        if exact in {str, int, bool} and absent is _NEEDED:
            self._plain.append((field, name))
            self._types.append(exact)
        else:
            self._others.append((field, name, *_ways(hint), absent, spared))

    def properties(self, value: Value) -> dict[str, object]:
        """What is stored of a value."""
        stored = {**self._beside(value), **{name: getattr(value, field) for field, name in self._plain}}
        for field, name, _, write, _, spared in self._others:
            part = getattr(value, field)
            if part or (part is not None and not spared):
                stored[name] = write(part)
        for name in self._instants:
            if name in stored:
                stored |= instant_properties(name, cast("Instant", stored[name]))
        for field, layout in self._parts:
            if (part := getattr(value, field)) is not None:
                stored |= layout.properties(part)
        return stored

    def value(self, properties: Properties, **apart: object) -> Value:
        """The value of these properties, and of the fields that lie elsewhere.

        Raises:
            Unreadable: a property is missing or of another kind.
        """
        get = properties.get
        # Looked at together: a stream has a hundred thousand items, and one property after another took twice as long.
        made = {field: get(name) for field, name in self._plain}
        if [*map(type, made.values())] != self._types:
            given = zip(self._plain, self._types, strict=True)
            raise Unreadable(next(name for (field, name), kind in given if type(made[field]) is not kind))
        for field, name, read, _, absent, _ in self._others:
            part = get(name)
            try:
                made[field] = absent if part is None and absent is not _NEEDED else read(part)
            except Misfit as error:
                raise Unreadable(name) from error
        for field, layout in self._parts:
            made[field] = layout.value(properties)
        try:
            return self._make(**made, **apart)
        except InvalidInput as error:
            raise Unreadable(self._refused) from error


def _ways(hint: Any) -> tuple[Read, _Write]:  # noqa: ANN401 - a type hint may be anything
    """How a property of this type is read and written."""
    read, origin, arguments = reading(hint), get_origin(hint), get_args(hint)
    if origin is Mapping or (origin is tuple and is_dataclass(arguments[0])):
        # Attributes by name, so that the same ones are the same text.
        encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=hint == Attributes, default=_WHOLE)
        return partial(_of_json, read), encoder.encode
    return read, list if origin is tuple else encoded


def _of_json(read: Read, text: object) -> object:
    if not isinstance(text, str):
        raise Misfit("must be a text")
    try:
        data: object = json.loads(text)
    except ValueError:
        raise Misfit("must be JSON") from None
    return read(data)
