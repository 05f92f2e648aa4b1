"""Who visits: a token once, a sealed cookie after it, and the sign by which a form is known to be ours.

The cookie names the hash of the token and never the token; a token that is withdrawn ends its visits at once.
"""

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from r_memory.config.access_tokens import SCOPES, StaticToken, hash_of
from r_memory.serving.http.addressing import is_own
from r_memory.serving.http.plan import HttpPlan
from r_memory.serving.http.tokens import Verifier
from r_memory.serving.tools.access import space_of

COOKIE = "r_memory_visit"
VISIT_S = 8 * 3600
_READ, _WRITE, _REVIEW, _ADMIN, _ = SCOPES
_FIELDS = ("hash", "name", "nonce", "scopes", "space", "until")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """A person with a valid token."""

    name: str
    space: str
    scopes: tuple[str, ...]
    sign: str
    """The value that every form of this visit must carry."""

    @property
    def decides(self) -> bool:
        """Whether their decisions count as a person's."""
        return _REVIEW in self.scopes

    @property
    def audits(self) -> bool:
        """Whether they may run queries over the whole space."""
        return _ADMIN in self.scopes


class Visits:
    """Starts visits and recognises them, in every process of the same plan."""

    def __init__(
        self, plan: HttpPlan, *, own: Sequence[StaticToken] = (), now: Callable[[], float] = time.time
    ) -> None:
        self._verifier = Verifier(plan, own=own)
        self._key = plan.state_key
        self._now = now
        self._secure = plan.settings.http_cert is not None

    async def opened(self, token: str, answer: Response) -> bool:
        """Whether the token is valid; the response then starts a visit."""
        found = await self._verifier.verify_token(token)
        if found is None or _READ not in found.scopes:
            return False
        until = int(min(self._now() + VISIT_S, found.expires_at or float("inf")))
        fixed = self._verifier.listed(hash_of(token)) is not None
        told = {
            "hash": hash_of(token) if fixed else "",
            "name": found.client_id,
            "nonce": secrets.token_hex(8),
            "scopes": list(found.scopes),
            "space": space_of(found),
            "until": until,
        }
        body = base64.urlsafe_b64encode(json.dumps(told).encode()).decode()
        answer.set_cookie(
            COOKIE,
            f"{body}.{self._seal('visit', body)}",
            max_age=max(until - int(self._now()), 0),
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )
        return True

    def visitor(self, request: Request) -> Visitor | None:
        """Returns the visitor, with the present rights of the token; `None` if there is no valid visit."""
        cookie = request.cookies.get(COOKIE, "")
        body, _, seal = cookie.partition(".")
        if not body or not hmac.compare_digest(seal.encode(), self._seal("visit", body).encode()):
            return None
        told: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body))
        if set(told) != set(_FIELDS) or told["until"] <= self._now():
            return None
        name, space, scopes = told["name"], told["space"], told["scopes"]
        if told["hash"]:
            found = self._verifier.listed(told["hash"])
            if found is None or _READ not in found.scopes:
                return None
            name, space, scopes = found.client_id, space_of(found), found.scopes
        return Visitor(name=name, space=space, scopes=tuple(scopes), sign=self._seal("form", cookie))

    def _seal(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"page {purpose} {text}".encode(), hashlib.sha256).hexdigest()


def is_ours(request: Request, sign: str, visitor: Visitor) -> bool:
    """Whether a form was sent from a page of this visit, and not from another site."""
    return is_own(request.headers) and hmac.compare_digest(sign.encode(), visitor.sign.encode())


def own_token(plan: HttpPlan) -> str:
    """Returns the token of a start without configured tokens; only processes of the plan know it."""
    return hmac.new(plan.state_key, b"page token", hashlib.sha256).hexdigest()


def own_tokens(plan: HttpPlan, *, who: str, decides: bool) -> tuple[StaticToken, ...]:
    """Returns the entry of that token; empty if the plan requires configured tokens."""
    if plan.asks_for_token:
        return ()
    scopes = (_READ, _ADMIN, *((_WRITE, _REVIEW) if decides else ()))
    return (StaticToken(name=who, sha256=hash_of(own_token(plan)), space=plan.settings.space, scopes=scopes),)
