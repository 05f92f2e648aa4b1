"""DOCX files through python-docx: paragraphs and rows of tables in their order, also those in boxes, headers and notes.

Words that were deleted with changes tracked are left out, inserted ones are read. There are no pages: where they end is
up to whoever prints the file.
"""

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from r_memory.documents.values import clean, missing
from r_memory.domain.documents import DocumentText, TextSection
from r_memory.errors import InvalidInput

if TYPE_CHECKING:  # at run time see `read_docx`
    from docx.document import Document

LARGEST = 200_000_000
"""Most bytes of all unpacked parts."""
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TWICE = {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback", f"{_W}moveFrom"}
"""Elements that repeat words: for programs without text boxes, and at the old place of moved text."""
_BREAKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_BESIDE = ("header", "footer", "footnotes", "endnotes", "comments")
"""Endings of the relationship types of parts beside the text."""
_HEADINGS = ("heading", "title")


def read_docx(data: bytes, name: str) -> DocumentText:
    """Returns the text in sections that begin with their headings; raises as `read_file`."""
    try:
        # Imported late: only who reads DOCX files needs it.
        import docx  # noqa: PLC0415
    except ImportError as error:
        raise missing(f"{name} is a DOCX, which") from error
    try:
        sections = _sections(docx.Document(io.BytesIO(data)))
    except (KeyError, ValueError, SyntaxError, AttributeError, zipfile.BadZipFile, OSError) as error:
        # All of these: lxml's errors are syntax errors, and python-docx raises whatever a missing part causes.
        raise InvalidInput(f"{name} is no whole DOCX ({type(error).__name__}); save the document anew") from error
    if not sections:
        raise InvalidInput(f"{name} holds no words; give a document with text")
    return DocumentText(sections=sections)


def check_parts(parts: Sequence[zipfile.ZipInfo], name: str) -> None:
    """Checks that an archive can be unpacked within the size that it declares.

    Raises:
        InvalidInput: it is encrypted, or unpacks to more than `LARGEST`.
    """
    if any(part.flag_bits & 1 for part in parts):
        raise InvalidInput(f"{name} is encrypted; save it without a password")
    if (size := sum(part.file_size for part in parts)) > LARGEST:
        raise InvalidInput(
            f"{name} unpacks to {size // 1_000_000} MB, at most {LARGEST // 1_000_000} MB are read; save its text alone"
        )


def _sections(document: "Document") -> tuple[TextSection, ...]:
    headings = {style.style_id: style.name or "" for style in document.styles}
    found: list[TextSection] = []
    heading, lines, start, line = "", list[str](), 1, 1
    for words, style in _blocks(document.element.body):
        if headings.get(style, style).casefold().startswith(_HEADINGS) and words.strip():
            found += _section(heading, lines, start)
            heading, lines, start = " ".join(words.split()), [], line
        lines.append(words)
        line += words.count("\n") + 1
    found += _section(heading, lines, start)
    for kind, words in _beside(document):
        found += _section(kind, [words], line)
        line += words.count("\n") + 1
    return tuple(found)


def _section(heading: str, lines: list[str], start: int) -> list[TextSection]:
    text = clean("\n".join(lines))
    return [TextSection(text=f"{text.rstrip()}\n\n", heading=heading, line=start)] if text.strip() else []


def _blocks(body) -> Iterator[tuple[str, str]]:  # type: ignore[no-untyped-def]  # noqa: ANN001 - lxml has no types
    """Yields words and style of each paragraph and table row; a row is one line."""
    for element in body:
        if element.tag == f"{_W}p":
            style = element.find(f"{_W}pPr/{_W}pStyle")
            yield _words(element), "" if style is None else style.get(f"{_W}val", "")
        elif element.tag == f"{_W}tbl":
            for row in element.iter(f"{_W}tr"):
                cells = (" ".join(_words(cell).split()) for cell in row.iterchildren(f"{_W}tc"))
                yield " | ".join(cell for cell in cells if cell), ""
        elif element.tag == f"{_W}sdt":
            content = element.find(f"{_W}sdtContent")
            yield from () if content is None else _blocks(content)
        elif element.tag in {f"{_W}ins", f"{_W}customXml"}:
            yield from _blocks(element)


def _words(element) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001 - lxml has no types
    """Returns all text below an element, one line for each paragraph."""
    parts: list[str] = []
    waiting = [element]
    while waiting:
        one = waiting.pop()
        if one.tag == f"{_W}t":
            parts.append(one.text or "")
        elif one.tag in _BREAKS and one.getparent().tag == f"{_W}r":
            parts.append(_BREAKS[one.tag])
        elif one.tag == f"{_W}p" and one is not element and parts:
            parts.append("\n")
        waiting += reversed([child for child in one if child.tag not in _TWICE])
    return "".join(parts)


def _beside(document: "Document") -> Iterator[tuple[str, str]]:
    """Yields kind and words of headers, footers, notes and comments; the same words once."""
    from docx.oxml.parser import parse_xml  # noqa: PLC0415 - as above

    seen: set[str] = set()
    for relation in document.part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind not in _BESIDE or relation.is_external:
            continue
        root = parse_xml(relation.target_part.blob)
        words = "\n".join(line for part in (root, *root) for line, _ in _blocks(part) if line.strip())
        if words and words not in seen:
            seen.add(words)
            yield kind, words
