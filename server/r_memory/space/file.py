"""The file of an export: a header with counts and a digest, then JSON lines.

It is written beside its place and moved there when it is complete, readable by its owner only. It knows lines, not
their meaning.
"""

import contextlib
import hashlib
import json
import os
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from r_memory.domain.blocks import Receipt
from r_memory.domain.codec import decoded, encoded
from r_memory.domain.events import Episode, FactEvent
from r_memory.domain.facts import Entity
from r_memory.errors import InvalidInput
from r_memory.space.contents import KINDS, OF_SUBJECT, Kept, kind_of
from r_memory.text.inert import inert

FORMAT = 1
"""Format number of the file; a reader refuses a higher one."""
_HEADER_WIDTH = 4096
"""Bytes of the first line, padded with blanks: it is written last, when the counts are known."""
_LONGEST = 64 * 1024 * 1024
"""Maximum bytes of a line."""
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of the file."""

    r_memory_export: int = FORMAT
    space: str
    subject: str = ""
    """Id of the only subject in the file; empty: the whole space."""
    exported_at: str
    """ISO-8601, for people."""
    schema: str
    schema_version: str
    pack: str
    """Name of the knowledge pack to which objects of facts belong."""
    pack_version: str
    counts: Mapping[str, int] = field(default_factory=dict)
    """Number of lines by kind."""
    sha256: str = ""
    """sha256 of the bytes of all lines below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileValue:
    """One value of a file, with its position."""

    number: int
    """Line number; the header is line 1."""
    value: Kept
    lines: int = 1
    """Number of lines of the value."""

    @property
    def about(self) -> str:
        """Key of the subject of the value; empty if it has none."""
        return str(getattr(self.value, "subject_uid", ""))


@dataclass(slots=True, kw_only=True)
class ExportPerson:
    """All ledger records about one subject."""

    number: int
    """Number of its first line."""
    subject: Entity
    statements: list[Episode] = field(default_factory=list)
    events: list[FactEvent] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)

    @property
    def about(self) -> str:
        """Key of the subject."""
        return self.subject.uid

    @property
    def lines(self) -> int:
        """Number of lines."""
        return 1 + len(self.statements) + len(self.events) + len(self.receipts)

    @property
    def spaces(self) -> set[str]:
        """Spaces of the records."""
        told: tuple[Episode | FactEvent | Receipt, ...] = (*self.statements, *self.events, *self.receipts)
        return {self.subject.space, *(item.space for item in told)}

    def take(self, line: FileValue) -> None:
        """Adds a record."""
        if line.about != self.about:
            raise _of_nobody(line)
        match line.value:
            case Episode():
                self.statements.append(line.value)
            case FactEvent():
                self.events.append(line.value)
            case Receipt():
                self.receipts.append(line.value)


class Writer:
    """Writes the values of one export, in order."""

    def __init__(self, body: BinaryIO) -> None:
        self._body = body
        self._digest = hashlib.sha256()
        self._counts: Counter[str] = Counter()
        body.write(b" " * (_HEADER_WIDTH - 1) + b"\n")

    def add(self, value: Kept) -> None:
        """Writes one line."""
        kind = kind_of(value)
        line = (json.dumps({"kind": kind, "value": encoded(value)}) + "\n").encode("ascii")
        self._digest.update(line)
        self._counts[kind] += 1
        self._body.write(line)

    def finish(self, header: Header) -> Header:
        """Writes the header with the counts, and returns it."""
        counts = {kind: self._counts[kind] for kind in KINDS}
        whole = replace(header, counts=counts, sha256=self._digest.hexdigest())
        # Every field, the format first, so that people and other readers need to know no defaults.
        line = json.dumps(encoded(whole, whole=True)).encode("ascii")
        self._body.seek(0)
        self._body.write(line.ljust(_HEADER_WIDTH - 1) + b"\n")
        return whole


@contextmanager
def written(path: Path) -> Iterator[Writer]:
    """A writer; its file replaces `path` at the end unless an error occurs."""
    with for_owner(path) as body:
        yield Writer(body)


@contextmanager
def for_owner(path: Path) -> Iterator[BinaryIO]:
    """A file that only its owner may read; it replaces `path` at the end unless an error occurs.

    Raises:
        InvalidInput: the file cannot be written.
    """
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as body:
            yield body
            body.flush()
            os.fsync(body.fileno())
        beside.replace(path)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}; choose another place") from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def header_of(path: Path) -> Header:
    """The header of an export.

    Raises:
        InvalidInput: the file is no export that this version reads.
    """
    with _opened(path) as file:
        return _header(file)


def people_of(path: Path) -> Iterator[ExportPerson | FileValue]:
    """Each subject with all its ledger records, then all other values."""
    person: ExportPerson | None = None
    for line in _lines_of(path):
        if kind_of(line.value) in OF_SUBJECT and not isinstance(line.value, Entity):
            if person is None:
                raise _of_nobody(line)
            person.take(line)
            continue
        if person is not None:
            yield person
        person = ExportPerson(number=line.number, subject=line.value) if isinstance(line.value, Entity) else None
        if person is None:
            yield line
    if person is not None:
        yield person


def _of_nobody(line: FileValue) -> InvalidInput:
    return InvalidInput(f"line {line.number}: it is not about the subject of the lines before; export again")


def _lines_of(path: Path) -> Iterator[FileValue]:
    """All values of an export, each after its part of the file was checked; the last one after the whole file was."""
    with _opened(path) as file:
        header = _header(file)
        digest, counts, number = hashlib.sha256(), Counter[str](), 1
        while raw := file.readline(_LONGEST):
            number += 1
            digest.update(raw)
            value = _value(raw, number)
            counts[kind_of(value)] += 1
            yield FileValue(number=number, value=value)
        if Counter(header.counts) != counts:
            raise InvalidInput(
                f"the file ends at line {number} and its header counts {sum(header.counts.values()) + 1}; "
                "it was cut off or put together from several: export again"
            )
        if digest.hexdigest() != header.sha256:
            raise InvalidInput(
                "a line was altered after the export, for the digest in its header differs; export again"
            )


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise InvalidInput(f"cannot read {path.name}: {error.strerror}") from error


def _header(file: BinaryIO) -> Header:
    try:
        fields = json.loads(file.readline(_LONGEST))
    except ValueError:
        fields = None
    if not isinstance(fields, dict) or "r_memory_export" not in fields:
        raise InvalidInput("line 1: this is no export of r-memory; make one with `r-memory export`")
    version = fields["r_memory_export"]
    if isinstance(version, int) and version > FORMAT:
        raise InvalidInput(
            f"line 1: a newer r-memory wrote this (format {version}, known: {FORMAT}); update this one and import again"
        )
    try:
        return decoded(Header, fields)
    except InvalidInput as error:
        raise InvalidInput(f"line 1: {error}") from error


def _value(raw: bytes, number: int) -> Kept:
    if not raw.endswith(b"\n"):
        raise InvalidInput(f"line {number}: it was cut off; copy the file again, or export again")
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"line {number}: it is no JSON; copy the file again, or export again") from error
    if not isinstance(line, dict) or line.get("kind") not in KINDS or line.keys() != {"kind", "value"}:
        raise InvalidInput(f"line {number}: it is of no known kind; a newer r-memory may have written it")
    try:
        return decoded(KINDS[line["kind"]], line["value"])
    except RecursionError:
        raise InvalidInput(f"line {number}: it is nested too deeply for anything of ours") from None
    except InvalidInput as error:
        raise InvalidInput(f"line {number}: {inert(str(error))}") from error
