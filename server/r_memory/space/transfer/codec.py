"""Values of the domain as JSON, and back, by the types that their fields declare.

Pure; knows dataclasses, not which. A field that a value has by default is left out, so that older files can be read
after a field was added.
"""

import base64
import binascii
import types
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from r_memory.errors import InvalidInput

Value = TypeVar("Value")


def encoded(value: object) -> object:
    """The value as `json.dumps` takes it.

    >>> from r_memory.domain.periods import Period
    >>> encoded(Period(start=5))
    {'start': 5}
    """
    if is_dataclass(value):
        given = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: encoded(part) for field, part in given if not _is_default(field, part)}
    if isinstance(value, Mapping):
        return {str(key): encoded(part) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((encoded(part) for part in value), key=str)
    if isinstance(value, tuple | list):
        return [encoded(part) for part in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.value if isinstance(value, Enum) else value


def decoded(kind: type[Value], data: object) -> Value:
    """The value of this dataclass.

    >>> from r_memory.domain.periods import Period
    >>> decoded(Period, {"start": 5})
    Period(start=5, end=None)

    Raises:
        InvalidInput: a field is missing, unknown or of another type; or the value refuses itself.
    """
    value = _dataclass(kind, data, kind.__name__)
    if not isinstance(value, kind):
        raise InvalidInput(f"{kind.__name__} is not what was read")
    return value


def _is_default(field: Field[Any], value: object) -> bool:
    # 1 is no 1.0 here: hashes tell them apart.
    return type(value) is type(field.default) and value == field.default


def _dataclass(kind: type[object], data: object, where: str) -> object:
    if not isinstance(data, dict):
        raise _wrong(where, "an object")
    declared, hints = _declared(cast("Hashable", kind))
    if unknown := sorted(data.keys() - declared.keys()):
        raise InvalidInput(f"{where} has no field '{unknown[0][:40]}'; a newer version may have written it")
    for name, field in declared.items():
        if name not in data and field.default is MISSING and field.default_factory is MISSING:
            raise InvalidInput(f"{where} lacks '{name}'")
    return kind(**{name: _value(hints[name], part, f"{where}.{name}") for name, part in data.items()})


@cache
def _declared(kind: Hashable) -> tuple[dict[str, Field[Any]], dict[str, Any]]:
    class_ = cast("type[Any]", kind)
    return {field.name: field for field in fields(class_)}, get_type_hints(class_)


def _value(hint: Any, data: object, where: str) -> object:  # noqa: ANN401 - a type hint may be anything
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Union, types.UnionType}:
        return _one_of(arguments, data, where)
    if origin is Literal:
        if data not in arguments:
            raise _wrong(where, f"one of {', '.join(map(str, arguments))}")
        return data
    if origin is not None:
        return _collection(origin, arguments, data, where)
    if is_dataclass(hint) and isinstance(hint, type):
        return _dataclass(hint, data, where)
    return _scalar(hint, data, where)


def _one_of(hints: Sequence[Any], data: object, where: str) -> object:
    """By the first type that takes it; a whole number is no truth, and the reverse."""
    for hint in hints:
        try:
            return _value(hint, data, where)
        except InvalidInput:
            continue
    raise _wrong(where, " or ".join(str(getattr(hint, "__name__", hint)) for hint in hints))


def _collection(origin: Any, arguments: Sequence[Any], data: object, where: str) -> object:  # noqa: ANN401 - see _value
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise _wrong(where, "an object")
        return {key: _value(arguments[1], part, f"{where}.{key}") for key, part in data.items()}
    if not isinstance(data, list):
        raise _wrong(where, "a list")
    parts = (_value(arguments[0], part, f"{where}[{place}]") for place, part in enumerate(data))
    return frozenset(parts) if origin is frozenset else tuple(parts)


def _scalar(hint: Any, data: object, where: str) -> object:  # noqa: ANN401 - see _value
    if hint is type(None) and data is None:
        return None
    if isinstance(hint, type) and issubclass(hint, Enum):
        if data not in [word.value for word in hint]:
            raise _wrong(where, f"one of {', '.join(str(word.value) for word in hint)}")
        return hint(data)
    if hint is bytes and isinstance(data, str):
        return _bytes(data, where)
    # A whole number stays one: hashes tell 1 from 1.0.
    if isinstance(hint, type) and (type(data) is hint or (hint is float and type(data) is int)):
        return data
    raise _wrong(where, str(getattr(hint, "__name__", hint)))


def _bytes(data: str, where: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise _wrong(where, "Base64") from None


def _wrong(where: str, wanted: str) -> InvalidInput:
    return InvalidInput(f"{where} must be {wanted}")
