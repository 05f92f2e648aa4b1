"""Safe YAML that remembers the line of every key and value, and pydantic models whose errors name that line.

A plain subset, read as people mean it: words stay words (`no`, `on` and `1:30` are text, only `true` and `false` are
booleans, as in YAML 1.2); a duplicate key, a tab in the indentation, an anchor, an alias, a tag, a second document and
deep nesting are errors.
"""

import inspect
import pathlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from r_memory.config.files import Source
from r_memory.config.names import Context, meant, unknown_name
from r_memory.errors import ConfigurationError

Yaml: TypeAlias = "bool | int | float | str | list[Yaml] | dict[str, Yaml] | None"
Step: TypeAlias = "str | int"
Path: TypeAlias = "tuple[Step, ...]"
"""Keys and indexes from the top of a file."""

MAX_DEPTH = 32
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels; flatten it"
_MAX_DIGITS = 18
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml if PyYAML was built with it, which is ten times as fast; both give the same events."""
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?(?!0[0-9])([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?")
"""Numbers without a leading zero: `007` is a code."""
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlDocument:
    """A YAML file as plain Python values, with the line of each."""

    source: Source
    data: Yaml
    lines: Mapping[Path, int]
    """Path to the line of a key, or of a list item; the empty tuple is the top."""

    @property
    def file(self) -> pathlib.Path:
        """The path as read."""
        return self.source.path

    def line(self, path: Sequence[Step]) -> int:
        """Returns the line of the value at a path; of its nearest ancestor if the value is missing."""
        return self.lines[self._known(path)]

    def error(self, message: str, path: Sequence[Step] = ()) -> ConfigurationError:
        """Returns an error with file, line and place; the message ends with what to do."""
        known = self._known(path)
        place = ".".join(str(step) for step in known)
        return ConfigurationError(f"{place}: {message}" if place else message, file=self.file, line=self.line(path))

    def _known(self, path: Sequence[Step]) -> Path:
        """Returns the part of a path that exists in the file; steps added by pydantic are skipped."""
        known: Path = ()
        for step in path:
            if (*known, step) in self.lines:
                known = (*known, step)
        return known


def load(source: Source) -> YamlDocument:
    """Returns the values and lines of a file; `data` is `None` for an empty file.

    Raises:
        ConfigurationError: the file is no YAML of the allowed subset; with line.
    """
    for number, text in enumerate(source.text.splitlines(), start=1):
        if "\t" in text[: len(text) - len(text.lstrip())]:
            raise ConfigurationError("a tab in the indentation; use spaces", file=source.path, line=number)
    try:
        return _Reader(source).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "not YAML"
        # libyaml 0.2.6 has a limit of its own, which thousands of brackets at once meet before ours.
        deep = "nesting depth" in problem
        message = _TOO_DEEP if deep else f"{problem}; check indentation, quotes and brackets here"
        raise ConfigurationError(message, file=source.path, line=mark.line + 1 if mark else None) from error
    except yaml.reader.ReaderError as error:
        line = source.text[: error.position].count("\n") + 1 if isinstance(error.position, int) else None
        message = "a control character; remove it"
        raise ConfigurationError(message, file=source.path, line=line) from error


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else event.start_mark.line + 1


class _Reader:
    """Builds a document in one pass over the parser's events."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: dict[Path, int] = {(): 1}
        self._events: Iterator[yaml.Event] = yaml.parse(source.text, Loader=_LOADER)

    def document(self) -> YamlDocument:
        """Returns the document."""
        data: Yaml = None
        seen = False
        for event in self._events:
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            if seen:
                raise self._bad("a second document; keep one per file, without `---`", event)
            data, seen = self._value(next(self._events), ()), True
        return YamlDocument(source=self._source, data=data, lines=self._lines)

    def _bad(self, message: str, event: yaml.Event) -> ConfigurationError:
        return ConfigurationError(message, file=self._source.path, line=_line(event))

    def _value(self, event: yaml.Event, path: Path) -> Yaml:
        if isinstance(event, yaml.AliasEvent):
            raise self._bad(f"an alias (*{event.anchor}); write the value out", event)
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            raise self._bad(f"an anchor (&{event.anchor}); remove it and write its uses out", event)
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            raise self._bad(f"a tag ({event.tag}); remove it", event)
        if len(path) > MAX_DEPTH:
            raise self._bad(_TOO_DEEP, event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        return _scalar(event) if isinstance(event, yaml.ScalarEvent) else None

    def _list(self, path: Path) -> Yaml:
        items: list[Yaml] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            here = (*path, len(items))
            self._lines[here] = _line(event)
            items.append(self._value(event, here))
        return items

    def _mapping(self, path: Path) -> Yaml:
        entries: dict[str, Yaml] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event, path)
            here = (*path, key)
            if key in entries:
                raise self._bad(f"duplicate key '{key}', first in line {self._lines[here]}; keep one", event)
            self._lines[here] = _line(event)
            entries[key] = self._value(next(self._events), here)
        return entries

    def _key(self, event: yaml.Event, path: Path) -> str:
        if not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            raise self._bad("a key that is not a word; write `key: value`", event)
        self._value(event, path)
        if not isinstance(event, yaml.ScalarEvent) or not event.value:
            raise self._bad("an empty key; write `key: value`", event)
        return event.value


def _scalar(event: yaml.ScalarEvent) -> Yaml:
    """Returns the value of a scalar; quoted text stays text."""
    text = event.value
    if not event.implicit[0]:
        return text
    if text in _NOTHING:
        return None
    if text in _TRUTH:
        return _TRUTH[text]
    if _INTEGER.fullmatch(text) and len(text) <= _MAX_DIGITS:
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


class FileModel(BaseModel):
    """Base of the forms of files: strict types, no unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Form = TypeVar("Form", bound=FileModel)


def parsed(document: YamlDocument, form: type[Form], known: Context | None = None) -> Form:
    """Returns the document as its form; references must be among the `known` names.

    Raises:
        ConfigurationError: the document does not fit the form; with file and line.
    """
    if document.data is None:
        raise document.error("the file is empty; copy the default out with `r-memory init`")
    try:
        return form.model_validate(document.data, context=known)
    except ValidationError as error:
        raise first_of([_translated(document, form, detail) for detail in error.errors()]) from error


Value = TypeVar("Value")


def valued(kind: Callable[..., Value], said: object, **others: object) -> Value:
    """Returns a `kind` with the form's fields of the same names and `others`; `None` in the form leaves the default."""
    same = {name: value for name in _parts_of(kind) if (value := getattr(said, name, None)) is not None}
    return kind(**{**same, **others})


@cache
def _parts_of(kind: Callable[..., object]) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)


class Mistakes:
    """Collects the mistakes of a document, so that one run of `r-memory check` shows all."""

    def __init__(self, document: YamlDocument, found: list[ConfigurationError] | None = None) -> None:
        """Mistakes are added to `found`, which several documents may share."""
        self.document = document
        self._found = [] if found is None else found

    def add(self, message: str, path: Sequence[Step] = ()) -> None:
        """Adds a mistake; the message ends with what to do."""
        self._found.append(self.document.error(message, path))

    def among(self, error: ConfigurationError) -> None:
        """Adds an error and the others that it carries, from any file."""
        self._found += (error, *error.others)

    def unknown(self, kind: str, path: Path, names: Iterable[str], known: Collection[str], where: str) -> None:
        """Adds a mistake for each name that is not `known`."""
        for name in names:
            if name not in known:
                self.add(unknown_name(kind, name, tuple(known), where), path)

    def refuse(self) -> None:
        """Checks that no mistake was added.

        Raises:
            ConfigurationError: there are mistakes; the first one carries the others.
        """
        if self._found:
            raise first_of(self._found)


def first_of(errors: Sequence[ConfigurationError]) -> ConfigurationError:
    """Returns the first error by line, with all others in it."""
    first, *others = sorted(errors, key=lambda error: error.line or 0)
    return first.among(others)


_SAID = {
    "string_type": "expected text; put it in quotes",
    "tuple_type": "expected a list; write `[a, b]` or lines that start with `- `",
    "dict_type": "expected a mapping; write lines of `key: value`",
    "model_type": "expected a mapping; write lines of `key: value`",
    "model_attributes_type": "expected a mapping; write lines of `key: value`",
    "bool_type": "expected true or false",
    "int_type": "expected a whole number",
    "float_type": "expected a number",
    "string_too_short": "is empty; write something or remove the key",
    "too_short": "is empty; write at least one item",
}


def _translated(document: YamlDocument, form: type[FileModel], detail: ErrorDetails) -> ConfigurationError:
    path: Path = detail["loc"]
    kind = detail["type"]
    if kind == "extra_forbidden":
        here, key = _form_at(form, path[:-1]), str(path[-1])
        known = [field.alias or name for name, field in here.model_fields.items()]
        return document.error(f"unknown key '{key}'; {meant(key, known)}known keys: {', '.join(known)}", path)
    if kind == "missing":
        return document.error(f"'{path[-1]}' is missing; add it", path[:-1])
    return document.error(_SAID.get(kind, detail["msg"].removeprefix("Value error, ")), path)


def _form_at(form: type[FileModel], path: Sequence[Step]) -> type[FileModel]:
    """Returns the form with the fields at the end of a path."""
    here = form
    for step in path:
        for name, field in here.model_fields.items():
            inner = _form_in(field.annotation) if step in {name, field.alias} else None
            here = inner or here
    return here


def _form_in(annotation: object) -> type[FileModel] | None:
    """Returns the form in `Form | None`, `list[Form]` or `dict[str, Form]`."""
    if isinstance(annotation, type) and issubclass(annotation, FileModel):
        return annotation
    found = (_form_in(argument) for argument in get_args(annotation))
    return next((form for form in found if form is not None), None)
