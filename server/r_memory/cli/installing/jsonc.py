"""One member of a JSON file changed, every other character kept: comments, order, indentation, line ends.

Reads what editors accept: comments and trailing commas as well. Knows text and places; nothing of clients. A file that
is not quite JSON, or says a key twice, is refused rather than guessed at.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from r_memory.errors import InvalidInput

_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"[-+.A-Za-z0-9]+")
_INDENTED = re.compile(r"\n([ \t]+)\S")
_DEEPEST = 64


@dataclass(slots=True, kw_only=True)
class _Member:
    key: str
    start: int
    """Of the key."""
    value: "_Value"
    comma: int = -1
    """Where the comma after the value is; -1 without one."""


@dataclass(slots=True, kw_only=True)
class _Value:
    start: int
    end: int
    plain: Any
    """As `json` would give it."""
    members: list[_Member] | None = None
    """Of an object; `None` for anything else."""


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    comments: list[tuple[int, str]] = field(default_factory=list)

    def whole(self) -> _Value | None:
        """The document; `None` if there is nothing but space and comments."""
        self.skip()
        if self.at == len(self.text):
            return None
        value = self.value(0)
        self.skip()
        if self.at != len(self.text):
            raise self.wrong("something follows the end")
        return value

    def wrong(self, what: str) -> InvalidInput:
        line = self.text.count("\n", 0, self.at) + 1
        return InvalidInput(f"line {line}: {what}")

    def skip(self) -> None:
        while True:
            self.at = _after(_SPACE, self.text, self.at)
            found = _COMMENT.match(self.text, self.at)
            if found is None:
                return
            self.comments.append((self.at, found.group()))
            self.at = found.end()

    def value(self, depth: int) -> _Value:
        if depth > _DEEPEST:
            raise self.wrong("nested too deep")
        opening = self.text[self.at : self.at + 1]
        if opening == "{":
            return self.object(depth)
        return self.list(depth) if opening == "[" else self.scalar()

    def object(self, depth: int) -> _Value:
        start, members = self.at, dict[str, _Member]()
        for _ in self.items("}"):
            key = self.scalar()
            if not isinstance(key.plain, str):
                raise self.wrong("a key that is not in quotes")
            if key.plain in members:
                raise self.wrong(f"the key '{key.plain}' for the second time")
            self.skip()
            self.expect(":")
            self.skip()
            member = members[key.plain] = _Member(key=key.plain, start=key.start, value=self.value(depth + 1))
            member.comma = self.comma()
        plain = {name: member.value.plain for name, member in members.items()}
        return _Value(start=start, end=self.at, plain=plain, members=list(members.values()))

    def list(self, depth: int) -> _Value:
        start, items = self.at, []
        for _ in self.items("]"):
            items.append(self.value(depth + 1).plain)
            self.comma()
        return _Value(start=start, end=self.at, plain=items)

    def items(self, closing: str) -> Iterator[None]:
        """Once for each item up to the closing bracket, which is read; between two there must be a comma."""
        self.at += 1
        first = True
        while True:
            self.skip()
            if self.text[self.at : self.at + 1] == closing:
                self.at += 1
                return
            if self.at == len(self.text) or (not first and not self._comma):
                raise self.wrong(f"'{closing}' or ',' expected")
            first = False
            yield None

    _comma: bool = True

    def comma(self) -> int:
        """Where the comma is that comes next; -1 if none does."""
        self.skip()
        self._comma = self.text[self.at : self.at + 1] == ","
        if not self._comma:
            return -1
        self.at += 1
        return self.at - 1

    def expect(self, mark: str) -> None:
        if self.text[self.at : self.at + 1] != mark:
            raise self.wrong(f"'{mark}' expected")
        self.at += 1

    def scalar(self) -> _Value:
        found = _STRING.match(self.text, self.at) or _WORD.match(self.text, self.at)
        if found is None:
            raise self.wrong("not JSON")
        try:
            plain = json.loads(found.group())
        except ValueError:
            raise self.wrong("not JSON") from None
        start, self.at = self.at, found.end()
        return _Value(start=start, end=self.at, plain=plain)


def plain(text: str) -> dict[str, Any]:
    """What the document says; nothing for an empty one.

    Raises:
        InvalidInput: it is no JSON object; names the line.
    """
    root = _root(text)
    return {} if root is None else dict(root.plain)


def with_member(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The document with the member at the end of the path, made or replaced.

    >>> with_member('{"a": 1}', ["servers", "x"], {"command": "c"})
    '{"a": 1,\\n  "servers": {\\n    "x": {\\n      "command": "c"\\n    }\\n  }\\n}'

    Raises:
        InvalidInput: it is no JSON object, or something on the path is not one.
    """
    bom, body = _split(text)
    root = _root(body)
    if root is None:
        ending = _newline(body)
        made = json.dumps(_nested(path, value), indent=2, ensure_ascii=False).replace("\n", ending)
        return bom + body + made + ending
    here, missing = _descend(root, path)
    if not missing:
        outer = _line_indent(body, _member(here, path[-1]).start)
        found = _member(here, path[-1]).value
        changed = body[: found.start] + _rendered(value, body, outer) + body[found.end :]
    else:
        changed = _inserted(body, here, missing[0], _nested(missing[1:], value))
    return bom + _checked(body, changed, path, value)


def without_member(text: str, path: Sequence[str]) -> str:
    """The document without the member at the end of the path; the same if it has none.

    Raises:
        InvalidInput: it is no JSON object.
    """
    bom, body = _split(text)
    root = _root(body)
    if root is None:
        return text
    here, missing = _descend(root, path)
    if missing:
        return text
    return bom + _checked(body, _removed(body, here, path[-1]), path, None)


def _root(text: str) -> _Value | None:
    reader = _Reader(_split(text)[1])
    root = reader.whole()
    if root is not None and root.members is None:
        raise InvalidInput("line 1: '{' expected")
    return root


def _split(text: str) -> tuple[str, str]:
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)


def _descend(root: _Value, path: Sequence[str]) -> tuple[_Value, Sequence[str]]:
    """The innermost object on the path, and what of the path is missing in it."""
    here = root
    for number, key in enumerate(path):
        if here.members is None:
            raise InvalidInput(f"'{'.'.join(path[:number])}' is not an object")
        found = next((member for member in here.members if member.key == key), None)
        if found is None:
            return here, path[number:]
        if number < len(path) - 1:
            here = found.value
    return here, ()


def _member(here: _Value, key: str) -> _Member:
    return next(member for member in here.members or () if member.key == key)


def _nested(path: Sequence[str], value: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    for key in reversed(path):
        value = {key: value}
    return value


def _inserted(text: str, here: _Value, key: str, value: Any) -> str:  # noqa: ANN401 - JSON of any shape
    """The text with one more member at the end of an object."""
    members = here.members or []
    newline = _newline(text)
    outer = _line_indent(text, here.start)
    own_line = members and "\n" in text[here.start : members[0].start]
    inner = _line_indent(text, members[0].start) if own_line else outer + _unit(text)
    closing = here.end - 1
    last = here.start + len(text[here.start : closing].rstrip())
    added = f"{newline}{inner}{json.dumps(key)}: {_rendered(value, text, inner)}"
    tail = text[last:closing]
    ending = tail if "\n" in tail else newline + outer
    body = text[: max(last, here.start + 1)] + added + ending + text[closing:]
    if members and members[-1].comma < 0:
        end = members[-1].value.end
        body = body[:end] + "," + body[end:]
    return body


def _removed(text: str, here: _Value, key: str) -> str:
    """The text without a member, its comma and its line; comments beside it stay."""
    members = here.members or []
    number = [member.key for member in members].index(key)
    gone = members[number]
    start = gone.start
    line = text.rfind("\n", 0, start)
    if line > here.start and not text[line:start].strip():
        start = line - 1 if text[line - 1] == "\r" else line
    cuts = [(start, gone.value.end)]
    if gone.comma >= 0:
        cuts.append((gone.comma, gone.comma + 1))
    elif number and members[number - 1].comma >= 0:
        cuts.append((members[number - 1].comma, members[number - 1].comma + 1))
    for begin, end in sorted(cuts, reverse=True):
        text = text[:begin] + text[end:]
    return text


def _checked(before: str, after: str, path: Sequence[str], value: object) -> str:
    """The changed text, once it is seen that nothing else changed in it.

    Raises:
        InvalidInput: something else did; nothing was written.
    """
    reader = _Reader(after)
    root = reader.whole()
    expected = _with(plain(before), path, value)
    if root is None or root.plain != expected:
        raise InvalidInput("the file is of a form that cannot be changed safely")
    return after


def _with(document: dict[str, Any], path: Sequence[str], value: object) -> dict[str, Any]:
    key, *rest = path
    if rest:
        inner = document.get(key, {})
        return {**document, key: _with(inner, rest, value)}
    if value is None:
        return {name: kept for name, kept in document.items() if name != key}
    return {**document, key: value}


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
    begin = text.rfind("\n", 0, at) + 1
    return text[begin : _after(re.compile(r"[ \t]*"), text, begin)]


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()
