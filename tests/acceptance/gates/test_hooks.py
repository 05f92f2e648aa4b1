"""Hooks as the clients call them: a process, an event on standard input, an answer in the client's own form."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from r_memory.gates.hooks import Sessions, answer
from tests.acceptance.conftest import Installation, begun_in
from tests.acceptance.gates.conftest import BAD, GOOD, INTAKE, REQUEST, Gated
from tests.acceptance.gates.test_proxy import PLAIN
from tests.acceptance.shell import Shell
from tests.acceptance.wire import PATIENCE
from tests.warm_starts import SCRIPT

CLAUDE = {"session_id": "s1", "transcript_path": "/none", "cwd": "/", "permission_mode": "default"}
CODEX = {**CLAUDE, "turn_id": "t1", "model": "gpt"}
CURSOR = {"conversation_id": "c1", "generation_id": "g1", "cursor_version": "2", "workspace_roots": []}
ORDER = {"item": "Amoxicillin", "dose": "500 mg", "patient_id": "JD001"}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One person's own assistant, with a running server, beside which hooks are answered."""
    folder = tmp_path_factory.mktemp("hooks")
    made = begun_in(folder).with_settings(cache_dir=str(folder / "cache"))
    Shell(installation=made).json("remember", INTAKE, "-s", "JD001", "--subject-name", "John Doe")
    own = made.with_settings(single_subject="JD001")
    with own.wire() as server:
        server.handshake()
        server.call("memory_list_facts", subject="JD001")
        yield own


def hook(installation: Installation, event: str, data: Mapping[str, Any] | bytes) -> tuple[dict[str, Any], int, str]:
    """What the hook prints, its exit code, and what it says on standard error."""
    given = data if isinstance(data, bytes) else json.dumps({**data, "hook_event_name": event}).encode()
    done = subprocess.run(
        [SCRIPT, "hook", event],
        input=given,
        env=installation.environment,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert b"Traceback" not in done.stderr
    return json.loads(done.stdout or b"{}"), done.returncode, done.stderr.decode()


def test_every_client_is_told_at_the_start_who_this_is_about_and_what_is_critical(installation: Installation) -> None:
    for source in ("startup", "compact"):
        told, code, _ = hook(installation, "SessionStart", {**CLAUDE, "source": source})
        context = told["hookSpecificOutput"]["additionalContext"]
        assert (code, told["hookSpecificOutput"]["hookEventName"]) == (0, "SessionStart")
        assert "John Doe" in context
        assert "allergic to Penicillin" in context
    told, _, _ = hook(installation, "sessionStart", CURSOR)
    assert "allergic to Penicillin" in told["additional_context"]


def test_before_the_prompt_the_block_is_added(installation: Installation) -> None:
    told, code, _ = hook(installation, "UserPromptSubmit", {**CODEX, "prompt": REQUEST})
    assert code == 0
    assert told["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "bears on this request" in told["hookSpecificOutput"]["additionalContext"]
    assert hook(installation, "beforeSubmitPrompt", {**CURSOR, "prompt": REQUEST})[0] == {"continue": True}


@pytest.mark.anyio
async def test_prompts_do_not_lengthen_the_blocks_that_follow(world: Gated, tmp_path: Path) -> None:
    async def block(words: str) -> list[str]:
        given = json.dumps({**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": words}).encode()
        found = await answer("UserPromptSubmit", given, world.gates, Sessions(tmp_path))
        lines = found.data["hookSpecificOutput"]["additionalContext"].splitlines()
        return [line for line in lines if "Checked 20" not in line and "Receipt" not in line]

    empty = await block("Whom does John Doe call?")
    for words in PLAIN:
        await block(words)
    assert await block("Whom does John Doe call?") == empty


def test_a_call_of_a_tool_that_orders_what_stands_on_record_is_denied(installation: Installation) -> None:
    call = {"tool_name": "mcp__clinic__order_medication", "tool_input": ORDER}
    for client in (CLAUDE, CODEX):
        told, code, _ = hook(installation, "PreToolUse", {**client, **call})
        said = told["hookSpecificOutput"]
        assert (code, said["permissionDecision"]) == (0, "deny")
        assert "allergic to Penicillin" in said["permissionDecisionReason"]
    told, _, _ = hook(installation, "preToolUse", {**CURSOR, **call})
    assert told["permission"] == "deny"
    harmless = {"tool_name": "Bash", "tool_input": {"command": "ls -la", "description": "Lists files"}}
    assert hook(installation, "PreToolUse", {**CLAUDE, **harmless})[:2] == ({}, 0)


def test_a_bad_answer_is_handed_back_once_and_then_shown(installation: Installation) -> None:
    stop = {**CLAUDE, "stop_hook_active": False, "last_assistant_message": BAD}
    told, _, _ = hook(installation, "Stop", stop)
    assert told["decision"] == "block"
    assert "allergic to Penicillin" in told["reason"]
    told, _, _ = hook(installation, "Stop", {**stop, "stop_hook_active": True})
    assert "decision" not in told
    assert "allergic to Penicillin" in told["systemMessage"]
    assert hook(installation, "Stop", {**stop, "last_assistant_message": "Rest well."})[0] == {}


def test_cursor_gets_the_objection_as_the_next_message_once(installation: Installation) -> None:
    assert hook(installation, "afterAgentResponse", {**CURSOR, "text": BAD})[0] == {}
    told, _, _ = hook(installation, "stop", {**CURSOR, "status": "completed", "loop_count": 0})
    assert "allergic to Penicillin" in told["followup_message"]
    assert hook(installation, "stop", {**CURSOR, "status": "completed", "loop_count": 1})[0] == {}
    assert GOOD not in str(told)


@pytest.mark.parametrize(
    ("event", "given"),
    [
        ("PreToolUse", b""),
        ("PreToolUse", b"not json"),
        ("PreToolUse", b"[1]"),
        ("PreToolUse", b"{" + b" " * 10_000_000 + b"}"),
        ("PreToolUse", json.dumps({**CURSOR, "hook_event_name": "preToolUse", "tool_name": "x"}).encode()),
        ("UserPromptSubmit", json.dumps({**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": "x"}).encode()),
        ("Stop", json.dumps({"hook_event_name": "Stop"}).encode()[:-3]),
        ("NoSuchEvent", b"{}"),
    ],
)
def test_what_a_hook_does_not_understand_stops_the_client(installation: Installation, event: str, given: bytes) -> None:
    """Nothing, 10 MB, another client's form: exit code 2 by which all three clients stop, and a sentence."""
    told, code, said = hook(installation, event, given)
    assert (told, code) == ({}, 2)
    assert said.startswith("SAFETY MEMORY UNAVAILABLE: the hook ")


def test_a_session_that_begins_with_nonsense_goes_on_and_is_told(installation: Installation) -> None:
    told, code, _ = hook(installation, "SessionStart", b"")
    assert code == 0
    assert "SAFETY MEMORY UNAVAILABLE" in told["hookSpecificOutput"]["additionalContext"]


def test_without_a_store_a_tool_call_is_stopped_or_let_through_with_a_word_as_the_policy_says(
    installation: Installation,
    tmp_path: Any,  # noqa: ANN401 - a path
) -> None:
    gone = installation.with_settings(store_uri="bolt://127.0.0.1:1", store_password="x" * 8, read_timeout_s="1")
    call = {**CLAUDE, "tool_name": "order", "tool_input": ORDER}
    told, code, said = hook(gone, "PreToolUse", call)
    assert (told, code) == ({}, 2)
    assert "SAFETY MEMORY UNAVAILABLE" in said
    (tmp_path / "gates.yaml").write_text("version: 1\nunavailable: annotate\n", encoding="utf-8")
    told, code, _ = hook(gone.with_settings(home=str(tmp_path)), "PreToolUse", call)
    assert code == 0
    assert "SAFETY MEMORY UNAVAILABLE" in told["systemMessage"]


def test_beside_a_server_a_hook_loads_neither_the_command_line_nor_a_memory() -> None:
    """A client of the standard library alone: what it loads decides how quick it is."""
    code = (
        "import sys, r_memory.cli, r_memory.gates.calling; "
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'typer', 'pydantic', 'yaml', 'numpy', 'mcp', "
        "'asyncio', 'typing', 'pathlib', 'dataclasses', 'json', 're', 'inspect', 'importlib.metadata', 'contextlib'}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
