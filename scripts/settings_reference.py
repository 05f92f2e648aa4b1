"""`docs/reference/settings.md`: every setting, from its one declaration.

`python -m scripts.settings_reference` writes the page; a test compares it.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from r_memory.config import settings
from r_memory.config.settings import FILE, PREFIX, Settings

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "settings.md"
_HEAD = f"""\
# Settings

Made by `python -m scripts.settings_reference` from `{settings.__name__}`; a test compares.

A setting is read from `{FILE}` in the home (`max_text: 500`), then from the environment
(`{PREFIX}MAX_TEXT=500`), then from the options of a command; the later wins.
An empty variable counts as not set.
In the environment a list is one text with commas; in `{FILE}` it may be a list.
A name that is no setting is refused, and so is every other variable that begins with `{PREFIX}`.
`r-memory check` looks them over and names file and line.

In Python `Settings.from_environment(space="mine")` reads all this as the command line does.
`Settings(space="mine")` takes what is given and the defaults, and nothing else.

| setting | variable | value | default | what it is |
|---|---|---|---|---|
"""
_BOUNDS = (("minimum", "≥ {}"), ("exclusiveMinimum", "> {}"), ("maximum", "≤ {}"))


def page() -> str:
    """The whole page."""
    meanings = dict(_meanings())
    kinds = TypeAdapter(Settings).json_schema()["properties"]
    rows = (
        f"| `{each.name}` | `{PREFIX}{each.name.upper()}` | {_kind(kinds[each.name])} | {_default(each)} "
        f"| {meanings[each.name]} |"
        for each in fields(Settings)
    )
    return _HEAD + "\n".join(rows) + "\n"


def _meanings() -> Iterator[tuple[str, str]]:
    """The sentences under each field, which are not kept at run time."""
    (declared,) = ast.parse(inspect.getsource(Settings)).body
    body = declared.body if isinstance(declared, ast.ClassDef) else []
    for field, below in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            yield ast.unparse(field.target), " ".join(str(ast.literal_eval(below.value)).split())


def _kind(part: Mapping[str, Any]) -> str:
    if "anyOf" in part:
        return _kind(part["anyOf"][0])
    if "items" in part:
        return f"list of {_kind(part['items'])}"
    if "enum" in part:
        return ", ".join(f"`{word}`" for word in part["enum"])
    kind = {"string": part.get("format", "text"), "integer": "whole number"}.get(part["type"], part["type"])
    return ", ".join([kind, *(text.format(part[key]) for key, text in _BOUNDS if key in part)])


def _default(field: Field[Any]) -> str:
    if field.default is MISSING and field.default_factory is not MISSING:
        return (inspect.getdoc(field.default_factory) or "").removesuffix(".").lower()
    value = ",".join(field.default) if isinstance(field.default, tuple) else field.default
    return "" if value in {None, ""} else f"`{value}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
