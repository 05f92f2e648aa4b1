"""The clients: where each keeps its list of MCP servers, and how it spells one.

Each form was read in the client's own documentation on 2026-11-21, at the page that its entry names; none was tried on
the client itself. Pure values; nothing here opens a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Literal

from r_memory.errors import InvalidInput, UnknownName

NAME = "r-memory"
"""Of the server, in every client."""
Form = Literal["json", "toml"]
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where a person's configuration lies."""

    system: Literal["linux", "darwin", "win32"]
    home: Path
    config: Path
    """`~/.config`, `~/Library/Application Support` or `%APPDATA%`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client that starts servers itself."""

    title: str
    source: str
    """Page that says so."""
    file: str
    """With places of the machine in braces."""
    key: str
    """Of the servers, in that file."""
    form: Form = "json"
    project: str = ""
    """The same file of one project; empty if the client has none."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What its entries say beside command, arguments and environment."""
    then: str = ""
    """What the person does afterwards."""

    def path(self, machine: Machine, project: Path | None) -> Path:
        """The file to change.

        Raises:
            InvalidInput: the client has no file for a project.
        """
        if project is None:
            zed = machine.config / "Zed" if machine.system == "win32" else machine.home / ".config" / "zed"
            return Path(self.file.format(home=machine.home, config=machine.config, zed=zed))
        if not self.project:
            raise InvalidInput(f"{self.title} keeps its servers for the person only; leave --project out")
        return project / PurePath(self.project)


_STDIO = {"type": "stdio"}
CLIENTS: Mapping[str, Client] = {
    "claude-desktop": Client(
        title="Claude Desktop",
        source="https://modelcontextprotocol.io/docs/develop/connect-local-servers",
        file="{config}/Claude/claude_desktop_config.json",
        key="mcpServers",
        then="Quit Claude Desktop and start it again.",
    ),
    "claude-code": Client(
        title="Claude Code",
        source="https://code.claude.com/docs/en/mcp",
        file="{home}/.claude.json",
        key="mcpServers",
        project=".mcp.json",
        more=_STDIO,
        then="Start Claude Code again; `/mcp` shows the server.",
    ),
    "cursor": Client(
        title="Cursor",
        source="https://docs.cursor.com/context/mcp",
        file="{home}/.cursor/mcp.json",
        key="mcpServers",
        project=".cursor/mcp.json",
        then="Enable the server in Cursor's settings, under MCP.",
    ),
    "vscode": Client(
        title="VS Code",
        source="https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        file="{config}/Code/User/mcp.json",
        key="servers",
        project=".vscode/mcp.json",
        more=_STDIO,
        then="Run `MCP: List Servers` and start it; VS Code asks once whether you trust it.",
    ),
    "windsurf": Client(
        title="Windsurf",
        source="https://docs.windsurf.com/windsurf/cascade/mcp",
        file="{home}/.codeium/windsurf/mcp_config.json",
        key="mcpServers",
        then="Press Refresh in Cascade's list of MCP servers.",
    ),
    "zed": Client(
        title="Zed",
        source="https://zed.dev/docs/ai/mcp",
        file="{zed}/settings.json",
        key="context_servers",
        project=".zed/settings.json",
        then="The Agent panel's settings show the server with a green dot.",
    ),
    "cline": Client(
        title="Cline",
        source="https://docs.cline.bot/mcp/configuring-mcp-servers",
        file="{config}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        key="mcpServers",
        more={"disabled": False},
        then="Cline's list of MCP servers shows it with a green dot.",
    ),
    "gemini-cli": Client(
        title="Gemini CLI",
        source="https://geminicli.com/docs/tools/mcp-server",
        file="{home}/.gemini/settings.json",
        key="mcpServers",
        project=".gemini/settings.json",
        then="Start Gemini CLI again; `/mcp` shows the server.",
    ),
    "codex": Client(
        title="Codex",
        source="https://developers.openai.com/codex/mcp",
        file="{home}/.codex/config.toml",
        key="mcp_servers",
        form="toml",
        project=".codex/config.toml",
        more={"startup_timeout_sec": 30},
        then="Start Codex again; `/mcp` shows the server.",
    ),
}
"""By the name that `install` takes."""
REMOTE = "chatgpt"
"""The one that starts no servers: it calls one over HTTPS."""
NAMES = (*CLIENTS, REMOTE)


def client_named(name: str) -> Client:
    """The client of this name.

    Raises:
        UnknownName: there is none.
    """
    if name not in CLIENTS:
        raise UnknownName("client", name, NAMES)
    return CLIENTS[name]


def entry_of(client: Client, command: str, environment: Mapping[str, str]) -> Entry:
    """This server as the client spells it: the command absolute, since a client passes on almost none of its own
    environment.
    """
    return {**client.more, "command": command, "args": ["serve"], "env": dict(environment)}


def merged(before: object, entry: Entry) -> Entry:
    """The new entry, with what a person had added to the one before; variables of ours that are not set now go."""
    if not isinstance(before, dict):
        return entry
    earlier = before.get("env")
    kept = earlier if isinstance(earlier, dict) else {}
    theirs = {key: value for key, value in kept.items() if not key.startswith("R_MEMORY_")}
    return {**before, **entry, "env": {**theirs, **entry["env"]}}


def chatgpt_steps(url: str) -> str:
    """What to do in ChatGPT, which calls servers over HTTPS only.

    Source: https://developers.openai.com/apps-sdk/deploy/connect-chatgpt, read on 2026-11-21.
    """
    return "\n".join(
        (
            "ChatGPT starts no programs: it calls a server that it reaches over HTTPS.",
            "1. Serve this memory with OAuth, behind a public name: docs/how-to/serve-over-http.md.",
            "2. In ChatGPT: Settings, Connectors, Advanced, switch Developer mode on.",
            "3. Settings, Connectors, Create, and fill in:",
            f"   Name: {NAME}",
            "   Description: Remembers what must not be forgotten, such as allergies, contraindications and implants.",
            f"   Connector URL: {url}",
            "   Authentication: OAuth",
            "4. In a new chat choose the connector under Developer mode.",
        )
    )
