"""The skill that explains when to remember and when to recall, for hosts that read skills from servers (SEP-2640).

The Claude Code plugin carries the same file for hosts that read skills from folders.
"""

import hashlib
from pathlib import Path

from mcp.server.mcpserver.resources.types import TextResource

from r_memory.serving.tools.strict import StrictServer

URI = "skill://r-memory/SKILL.md"
FILE = Path(__file__).with_name("skill.md")
_MARKDOWN = "text/markdown"


def register(server: StrictServer) -> None:
    """Adds the skill, and the resource that holds it."""
    text = FILE.read_text(encoding="utf-8")
    frontmatter = _frontmatter(text)
    content = text.encode()
    manifest = {"uri": URI, "digest": f"sha256:{hashlib.sha256(content).hexdigest()}", "size": len(content)}
    server.add_resource(
        TextResource(uri=URI, name=frontmatter["name"], title="How to use this memory", mime_type=_MARKDOWN, text=text)
    )
    server.offer_skill({"uri": URI, "frontmatter": frontmatter, "resources": [{**manifest, "mimeType": _MARKDOWN}]})


def _frontmatter(text: str) -> dict[str, str]:
    """The fields between the two lines of dashes at the top; each is one line of plain text."""
    _, head, _ = text.split("---\n", 2)
    return {name.strip(): value.strip() for name, value in (line.split(":", 1) for line in head.splitlines() if line)}
