"""A file as a document: text at once, PDF and DOCX in a process of their own that is ended when it takes too long.

What kind a file is says its content, whatever it is called. Parsers of foreign files may hang, or take all memory:
whatever they do, it is not done here. Run as a module, it reads one file and prints its words as JSON: the process that
may be ended, and no part of the public command line.
"""

import errno
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Any

from pydantic import TypeAdapter

from r_memory.documents.docx import check_parts, read_docx
from r_memory.documents.pdf import read_pdf
from r_memory.documents.plain import read_plain
from r_memory.domain.documents import DocumentText, Kind
from r_memory.errors import ConfigurationError, InvalidInput
from r_memory.text.structured import Structured

LARGEST = 200_000_000
"""Most bytes of a file."""
LIMIT_S = 300.0
"""Most seconds for one PDF or DOCX."""
CHILD = "r_memory.documents.files"
MEMORY = 400 << 20
"""Most bytes that the process of one file may allocate, beside its code."""
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
"""Bytes in which a PDF must hold its mark; some begin with other bytes."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_REFUSED = (
    (re.compile(rb"\{\\rtf"), "is RTF; save it as DOCX, PDF or text"),
    (
        re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|II\*\x00|MM\x00\*|BM"),
        "is a picture; run text recognition (OCR) over it first",
    ),
    (re.compile(rb"\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|Rar!"), "is a packed file; unpack it first"),
    (
        re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE),
        "is HTML; save it as text, Markdown or PDF",
    ),
)
"""Beginnings of files in formats that cannot be read."""
_OTHER_OFFICE = {"ppt/": "a presentation", "content.xml": "an OpenDocument file"}


def read_file(path: Path, *, follow_links: bool = False, limit_s: float = LIMIT_S, child: str = CHILD) -> DocumentText:
    """Returns the text of a file with places; `limit_s` limits the seconds for a PDF or DOCX.

    Raises:
        InvalidInput: the file cannot be read, or is a link and `follow_links` is false; the message says what to
            do.
        ConfigurationError: the packages for its kind are not installed.
    """
    data = bytes_of(path, follow_links=follow_links)
    if kind_of(data, path.name) in {"text", "markdown"}:
        return read_data(data, path.name)
    return _apart(data, path.name, limit_s, child)


def read_data(data: bytes, name: str) -> DocumentText:
    """Returns the text of some bytes with places, read in this process; raises as `read_file`."""
    kind = kind_of(data, name)
    if kind == "pdf":
        reading = read_pdf(data, name)
    elif kind == "docx":
        reading = read_docx(data, name)
    else:
        reading = read_plain(data, name, kind)
    _check_claim(kind, name)
    return reading


def claimed(name: str) -> Kind | None:
    """Returns the kind that the file's suffix claims; `None` for an unknown suffix."""
    return _BY_SUFFIX.get(PurePath(name).suffix.casefold())


def kind_of(data: bytes, name: str) -> Kind:
    """Returns the kind of a document by its content; the name decides between text and Markdown.

    Raises as `read_file`.
    """
    if not data.strip(b"\x00 \t\r\n\f"):
        raise InvalidInput(f"{name} is empty; give a file with words")
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return "pdf"
    if data.startswith(b"PK"):
        return _packed_kind(data, name)
    if data.startswith(_OLE):
        locked = "is encrypted; save it without a password"
        raise InvalidInput(
            f"{name} {locked if _ENCRYPTED in data else 'is of an old Office format; save it as DOCX or PDF'}"
        )
    for beginning, why in _REFUSED:
        if beginning.match(data[:_PDF_WITHIN]):
            raise InvalidInput(f"{name} {why}")
    return "markdown" if claimed(name) == "markdown" else "text"


def _packed_kind(data: bytes, name: str) -> Kind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise InvalidInput(f"{name} is a damaged archive; make the file anew") from error
    names = [part.filename for part in parts]
    if "word/document.xml" in names:
        check_parts(parts, name)
        return "docx"
    if any(part.startswith("xl/") for part in names):
        raise InvalidInput(f"{name} {Structured(kind='table').way_out}")
    what = next((what for part, what in _OTHER_OFFICE.items() if any(item.startswith(part) for item in names)), "")
    raise InvalidInput(f"{name} is {what or 'an archive'} and no DOCX; save its words as text, Markdown, PDF or DOCX")


def _check_claim(kind: Kind, name: str) -> None:
    """Checks that the content is what the file's suffix claims; Markdown is text.

    A truncated letter may hold some bytes that look like text, and would be read as if it were whole.

    Raises:
        InvalidInput: the content is of another kind.
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


def bytes_of(path: Path, *, follow_links: bool = False) -> bytes:
    """Returns the bytes of the opened file, even if the path is replaced meanwhile.

    Raises:
        InvalidInput: the path is no file, a link that is not followed, too large, or cannot be read.
    """
    try:
        if path.is_symlink() and not follow_links:
            raise InvalidInput(_is_link(path))
        if path.exists() and not path.is_file():
            raise InvalidInput(f"{path.name} is no file; give the name of a file")
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | (0 if follow_links else getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(os.open(path, flags), "rb") as file:
            if (size := os.fstat(file.fileno()).st_size) > LARGEST:
                mega = 1_000_000
                told = f"{path.name} has {size // mega} MB, at most {LARGEST // mega} MB are read; split it"
                raise InvalidInput(told)
            return file.read()
    except OSError as error:
        if error.errno == errno.ELOOP and not follow_links:
            raise InvalidInput(_is_link(path)) from error
        raise InvalidInput(
            f"{path.name} cannot be read ({error.strerror}); check the name and that you may read it"
        ) from error


def _is_link(path: Path) -> str:
    return f"{path.name} is a link to another file; give that file itself, or read links with --follow-links"


def _apart(data: bytes, name: str, limit_s: float, child: str) -> DocumentText:
    command = [sys.executable, "-m", child, name]
    try:
        ended = subprocess.run(command, input=data, capture_output=True, timeout=limit_s, check=False)  # noqa: S603 - our own module
    except subprocess.TimeoutExpired:
        raise InvalidInput(f"{name} took more than {limit_s:g} seconds to read; split it, or save its text") from None
    try:
        told: dict[str, Any] = json.loads(ended.stdout)
    except ValueError:
        raise InvalidInput(f"{name} stopped the program that reads it; split it, or save its text") from None
    if "configuration" in told:
        raise ConfigurationError(told["configuration"])
    if "error" in told:
        raise InvalidInput(told["error"])
    return TypeAdapter(DocumentText).validate_python(told)


def bound_memory() -> None:
    """Limits the memory of this process to `MEMORY`; does nothing on systems without this limit, such as Windows."""
    try:
        import resource  # noqa: PLC0415 - late: Windows has none

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass


def print_reading(read: Callable[[bytes, str], DocumentText]) -> None:
    """Reads a document from standard input and prints its text as JSON, or the reason why it cannot be read."""
    bound_memory()
    name = sys.argv[1]
    try:
        told = asdict(read(sys.stdin.buffer.read(), name))
    except ConfigurationError as error:
        told = {"configuration": str(error)}
    except InvalidInput as error:
        told = {"error": str(error)}
    except (MemoryError, RecursionError) as error:
        told = {"error": f"{name} needs too much memory ({type(error).__name__}); split it, or save its text"}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    print_reading(read_data)
