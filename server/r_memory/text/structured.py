"""Recognises structured files, whose fields must never be read as prose.

A record may say "refuted" in a field; read as prose, only the neighbouring words would count, and the meaning would be
reversed. It knows how such files begin and which command reads each; it reads none itself.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from r_memory.errors import InvalidInput

_HEAD = 65_536
"""Number of characters searched for the kind of a file."""
_WHOLE = 2_000_000
"""Maximum number of characters of a text that is parsed to find out whether it is JSON."""
_ROWS = 20
_MARKED = (
    ("fhir", re.compile(r'"resourceType"\s*:\s*"[A-Z]')),
    ("fhir", re.compile(r'<\w+[^>]*\sxmlns="http://hl7\.org/fhir"')),
    ("ccda", re.compile(r"<[^>]*xmlns=[\"']urn:hl7-org:v3[\"']")),
    ("hl7v2", re.compile(r"\s*(?:FHS|BHS|MSH)\|\^~\\&")),
    ("export", re.compile(r'\s*\{"r_memory_export"\s*:')),
    ("chat", re.compile(r'"mapping"\s*:\s*\{(?=[\s\S]*"(?:author|current_node)"\s*:)')),
    ("chat", re.compile(r'"chat_messages"\s*:\s*\[')),
    ("memory", re.compile(r'^\s*\{(?=[^\n]*"type"\s*:\s*"(?:entity|relation)")[^\n]*\}\s*$', re.MULTILINE)),
    (
        "memory",
        re.compile(r'"entities"\s*:\s*\[[\s\S]*"observations"\s*:|"memory"\s*:\s*"[\s\S]*"(?:user_id|hash)"\s*:'),
    ),
    ("memory", re.compile(r'"(?:user_id|hash)"\s*:[\s\S]*"memory"\s*:\s*"')),
)
"""Kinds of files with words that occur in no other kind; the first that matches counts."""
_TABLE = frozenset({".csv", ".tsv", ".xlsx"})
_HEADING = re.compile(r"[^\W\d][\w /()-]{0,39}")
_UNTAKEN = {
    "hl7v2": "is a message of HL7 version 2, which nothing imports; export the record as FHIR and import that",
}
_HINTS: Mapping[str, tuple[str, str]] = {
    "fhir": ("is a FHIR record", "`r-memory import fhir FILE --subject ID`"),
    "ccda": ("is a C-CDA record", "`r-memory import ccda FILE --subject ID`"),
    "chat": ("is an export of conversations", "`r-memory import chat FILE --subject ID`"),
    "memory": ("is an export of another memory", "`r-memory import memory FILE --subject ID --person NAME`"),
    "table": ("is a table", "`r-memory import table FILE --mapping MAPPING.yaml`"),
    "export": ("is an export of r-memory", "`r-memory import FILE`"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Structured:
    """The kind of a structured file."""

    kind: str
    """`fhir`, `ccda`, `hl7v2`, `table`, `chat`, `memory`, `export`, `json` or `xml`."""

    @property
    def way_out(self) -> str:
        """The kind in words, and the command that reads it."""
        if self.kind in _HINTS:
            what, command = _HINTS[self.kind]
            return f"{what}, which is not read as prose; import it with {command}"
        if self.kind in _UNTAKEN:
            return _UNTAKEN[self.kind]
        named = self.kind.upper()
        return f"is {named}, whose fields are not read as prose; save the words in it as text, or see `r-memory import`"


def structured(text: str, name: str = "") -> Structured | None:
    """The kind of a structured file; `None` for prose. The ending of the name counts only for tables.

    >>> structured('{"resourceType": "Bundle"}').kind
    'fhir'
    >>> structured("Dear Dr Ada, thank you for seeing John.") is None
    True
    """
    bare = text.lstrip("\ufeff \t\r\n\x0b")
    head = bare[:_HEAD]
    kind = next((kind for kind, mark in _MARKED if _may_begin(kind, head) and mark.search(head)), "")
    if not kind and head.startswith(("{", "[")) and _is_json(bare):
        kind = "json"
    if not kind and head.startswith("<?xml"):
        kind = "xml"
    if not kind and (PurePath(name).suffix.casefold() in _TABLE or _is_table(head)):
        kind = "table"
    return Structured(kind=kind) if kind else None


def check_prose(text: str, name: str) -> None:
    """Checks that a text is prose.

    Raises:
        InvalidInput: it is a structured file; the message names the command that reads it.
    """
    if (found := structured(text, name)) is not None:
        raise InvalidInput(f"{name} {found.way_out}")


def _may_begin(kind: str, head: str) -> bool:
    """Whether a file of this kind can begin like this; a file quoted in a letter is a part of the letter."""
    return kind == "hl7v2" or head.startswith(("{", "[", "<"))


def _is_json(text: str) -> bool:
    """Whether the whole text is JSON, or each of its first lines is a JSON object."""
    if len(text) <= _WHOLE:
        try:
            return isinstance(json.loads(text), (dict, list))
        except (ValueError, RecursionError):
            pass
    lines = [line for line in text[:_HEAD].splitlines()[:_ROWS] if line.strip()]
    return bool(lines) and all(_is_object(line) for line in lines[: -1 if len(text) > _HEAD else None])


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _is_table(head: str) -> bool:
    """Whether the lines are rows of one width under headings; a list of a few words with commas is no table."""
    lines = [line for line in head.splitlines()[:_ROWS] if line.strip()]
    if len(lines) < 2:
        return False
    return any(_has_columns(lines, delimiter) for delimiter in (",", ";", "\t"))


def _has_columns(lines: list[str], delimiter: str) -> bool:
    rows = list(_rows(lines, delimiter))
    heads = [cell.strip() for cell in rows[0]]
    named = len(heads) >= 3 and len(set(heads)) == len(heads) and all(map(_HEADING.fullmatch, heads))
    # The last line may be cut off, and a quoted cell may go on in the next.
    return named and len(rows) >= 2 and all(len(row) == len(heads) for row in rows[1 : max(2, len(rows) - 1)])


def _rows(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(lines, delimiter=delimiter)
    except csv.Error:
        return
