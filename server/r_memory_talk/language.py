"""What the room knows of languages: the words and expressions of `language.toml`, read when first asked for."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Mapping[str, Any]:
    """Returns a table of `language.toml`."""
    found: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("language.toml").read_text(encoding="utf-8"))
    return found[name]  # type: ignore[no-any-return]  # whatever stands in the file


@cache
def words(name: str, key: str) -> frozenset[str]:
    """Returns the space-separated words under a key; empty if the table has no such key."""
    return frozenset(table(name).get(key, "").split())


@cache
def pattern(name: str, key: str) -> re.Pattern[str]:
    """Returns the compiled pattern under a key, which ignores case."""
    return _compiled(name, table(name)[key])


def says(text: str, name: str, *keys: str) -> bool:
    """Whether one of these patterns of a table occurs in the text."""
    return any(pattern(name, key).search(text) is not None for key in keys)


@cache
def patterns(name: str, key: str) -> tuple[re.Pattern[str], ...]:
    """Returns the compiled patterns of a list."""
    return tuple(_compiled(name, item) for item in table(name)[key])


def _compiled(name: str, text: str) -> re.Pattern[str]:
    """Returns a pattern: lines are joined, and `{part}` is replaced by that part of the table."""
    parts = table(name).get("parts", {})
    filled = re.sub(r"\{([a-z_]+)\}", lambda part: parts[part[1]], text)
    return re.compile(filled.replace("\n", ""), re.IGNORECASE)
