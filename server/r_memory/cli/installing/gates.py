"""The hooks of a client: which events call `r-memory hook`, and how the client's file says so.

Forms as in `r_memory.gates.hooks`. Only entries whose command is ours are written or taken out; others stay.
"""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from r_memory.cli.installing import jsonc
from r_memory.cli.installing.files import FileChange, read
from r_memory.errors import InvalidInput

_SECONDS = 60
_OURS = " hook "
_NAME = "r-memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookedClient:
    """A client that supports hooks."""

    title: str
    file: str
    """Path below the person's home or a project."""
    events: tuple[str, ...]
    then: str


_SHARED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SubagentStop")
HOOKED: Mapping[str, HookedClient] = {
    "claude-code": HookedClient(
        title="Claude Code",
        file=".claude/settings.json",
        events=_SHARED,
        then="Start Claude Code again; `/hooks` shows them.",
    ),
    "codex": HookedClient(
        title="Codex",
        file=".codex/hooks.json",
        events=_SHARED,
        then="Start Codex again and trust them in `/hooks`; older ones need `codex_hooks = true` under [features].",
    ),
    "cursor": HookedClient(
        title="Cursor",
        file=".cursor/hooks.json",
        events=("sessionStart", "beforeSubmitPrompt", "preToolUse", "afterAgentResponse", "stop"),
        then="Cursor reads the file again by itself; its settings show the hooks.",
    ),
}


def hooked(
    client: str, program: str, environment: Mapping[str, str], project: Path | None
) -> tuple[HookedClient, FileChange]:
    """Returns the change by which every event of the client calls this program; without a program, none does.

    Raises:
        InvalidInput: the client has no hooks, or its file cannot be changed safely.
    """
    if client not in HOOKED:
        raise InvalidInput(f"{client} has no hooks to stand at; --gates is for {', '.join(HOOKED)}")
    chosen = HOOKED[client]
    path = (project or Path.home()) / PurePath(chosen.file)
    existed, before = read(path)
    try:
        after = _edited(client, chosen, before, _command(program, environment) if program else "")
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}; nothing was changed. Mend it, or add the hooks by hand") from error
    return chosen, FileChange(path=path, before=before, after=after, existed=existed)


def hooks_alone(client: str, command: str) -> dict[str, Any]:
    """Returns the content of the client's file with only these hooks."""
    return jsonc.plain(_edited(client, HOOKED[client], "{}", command))


def _command(program: str, environment: Mapping[str, str]) -> str:
    """Returns the command with the settings of a running server, so that this server answers it."""
    if os.name == "nt":
        return f'"{program}"'
    given = [f"{name}={shlex.quote(value)}" for name, value in sorted(environment.items())]
    return " ".join([*given, shlex.quote(program)])


def _edited(client: str, chosen: HookedClient, text: str, command: str) -> str:
    hooks = jsonc.plain(text).get("hooks", {})
    if not isinstance(hooks, dict):
        raise InvalidInput("'hooks' is not an object")
    if client == "cursor" and command and "version" not in jsonc.plain(text):
        text = jsonc.edited(text, ("version",), 1)
    for event in dict.fromkeys((*chosen.events, *hooks)):
        said = hooks.get(event, [])
        if not isinstance(said, list):
            raise InvalidInput(f"'hooks.{event}' is not a list")
        others = [item for item in said if not _is_ours(item)]
        mine = [_entry(client, f"{command} hook {event}")] if command and event in chosen.events else []
        if [*others, *mine] != said:
            text = jsonc.edited(text, ("hooks", event), [*others, *mine] or None)
    return text


def _entry(client: str, command: str) -> dict[str, Any]:
    if client == "cursor":
        return {"command": command, "timeout": _SECONDS, "failClosed": True}
    hook: dict[str, Any] = {"type": "command", "command": command, "timeout": _SECONDS}
    # Claude Code lets a call go on where a hook fails, unless it is told otherwise.
    return {"hooks": [{**hook, "onFailure": "block"} if client == "claude-code" else hook]}


def _is_ours(entry: object) -> bool:
    inner = entry.get("hooks") if isinstance(entry, dict) else None
    commands = [item.get("command", "") for item in inner or [entry] if isinstance(item, dict)]
    return any(isinstance(command, str) and _OURS in command and _NAME in command for command in commands)
