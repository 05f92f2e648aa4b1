"""The file of an export: JSON lines behind a header that counts them and holds their digest.

It is written beside its place and put there whole, readable for its owner only. Knows lines, not what they mean.
"""

import contextlib
import hashlib
import json
import os
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from r_memory.domain.blocks import Receipt
from r_memory.domain.codec import decoded, encoded
from r_memory.domain.events import Episode, FactEvent
from r_memory.domain.facts import Entity
from r_memory.errors import InvalidInput
from r_memory.space.transfer.values import FORMAT, KINDS, OF_SUBJECT, Exportable, Header, Line, Person, kind_of
from r_memory.text.inert import inert

_HEADER_WIDTH = 4096
"""Bytes of the first line, filled with blanks: it is written last, when everything is counted."""
_LONGEST = 64 * 1024 * 1024
"""Bytes of a line; longer ones are no line of ours."""
_OWNER_ONLY = 0o600


class Writer:
    """Takes the values of one export, in the order of the file."""

    def __init__(self, body: BinaryIO) -> None:
        self._body = body
        self._digest = hashlib.sha256()
        self._counts: Counter[str] = Counter()
        body.write(b" " * (_HEADER_WIDTH - 1) + b"\n")

    def add(self, value: Exportable) -> None:
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
        fields = {"r_memory_export": whole.r_memory_export, "subject": whole.subject, **_object(encoded(whole))}
        line = json.dumps(fields).encode("ascii")
        self._body.seek(0)
        self._body.write(line.ljust(_HEADER_WIDTH - 1) + b"\n")
        return whole


@contextmanager
def written(path: Path) -> Iterator[Writer]:
    """A writer whose file takes the place of `path` at the end, if nothing went wrong until then.

    Raises:
        InvalidInput: nothing can be written there.
    """
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as body:
            yield Writer(body)
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
        InvalidInput: it cannot be read, is no export, or of a newer version.
    """
    with _opened(path) as file:
        return _header(file)


def lines_of(path: Path) -> Iterator[Line]:
    """Every value of an export, once it is known to be whole up to there; the last only if all of it is.

    Raises:
        InvalidInput: naming the line that is broken, or where the file was cut off.
    """
    with _opened(path) as file:
        header = _header(file)
        digest, counts, number = hashlib.sha256(), Counter[str](), 1
        while raw := file.readline(_LONGEST):
            number += 1
            digest.update(raw)
            value = _value(raw, number)
            counts[kind_of(value)] += 1
            yield Line(number=number, value=value)
        wanted = {kind: number for kind, number in header.counts.items() if number}
        if wanted != dict(counts):
            raise InvalidInput(
                f"the file ends at line {number} and its header counts {sum(header.counts.values()) + 1}; "
                "it was cut off or put together from several: export again"
            )
        if digest.hexdigest() != header.sha256:
            raise InvalidInput(
                "a line was altered after the export, for the digest in its header differs; export again"
            )


def people_of(path: Path) -> Iterator[Person | Line]:
    """Each subject with all of its ledger, then every other value.

    Raises:
        InvalidInput: as in `lines_of`; or a line belongs to no subject, or to another one than the last.
    """
    begun: Line | None = None
    parts: dict[str, list[Exportable]] = {}
    for line in lines_of(path):
        kind = kind_of(line.value)
        if kind in OF_SUBJECT and kind != "subject":
            if begun is None or getattr(line.value, "subject_uid", "") != getattr(begun.value, "uid", ""):
                raise InvalidInput(f"line {line.number}: it is not about the subject of the lines before; export again")
            parts[kind].append(line.value)
            continue
        if begun is not None:
            yield _person(begun, parts)
        begun, parts = (line, {kind: [] for kind in OF_SUBJECT}) if kind == "subject" else (None, {})
        if begun is None:
            yield line
    if begun is not None:
        yield _person(begun, parts)


def _person(begun: Line, parts: Mapping[str, Sequence[Exportable]]) -> Person:
    if not isinstance(begun.value, Entity):
        raise InvalidInput(f"line {begun.number}: it is no subject")
    return Person(
        number=begun.number,
        subject=begun.value,
        statements=tuple(value for value in parts["statement"] if isinstance(value, Episode)),
        events=tuple(value for value in parts["event"] if isinstance(value, FactEvent)),
        receipts=tuple(value for value in parts["receipt"] if isinstance(value, Receipt)),
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


def _value(raw: bytes, number: int) -> Exportable:
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


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
