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
"""Name of the server in every client."""
REMOTE = "chatgpt"
"""A client that starts no servers, and calls one over HTTPS."""
NAMES = ("claude-desktop", "claude-code", "cursor", "vscode", "windsurf", "zed", "cline", "gemini-cli", "codex", REMOTE)
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client, as described in `clients.toml`."""

    title: str
    source: str
    then: str
    file: str = ""
    project: str = ""
    """Path in a project; empty if the client has servers only for the person."""
    key: str = ""
    form: Literal["json", "toml"] = "json"
    more: Mapping[str, Any] = field(default_factory=dict)

    def path(self, places: Mapping[str, Path], project: Path | None) -> Path:
        """Returns the file to change, on a machine with these places."""
        if project is None:
            return Path(self.file.format_map(places))
        if not self.project:
            raise InvalidInput(f"{self.title} keeps its servers for the person only; leave --project out")
        return project / PurePath(self.project)

    def entry(self, command: str, environment: Mapping[str, str]) -> Entry:
        """Returns this server's entry in the client's form.

        The command is absolute, as clients pass on almost none of their environment.
        """
        return {**self.more, "command": command, "args": ["serve"], "env": dict(environment)}


@cache
def clients() -> Mapping[str, Client]:
    """Returns every client by the name that `install` takes."""
    entries = tomllib.loads(files(__package__).joinpath("clients.toml").read_text(encoding="utf-8"))
    return {name: Client(**entry) for name, entry in entries.items()}


def client_named(name: str) -> Client:
    """Returns the client with this name.

    Raises:
        UnknownName: there is no such client.
    """
    if name not in NAMES:
        raise UnknownName("client", name, NAMES)
    return clients()[name]


def merged(before: object, entry: Entry) -> Entry:
    """Returns the new entry with a person's additions to the old one; our variables that are not set are removed."""
    if not isinstance(before, dict):
        return entry
    earlier = before.get("env")
    kept = earlier if isinstance(earlier, dict) else {}
    theirs = {key: value for key, value in kept.items() if not key.startswith("R_MEMORY_")}
    return {**before, **entry, "env": {**theirs, **entry["env"]}}
