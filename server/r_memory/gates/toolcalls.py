"""The words of a tool call: an order that a tool sends is an order. Pure.

Its arguments are read by their values, whatever the keys; fields that are no content (ids, dates, tokens) are left out,
and only where what they hold looks like that: `{"drug_id": "amoxicillin"}` is read.
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TypeGuard

_OWN = re.compile(
    r"(?:.*r.memory.*[_.:/])?memory_(?:remember|record_facts|build_context|check_text|list_facts|search|describe|"
    r"get_summary|change_fact|run_audit|ingest_document|hook_context)"
)
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s.-]+")
_DATE_OR_CODE = re.compile(r"(?=.*\d)[\w:.+/=-]+|[0-9a-fA-F-]{8,}|(?=.*[a-z])(?=.*[A-Z])[\w/+=-]{16,}")
"""A word with a digit, or a long mixture of letters that is no word."""
_HEX = re.compile(r"[0-9a-fA-F-]+")
_NAME = re.compile(r"[A-Za-z][a-z]{3,}|[A-Z]{4,}")
"""A possible name within a code: `amoxicillin-500`."""
_DEEPEST = 32
_LONG = 60
"""Characters from which a value is a text of its own, not an item of a list."""


def is_own(name: str) -> bool:
    """Whether a tool is one of this memory's own, which check their words themselves."""
    return _OWN.fullmatch(name) is not None


def words_of(arguments: object, no_content: Collection[str]) -> str:
    """Returns the values of a tool call's arguments, one line for each object; unchanged if they are no JSON.

    >>> words_of('{"order": {"item": "Amoxicillin", "mg": 500, "id": "a-17"}}', {"id"})
    'order\\nAmoxicillin, mg 500'
    """
    if isinstance(arguments, str):
        try:
            said = json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
        if isinstance(said, str):
            return said
        arguments = said
    return "\n".join(_lines(arguments, no_content, depth=0))


def _lines(value: object, no_content: Collection[str], *, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        yield json.dumps(value, ensure_ascii=False)
        return
    if not (isinstance(value, dict) or _is_list(value)):
        yield from _leaf("", value, no_content)
        return
    named = value.items() if isinstance(value, dict) else (("", item) for item in value)
    short: list[str] = []
    inner: list[str] = []
    for key, item in named:
        if isinstance(item, dict) or _is_list(item):
            inner += [*([_spaced(key)] if key else []), *_lines(item, no_content, depth=depth + 1)]
        else:
            for words in _leaf(str(key), item, no_content):
                (inner if len(words) > _LONG or "\n" in words else short).append(words)
    if short:
        yield ", ".join(short)
    yield from inner


def _leaf(key: str, value: object, no_content: Collection[str]) -> Iterator[str]:
    if value is None or value is False or value == "":
        return
    if isinstance(value, str):
        if not (_names_no_content(key, no_content) and _is_code(value.strip())):
            # A text may itself be JSON: what a tool sends on.
            yield words_of(value, no_content) if value.lstrip()[:1] in {"{", "["} else value
    elif not _names_no_content(key, no_content):
        yield _spaced(key) if value is True else f"{_spaced(key)} {value}".strip()


def _is_code(value: str) -> bool:
    """Whether a value is a date or a code without a name in it."""
    code = value.removeprefix("Bearer ").removeprefix("Basic ")
    nameless = _HEX.fullmatch(code) is not None or _NAME.search(code) is None
    return nameless and _DATE_OR_CODE.fullmatch(code) is not None


def _names_no_content(key: str, no_content: Collection[str]) -> bool:
    name = _spaced(key).replace(" ", "_").casefold()
    return name in no_content or any(name.endswith(f"_{end}") for end in no_content)


def _spaced(key: str) -> str:
    """Returns a key as words: `maxDose_mg` as "max Dose mg"."""
    return " ".join(_HUMPS.sub("_", str(key)).replace("_", " ").split())


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)
