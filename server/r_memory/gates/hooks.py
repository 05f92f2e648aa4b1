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
"""Events by their names, which also tell the form: Cursor's begin small."""
_ROOM = 9_000
"""Characters; above 10 000 Claude Code writes the text to a file that the model may not open."""
_MOST_SUBJECTS = 3
_BLOCKED = 2
"""The exit code by which all three clients are stopped."""


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What a hook prints and how it ends."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """For standard output; empty: nothing is added."""
    code: int = 0
    said: str = ""
    """For standard error: the reason of a stop that no form could carry."""

    @property
    def printed(self) -> tuple[int, bytes, bytes]:
        """Exit code, standard output and standard error."""
        out = f"{json.dumps(self.data)}\n" if self.data else ""
        return self.code, out.encode(), f"{self.said}\n".encode() if self.said else b""


class Sessions:
    """What a client's session was about, between its events: ids, and an objection that waits to be handed over."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, session: str) -> dict[str, Any]:
        """What was kept; nothing of a session that nobody knows."""
        try:
            kept: dict[str, Any] = json.loads(self._path(session).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return kept

    def write(self, session: str, **said: object) -> None:
        """Keeps something more; a folder that cannot be written keeps nothing."""
        path = self._path(session)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, json.dumps({**self.read(session), **said}))
        except OSError:
            return

    def _path(self, session: str) -> Path:
        return self._folder / f"{digest(session)[:32]}.json"


def not_understood(event: str, why: str, ask: str, *, stops: bool) -> HookAnswer:
    """The answer where an event could not be read, or no memory for it; `stops` says whether the policy then stops."""
    sentence, kind = unavailable_sentence(why, ask), EVENTS.get(event, "tool")
    if kind in {"session", "end"} or not stops:
        return _with_context(event, sentence)
    return HookAnswer(code=_BLOCKED, said=sentence)


def parsed(event: str, given: bytes) -> Mapping[str, Any]:
    """The input of an event.

    Raises:
        InvalidInput: it is none of this event; what was given is not repeated.
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
    """The answer to one event."""
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
    judged = [await gates.after(words, subject=one, gate=gate, shown_to=shown_to) for one in subjects]
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
    """The last words of the assistant in a transcript, where the event does not hold them."""
    if not isinstance(path, str) or not (file := Path(path).expanduser()).is_file():
        return ""
    for line in reversed(file.read_text(encoding="utf-8", errors="replace").splitlines()[-200:]):
        try:
            message = json.loads(line).get("message") or {}
        except (ValueError, AttributeError):
            continue
        if message.get("role") == "assistant":
            content = message.get("content")
            parts = content if isinstance(content, list) else [{"text": content}]
            texts = [one["text"] for one in parts if isinstance(one, dict) and isinstance(one.get("text"), str)]
            if texts:
                return "\n".join(texts)
    return ""


async def _about(memory: Memory, words: str, session: str, sessions: Sessions) -> Sequence[Entity]:
    """Whom an event is about: the one of a personal installation, whoever the words name, and those of before."""
    if memory.facts.subjects.single:
        return [await memory.find_subject("")]
    named = {one.id: one for one, _ in await memory.subjects_named(words)} if words.strip() else {}
    before = [id_ for id_ in sessions.read(session).get("subjects", ()) if id_ not in named]
    found = [*named.values()]
    for id_ in before:
        try:
            found.append(await memory.find_subject(id_))
        except InvalidInput:
            continue  # erased meanwhile
    if session and named:
        sessions.write(session, subjects=[one.id for one in found][: 2 * _MOST_SUBJECTS])
    return found


async def _told(event: str, words: str, subjects: Sequence[Entity], gates: Gates, shown_to: str) -> HookAnswer:
    """The block of whoever it is about; reading only, as the model is the one to remember."""
    shown, rest = subjects[:_MOST_SUBJECTS], subjects[_MOST_SUBJECTS:]
    if not shown:
        return HookAnswer()
    room = _ROOM // len(shown)
    found = [await gates.before(words, subject=one, shown_to=shown_to, store=False, max_chars=room) for one in shown]
    more = [f"NOT SHOWN, and meant as well: {', '.join(one.id for one in rest)}"] if rest else []
    block = "\n".join([*(one.block for one in found), *more])
    if EVENTS[event] == "prompt" and withheld(gravest([one.decision for one in found])):
        return HookAnswer(_refused_prompt(event, block))
    return _with_context(event, block)


def _with_context(event: str, text: str) -> HookAnswer:
    """The text where the model reads it; Cursor takes one at the start of a session only."""
    if event == "sessionStart":
        return HookAnswer({"additional_context": text})
    if event == "beforeSubmitPrompt":
        return HookAnswer({"continue": True})
    if EVENTS.get(event) in {"session", "prompt"}:
        return HookAnswer({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    return HookAnswer({"systemMessage": text} if event[:1].isupper() else {"permission": "allow", "user_message": text})


def _refused_prompt(event: str, why: str) -> Mapping[str, Any]:
    return {"continue": False, "user_message": why} if event[:1].islower() else {"decision": "block", "reason": why}


def _tool_answer(event: str, data: Mapping[str, Any], judged: GateJudgement) -> HookAnswer:
    """A call that does not go on; `hold` asks a person in Claude Code. In the others an "ask" would let it go on."""
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
    """An answer handed back to be mended once; the second time the objection is shown to the person."""
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
    """Cursor's end of a turn: the objection of the answer before it, once."""
    objection = sessions.read(session).get("objection")
    sessions.write(session, objection="")
    if not objection or data.get("loop_count"):
        return HookAnswer()
    return HookAnswer({"followup_message": _mend(str(objection))})


async def answer(event: str, given: bytes, gates: Gates, sessions: Sessions) -> HookAnswer:
    """The answer to whatever a client sent, in its form; never a stack."""
    stops = gates.policy.unavailable == "stop"
    try:
        return await answered(event, parsed(event, given), gates, sessions)
    except (RMemoryError, TimeoutError, OSError) as error:
        return not_understood(event, str(error) or "the store did not answer in time", gates.ask, stops=stops)
