"""Plain text and Markdown: bytes to characters, pages at form feeds, sections at headings."""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

from markdown_it import MarkdownIt

from r_memory.documents.values import clean, missing, undivided
from r_memory.domain.documents import ENCODING_GUESSED, DocumentText, Kind, TextSection
from r_memory.errors import InvalidInput

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # Before those of 16 bits, as one begins like the other.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 200_000
"""Bytes from which an encoding is guessed."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NOISE = 0.01
"""Share of control characters above which bytes are no text."""
_HEADED = 5_000_000
"""Characters up to which Markdown headings are read; the parser takes a second for a million."""


def read_plain(data: bytes, name: str, kind: Kind) -> DocumentText:
    """Returns the text of a file in any encoding; raises as `read_file`."""
    text, guessed = _decoded(data, name)
    return read_text(text, kind, flags=(ENCODING_GUESSED,) if guessed else ())


def read_text(text: str, kind: Kind = "text", *, flags: tuple[str, ...] = ()) -> DocumentText:
    """Returns a text as a document; form feeds divide pages, Markdown headings divide sections.

    Raises:
        InvalidInput: the text has no words.
    """
    bare = undivided(clean(text))
    if not bare.strip():
        raise InvalidInput("the document is empty; give one with words")
    if kind == "markdown" and len(bare) <= _HEADED:
        sections = tuple(_headed(bare.replace("\f", "\n")))
    else:
        sections = tuple(_pages(bare))
    return DocumentText(sections=sections, flags=flags)


def _decoded(data: bytes, name: str) -> tuple[str, bool]:
    """Returns the characters, and whether their encoding was guessed."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding), False
            except (UnicodeError, LookupError) as error:
                raise InvalidInput(f"{name} is damaged: it is not {encoding} throughout; save it as UTF-8") from error
    with suppress(UnicodeDecodeError):
        if _is_text(text := data.decode("utf-8")):
            return text, False
    # Also what is UTF-8 by its bytes, and by its control characters UTF-16 without its mark.
    if _is_text(text := _guessed(data, name)):
        return text, True
    raise InvalidInput(f"{name} is no text; give a text, Markdown, PDF or DOCX file")


def _is_text(text: str) -> bool:
    return len(_CONTROL.findall(text)) <= _NOISE * len(text)


def _guessed(data: bytes, name: str) -> str:
    try:
        # Imported late: an installation without the extra reads UTF-8 all the same.
        from charset_normalizer import from_bytes  # noqa: PLC0415
    except ImportError as error:
        raise missing(f"{name} is not UTF-8, and its encoding") from error
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    best = from_bytes(sample).best()
    for encoding in (best.encoding if best is not None else "cp1252", "cp1252"):
        with suppress(UnicodeError, LookupError):
            return data.decode(encoding)
    # Every sequence of bytes is Latin-1: for bytes that are hardly any text the count of controls decides later.
    return data.decode("latin-1")


def _pages(text: str) -> Iterator[TextSection]:
    pages = text.split("\f")
    line = 1
    for number, page in enumerate(pages, start=1):
        if page.strip():
            yield TextSection(text=page, page=number if len(pages) > 1 else 0, line=line)
        line += page.count("\n")


def _headed(text: str) -> Iterator[TextSection]:
    """Yields sections that begin with their headings; text before the first heading is a section without one."""
    lines = text.splitlines(keepends=True)
    starts = [(0, ""), *_headings(text)]
    for (start, heading), (end, _) in zip(starts, [*starts[1:], (len(lines), "")], strict=True):
        body = "".join(lines[start:end])
        if body.strip():
            yield TextSection(text=body, heading=heading, line=start + 1)


def _headings(text: str) -> Iterator[tuple[int, str]]:
    """Yields line number (from 0) and words of each heading outside quotes, lists and code."""
    parser = MarkdownIt("commonmark")
    # Inline marks are of no use here and take most of the time.
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse(text)
    for token, words in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            yield token.map[0], " ".join(words.content.split())
