"""A client's file changed: read, compared, kept beside as it was, and replaced whole.

Knows files; what is changed in them is `jsonc.py` and `toml.py`.
"""

import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from r_memory.cli.installing import jsonc, toml
from r_memory.cli.installing.clients import NAME, Client, Entry, merged
from r_memory.config.files import write_whole
from r_memory.errors import InvalidInput

_SECRET = re.compile(
    r'(?P<name>"?[A-Za-z0-9_-]*(?:PASSWORD|TOKEN|KEY|SECRET)[A-Za-z0-9_-]*"?\s*[:=]\s*)"[^"]*"', re.IGNORECASE
)
_LARGEST = 16 * 1024 * 1024
_EDITORS = {"json": jsonc, "toml": toml}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A planned change of a file."""

    path: Path
    before: str
    """The present text; empty if there is no file."""
    after: str
    existed: bool

    @property
    def needed(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The changed lines without context, which may hold others' secrets; secret values are hidden."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), str(self.path), str(self.path), lineterm="", n=0
        )
        return "\n".join(_SECRET.sub(r'\g<name>"…"', line) for line in lines)


def changed(client: Client, path: Path, entry: Entry | None) -> FileChange:
    """Returns the file with this server, or without it if `entry` is `None`.

    Raises:
        InvalidInput: the file cannot be read or changed safely; nothing was written.
    """
    existed, before = read(path)
    try:
        after = _edited(client, before, entry)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}; nothing was changed. Mend it, or add the entry by hand") from error
    return FileChange(path=path, before=before, after=after, existed=existed)


def _edited(client: Client, text: str, entry: Entry | None) -> str:
    """Returns the text with or without the entry, after checking that no other value changed."""
    editor, place = _EDITORS[client.form], (client.key, NAME)
    said = editor.plain(text)
    wanted = None if entry is None else merged(reduce(_member, place, said), entry)
    after: str = editor.edited(text, place, wanted)
    says = editor.plain(after)
    if _but(says, place) != _but(said, place) or reduce(_member, place, says) != wanted:
        raise InvalidInput("the file is of a form that cannot be changed safely")
    return after


def _but(document: dict[str, Any], place: Sequence[str]) -> dict[str, Any]:
    """Returns the document without the value at the place; empty tables on the way are removed."""
    key, *rest = place
    kept = {name: item for name, item in document.items() if name != key}
    inner = _but(document[key], rest) if rest and isinstance(document.get(key), dict) else {}
    return {**kept, key: inner} if inner else kept


def _member(document: object, key: str) -> object:
    return document.get(key) if isinstance(document, dict) else None


def write(change: FileChange, *, stamp: str) -> Path | None:
    """Replaces the file and returns the path of its copy; `None` if there was no file."""
    path = change.path.resolve()  # a link stays a link: what it points to is replaced
    if read(path)[1] != change.before:
        raise InvalidInput(f"{path} changed meanwhile; close the client and run the command again")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        backup = _keep(path, change.before, stamp) if change.existed else None
        mode = path.stat().st_mode & 0o777 if change.existed else 0o600
        write_whole(path, change.after, mode)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror}); nothing was changed") from error
    return backup


def read(path: Path) -> tuple[bool, str]:
    """Returns whether the file exists, and its text with unchanged line ends."""
    if not path.exists():
        return False, ""
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidInput(f"{path} is too long to be a configuration; nothing was changed")
        return True, path.read_bytes().decode("utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror}); nothing was changed") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8; nothing was changed") from error


def _keep(path: Path, text: str, stamp: str) -> Path:
    backups = (path.with_name(f"{path.name}.{stamp}{suffix}.bak") for suffix in ("", *(f"-{n}" for n in range(2, 100))))
    for backup in backups:
        try:
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
        return backup
    raise InvalidInput(f"too many copies beside {path}; remove some")
