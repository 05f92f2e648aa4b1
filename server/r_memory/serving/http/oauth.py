"""Tokens of an OAuth authorization server, verified by their signature (RFC 9068, RFC 8707).

The only importer of `jwt`. Fetches the issuer's keys and nothing else; a token that is not signed by it, not meant for
this server, expired or without a space does not count.
"""

import asyncio
import json
import logging
import math
import time
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import jwt
from mcp.server.auth.provider import AccessToken
from typing_extensions import override

from r_memory.config.access_tokens import SCOPES, SPACE
from r_memory.config.settings import Settings
from r_memory.domain.facts import KNOWLEDGE_SPACE
from r_memory.serving.http.plan import is_safe_url
from r_memory.serving.tools.access import Caller, token_for
from r_memory.text.inert import inert

logger = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key pair only: with a shared secret this server could make tokens itself."""
_FETCH_S = 5.0
_LARGEST = 1_048_576
_PAUSE_S = 30.0
"""Between two fetches of keys: tokens that name unknown keys must not become a flood of requests."""
_LIFETIME_S = 300.0
"""After this keys are fetched again, as one of them may have been withdrawn."""
_LEEWAY_S = 30
_NAME = 64

Fetch = Callable[[str], bytes]
"""Gives the document at an address; raises OSError."""


class JwtVerifier:
    """Verifies the tokens of the one issuer that the settings name."""

    def __init__(self, settings: Settings, *, now: Callable[[], float] = time.time, fetch: Fetch | None = None) -> None:
        self._settings = settings
        self._now = now
        self._fetch = fetch or fetched
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._fetched_at = -math.inf
        self._loaded_at = -math.inf
        self._fetching = asyncio.Lock()

    async def verify(self, token: str) -> AccessToken | None:
        """What the bearer may do; `None` if the token does not count."""
        try:
            key = await self._key(jwt.get_unverified_header(token).get("kid", ""))
            if key is None:
                return None
            return self._access(self._claims(token, key))
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
        caller = Caller(name=inert(str(claims["sub"]), _NAME), space=space, scopes=_scopes(claims))
        return token_for(caller, expires=int(claims["exp"]))

    async def _key(self, kid: str) -> jwt.PyJWK | None:
        """The key of this id, fetched again if it is new or old; of a token that names none, the only one there is."""
        if self._wanting(kid):
            async with self._fetching:
                if self._wanting(kid) and self._may_fetch():
                    self._keys = await asyncio.to_thread(self._load)
        if not kid and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(kid)

    def _wanting(self, kid: str) -> bool:
        return kid not in self._keys or self._now() - self._loaded_at >= _LIFETIME_S

    def _may_fetch(self) -> bool:
        if self._now() - self._fetched_at < _PAUSE_S:
            return False
        self._fetched_at = self._now()
        return True

    def _load(self) -> Mapping[str, jwt.PyJWK]:
        try:
            documents = jwt.PyJWKSet.from_dict(
                json.loads(self._fetch(self._settings.http_jwks or self._jwks_address()))
            )
        except (OSError, ValueError, KeyError, TypeError, jwt.PyJWTError) as error:
            logger.warning(
                "The issuer's keys could not be read", extra={"action": "keys", "error": type(error).__name__}
            )
            return self._keys
        self._loaded_at = self._now()
        return {key.key_id or "": key for key in documents.keys}

    def _jwks_address(self) -> str:
        """As the issuer's metadata says (RFC 8414, or OpenID Connect Discovery).

        Raises:
            OSError, ValueError: there is none, or it names another issuer.
        """
        issuer = self._settings.http_issuer
        for address in _metadata_addresses(issuer):
            try:
                metadata = json.loads(self._fetch(address))
            except OSError:
                continue
            if metadata["issuer"].removesuffix("/") != issuer.removesuffix("/"):
                raise ValueError("the metadata names another issuer")
            return str(metadata["jwks_uri"])
        raise OSError("no metadata")


def _metadata_addresses(issuer: str) -> tuple[str, ...]:
    parts = urlsplit(issuer)
    root, path = f"{parts.scheme}://{parts.netloc}", parts.path.removesuffix("/")
    return (
        f"{root}/.well-known/oauth-authorization-server{path}",
        f"{issuer.removesuffix('/')}/.well-known/openid-configuration",
    )


def _scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """Ours among those granted: `scope` in one text (RFC 9068), or `scp` as some servers write it."""
    given = claims.get("scope", claims.get("scp", ""))
    granted = given.split() if isinstance(given, str) else given if isinstance(given, list) else []
    return frozenset(scope for scope in SCOPES if scope in granted)


class _NoDetour(urllib.request.HTTPRedirectHandler):
    @override
    def redirect_request(self, *_: object) -> None:
        """Makes the answer that sends one on an error."""


_OPENER = urllib.request.build_opener(_NoDetour)


def fetched(address: str) -> bytes:
    """The document at the address itself, not where that sends one on.

    Raises:
        OSError, ValueError: there is none that can be taken.
    """
    if not is_safe_url(address):
        raise ValueError("the address is not safe")
    with _OPENER.open(address, timeout=_FETCH_S) as answer:
        content: bytes = answer.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError("the document is too long")
    return content
