"""The clients: where each keeps its list of MCP servers, and how it spells one; `clients.toml` says it of each."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Any, Literal

from r_memory.errors import InvalidInput, UnknownName

NAME = "r-memory"
"""Of the server, in every client."""
REMOTE = "chatgpt"
"""The one that starts no servers: it calls one over HTTPS."""
NAMES = ("claude-desktop", "claude-code", "cursor", "vscode", "windsurf", "zed", "cline", "gemini-cli", "codex", REMOTE)
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client, as its entry in `clients.toml` says."""

    title: str
    source: str
    then: str
    file: str = ""
    project: str = ""
    """Empty if it keeps its servers for the person only."""
    key: str = ""
    form: Literal["json", "toml"] = "json"
    more: Mapping[str, Any] = field(default_factory=dict)

    def path(self, places: Mapping[str, Path], project: Path | None) -> Path:
        """The file to change, on a machine with these places."""
        if project is None:
            return Path(self.file.format_map(places))
        if not self.project:
            raise InvalidInput(f"{self.title} keeps its servers for the person only; leave --project out")
        return project / PurePath(self.project)

    def entry(self, command: str, environment: Mapping[str, str]) -> Entry:
        """This server as the client spells it: the command absolute, since a client passes on almost none of its own
        environment.
        """
        return {**self.more, "command": command, "args": ["serve"], "env": dict(environment)}


@cache
def clients() -> Mapping[str, Client]:
    """Every client by the name that `install` takes."""
    entries = tomllib.loads(files(__package__).joinpath("clients.toml").read_text(encoding="utf-8"))
    return {name: Client(**entry) for name, entry in entries.items()}


def client_named(name: str) -> Client:
    """The client of this name."""
    if name not in NAMES:
        raise UnknownName("client", name, NAMES)
    return clients()[name]


def merged(before: object, entry: Entry) -> Entry:
    """The new entry, with what a person had added to the one before; variables of ours that are not set now go."""
    if not isinstance(before, dict):
        return entry
    earlier = before.get("env")
    kept = earlier if isinstance(earlier, dict) else {}
    theirs = {key: value for key, value in kept.items() if not key.startswith("R_MEMORY_")}
    return {**before, **entry, "env": {**theirs, **entry["env"]}}
