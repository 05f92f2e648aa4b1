"""Fields of JSON and XML as one kind of tree, and paths through it; no file is trusted.

A document type declaration is refused, so no entity is ever expanded.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from xml.etree import ElementTree as ET

from r_memory.errors import InvalidInput

Tree = Mapping[str, object]
_DECLARED = re.compile(r"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*encoding=["']([\w.-]+)["']""")
_CHOICE = re.compile(r"[A-Z][A-Za-z0-9]*")
_CODING = ("coding", "translation")
_LABELS = ("text", "display", "displayName", "originalText", "name", "#text")
NAMES_DEPTH = 8
_BLOCKS = frozenset({"paragraph", "tr", "item", "caption", "title", "br"})
"""Elements of a narrative that stand on their own lines."""


def decoded(data: bytes, name: str) -> str:
    """Returns the text of a file in its declared encoding, by default UTF-8.

    Raises:
        InvalidInput: the bytes are not in that encoding.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    else:
        said = _ENCODING.match(data.removeprefix(b"\xef\xbb\xbf"))
        encoding = said[1].decode("ascii") if said else "utf-8-sig"
    try:
        return data.decode("utf-8-sig" if encoding.casefold() == "utf-8" else encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise InvalidInput(
            f"{name} is not {encoding.removesuffix('-sig').upper()}; convert it to UTF-8 first"
        ) from error


def of_json(text: str, name: str) -> object:
    """Returns the value of a JSON text.

    Raises:
        InvalidInput: the text is truncated or damaged; with the line.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise InvalidInput(
            f"{name} ends early or is damaged (line {line}); nothing was imported, make it anew"
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{name} is nested too deep; make it anew") from error


def element(text: str, name: str) -> ET.Element:
    """Returns the root of an XML text.

    Raises:
        InvalidInput: the text is damaged, or declares a document type or entities.
    """
    if _DECLARED.search(text):
        raise InvalidInput(f"{name} declares a document type or entities, which no record needs; remove them")
    try:
        return ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text.lstrip("\ufeff")))  # noqa: S314 - no declarations
    except (ET.ParseError, RecursionError) as error:
        raise InvalidInput(f"{name} ends early or is damaged ({error}); nothing was imported, make it anew") from error


def tag(node: ET.Element) -> str:
    """Returns an element's name without its namespace."""
    return node.tag.rpartition("}")[2]


def whole_of(node: ET.Element) -> str:
    """Returns all words in an element, one line for each paragraph or row."""
    lines: list[list[str]] = [[]]

    def walk(inner: ET.Element) -> None:
        if tag(inner) in _BLOCKS:
            lines.append([])
        lines[-1].append(inner.text or "")
        for child in inner:
            walk(child)
            lines[-1].append(child.tail or "")
        if tag(inner) in _BLOCKS:
            lines.append([])

    walk(node)
    return "\n".join(filter(None, (" ".join(" ".join(line).split()) for line in lines)))


def of_element(node: ET.Element, *, primitive: bool = False) -> object:
    """Returns an element as a tree of attributes and children by name; with `primitive`, `<a value="b"/>` is `b`."""
    found: dict[str, object] = {key.rpartition("}")[2]: value for key, value in node.attrib.items()}
    if primitive and len(node) == 0 and set(found) - {"id"} == {"value"}:
        return found["value"]
    for child in node:
        value = of_element(child, primitive=primitive)
        inner = list(child)
        if primitive and tag(child) in {"resource", "contained"} and len(inner) == 1 and isinstance(value, dict):
            value = value[tag(inner[0])]
            value = {"resourceType": tag(inner[0]), **value} if isinstance(value, dict) else value
        found.setdefault(tag(child), [])
        kept = found[tag(child)]
        found[tag(child)] = [*kept, value] if isinstance(kept, list) else [kept, value]
    if node.text and node.text.strip():
        found["#text"] = " ".join(node.text.split())
    return {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in found.items()}


def at(path: str, here: object, top: object) -> list[object]:
    """Returns the values at the end of a path, through lists; a path with a leading slash starts at `top`."""
    values = [top] if path.startswith("/") else [here]
    for name, begun, which in _steps(path):
        values = [found for value in values for found in _step(value, name, begun, which)]
    return values


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[tuple[str, str, str], ...]:
    """Returns for each step of a path its name, with what names begin there if it is a choice, and whose it is."""
    steps = (step.partition(":") for step in path.removeprefix("/").split("."))
    return tuple((name, name[:-1] if name.endswith("*") else "", which) for name, _, which in steps)


def _step(value: object, name: str, begun: str, which: str) -> Iterator[object]:
    if isinstance(value, list):
        for item in value:
            yield from _step(item, name, begun, which)
        return
    if not isinstance(value, Mapping):
        return
    if begun:
        found = [value[key] for key in value if key == begun or _is_choice(key, begun)]
    else:
        found = [value[name]] if name in value else []
    for each in found:
        for item in each if isinstance(each, list) else [each]:
            if not which or (isinstance(item, Mapping) and _is_named(item, which)):
                yield item


def _is_named(item: Tree, which: str) -> bool:
    return str(item.get("url", "")).endswith(which) or item.get("typeCode") == which


def _is_choice(key: str, begun: str) -> bool:
    return key.startswith(begun) and _CHOICE.fullmatch(key[len(begun) :]) is not None


def codes(value: object) -> list[str]:
    """Returns the codes of a value, and its words in small letters."""
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, (str, int, float)):
        return [str(value).strip().casefold()]
    if not isinstance(value, Mapping):
        return []
    inner = [code for name in _CODING for item in _items(value.get(name)) for code in codes(item)]
    own = [
        str(value[key]).strip().casefold()
        for key in ("code", "nullFlavor", *_LABELS)
        if isinstance(value.get(key), str)
    ]
    return [*own, *inner]


def words(value: object, depth: int = 0) -> list[str]:
    """Returns the words of a value, coded names first."""
    if isinstance(value, (str, int, float)):
        plain = " ".join(str(value).split())
        return [plain.casefold() if isinstance(value, bool) else plain] if plain else []
    if isinstance(value, list):
        return [word for item in value for word in words(item, depth)]
    if not isinstance(value, Mapping) or depth > NAMES_DEPTH:
        return []
    if "start" in value or "end" in value:
        return words(value.get("start", value.get("end")), depth + 1)
    if "value" in value and "coding" not in value:
        return [" ".join(filter(None, (*words(value["value"], depth + 1)[:1], str(value.get("unit") or ""))))]
    coded = [word for name in _CODING for each in _items(value.get(name)) for word in words(each, depth + 1)]
    said = [*words(value.get("displayName", []), depth + 1), *coded]
    return [*said, *(word for key in _LABELS for word in words(value.get(key, []), depth + 1) if word not in said)]


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


_SILENT = frozenset(
    {
        "resourceType",
        "id",
        "meta",
        "text",
        "identifier",
        "contained",
        "url",
        "system",
        "reference",
        "implicitRules",
        "language",
        "div",
        "versionId",
        "coding",
        "code",
        "statement",
    }
)


_SAID = frozenset({*_LABELS, *_CODING, "code", "value", "unit"})
"""Fields of an item that are told with it."""
_UNSAID = frozenset(
    {"url", "system", "reference", "div", "typeCode", "moodCode", "codeSystem", "codeSystemName", "type"}
)


def told(tree: Tree, depth: int = 0) -> Iterator[str]:
    """Yields all fields of a tree as `name: words`, without ids, addresses and narrative markup."""
    for key, value in tree.items():
        if (key in _SILENT and depth == 0 and key != "code") or key in _UNSAID:
            continue
        shown = list(dict.fromkeys(words(value)))
        if not shown and codes(value):
            shown = codes(value)
        if shown:
            yield f"{key}: {', '.join(shown)}"
        for item in _items(value) if depth < NAMES_DEPTH else []:
            if isinstance(item, Mapping) and key not in {"coding", "text"}:
                inner = {name: each for name, each in item.items() if name not in _SAID}
                yield from (f"{key}.{line}" for line in told(inner, depth + 1))
