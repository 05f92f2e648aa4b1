"""Whether a token counts, and what its bearer may do: those of the file and the environment first, then OAuth's.

Tokens are compared as hashes, in constant time, and are never logged, kept or handed on.
"""

import hmac
import logging
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from mcp.server.auth.provider import AccessToken

from r_memory.config.access_tokens import StaticToken, hash_of, read_tokens
from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.serving.http.oauth import JwtVerifier
from r_memory.serving.http.plan import HttpPlan
from r_memory.serving.tools.access import Caller, token_for

logger = logging.getLogger(__name__)

_LONGEST = 16_384
"""Characters of a token; longer ones are not even hashed."""


class Verifier:
    """Verifies tokens for the SDK; entries that are withdrawn from the file stop to count at once."""

    def __init__(self, plan: HttpPlan, *, now: Callable[[], float] = time.time) -> None:
        settings = plan.settings
        self._fixed = _environments(settings)
        self._file = None if plan.token_file is None else _WatchedFile(plan.token_file, space=settings.space)
        self._oauth = JwtVerifier(settings, now=now) if settings.http_issuer else None
        self._now = now

    async def verify_token(self, token: str) -> AccessToken | None:
        """What the bearer may do; `None` if the token does not count."""
        if len(token) > _LONGEST:
            return None
        listed = self._file.tokens() if self._file is not None else ()
        found = _matching((*self._fixed, *listed), token)
        if found is not None:
            return None if found.expires is not None and found.expires <= self._now() else _access(found)
        return await self._oauth.verify(token) if self._oauth is not None else None


class _WatchedFile:
    """The entries of the file as it is now, read again when it changes; none while it is wrong."""

    def __init__(self, path: Path, *, space: str) -> None:
        self._path = path
        self._space = space
        self._seen: tuple[int, int, int] | None = None
        self._tokens: tuple[StaticToken, ...] = ()

    def tokens(self) -> tuple[StaticToken, ...]:
        """All entries."""
        mark = self._mark()
        if mark != self._seen or mark is None:
            self._seen, self._tokens = mark, self._read()
        return self._tokens

    def _mark(self) -> tuple[int, int, int] | None:
        try:
            found = os.stat(self._path)  # noqa: PTH116 - on every request, and three times as fast
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self) -> tuple[StaticToken, ...]:
        try:
            return read_tokens(self._path, space=self._space)
        except ConfigurationError as error:
            # Closed rather than open: an entry may have been withdrawn in the very edit that cannot be read.
            facts = {"action": "tokens", "why": str(error)}
            logger.error("No token of the file counts until it is mended", extra=facts)  # noqa: TRY400 - its text says all
            return ()


def _environments(settings: Settings) -> tuple[StaticToken, ...]:
    """The token of the environment, if there is one."""
    token = settings.http_token
    return (StaticToken(name="environment", sha256=hash_of(token), space=settings.space),) if token else ()


def _matching(entries: Sequence[StaticToken], token: str) -> StaticToken | None:
    """The entry of a token; every entry is compared, so that the time taken says nothing."""
    presented = hash_of(token)
    found = [entry for entry in entries if hmac.compare_digest(entry.sha256, presented)]
    return found[0] if found else None


def _access(entry: StaticToken) -> AccessToken:
    caller = Caller(name=entry.name, space=entry.space, scopes=frozenset(entry.scopes))
    return token_for(caller, expires=entry.expires)
