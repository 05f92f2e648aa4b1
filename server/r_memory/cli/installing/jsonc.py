"""One member of a JSON file changed, every other character kept: comments, order, indentation, line ends.

Reads what editors accept: comments and trailing commas as well. Both become blanks, so that `json` reads the rest and
tells where it stands. A file that is not quite JSON, or says a key twice, is refused rather than guessed at.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from r_memory.errors import InvalidInput

_STRING = r'"(?:[^"\\]|\\.)*"'
_STRINGS = re.compile(_STRING)
_COMMENTS = re.compile(rf"({_STRING})|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING = re.compile(rf"({_STRING})|,(?=\s*[}}\]])")
_VISIBLE = re.compile(r"[^\r\n]")
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENTED = re.compile(r"\n([ \t]+)\S")
_DEEPER = {"{": 1, "[": 1, "}": -1, "]": -1}
_DEEPEST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """Where a key and its value stand."""

    start: int
    value: int
    end: int
    """Of the value."""
    comma: int
    """Where the comma after the value is; -1 without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Object:
    start: int
    end: int
    members: dict[str, _Member]


def plain(text: str) -> dict[str, Any]:
    """What the document says; nothing for an empty one.

    Raises:
        InvalidInput: it is no JSON object; names the line.
    """
    body = _bare(text.removeprefix("\ufeff"), _TRAILING)
    if not body.strip():
        return {}
    if max(accumulate(_DEEPER.get(mark, 0) for mark in _STRINGS.sub("", body))) > _DEEPEST:
        raise InvalidInput("nested too deep")
    try:
        found = json.loads(body, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"line {error.lineno}: not JSON: {error.msg}") from error
    if not isinstance(found, dict):
        raise InvalidInput("line 1: '{' expected")
    return found


def edited(text: str, path: Sequence[str], value: Mapping[str, Any] | None) -> str:
    """The document with the member at the end of the path made or replaced; without a value, without the member.

    >>> edited('{"a": 1}', ["servers", "x"], {"command": "c"})
    '{"a": 1,\\n  "servers": {\\n    "x": {\\n      "command": "c"\\n    }\\n  }\\n}'

    Raises:
        InvalidInput: it is no JSON object, or something on the path is not one.
    """
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    if not plain(text) and (value is None or "{" not in _bare(body)):
        made = "" if value is None else json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
        return text + made.replace("\n", _newline(body))
    here, missing = _innermost(body, path)
    if value is None:
        return text if missing else mark + _removed(body, here, path[-1])
    if missing:
        return mark + _inserted(body, here, missing[0], _nested(missing[1:], value))
    old = here.members[path[-1]]
    return mark + body[: old.value] + _rendered(value, body, _line_indent(body, old.start)) + body[old.end :]


def _bare(text: str, *more: re.Pattern[str]) -> str:
    """The text with blanks for comments (and what else the patterns find), every place as it was."""
    for pattern in (_COMMENTS, *more):
        text = pattern.sub(lambda found: found[1] or _VISIBLE.sub(" ", found[0]), text)
    return text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for key, value in pairs:
        if key in said:
            raise InvalidInput(f"the key '{key}' for the second time")
        said[key] = value
    return said


def _innermost(text: str, path: Sequence[str]) -> tuple[_Object, Sequence[str]]:
    """The innermost object on the path, and what of the path is missing in it."""
    here = _object(text, _after_space(_bare(text), 0))
    for number, key in enumerate(path):
        if key not in here.members:
            return here, path[number:]
        if number < len(path) - 1:
            value = here.members[key].value
            if text[value] != "{":
                raise InvalidInput(f"'{'.'.join(path[: number + 1])}' is not an object")
            here = _object(text, value)
    return here, ()


def _object(text: str, start: int) -> _Object:
    """The object that begins there, of a text that is known to be sound."""
    bare, sound = _bare(text), _bare(text, _TRAILING)
    decoder, members, at = json.JSONDecoder(), {}, _after_space(bare, start + 1)
    while bare[at] != "}":
        key, end = decoder.raw_decode(sound, at)
        value = _after_space(bare, _after_space(bare, end) + 1)
        _, end = decoder.raw_decode(sound, value)
        following = _after_space(bare, end)
        comma = following if bare[following] == "," else -1
        members[key] = _Member(start=at, value=value, end=end, comma=comma)
        at = following if comma < 0 else _after_space(bare, comma + 1)
    return _Object(start=start, end=at + 1, members=members)


def _nested(path: Sequence[str], value: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    for key in reversed(path):
        value = {key: value}
    return value


def _inserted(text: str, here: _Object, key: str, value: Any) -> str:  # noqa: ANN401 - JSON of any shape
    """The text with one more member at the end of an object."""
    members, closing = list(here.members.values()), here.end - 1
    newline, outer = _newline(text), _line_indent(text, here.start)
    own_line = members and "\n" in text[here.start : members[0].start]
    inner = _line_indent(text, members[0].start) if own_line else outer + _unit(text)
    last = max(here.start + len(text[here.start : closing].rstrip()), here.start + 1)
    tail = text[last:closing]
    added = f"{newline}{inner}{json.dumps(key)}: {_rendered(value, text, inner)}"
    body = text[:last] + added + (tail if "\n" in tail else newline + outer) + text[closing:]
    if members and members[-1].comma < 0:
        return body[: members[-1].end] + "," + body[members[-1].end :]
    return body


def _removed(text: str, here: _Object, key: str) -> str:
    """The text without a member, its comma and its line; comments beside it stay."""
    gone = here.members[key]
    before = [member for member in here.members.values() if member.start < gone.start]
    start = gone.start
    line = text.rfind("\n", 0, start)
    if line > here.start and not text[line:start].strip():
        start = line - 1 if text[line - 1] == "\r" else line
    text = text[:start] + _without(text, gone.comma)[gone.end :]
    return _without(text, before[-1].comma) if gone.comma < 0 and before else text


def _without(text: str, comma: int) -> str:
    return text if comma < 0 else text[:comma] + text[comma + 1 :]


def _rendered(value: Any, text: str, indent: str) -> str:  # noqa: ANN401 - JSON of any shape
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """One level of indentation, as the file has it; two spaces if it has none."""
    found = _INDENTED.search(text)
    return found.group(1) if found else "  "


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
