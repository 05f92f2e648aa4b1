"""What the bearer of a token may do: which space a call means, and which tools it may use.

Knows scopes and the one place where the SDK keeps who calls; not how a token is checked. Over standard input and output
nobody bears a token, and the configured space is meant.
"""

from collections.abc import Iterable

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.types import ToolAnnotations

from r_memory.config.access_tokens import SCOPES

READ, WRITE, REVIEW, ADMIN, ACROSS = SCOPES
"""With the third one decides as a person: who calls answers the host's questions itself, as far as can be seen here."""
ADMIN_TOOLS = frozenset({"memory_run_audit"})
"""Tools that run queries over the whole space."""
ACROSS_TOOLS = frozenset({"memory_check_across"})
"""Tools that show what is recorded of everybody."""
_SPACE = "space"


def token_of(name: str, space: str, scopes: Iterable[str], *, expires: int | None = None) -> AccessToken:
    """A caller in the SDK's form; the token itself is left out, so that nothing can pass it on."""
    return AccessToken(token="", client_id=name, scopes=sorted(scopes), expires_at=expires, claims={_SPACE: space})


caller = get_access_token
"""Who makes the call that is being served, as a verified token says; `None` where no token is asked for."""


def space_of(by: AccessToken) -> str:
    """The one space that a caller may reach."""
    return str((by.claims or {}).get(_SPACE, ""))


def needed_scope(name: str, annotations: ToolAnnotations | None) -> str:
    """The scope that a tool asks for; one that says nothing of itself counts as writing."""
    if name in ADMIN_TOOLS:
        return ADMIN
    if name in ACROSS_TOOLS:
        return ACROSS
    return READ if annotations is not None and annotations.read_only_hint else WRITE


def may_use(name: str, annotations: ToolAnnotations | None) -> bool:
    """Whether the caller may use the tool."""
    by = caller()
    return by is None or needed_scope(name, annotations) in by.scopes


def may_review() -> bool:
    """Whether what the host says a person answered counts as a person's decision."""
    by = caller()
    return by is None or REVIEW in by.scopes
