"""Encodes domain values as plain data and decodes them by their declared types: the codec of files and stores.

Pure; it knows dataclasses in general. Fields with default values are left out of files, so that older files can be read
after a field was added. The decoder of a type is built once, because a record is read thousands of times.
"""

import base64
import binascii
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from r_memory.errors import InvalidInput

Value = TypeVar("Value")
Read = Callable[[Any], Any]
"""Returns the value of one type for plain data, or raises `Misfit`."""
_PLAIN: frozenset[type] = frozenset({str, int, float, bool})
"""Types that stand for themselves in plain data."""


class Misfit(InvalidInput):
    """Plain data that fits no value of the declared type."""

    def __init__(self, trouble: str, where: str = "") -> None:
        super().__init__(f"{where} {trouble}")
        self.trouble = trouble
        self.where = where
        """Path from the outermost value: `.candidates[2].score`."""

    def within(self, key: object) -> "Misfit":
        """Returns this error with `key`, a field name or an index, in front of its path."""
        return Misfit(self.trouble, f"[{key}]{self.where}" if isinstance(key, int) else f".{key}{self.where}")


def encoded(value: object, *, whole: bool = False) -> object:
    """The value as `json.dumps` takes it; with `whole`, its defaults as well.

    >>> from r_memory.domain.instants import Period
    >>> encoded(Period(start=5))
    {'start': 5}
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return _encoded_parts(value, whole=whole)


def _encoded_parts(value: object, *, whole: bool) -> object:
    # Asked in this order because it takes time: most are lists, and an abstract class is slow to answer.
    if isinstance(value, (tuple, list)):
        return [encoded(part, whole=whole) for part in value]
    if isinstance(value, Mapping):
        return {str(key): encoded(part, whole=whole) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((encoded(part, whole=whole) for part in value), key=str)
    if is_dataclass(value):
        given = [(field, getattr(value, field.name)) for field in fields(value)]
        # 1 is no 1.0 here: hashes tell them apart.
        told = [
            (item, part) for item, part in given if whole or (type(part), part) != (type(item.default), item.default)
        ]
        return {item.name: encoded(part, whole=whole) for item, part in told}
    return value


def decoded(kind: type[Value], data: object) -> Value:
    """The value of this dataclass.

    >>> from r_memory.domain.instants import Period
    >>> decoded(Period, {"start": 5})
    Period(start=5, end=None)

    Raises:
        InvalidInput: a field is missing, unknown or of another type; or the value refuses itself.
    """
    read: Callable[[object], Value] = reading(cast("Hashable", kind))
    try:
        return read(data)
    except Misfit as misfit:
        raise InvalidInput(f"{kind.__name__}{misfit.where} {misfit.trouble}") from None


@cache
def reading(hint: Any) -> Read:  # noqa: ANN401 - a type hint may be anything
    """A decoder of this type: a dataclass, a collection, a closed set of words, or a plain value."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return reading(arguments[0])
    if origin in {Union, types.UnionType}:
        names = " or ".join(str(getattr(argument, "__name__", argument)) for argument in arguments)
        return partial(_one_of, [*map(reading, arguments)], names)
    if origin is Literal:
        return partial(_word, {word: word for word in arguments})
    if isinstance(origin, type):
        held = arguments[1 if issubclass(origin, Mapping) else 0]
        parts = reading(held), _themselves(held)
        return partial(_mapping, *parts) if issubclass(origin, Mapping) else partial(_list, origin, *parts)
    return _reading_class(hint)


def _reading_class(kind: type) -> Read:
    if is_dataclass(kind):
        return _reading_dataclass(kind)
    if issubclass(kind, Enum):
        return partial(_word, {word.value: word for word in kind})
    return _bytes if kind is bytes else partial(_plain, kind.__name__, _themselves(kind))


def _themselves(hint: Any) -> frozenset[type]:  # noqa: ANN401 - as in `reading`
    """Types of plain data that are accepted unchanged for a type: a bool is no int, and an int no bool.

    An int stays an int where a float is declared, because hashes distinguish 1 from 1.0.
    """
    plain = {kind for kind in (get_args(hint) or (hint,)) if kind in _PLAIN}
    return frozenset(plain | {int} if float in plain else plain)


def _plain(wanted: str, exact: frozenset[type], data: object) -> object:
    if type(data) not in exact:
        raise _must_be(wanted)
    return data


def _one_of(reads: Sequence[Read], wanted: str, data: object) -> object:
    """The value by the first decoder that accepts the data."""
    for read in reads:
        try:
            return read(data)
        except InvalidInput:
            continue
    raise _must_be(wanted)


def _word(words: Mapping[object, object], data: object) -> object:
    try:
        return words[data]
    except (KeyError, TypeError):
        raise _must_be(f"one of {', '.join(map(str, words))}") from None


def _list(origin: type, part: Read, plain: frozenset[type], data: object) -> object:
    if not isinstance(data, list):
        raise _must_be("a list")
    made: type = frozenset if origin is frozenset else tuple
    return made(data if plain.issuperset(map(type, data)) else _each(part, enumerate(data)))


def _mapping(part: Read, plain: frozenset[type], data: object) -> object:
    if not isinstance(data, dict):
        raise _must_be("an object")
    if plain.issuperset(map(type, data.values())):
        return dict(data)
    return dict(zip(data, _each(part, data.items()), strict=True))


def _each(read: Read, parts: Iterable[tuple[object, object]]) -> list[object]:
    """The decoded parts, given by name or index."""
    values: list[object] = []
    for key, part in parts:
        try:
            values.append(read(part))
        except Misfit as misfit:
            raise misfit.within(key) from None
    return values


def _reading_dataclass(kind: type[Any]) -> Read:
    hints = get_type_hints(kind)
    declared = {field.name: field for field in fields(kind)}
    reads = {name: reading(hints[name]) for name in declared}
    needed = [name for name, item in declared.items() if item.default is MISSING and item.default_factory is MISSING]

    def read(data: object) -> object:
        if not isinstance(data, dict):
            raise _must_be("an object")
        if unknown := sorted(data.keys() - reads.keys()):
            raise Misfit(f"has no field '{unknown[0][:40]}'; a newer version may have written it")
        for name in needed:
            if name not in data:
                raise Misfit(f"lacks '{name}'")
        made: dict[str, object] = {}
        for name, part in data.items():
            try:
                made[name] = reads[name](part)
            except Misfit as misfit:
                raise misfit.within(name) from None
        return kind(**made)

    return read


def _bytes(data: object) -> bytes:
    try:
        if isinstance(data, str):
            return binascii.a2b_base64(data, strict_mode=True)
    except ValueError:
        pass
    raise _must_be("Base64")


def _must_be(wanted: str) -> Misfit:
    return Misfit(f"must be {wanted}")
