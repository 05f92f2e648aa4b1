"""Hooks of clients written and taken out: only ours, twice the same, everything else as it was."""

import json
from pathlib import Path

import pytest

from r_memory.cli.installing.gates import HOOKED, hooked
from r_memory.errors import InvalidInput
from r_memory.gates.hooks import EVENTS

PROGRAM = "/opt/my tools/r-memory"
ENVIRONMENT = {"R_MEMORY_SINGLE_SUBJECT": "john doe"}


def written(client: str, project: Path, program: str = PROGRAM) -> str:
    chosen, change = hooked(client, program, ENVIRONMENT, project)
    change.path.parent.mkdir(exist_ok=True)
    change.path.write_text(change.after, encoding="utf-8")
    assert change.path == project / chosen.file
    return change.after


@pytest.mark.parametrize("client", sorted(HOOKED))
def test_each_event_calls_the_command_once_however_often_it_is_installed(client: str, tmp_path: Path) -> None:
    first = written(client, tmp_path)
    assert written(client, tmp_path) == first
    hooks = json.loads(first)["hooks"]
    assert sorted(hooks) == sorted(HOOKED[client].events)
    for event, entries in hooks.items():
        [entry] = entries
        [command] = [item["command"] for item in entry.get("hooks", [entry])]
        assert command == f"R_MEMORY_SINGLE_SUBJECT='john doe' '{PROGRAM}' hook {event}"
        assert event in EVENTS


@pytest.mark.parametrize("client", sorted(HOOKED))
def test_hooks_of_others_and_comments_stay_when_ours_come_and_go(client: str, tmp_path: Path) -> None:
    event = HOOKED[client].events[0]
    path = tmp_path / HOOKED[client].file
    path.parent.mkdir()
    before = f'{{\n  // mine\n  "model": "x",\n  "version": 1,\n  "hooks": {{"{event}": [{{"command": "lint"}}]}}\n}}\n'
    path.write_text(before, encoding="utf-8")
    with_ours = written(client, tmp_path)
    assert "// mine" in with_ours
    assert '"command": "lint"' in with_ours
    without = written(client, tmp_path, program="")
    assert "// mine" in without
    assert "r-memory" not in without
    assert '"command": "lint"' in without


def test_a_client_without_hooks_and_a_file_of_another_form_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="claude-code, codex, cursor"):
        hooked("zed", PROGRAM, {}, tmp_path)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "hooks.json").write_text('{"hooks": {"Stop": "x"}}', encoding="utf-8")
    with pytest.raises(InvalidInput, match="nothing was changed"):
        hooked("codex", PROGRAM, {}, tmp_path)
