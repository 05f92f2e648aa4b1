"""The file of access tokens: who may call over HTTP, in which space, with which scopes, until when.

It holds hashes only, of tokens that are drawn at random; the token itself is shown once, when it is made. Nothing here
knows HTTP.
"""

import datetime as dt
import hashlib
import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from r_memory.config.files import Source, content_of, write_whole
from r_memory.config.names import Listed
from r_memory.config.yaml_lines import FileModel, load, parsed
from r_memory.domain.facts import KNOWLEDGE_SPACE
from r_memory.errors import ConfigurationError

FILE = "tokens.yaml"
SCOPES = ("memory:read", "memory:write", "memory:review", "memory:admin")
"""What a token may do: read, store and request changes, decide as a person, run queries of its own."""
DEFAULT_SCOPES = SCOPES[:2]
SPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_HEADER = (
    "# Made by `r-memory token`. Hashes only; delete an entry to withdraw its token, no restart is needed.\ntokens:\n"
)


class StaticToken(FileModel):
    """One entry: what the bearer of a token may do."""

    name: str = Field(min_length=1)
    """Who bears it; appears in logs."""
    sha256: str
    """Hash of the token, in 64 small hexadecimal digits."""
    space: str = ""
    """Tenant that it opens; no other can be reached with it."""
    scopes: Listed[str] = Field(default=DEFAULT_SCOPES, min_length=1)
    expires: str = ""
    """Last day on which it counts, in UTC; empty: for ever."""

    @property
    def expires_at(self) -> int | None:
        """Seconds since the epoch from which it counts no more; `None`: never."""
        if not self.expires:
            return None
        after = dt.datetime.fromisoformat(self.expires).replace(tzinfo=dt.UTC) + dt.timedelta(days=1)
        return int(after.timestamp())


class _File(FileModel):
    tokens: Listed[StaticToken]


def hash_of(token: str) -> str:
    """The hash that stands for a token in the file; one round suffices, as tokens are 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_tokens(path: Path, *, space: str) -> tuple[StaticToken, ...]:
    """The entries of the file; one that names no space opens `space`.

    Raises:
        ConfigurationError: the file is missing or wrong; names line and remedy.
    """
    entries = _entries(Source(path=path, content=content_of(path, remedy="make it with `r-memory token`")))
    return tuple(entry.model_copy(update={"space": entry.space or space}) for entry in entries)


def _entries(source: Source) -> tuple[StaticToken, ...]:
    document = load(source)
    entries = parsed(document, _File).tokens
    for number, entry in enumerate(entries):
        if problem := _problem(entry, entries[:number]):
            raise document.error(problem, ("tokens", number))
    return entries


def add_token(
    path: Path, name: str, *, space: str, scopes: Sequence[str] = DEFAULT_SCOPES, expires: dt.date | None = None
) -> str:
    """Draws a token and adds its hash to the file, which is made if need be; the token is never seen again.

    `expires` is the last day on which it counts, in UTC.

    Raises:
        ConfigurationError: the file is wrong, or the name is in it already; nothing was written.
    """
    token = f"rmem_{secrets.token_urlsafe(32)}"
    entry = [
        f"  - name: {json.dumps(name)}",  # a string of JSON is one of YAML
        f"    sha256: '{hash_of(token)}'",
        f"    space: {json.dumps(space)}",
        f"    scopes: {json.dumps(list(scopes))}",
        *([f"    expires: '{expires}'"] if expires else []),
    ]
    before = Source(path=path, content=content_of(path)).text.rstrip() + "\n" if path.exists() else _HEADER
    text = before + "\n".join(entry) + "\n"
    _entries(Source(path=path, content=text.encode()))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        message = f"cannot be written ({error.strerror}); make it writable, or name another file with --file"
        raise ConfigurationError(message, file=path) from error
    return token


def _problem(entry: StaticToken, before: Sequence[StaticToken]) -> str:
    """What is wrong with an entry, and what to do; empty if nothing is."""
    unknown = [scope for scope in entry.scopes if scope not in SCOPES]
    checks = (
        (not _NAME.fullmatch(entry.name), "name: use letters, digits, '_', '-', '.' and '@', at most 64"),
        (not _SHA256.fullmatch(entry.sha256), "sha256: write 64 small hexadecimal digits in quotes"),
        (bool(entry.space) and not SPACE.fullmatch(entry.space), "space: use letters, digits, '_', '-' and '.'"),
        (entry.space == KNOWLEDGE_SPACE, f"space: '{KNOWLEDGE_SPACE}' is reserved; choose another"),
        (bool(unknown), f"scopes: known are {', '.join(SCOPES)}"),
        (not _is_day(entry.expires), "expires: write a day as 'YYYY-MM-DD', in quotes"),
        (entry.name in {other.name for other in before}, f"the name '{entry.name}' is taken; choose another"),
        (entry.sha256 in {other.sha256 for other in before}, "the same token twice; keep one entry"),
    )
    return next((told for wrong, told in checks if wrong), "")


def _is_day(text: str) -> bool:
    try:
        return not text or bool(dt.date.fromisoformat(text))
    except ValueError:
        return False
