"""What the room knows of languages: the words and expressions of `language.toml`, read when first asked for."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Mapping[str, Any]:
    """A table of the file."""
    found: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("language.toml").read_text(encoding="utf-8"))
    return found[name]  # type: ignore[no-any-return]  # whatever stands in the file


@cache
def words(name: str, key: str) -> frozenset[str]:
    """Words that stand between blanks; none where the table has no such key."""
    return frozenset(table(name).get(key, "").split())


@cache
def pattern(name: str, key: str) -> re.Pattern[str]:
    """An expression, upper and lower case alike."""
    return _compiled(name, table(name)[key])


def says(text: str, name: str, *keys: str) -> bool:
    """Whether one of these expressions of a table stands somewhere in the text."""
    return any(pattern(name, key).search(text) is not None for key in keys)


@cache
def patterns(name: str, key: str) -> tuple[re.Pattern[str], ...]:
    """The expressions of a list."""
    return tuple(_compiled(name, one) for one in table(name)[key])


def _compiled(name: str, text: str) -> re.Pattern[str]:
    """Lines are joined as they stand, and `{part}` stands for a part of the table, which may hold none."""
    parts = table(name).get("parts", {})
    filled = re.sub(r"\{([a-z_]+)\}", lambda part: parts[part[1]], text)
    return re.compile(filled.replace("\n", ""), re.IGNORECASE)
