"""One table of a TOML file changed, with comments, order and spelling of everything else kept.

The only importer of `tomlkit`.
"""

import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

import tomlkit
from tomlkit.container import OutOfOrderTableProxy
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from r_memory.errors import InvalidInput


def plain(text: str) -> dict[str, Any]:
    """Returns the content of the document.

    Raises:
        InvalidInput: the text is no TOML; names the line.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(str(error)) from error


def edited(text: str, path: Sequence[str], value: Mapping[str, Any] | None) -> str:
    """Returns the document with the table at the path set; without a value, removed.

    Raises:
        InvalidInput: the text is no TOML, or cannot be changed safely.
    """
    plain(text)
    document = tomlkit.parse(text)
    here: Any = document
    for key in path[:-1]:
        if value is None and (not isinstance(here, Mapping) or key not in here):
            return text
        if key not in here:
            here[key] = tomlkit.table(is_super_table=True)
        here = here[key]
        if value is not None and not isinstance(here, Table | OutOfOrderTableProxy):
            raise InvalidInput(f"'{key}' is not a table of lines of its own")
    if value is not None:
        here[path[-1]] = _table(value)
    elif isinstance(here, MutableMapping) and path[-1] in here:
        try:
            del here[path[-1]]
        except TOMLKitError as error:
            raise InvalidInput("the file is of a form that cannot be changed safely") from error
    return tomlkit.dumps(document)


def _table(value: Mapping[str, Any]) -> Table:
    table = tomlkit.table()
    for key, item in value.items():
        table.add(key, _table(item) if isinstance(item, Mapping) else item)
    return table
