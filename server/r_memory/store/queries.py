"""Query files: the header of a `.cypher` file is its signature, which is compared with its text when it is loaded.

It knows headers, and how names of a schema get into a text; it knows no databases. It is the only module that
composes query text, and it inserts only checked names.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from r_memory.errors import ConfigurationError, InvalidInput
from r_memory.store.gate import check_read_only
from r_memory.store.lexing import masked, split_outside_brackets, statements

Mode = Literal["read", "write"]

COMMON_COLUMNS = ("relation", "fact", "object")
"""Columns that a traversal of an action type returns, as the standard one does; `cypher/README.md` describes them."""
TRAVERSAL_PARAMETERS = ("subject_uid", "space")
"""Parameters of such a traversal."""

_TYPE_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_LABEL_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_FIELD = re.compile(r"//\s*(?:(mode|returns)|(param)\s+\$(\w+)|(name)\s+([A-Z][A-Z0-9_]*))\s*:\s*(.*)")
_PARAMETER = re.compile(r"\$(\w+)")
_RETURN = re.compile(r"(?<!\w)RETURN(?!\w)(?:\s+DISTINCT(?!\w))?", re.IGNORECASE)
_AFTER_RETURN = re.compile(r"(?<!\w)(?:ORDER\s+BY|SKIP|LIMIT|UNION)(?!\w)|;|\Z", re.IGNORECASE)
_ALIAS = re.compile(r"(?:.*\sAS\s+)?(\w+)\s*\Z", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query file whose header and text agree."""

    path: str
    """Path below the home, for messages."""
    description: str
    mode: Mode
    text: str
    """The text without its header; it can be run unless it has placeholders for names of the schema."""
    parameters: tuple[str, ...]
    names: tuple[str, ...]
    """Placeholders, such as `FACT`, that `with_types` and `with_labels` replace."""
    returns: tuple[str, ...]
    """Columns in order; empty for a write that returns nothing."""

    def with_types(self, name: str, types: Sequence[str]) -> "Query":
        """The query with relationship types of the schema for the placeholder `name`."""
        return self._with(name, "|".join(_checked(types, _TYPE_NAME)))

    def with_labels(self, name: str, labels: Sequence[str]) -> "Query":
        """The query with labels of the schema for the placeholder `name`."""
        return self._with(name, ":".join(_checked(labels, _LABEL_NAME)))

    def with_given(self, name: str, expression: str) -> "Query":
        """The query with an expression for the placeholder `name`, which the database evaluates at run time, as Neo4j
        can.

        One text for all relations is planned once: planning `write/append` took 0.75 s of processor for each (2026.09).
        """
        return self._with(name, expression)

    def statements(self) -> tuple[str, ...]:
        """The statements of the file; only files of `cypher/setup` have several."""
        return statements(self.text)

    def _with(self, name: str, replacement: str) -> "Query":
        text = _put_in(self.text, name, replacement)
        return replace(self, text=text, names=tuple(other for other in self.names if other != name))


@lru_cache(maxsize=1024)
def _put_in(text: str, name: str, replacement: str) -> str:
    """The text with a placeholder replaced; cached, which saves 0.1 ms in each write."""
    for place in reversed(list(_stand_ins(name).finditer(masked(text)))):
        text = text[: place.start()] + replacement + text[place.end() :]
    return text


def is_type_name(name: str) -> bool:
    """Whether the text is a valid relationship type."""
    return _TYPE_NAME.fullmatch(name) is not None


def parse_query(path: str, text: str) -> Query:
    """The query of a file.

    Raises:
        ConfigurationError: header and text do not agree.
    """
    header, body = _divided(text)
    query = _declared(path, header, body)
    code = masked(body)
    lines = header.count("\n") + 1
    for problem in _differences(query, code):
        raise ConfigurationError(problem, file=Path(path), line=lines)
    if query.mode == "read":
        try:
            check_read_only(body)
        except InvalidInput as error:
            raise ConfigurationError(f"its mode is read: {error}", file=Path(path), line=lines) from error
    return query


def check_traversal(path: str, text: str) -> None:
    """Checks that the traversal of an action type only reads, takes the given parameters and returns the common
    columns.

    Raises:
        ConfigurationError: it does not; the message names the file.
    """
    query = parse_query(path, text)
    if query.mode != "read":
        raise ConfigurationError("a traversal reads; write `// mode: read`", file=Path(path))
    if query.names:
        raise ConfigurationError("a traversal names its relations itself; remove `// name`", file=Path(path))
    if extra := set(query.parameters) - set(TRAVERSAL_PARAMETERS):
        known = ", ".join(f"${name}" for name in TRAVERSAL_PARAMETERS)
        raise ConfigurationError(f"a traversal is given {known}; remove ${', $'.join(sorted(extra))}", file=Path(path))
    if query.returns != COMMON_COLUMNS:
        given = ", ".join(query.returns) or "nothing"
        message = f"a traversal returns {', '.join(COMMON_COLUMNS)} in this order, not {given}"
        raise ConfigurationError(message, file=Path(path))


def _divided(text: str) -> tuple[str, str]:
    """The comment lines at the top, and the rest."""
    lines = text.splitlines(keepends=True)
    end = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("//")), len(lines))
    return "".join(lines[:end]), "".join(lines[end:]).strip()


def _declared(path: str, header: str, body: str) -> Query:
    mode, returns, description = "", "", []
    parameters: list[str] = []
    names: list[str] = []
    for line in header.splitlines():
        field = _FIELD.match(line)
        if field is None:
            description.append(line.removeprefix("//").strip())
        elif field[1] == "mode":
            mode = field[6].strip()
        elif field[1] == "returns":
            returns = field[6]
        else:
            (parameters if field[2] else names).append(field[3] or field[5])
    if mode not in ("read", "write"):
        raise ConfigurationError("the header has no mode; add `// mode: read` or `// mode: write`", file=Path(path))
    return Query(
        path=path,
        description=" ".join(description).strip(),
        mode="read" if mode == "read" else "write",
        text=body,
        parameters=tuple(parameters),
        names=tuple(names),
        returns=tuple(column.strip() for column in returns.split(",") if column.strip()),
    )


def _differences(query: Query, code: str) -> Iterator[str]:
    """The disagreements of header and text, worst first."""
    if not query.description:
        yield "the header does not say what the query gives; start the file with a sentence after `//`"
    used = set(_PARAMETER.findall(code))
    for name in sorted(used - set(query.parameters)):
        yield f"${name} is used and not declared; add `// param ${name}: ...`"
    for name in sorted(set(query.parameters) - used):
        yield f"${name} is declared and not used; remove its line"
    for name in query.names:
        if not _stand_ins(name).search(code):
            yield f"the stand-in {name} is declared and not used; remove its line"
    for columns in _returned(code):
        if columns != query.returns:
            given, declared = (", ".join(names) or "nothing" for names in (columns, query.returns))
            yield f"the text returns {given} and the header declares {declared}; make them alike"


def _returned(code: str) -> list[tuple[str, ...]]:
    """Columns of each RETURN; one empty entry if there is none."""
    found: list[tuple[str, ...]] = []
    for clause in _RETURN.finditer(code):
        end = _AFTER_RETURN.search(code, clause.end())
        listed = code[clause.end() : end.start() if end else None]
        aliases = (_ALIAS.match(item.strip()) for item in split_outside_brackets(listed))
        found.append(tuple(alias[1] if alias else "?" for alias in aliases))
    return found or [()]


def _stand_ins(name: str) -> re.Pattern[str]:
    """A pattern for a placeholder as a name, or as the end of a name such as `fact_NAME`."""
    return re.compile(rf"(?<![A-Za-z0-9]){name}(?!\w)")


def _checked(names: Sequence[str], pattern: re.Pattern[str]) -> Sequence[str]:
    if not names:
        raise InvalidInput("a query needs at least one relation or label; name one of the schema")
    for name in names:
        if not pattern.fullmatch(name):
            raise InvalidInput(f"'{name[:40]}' cannot be a name in the graph; rename it in the schema")
    return names
