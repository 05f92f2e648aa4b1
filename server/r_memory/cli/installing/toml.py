"""One table of a TOML file changed, with comments, order and spelling of everything else kept.

The only importer of `tomlkit`.
"""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.container import OutOfOrderTableProxy
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from r_memory.errors import InvalidInput


def plain(text: str) -> dict[str, Any]:
    """What the document says.

    Raises:
        InvalidInput: it is no TOML; names the line.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(str(error)) from error


def with_member(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The document with the table at the end of the path, made or replaced.

    Raises:
        InvalidInput: it is no TOML, or of a form that cannot be changed safely.
    """
    before = plain(text)
    document = tomlkit.parse(text)
    here: Any = document
    for key in path[:-1]:
        if key not in here:
            here[key] = tomlkit.table(is_super_table=True)
        here = here[key]
        if not isinstance(here, Table | OutOfOrderTableProxy):
            raise InvalidInput(f"'{key}' is not a table of lines of its own")
    here[path[-1]] = _table(value)
    return _checked(before, tomlkit.dumps(document), path, dict(value))


def without_member(text: str, path: Sequence[str]) -> str:
    """The document without the table at the end of the path; the same if it has none.

    Raises:
        InvalidInput: it is no TOML, or of a form that cannot be changed safely.
    """
    before = plain(text)
    document = tomlkit.parse(text)
    here: Any = document
    for key in path[:-1]:
        if key not in here:
            return text
        here = here[key]
    if path[-1] not in here:
        return text
    try:
        del here[path[-1]]
    except TOMLKitError as error:
        raise InvalidInput("the file is of a form that cannot be changed safely") from error
    return _checked(before, tomlkit.dumps(document), path, None)


def _table(value: Mapping[str, Any]) -> Table:
    table = tomlkit.table()
    for key, item in value.items():
        table.add(key, _table(item) if isinstance(item, Mapping) else item)
    return table


def _checked(before: dict[str, Any], after: str, path: Sequence[str], value: object) -> str:
    if _without(plain(after), path) != _without(before, path) or _at(plain(after), path) != value:
        raise InvalidInput("the file is of a form that cannot be changed safely")
    return after


def _without(document: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """All but the end of the path; tables on the way that are empty then count as absent."""
    key, *rest = path
    kept = {name: item for name, item in document.items() if name != key}
    inner = _without(document[key], rest) if rest and isinstance(document.get(key), dict) else {}
    return {**kept, key: inner} if inner else kept


def _at(document: Any, path: Sequence[str]) -> object:  # noqa: ANN401 - TOML of any shape
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    found: object = document
    return found
