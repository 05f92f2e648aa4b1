"""One member of a JSON file changed, every other character kept: comments, order, indentation, line ends.

Reads what editors accept: comments and trailing commas as well. Both become blanks, so that `json` reads the rest and
tells where it stands. A file that is not quite JSON, or says a key twice, is refused rather than guessed at.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

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


Keys: TypeAlias = "tuple[str, ...]"


class _Member(NamedTuple):
    """The places of a key and its value."""

    start: int
    value: int
    end: int


def plain(text: str) -> dict[str, Any]:
    """Returns the content of the document; empty for an empty text.

    Raises:
        InvalidInput: the text is no JSON object; names the line.
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


def edited(text: str, path: Sequence[str], value: Mapping[str, Any] | list[Any] | int | None) -> str:
    """Returns the document with the member at the path set; without a value, removed.

    Raises:
        InvalidInput: the text is no JSON object, or a value on the path is none.

    >>> edited('{"a": 1}', ["servers", "x"], {"command": "c"})
    '{"a": 1,\\n  "servers": {\\n    "x": {\\n      "command": "c"\\n    }\\n  }\\n}'

    Raises:
        InvalidInput: it is no JSON object, or something on the path is not one.
    """
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    if not plain(text) and (value is None or "{" not in _bare(body)):
        made = "" if value is None else json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
        return text + made.replace("\n", _newline(body))
    members, whole = dict(_members(body)), tuple(path)
    here = next(whole[:length] for length in reversed(range(len(whole) + 1)) if whole[:length] in members)
    if value is None:
        return text if here != whole else mark + _removed(body, members, whole)
    old = members[here]
    if here == whole:
        return mark + body[: old.value] + _rendered(value, body, _line_indent(body, old.start)) + body[old.end :]
    if body[old.value] != "{":
        raise InvalidInput(f"'{'.'.join(here)}' is not an object")
    key, *deeper = whole[len(here) :]
    inside = [member for keys, member in members.items() if keys and keys[:-1] == here]
    return mark + _inserted(body, old, inside, key, _nested(deeper, value))


def _bare(text: str, *more: re.Pattern[str]) -> str:
    """Returns the text with blanks for comments (and matches of `more`), so that places stay."""
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


def _members(text: str) -> Iterator[tuple[Keys, _Member]]:
    """Yields the whole of a valid text, and every member in it, by its keys."""
    sound, decoder = _bare(text, _TRAILING), json.JSONDecoder()
    root = _after_space(sound, 0)
    yield (), _Member(root, root, decoder.raw_decode(sound, root)[1])
    waiting: list[tuple[Keys, int]] = [((), root)]
    while waiting:
        keys, start = waiting.pop()
        at = _after_space(sound, start + 1)
        while sound[at] != "}":
            key, end = decoder.raw_decode(sound, at)
            value = _after_space(sound, _after_space(sound, end) + 1)
            _, end = decoder.raw_decode(sound, value)
            yield (*keys, key), _Member(at, value, end)
            if sound[value] == "{":
                waiting.append(((*keys, key), value))
            comma = _after_space(sound, end)
            at = _after_space(sound, comma + 1) if sound[comma] == "," else comma


def _nested(path: Sequence[str], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


def _inserted(text: str, here: _Member, members: Sequence[_Member], key: str, value: object) -> str:
    """Returns the text with a new member at the end of an object."""
    start, closing = here.value, here.end - 1
    newline, outer = _newline(text), _line_indent(text, start)
    own_line = members and "\n" in text[start : members[0].start]
    inner = _line_indent(text, members[0].start) if own_line else outer + _unit(text)
    last = max(start + len(text[start:closing].rstrip()), start + 1)
    tail = text[last:closing]
    added = f"{newline}{inner}{json.dumps(key)}: {_rendered(value, text, inner)}"
    body = text[:last] + added + (tail if "\n" in tail else newline + outer) + text[closing:]
    if members and _comma(text, members[-1]) < 0:
        return body[: members[-1].end] + "," + body[members[-1].end :]
    return body


def _removed(text: str, members: Mapping[Keys, _Member], keys: Keys) -> str:
    """Returns the text without a member, its comma and its line; comments beside it stay."""
    gone = members[keys]
    begin, comma = gone.start, _comma(text, gone)
    line = text.rfind("\n", 0, begin)
    if line > members[keys[:-1]].value and not text[line:begin].strip():
        begin = line - 1 if text[line - 1] == "\r" else line
    if comma >= 0:
        return text[:begin] + text[gone.end : comma] + text[comma + 1 :]
    before = [
        member for other, member in members.items() if other[:-1] == keys[:-1] and other and member.start < gone.start
    ]
    comma = _comma(text, before[-1]) if before else begin
    return text[:comma] + text[comma + 1 : begin] + text[gone.end :]


def _comma(text: str, member: _Member) -> int:
    """Returns the place of the comma after a member; -1 without one."""
    following = _after_space(_bare(text), member.end)
    return following if text[following] == "," else -1


def _rendered(value: object, text: str, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """Returns one level of the file's indentation; two spaces if it has none."""
    found = _INDENTED.search(text)
    return found.group(1) if found else "  "


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
