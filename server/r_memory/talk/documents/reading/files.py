"""A file as a document: text at once, PDF and DOCX in a process of their own that is ended when it takes too long.

Parsers of foreign files may hang, or take all memory: whatever they do, it is not done here.
"""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from r_memory.errors import ConfigurationError, InvalidInput
from r_memory.talk.documents.reading.docx import read_docx
from r_memory.talk.documents.reading.kinds import check_claim, kind_of
from r_memory.talk.documents.reading.pdf import read_pdf
from r_memory.talk.documents.reading.plain import read_plain
from r_memory.talk.documents.reading.values import DocumentText, TextSection

LARGEST = 200_000_000
"""Bytes of a file."""
LIMIT_S = 300.0
"""For one PDF or DOCX."""
CHILD = "r_memory.talk.documents.reading"


def read_file(path: Path, *, limit_s: float = LIMIT_S, child: str = CHILD) -> DocumentText:
    """The words of a file, with their places; `limit_s` bounds what a PDF or DOCX may take, in seconds.

    Raises:
        InvalidInput: it cannot be read; names the file and what to do.
        ConfigurationError: the packages for its kind are not installed.
    """
    data = _bytes_of(path)
    if kind_of(data, path.name) in {"text", "markdown"}:
        return read_data(data, path.name)
    return _apart(path, limit_s, child)


def read_data(data: bytes, name: str) -> DocumentText:
    """The words of some bytes, with their places, read in this process.

    Raises:
        InvalidInput, ConfigurationError: as in `read_file`.
    """
    kind = kind_of(data, name)
    if kind == "pdf":
        reading = read_pdf(data, name)
    elif kind == "docx":
        reading = read_docx(data, name)
    else:
        reading = read_plain(data, name, kind)
    check_claim(kind, name)
    return reading


def as_json(reading: DocumentText) -> dict[str, Any]:
    """The reading, to be handed from one process to another."""
    return asdict(reading)


def _bytes_of(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise InvalidInput(f"{path.name} is no file; give a text, Markdown, PDF or DOCX file")
        if (size := path.stat().st_size) > LARGEST:
            raise InvalidInput(f"{path.name} has {_megabytes(size)}, at most {_megabytes(LARGEST)} are read; split it")
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{path.name} cannot be read ({error.strerror}); check the name and that you may read it"
        ) from error


def _megabytes(size: int) -> str:
    return f"{size // 1_000_000} MB"


def _apart(path: Path, limit_s: float, child: str) -> DocumentText:
    command = [sys.executable, "-m", child, str(path.absolute())]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=limit_s, check=False)  # noqa: S603 - our own module
    except subprocess.TimeoutExpired:
        raise InvalidInput(
            f"{path.name} took more than {limit_s:g} seconds to read; split it, or save its text"
        ) from None
    try:
        told: dict[str, Any] = json.loads(ended.stdout)
    except ValueError:
        raise InvalidInput(f"{path.name} stopped the program that reads it; split it, or save its text") from None
    if "configuration" in told:
        raise ConfigurationError(told["configuration"])
    if "error" in told:
        raise InvalidInput(told["error"])
    return DocumentText(
        kind=told["kind"],
        sections=tuple(TextSection(**section) for section in told["sections"]),
        flags=tuple(told["flags"]),
        blank_pages=tuple(told["blank_pages"]),
    )
