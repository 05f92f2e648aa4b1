"""How documents, their parts and summaries are called: ids that follow from the content, and names for readers."""

import hashlib

from r_memory.domain.documents import TextSection
from r_memory.errors import InvalidInput

NAME_LIMIT = 200
_SHOWN, _HEADING_SHOWN = 32, 24
"""Most characters of name and heading in a source; with the place they fit into 80 characters."""


def checked_name(name: str) -> str:
    """Returns the name of a document with single spaces.

    Raises:
        InvalidInput: a document cannot have this name.
    """
    bare = " ".join(name.split())
    if not bare:
        raise InvalidInput("the document has no name; give one, such as its file name")
    if len(bare) > NAME_LIMIT or not bare.isprintable():
        raise InvalidInput(f"the name is no name; give at most {NAME_LIMIT} printable characters")
    return bare


def digest_of(text: str) -> str:
    """Returns the SHA-256 of the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def part_id(document: str, number: int) -> str:
    """Returns the id of a part, counted from 1; it is also the key of the statements in it."""
    return f"{document}.part.{number}"


def summary_id(document: str, plan: str, level: int, number: int) -> str:
    """Returns the id of a summary: level from 1, number from 1 within the level."""
    return f"{document}.{digest_of(plan)[:8]}.{level}.{number}"


def place_in_levels(id_: str, document: str, plan: str) -> tuple[int, int] | None:
    """Returns level and number of a summary under a plan, the reverse of `summary_id`; `None` for another id.

    >>> place_in_levels(summary_id("document-1", "extractive/1", 2, 7), "document-1", "extractive/1")
    (2, 7)
    """
    prefix = f"{document}.{digest_of(plan)[:8]}."
    if not id_.startswith(prefix):
        return None
    level, number = id_.removeprefix(prefix).split(".")
    return int(level), int(number)


def source_of(name: str, *parts: TextSection) -> str:
    """Returns the source of parts: `letter.pdf, page 3`, `notes.md, section Allergies`, `letter.pdf, pages 3-9`."""
    first, last = parts[0], parts[-1]
    where = _place_of(first)
    if where != _place_of(last):
        if first.page and last.page:
            where = f"pages {first.page}-{last.page}"
        elif not first.page:
            where = f"from {where}" if first.heading or last.heading else f"lines {first.line} and on"
    return f"{_short(name, _SHOWN)}, {where}"


def _place_of(part: TextSection) -> str:
    if part.page:
        return f"page {part.page}"
    return f"section {_short(part.heading, _HEADING_SHOWN)}" if part.heading else f"line {part.line}"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
