"""Hooks of Claude Code, Codex and Cursor: what a client's event means, and the answer in that client's form.

Forms as their documentation gives them: code.claude.com/docs/en/hooks, the schemas of openai/codex
(codex-rs/hooks/schema), cursor.com/docs/hooks. An input that is not of an event's form is not understood, and the
policy says what then: where a client can be stopped, `unavailable: stop` stops it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from r_memory.config.files import write_whole
from r_memory.domain.blocks import digest
from r_memory.domain.facts import Entity
from r_memory.domain.gates import gravest, withheld
from r_memory.errors import InvalidInput, RMemoryError
from r_memory.gates.calling import MOST_INPUT
from r_memory.gates.gates import GateJudgement, Gates
from r_memory.gates.proxy.requests import text_of
from r_memory.gates.sluice import gravest_of
from r_memory.gates.toolcalls import is_own, words_of
from r_memory.memory import Memory
from r_memory.text.unavailable import unavailable_sentence

Kind = Literal["session", "prompt", "tool", "answer", "end"]
EVENTS: Mapping[str, Kind] = {
    "SessionStart": "session",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool",
    "Stop": "answer",
    "SubagentStop": "answer",
    "sessionStart": "session",
    "beforeSubmitPrompt": "prompt",
    "preToolUse": "tool",
    "afterAgentResponse": "answer",
    "stop": "end",
}
"""Event names to their kinds. Names in small letters at the start are Cursor's, and tell the form of the answer."""
_ROOM = 9_000
"""Most characters of a text; from 10 000 on Claude Code writes it to a file that the model may not open."""
_MOST_SUBJECTS = 3
_BLOCKED = 2
"""Exit code by which a hook stops all three clients."""


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """The output and exit code of a hook."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """JSON for standard output; empty: nothing is added."""
    code: int = 0
    said: str = ""
    """Text for standard error: the reason of a stop without a JSON form."""

    @property
    def printed(self) -> tuple[int, bytes, bytes]:
        """Exit code, standard output and standard error."""
        out = f"{json.dumps(self.data)}\n" if self.data else ""
        return self.code, out.encode(), f"{self.said}\n".encode() if self.said else b""


class Sessions:
    """Keeps the subjects of a client's session between events, and an objection that is shown later."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, session: str) -> dict[str, Any]:
        """Returns what was kept for the session; empty if it is unknown."""
        try:
            kept: dict[str, Any] = json.loads(self._path(session).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return kept

    def write(self, session: str, **said: object) -> None:
        """Adds values to a session; does nothing if the folder cannot be written."""
        path = self._path(session)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, json.dumps({**self.read(session), **said}))
        except OSError:
            return

    def _path(self, session: str) -> Path:
        return self._folder / f"{digest(session)[:32]}.json"


def not_understood(event: str, why: str, ask: str, *, stops: bool) -> HookAnswer:
    """Returns the answer to an event that cannot be read, or for which the memory is unavailable.

    `stops`: the policy stops the client then.
    """
    sentence, kind = unavailable_sentence(why, ask), EVENTS.get(event, "tool")
    if kind in {"session", "end"} or not stops:
        return _with_context(event, sentence)
    return HookAnswer(code=_BLOCKED, said=sentence)


def parsed(event: str, given: bytes) -> Mapping[str, Any]:
    """Returns the input of an event.

    Raises:
        InvalidInput: the event is unknown, or the input is not in its form; the message does not repeat it.
    """
    if event not in EVENTS:
        raise InvalidInput(f"the hook has no event of this name; known: {', '.join(EVENTS)}")
    if len(given) > MOST_INPUT:
        raise InvalidInput(f"the hook was given more than {MOST_INPUT // 2**20} MB")
    try:
        data = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the hook was given nothing that is JSON") from error
    if not isinstance(data, dict) or data.get("hook_event_name", event) != event:
        raise InvalidInput("the hook was given the form of another event or client")
    needed = {"prompt": "prompt", "tool": "tool_name"}.get(EVENTS[event])
    if needed and not isinstance(data.get(needed), str):
        raise InvalidInput(f"the hook was given no `{needed}`")
    return data


async def answered(event: str, data: Mapping[str, Any], gates: Gates, sessions: Sessions) -> HookAnswer:
    """Returns the answer to one event."""
    session = str(data.get("session_id") or data.get("conversation_id") or "")
    kind = EVENTS[event]
    if kind == "end":
        return _handed_over(data, session, sessions)
    memory = await gates.memory()
    words = _words(kind, data, gates.policy.no_content)
    subjects = await _about(memory, words, session, sessions)
    shown_to = f"hook {event} {session}".strip()
    if kind in {"session", "prompt"}:
        return await _told(event, words, subjects, gates, shown_to)
    if not words.strip() or (kind == "tool" and is_own(str(data.get("tool_name")))):
        return HookAnswer()
    gate: Literal["tool", "after"] = "tool" if kind == "tool" else "after"
    judged = [await gates.after(words, subject=item, gate=gate, shown_to=shown_to) for item in subjects]
    worst = gravest_of(judged)
    if worst is None or worst.decision in {"pass", "note"}:
        return HookAnswer()
    return _tool_answer(event, data, worst) if kind == "tool" else _objected(event, data, worst, session, sessions)


def _words(kind: Kind, data: Mapping[str, Any], no_content: frozenset[str]) -> str:
    if kind == "prompt":
        return str(data["prompt"])
    if kind == "tool":
        return words_of(data.get("tool_input"), no_content)
    if kind == "answer":
        said = data.get("last_assistant_message") or data.get("text")
        return said if isinstance(said, str) else _last_said(data.get("transcript_path"))
    return ""


def _last_said(path: object) -> str:
    """Returns the assistant's last words from the transcript, for events that do not hold them."""
    if not isinstance(path, str) or not (file := Path(path).expanduser()).is_file():
        return ""
    for line in reversed(file.read_text(encoding="utf-8", errors="replace").splitlines()[-200:]):
        try:
            message = json.loads(line).get("message") or {}
        except (ValueError, AttributeError):
            continue
        if message.get("role") == "assistant" and (said := text_of(message.get("content"))):
            return said
    return ""


async def _about(memory: Memory, words: str, session: str, sessions: Sessions) -> Sequence[Entity]:
    """Returns the subjects of an event: of a personal installation, of the words, and those of earlier events."""
    if memory.facts.subjects.single:
        return [await memory.find_subject("")]
    named = {each.id: each for each, _ in await memory.subjects_named(words)} if words.strip() else {}
    before = [id_ for id_ in sessions.read(session).get("subjects", ()) if id_ not in named]
    found = [*named.values()]
    for id_ in before:
        try:
            found.append(await memory.find_subject(id_))
        except InvalidInput:
            continue  # erased meanwhile
    if session and named:
        sessions.write(session, subjects=[item.id for item in found][: 2 * _MOST_SUBJECTS])
    return found


async def _told(event: str, words: str, subjects: Sequence[Entity], gates: Gates, shown_to: str) -> HookAnswer:
    """Returns the blocks of the subjects; it only reads, as the model stores the words."""
    shown, rest = subjects[:_MOST_SUBJECTS], subjects[_MOST_SUBJECTS:]
    if not shown:
        return HookAnswer()
    room = _ROOM // len(shown)
    found = [
        await gates.before(words, subject=entity, shown_to=shown_to, store=False, max_chars=room) for entity in shown
    ]
    more = [f"NOT SHOWN, and meant as well: {', '.join(entity.id for entity in rest)}"] if rest else []
    block = "\n".join([*(item.block for item in found), *more])
    if EVENTS[event] == "prompt" and withheld(gravest([item.decision for item in found])):
        own = {"continue": False, "user_message": block}
        return HookAnswer(own if event[:1].islower() else {"decision": "block", "reason": block})
    return _with_context(event, block)


def _with_context(event: str, text: str) -> HookAnswer:
    """Returns the text where the model reads it; Cursor takes it only at the start of a session."""
    if event == "sessionStart":
        return HookAnswer({"additional_context": text})
    if event == "beforeSubmitPrompt":
        return HookAnswer({"continue": True})
    if EVENTS.get(event) in {"session", "prompt"}:
        return HookAnswer({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    return HookAnswer({"systemMessage": text} if event[:1].isupper() else {"permission": "allow", "user_message": text})


def _tool_answer(event: str, data: Mapping[str, Any], judged: GateJudgement) -> HookAnswer:
    """Returns the answer that stops a tool call.

    `hold` asks a person in Claude Code; the other clients are stopped, as their "ask" would let the call go on.
    """
    if not withheld(judged.decision):
        return _with_context(event, judged.message)
    if event[:1].islower():
        return HookAnswer({"permission": "deny", "user_message": judged.message, "agent_message": judged.message})
    is_codex = "turn_id" in data
    decision = "ask" if judged.decision == "hold" and not is_codex else "deny"
    said = {"permissionDecision": decision, "permissionDecisionReason": judged.message}
    return HookAnswer({"hookSpecificOutput": {"hookEventName": event, **said}})


def _objected(
    event: str, data: Mapping[str, Any], judged: GateJudgement, session: str, sessions: Sessions
) -> HookAnswer:
    """Returns an answer to the model for correction once; the second time the person sees the objection."""
    if event[:1].islower():
        if withheld(judged.decision):
            sessions.write(session, objection=judged.message)
        return HookAnswer()
    if withheld(judged.decision) and not data.get("stop_hook_active"):
        return HookAnswer({"decision": "block", "reason": _mend(judged.message)})
    return HookAnswer({"systemMessage": judged.message})


def _mend(message: str) -> str:
    return f"What you just said does not agree with the record. Say so and correct it.\n{message}"


def _handed_over(data: Mapping[str, Any], session: str, sessions: Sessions) -> HookAnswer:
    """Returns the objection to the answer before, once, at the end of a turn in Cursor."""
    objection = sessions.read(session).get("objection")
    sessions.write(session, objection="")
    if not objection or data.get("loop_count"):
        return HookAnswer()
    return HookAnswer({"followup_message": _mend(str(objection))})


async def answer(event: str, given: bytes, gates: Gates, sessions: Sessions) -> HookAnswer:
    """Returns the answer to any input of a client, in its form; never raises for an unreadable input or memory."""
    stops = gates.policy.unavailable == "stop"
    try:
        return await answered(event, parsed(event, given), gates, sessions)
    except (RMemoryError, TimeoutError, OSError) as error:
        return not_understood(event, str(error) or "the store did not answer in time", gates.ask, stops=stops)
