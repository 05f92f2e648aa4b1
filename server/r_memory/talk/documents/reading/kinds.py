"""Which kind of document some bytes are, whatever their name says."""

import io
import re
import zipfile
from pathlib import PurePath

from r_memory.errors import InvalidInput
from r_memory.talk.documents.reading.values import Kind

_BY_SUFFIX: dict[str, Kind] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".pdf": "pdf",
    ".docx": "docx",
}
_SPOKEN: dict[Kind, str] = {"text": "text", "markdown": "Markdown", "pdf": "a PDF", "docx": "a DOCX"}
_PDF_WITHIN = 1024
"""Bytes in which a PDF must say that it is one; some begin with other words."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"BM")
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_WORD = "word/document.xml"
_OTHER_OFFICE = {"xl/": "a spreadsheet", "ppt/": "a presentation", "content.xml": "an OpenDocument file"}


def kind_of(data: bytes, name: str) -> Kind:
    """The kind of a document, by its content; between text and Markdown the name decides.

    Raises:
        InvalidInput: it is empty, encrypted, or of a kind that cannot be read; says what to do.
    """
    if not data.strip(b"\x00 \t\r\n\f"):
        raise InvalidInput(f"{name} is empty; give a file with words")
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return "pdf"
    if data.startswith(b"PK"):
        return _packed_kind(data, name)
    _refuse_others(data, name)
    return "markdown" if claimed(name) == "markdown" else "text"


def claimed(name: str) -> Kind | None:
    """The kind that a name claims by its ending."""
    return _BY_SUFFIX.get(PurePath(name).suffix.casefold())


def check_claim(kind: Kind, name: str) -> None:
    """Passes a file that is what its name claims, or whose name claims nothing; Markdown is text.

    A letter that was cut off while it was copied holds a few bytes of text: read as such, nobody would miss it.

    Raises:
        InvalidInput: it is of another kind; says how to have it read all the same.
    """
    said = claimed(name)
    if said is None or said == kind or {said, kind} == {"text", "markdown"}:
        return
    meant = "its words are" if kind == "text" else "it is"
    suffix = next(suffix for suffix, of in _BY_SUFFIX.items() if of == kind)
    raise InvalidInput(
        f"{name} is called {_SPOKEN[said]} but holds {_SPOKEN[kind]}; "
        f"if {meant} meant, call it {PurePath(name).stem}{suffix}, else make the file anew"
    )


def _packed_kind(data: bytes, name: str) -> Kind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise InvalidInput(f"{name} is a damaged archive; make the file anew") from error
    if _WORD in names:
        return "docx"
    what = next((what for part, what in _OTHER_OFFICE.items() if any(one.startswith(part) for one in names)), "")
    raise InvalidInput(f"{name} is {what or 'an archive'} and no DOCX; save its words as text, Markdown, PDF or DOCX")


def _refuse_others(data: bytes, name: str) -> None:
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise InvalidInput(f"{name} is encrypted; save it without a password")
        raise InvalidInput(f"{name} is of an old Office format; save it as DOCX or PDF")
    if data.startswith(b"{\\rtf"):
        raise InvalidInput(f"{name} is RTF; save it as DOCX, PDF or text")
    if data.startswith(_PICTURES):
        raise InvalidInput(f"{name} is a picture; run text recognition (OCR) over it first")
    if data.startswith(_PACKED):
        raise InvalidInput(f"{name} is a packed file; unpack it first")
    if _HTML.match(data[:_PDF_WITHIN]):
        raise InvalidInput(f"{name} is HTML; save it as text, Markdown or PDF")
