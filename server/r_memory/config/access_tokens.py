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
from typing import Annotated

from pydantic import AfterValidator, Field

from r_memory.config.files import Source, content_of, write_whole
from r_memory.config.names import Listed, written
from r_memory.config.yaml_lines import FileModel, Mistakes, load, parsed
from r_memory.domain.facts import KNOWLEDGE_SPACE
from r_memory.errors import ConfigurationError

FILE = "tokens.yaml"
SCOPES = ("memory:read", "memory:write", "memory:review", "memory:admin", "memory:across")
"""The rights of a token: read; store and request changes; decide as a person; run own queries; compare a party with
everyone in the space."""
DEFAULT_SCOPES = SCOPES[:2]
SPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_HEADER = (
    "# Made by `r-memory token`. Hashes only; delete an entry to withdraw its token, no restart is needed.\ntokens:\n"
)


def not_reserved(space: str) -> str:
    """Returns the name of a space.

    Raises:
        ValueError: the name is reserved.
    """
    if space == KNOWLEDGE_SPACE:
        raise ValueError(f"'{KNOWLEDGE_SPACE}' is reserved for the knowledge pack; choose another name")
    return space


def _day(text: str) -> str:
    try:
        return text and str(dt.date.fromisoformat(text))
    except ValueError:
        raise ValueError("write a day as 'YYYY-MM-DD', in quotes") from None


class StaticToken(FileModel):
    """One entry: what the bearer of a token may do."""

    name: Annotated[
        str, written("[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}", "use letters, digits, '_', '-', '.' and '@', at most 64")
    ]
    """Who bears it; appears in logs."""
    sha256: Annotated[str, written("[0-9a-f]{64}", "write 64 small hexadecimal digits in quotes")]
    """Hash of the token."""
    space: Annotated[
        str, AfterValidator(not_reserved), written(f"({SPACE.pattern})?", "use letters, digits, '_', '-' and '.'")
    ] = ""
    """Tenant that it opens; no other can be reached with it."""
    scopes: Listed[Annotated[str, written("|".join(SCOPES), f"known are {', '.join(SCOPES)}")]] = Field(
        default=DEFAULT_SCOPES, min_length=1
    )
    expires: Annotated[str, AfterValidator(_day)] = ""
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
    """Returns the hash of a token for the file; one round is enough, as tokens are 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_tokens(path: Path, *, space: str) -> tuple[StaticToken, ...]:
    """Returns the entries of the file; an entry without a space opens `space`.

    Raises:
        ConfigurationError: the file cannot be read, or an entry is wrong.
    """
    entries = _entries(Source(path=path, content=content_of(path, remedy="make it with `r-memory token`")))
    return tuple(entry.model_copy(update={"space": entry.space or space}) for entry in entries)


def _entries(source: Source) -> tuple[StaticToken, ...]:
    document = load(source)
    entries, wrong = parsed(document, _File).tokens, Mistakes(document)
    for number, entry in enumerate(entries):
        if entry.name in {other.name for other in entries[:number]}:
            wrong.add(f"the name '{entry.name}' is taken; choose another", ("tokens", number))
        elif entry.sha256 in {other.sha256 for other in entries[:number]}:
            wrong.add("the same token twice; keep one entry", ("tokens", number))
    wrong.refuse()
    return entries


def add_token(
    path: Path, name: str, *, space: str, scopes: Sequence[str] = DEFAULT_SCOPES, expires: dt.date | None = None
) -> str:
    """Draws a token, adds its hash to the file, and returns the token, which is stored nowhere.

    The file is created if necessary. `expires` is the last valid day, in UTC.
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
