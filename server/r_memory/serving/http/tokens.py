"""Whether a token counts, and what its bearer may do: those of the file and the environment first, then OAuth's.

A token of ours is compared by its hash, in constant time. One of an OAuth authorization server is verified by its
signature (RFC 9068, RFC 8707): one that is not signed by it, not meant for this server, expired or without a space does
not count, and nothing but its keys is fetched. No token is logged, kept or handed on. The only importer of `jwt`.
"""

import asyncio
import hmac
import json
import logging
import math
import os
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jwt
from mcp.server.auth.provider import AccessToken
from typing_extensions import override

from r_memory.config.access_tokens import SCOPES, SPACE, StaticToken, hash_of, read_tokens
from r_memory.config.settings import Settings
from r_memory.domain.facts import KNOWLEDGE_SPACE
from r_memory.errors import ConfigurationError
from r_memory.serving.http.plan import HttpPlan, is_safe_url
from r_memory.serving.tools.access import token_of
from r_memory.text.inert import inert

logger = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric signatures only: with a shared secret this server could make tokens itself."""
_LONGEST = 16_384
"""Characters above which a token is not even hashed."""
_FETCH_S = 5.0
_LARGEST = 1_048_576
_PAUSE_S = 30.0
"""Least seconds between two fetches of keys, so that tokens with unknown keys cause no flood of requests."""
_LIFETIME_S = 300.0
"""Seconds after which keys are fetched again, as one may have been withdrawn."""
_LEEWAY_S = 30
_NAME = 64

Fetch = Callable[[str], bytes]
"""Returns the document at an address. Raises OSError if there is none."""


class Verifier:
    """Verifies tokens for the SDK; an entry that is removed from the file is invalid at once."""

    def __init__(self, plan: HttpPlan, *, own: Sequence[StaticToken] = ()) -> None:
        """`own` are tokens in addition to those in the settings."""
        settings = plan.settings
        self._fixed = tuple(own)
        if settings.http_token:
            named = StaticToken(name="environment", sha256=hash_of(settings.http_token), space=settings.space)
            self._fixed = (*own, named)
        self._file = None if plan.token_file is None else _WatchedFile(plan.token_file, space=settings.space)
        self._oauth = JwtVerifier(settings) if settings.http_issuer else None

    async def verify_token(self, token: str) -> AccessToken | None:
        """Returns the bearer's rights; `None` if the token is invalid."""
        if len(token) > _LONGEST:
            return None
        found = self.listed(hash_of(token))
        if found is None and self._oauth is not None:
            return await self._oauth.verify(token)
        return found

    def listed(self, presented: str) -> AccessToken | None:
        """Returns the rights of the listed token with this hash; `None` if there is no valid one."""
        listed = self._file.tokens() if self._file is not None else ()
        # Every entry is compared, so that the time taken says nothing.
        matching = [entry for entry in (*self._fixed, *listed) if hmac.compare_digest(entry.sha256, presented)]
        if not matching:
            return None
        found = matching[0]
        if found.expires_at is not None and found.expires_at <= time.time():
            return None
        return token_of(found.name, found.space, found.scopes, expires=found.expires_at)


class _WatchedFile:
    """The entries of the token file, read again after a change; none while the file is wrong."""

    def __init__(self, path: Path, *, space: str) -> None:
        self._path = path
        self._space = space
        self._seen: tuple[int, int, int] | None = None
        self._tokens: tuple[StaticToken, ...] = ()

    def tokens(self) -> tuple[StaticToken, ...]:
        """Returns all entries."""
        mark: tuple[int, int, int] | None = None
        with suppress(OSError):
            found = os.stat(self._path)  # noqa: PTH116 - on every request, and three times as fast
            mark = found.st_mtime_ns, found.st_size, found.st_ino
        if mark != self._seen or mark is None:
            self._seen, self._tokens = mark, self._read()
        return self._tokens

    def _read(self) -> tuple[StaticToken, ...]:
        try:
            return read_tokens(self._path, space=self._space)
        except ConfigurationError as error:
            # Closed rather than open: an entry may have been withdrawn in the very edit that cannot be read.
            facts = {"action": "tokens", "why": str(error)}
            logger.error("No token of the file counts until it is mended", extra=facts)  # noqa: TRY400 - its text says all
            return ()


class JwtVerifier:
    """Verifies tokens of the issuer in the settings."""

    def __init__(self, settings: Settings, *, now: Callable[[], float] = time.time, fetch: Fetch | None = None) -> None:
        self._settings = settings
        self._now = now
        self._fetch = fetch or fetched
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._fetched_at = self._loaded_at = -math.inf
        self._fetching = asyncio.Lock()

    async def verify(self, token: str) -> AccessToken | None:
        """Returns the bearer's rights; `None` if the token is invalid."""
        try:
            key = await self._key(jwt.get_unverified_header(token).get("kid", ""))
            return None if key is None else self._access(self._claims(token, key))
        except jwt.PyJWTError as error:
            logger.info("A token does not count", extra={"action": "token", "why": type(error).__name__})
            return None

    def _claims(self, token: str, key: jwt.PyJWK) -> Mapping[str, Any]:
        audience = self._settings.http_resource.removesuffix("/")
        return jwt.decode(
            token,
            key=key,
            algorithms=ALGORITHMS,
            issuer=self._settings.http_issuer,
            audience=[audience, audience + "/"],
            leeway=_LEEWAY_S,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )

    def _access(self, claims: Mapping[str, Any]) -> AccessToken | None:
        claim = self._settings.http_space_claim
        space = claims.get(claim) if claim else self._settings.space
        if not isinstance(space, str) or not SPACE.fullmatch(space) or space == KNOWLEDGE_SPACE:
            logger.warning("A token names no usable space", extra={"action": "token"})
            return None
        # In one text (RFC 9068), or in a list as some servers write it.
        given = claims.get("scope", claims.get("scp", ""))
        granted = given.split() if isinstance(given, str) else given if isinstance(given, list) else []
        scopes = [scope for scope in SCOPES if scope in granted]
        return token_of(inert(str(claims["sub"]), _NAME), space, scopes, expires=int(claims["exp"]))

    async def _key(self, kid: str) -> jwt.PyJWK | None:
        """Returns the key with this id; fetches the keys if it is unknown or old.

        A token without a key id uses the only key. `None` if there is no such key.
        """
        if self._wanting(kid):
            async with self._fetching:
                if self._wanting(kid) and self._now() - self._fetched_at >= _PAUSE_S:
                    self._fetched_at = self._now()
                    self._keys = await asyncio.to_thread(self._load)
        if not kid and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(kid)

    def _wanting(self, kid: str) -> bool:
        return kid not in self._keys or self._now() - self._loaded_at >= _LIFETIME_S

    def _load(self) -> Mapping[str, jwt.PyJWK]:
        """Returns the issuer's present keys; the previous ones if they cannot be read."""
        try:
            document = json.loads(self._fetch(self._settings.http_jwks or self._jwks_address()))
            keys = jwt.PyJWKSet.from_dict(document).keys
        except (OSError, ValueError, KeyError, TypeError, jwt.PyJWTError) as error:
            facts = {"action": "keys", "error": type(error).__name__}
            logger.warning("The issuer's keys could not be read", extra=facts)
            return self._keys
        self._loaded_at = self._now()
        return {key.key_id or "": key for key in keys}

    def _jwks_address(self) -> str:
        """Returns the address of the keys in the issuer's metadata (RFC 8414, or OpenID Connect Discovery).

        Raises:
            OSError, ValueError: there are no metadata, or they name another issuer.
        """
        issuer = self._settings.http_issuer.removesuffix("/")
        parts = urlsplit(issuer)
        by_the_rfc = f"{parts.scheme}://{parts.netloc}/.well-known/oauth-authorization-server{parts.path}"
        for address in (by_the_rfc, f"{issuer}/.well-known/openid-configuration"):
            try:
                metadata = json.loads(self._fetch(address))
            except OSError:
                continue
            if metadata["issuer"].removesuffix("/") != issuer:
                raise ValueError("the metadata names another issuer")
            return str(metadata["jwks_uri"])
        raise OSError("no metadata")


class _NoDetour(urllib.request.HTTPRedirectHandler):
    @override
    def redirect_request(self, *_: object) -> None:
        """Refuses a redirect, which becomes an error."""


_OPENER = urllib.request.build_opener(_NoDetour)


def fetched(address: str) -> bytes:
    """Returns the document at the address, without following redirects.

    Raises:
        OSError, ValueError: there is no acceptable document.
    """
    if not is_safe_url(address):
        raise ValueError("the address is not safe")
    with _OPENER.open(address, timeout=_FETCH_S) as answer:
        content: bytes = answer.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError("the document is too long")
    return content
