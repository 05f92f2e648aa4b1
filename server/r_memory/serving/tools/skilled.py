"""The skill that explains when to remember and when to recall, for hosts that read skills from servers (SEP-2640).

The Claude Code plugin carries the same file for hosts that read skills from folders.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Extension, MethodBinding
from mcp.server.mcpserver.resources.types import TextResource
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, PaginatedRequestParams, RequestParams
from typing_extensions import override

URI = "skill://r-memory/SKILL.md"
FILE = Path(__file__).with_name("skill.md")
_MARKDOWN = "text/markdown"
_CACHED = {"ttlMs": 300_000, "cacheScope": "public"}


class SkillParams(RequestParams):
    """Which skill is asked for."""

    uri: str


class Skills(Extension):
    """Lists the skill; what its file says is a resource."""

    identifier = "io.modelcontextprotocol/skills"

    @override
    def methods(self) -> Sequence[MethodBinding]:
        return (
            MethodBinding("skills/list", PaginatedRequestParams, _listed),
            MethodBinding("skills/get", SkillParams, _got),
        )


async def _listed(_: ServerRequestContext[Any, Any], __: PaginatedRequestParams) -> dict[str, Any]:
    return {"skills": [_entry()], **_CACHED}


async def _got(_: ServerRequestContext[Any, Any], params: SkillParams) -> dict[str, Any]:
    if params.uri != URI:
        raise MCPError(code=INVALID_PARAMS, message="Unknown skill", data={"uri": params.uri})
    return {"skill": _entry(), **_CACHED}


def skill() -> TextResource:
    """Returns the skill's file as a resource."""
    text = FILE.read_text(encoding="utf-8")
    name = _frontmatter(text)["name"]
    return TextResource(uri=URI, name=name, title="How to use this memory", mime_type=_MARKDOWN, text=text)


def _entry() -> Mapping[str, Any]:
    """Returns what a list says of the skill."""
    text = FILE.read_text(encoding="utf-8")
    content = text.encode()
    manifest = {"uri": URI, "digest": f"sha256:{hashlib.sha256(content).hexdigest()}", "size": len(content)}
    return {"uri": URI, "frontmatter": _frontmatter(text), "resources": [{**manifest, "mimeType": _MARKDOWN}]}


def _frontmatter(text: str) -> Mapping[str, str]:
    """Returns the fields between the two lines of dashes at the top; each is one line of plain text."""
    _, head, _ = text.split("---\n", 2)
    return {name.strip(): value.strip() for name, value in (line.split(":", 1) for line in head.splitlines() if line)}
