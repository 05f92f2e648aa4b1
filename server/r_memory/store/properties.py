"""Properties of nodes and relationships: what every value has in common.

Nothing is stored as null: what a value does not have is left out. Instants carry an ISO-8601 text beside them, for
people. Knows no value of the domain but those.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from r_memory.domain.facts import Attribute, Flag
from r_memory.domain.instants import EARLIEST, LATEST, Instant, iso
from r_memory.domain.periods import Period
from r_memory.errors import InvalidInput, StoreError

_Word = TypeVar("_Word", bound=str)
Properties = Mapping[str, object]


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


class Reader:
    """Typed access to stored properties; every method raises `Unreadable` for what is missing or of another kind."""

    __slots__ = ("_properties",)

    def __init__(self, properties: Properties) -> None:
        self._properties = properties

    def text(self, name: str) -> str:
        """A text."""
        value = self._properties.get(name)
        if not isinstance(value, str):
            raise Unreadable(name)
        return value

    def text_or_empty(self, name: str) -> str:
        """A text; empty where there is none."""
        return self.text(name) if name in self._properties else ""

    def whole(self, name: str) -> int:
        """A whole number."""
        value = self._properties.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise Unreadable(name)
        return value

    def number(self, name: str) -> float:
        """A number."""
        value = self._properties.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise Unreadable(name)
        return value

    def truth(self, name: str) -> bool:
        """True or false."""
        value = self._properties.get(name)
        if not isinstance(value, bool):
            raise Unreadable(name)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._properties.get(name)
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            raise Unreadable(name)
        return tuple(value)

    def one_of(self, name: str, words: Iterable[_Word]) -> _Word:
        """One word of a closed set."""
        value = self._properties.get(name)
        for word in words:
            if word == value:
                return word
        raise Unreadable(name)

    def flags(self) -> frozenset[Flag]:
        """Flags of a fact."""
        try:
            return frozenset(Flag(word) for word in self.texts("flags"))
        except ValueError as error:
            raise Unreadable("flags") from error

    def period(self) -> Period:
        """When a fact holds."""
        start = self.whole("valid_from") if "valid_from" in self._properties else None
        end = self.whole("valid_to") if "valid_to" in self._properties else None
        try:
            return Period(start=start, end=end)
        except InvalidInput as error:
            raise Unreadable("valid_to") from error

    def nested(self, name: str) -> Properties:
        """Properties within properties, as JSON has them."""
        return properties_in(self._properties, name)

    def json(self, name: str) -> object:
        """What a JSON text holds."""
        try:
            value: object = json.loads(self.text(name))
        except ValueError as error:
            raise Unreadable(name) from error
        return value

    def attributes(self, name: str) -> dict[str, Attribute]:
        """Attributes from their JSON."""
        value = self.json(name)
        if not isinstance(value, dict) or not all(isinstance(part, (str, int, float)) for part in value.values()):
            raise Unreadable(name)
        return value


def instant_properties(name: str, instant: Instant) -> dict[str, object]:
    """Milliseconds and, for years that have one, the ISO-8601 form."""
    if EARLIEST <= instant <= LATEST:
        return {name: instant, f"{name}_iso": iso(instant)}
    return {name: instant}
