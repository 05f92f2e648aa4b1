"""The file of an export: JSON lines behind a header that counts them and holds their digest.

It is written beside its place and put there whole, readable for its owner only. Knows lines, not what they mean.
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
"""Of the file; a reader refuses a higher one."""
_HEADER_WIDTH = 4096
"""Bytes of the first line, filled with blanks: it is written last, when everything is counted."""
_LONGEST = 64 * 1024 * 1024
"""Bytes of a line; longer ones are no line of ours."""
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line."""

    r_memory_export: int = FORMAT
    space: str
    subject: str = ""
    """Id of the only subject in it; empty: all of the space."""
    exported_at: str
    """ISO-8601, for people."""
    schema: str
    schema_version: str
    pack: str
    """The knowledge pack that objects of facts belong to."""
    pack_version: str
    counts: Mapping[str, int] = field(default_factory=dict)
    """Kind to the number of its lines."""
    sha256: str = ""
    """Of all lines below, as bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileValue:
    """One value of a file, and where it stands."""

    number: int
    """The header is line 1."""
    value: Kept
    lines: int = 1
    """How many tell of it."""

    @property
    def about(self) -> str:
        """The key of the subject that the value is about; empty for nobody."""
        return str(getattr(self.value, "subject_uid", ""))


@dataclass(slots=True, kw_only=True)
class ExportPerson:
    """Everything of the ledger about one subject."""

    number: int
    """Line where it begins."""
    subject: Entity
    statements: list[Episode] = field(default_factory=list)
    events: list[FactEvent] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)

    @property
    def about(self) -> str:
        """The key of the subject."""
        return self.subject.uid

    @property
    def lines(self) -> int:
        """How many lines tell of it."""
        return 1 + len(self.statements) + len(self.events) + len(self.receipts)

    @property
    def spaces(self) -> set[str]:
        """Where its parts are."""
        told: tuple[Episode | FactEvent | Receipt, ...] = (*self.statements, *self.events, *self.receipts)
        return {self.subject.space, *(one.space for one in told)}

    def take(self, line: FileValue) -> None:
        """Adds a part."""
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
    """Takes the values of one export, in the order of the file."""

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
        """Writes the header with what was counted, and gives it."""
        counts = {kind: self._counts[kind] for kind in KINDS}
        whole = replace(header, counts=counts, sha256=self._digest.hexdigest())
        # Every field, the format first, so that people and other readers need to know no defaults.
        line = json.dumps(encoded(whole, whole=True)).encode("ascii")
        self._body.seek(0)
        self._body.write(line.ljust(_HEADER_WIDTH - 1) + b"\n")
        return whole


@contextmanager
def written(path: Path) -> Iterator[Writer]:
    """A writer whose file takes the place of `path` at the end, if nothing went wrong until then."""
    with for_owner(path) as body:
        yield Writer(body)


@contextmanager
def for_owner(path: Path) -> Iterator[BinaryIO]:
    """A file that only its owner may read; it takes the place of `path` at the end, if nothing went wrong until then.

    Raises:
        InvalidInput: nothing can be written there.
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
    """The header of an export."""
    with _opened(path) as file:
        return _header(file)


def people_of(path: Path) -> Iterator[ExportPerson | FileValue]:
    """Each subject with all of its ledger, then every other value."""
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
    """Every value of an export, once it is known to be whole up to there; the last only if all of it is."""
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
