"""Completions: what a host offers while somebody types an argument of a prompt or an address.

Names leak here more easily than anywhere: only the caller's own space is looked at, and nothing is offered when it
cannot be read.
"""

from collections.abc import Iterable

from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from r_memory.errors import RMemoryError
from r_memory.memory import Memory
from r_memory.serving.tools.calls import callers_memory
from r_memory.serving.tools.strict import StrictServer
from r_memory.serving.tools.viewing import DECISIONS, FACT
from r_memory.text.inert import inert, inert_name

_NAMES = 1_000
"""Newest conversations among which one is looked for."""
MOST = 100
"""Values in one answer, as the protocol has it."""
_SUBJECT, _CONVERSATION = "subject", "conversation_id"


def register(server: StrictServer) -> None:
    """Adds the completions."""

    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        if server.shared is None:
            return None
        try:
            values = await _values(await callers_memory(server.shared), _kind(ref, argument), context)
        except RMemoryError:
            return None
        return _beginning(values, argument.value)

    server.on_completion(complete)


def _kind(ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument) -> str:
    """What kind of value the argument takes."""
    if isinstance(ref, ResourceTemplateReference):
        return {FACT: "fact_id", DECISIONS: _CONVERSATION}.get(ref.uri, _SUBJECT)
    return argument.name


async def _values(memory: Memory, kind: str, context: CompletionContext | None) -> Iterable[str]:
    if kind == _SUBJECT:
        return [inert_name(subject.id) for subject in await memory.subjects()]
    if kind == "relation":
        return memory.schema.relations
    if kind == "intent":
        return memory.action_types
    subject = (context.arguments or {}).get(_SUBJECT, "") if context is not None else ""
    if kind == _CONVERSATION:
        about = (await memory.find_subject(subject)).uid if subject else ""
        return [inert(name) for name in await memory.talk.conversations.names(subject_uid=about, limit=_NAMES)]
    if kind == "fact_id" and subject:
        return [fact.fact_id for fact in (await memory.list_facts(subject=subject)).facts]
    return []


def _beginning(values: Iterable[str], typed: str) -> Completion:
    found = sorted(value for value in values if value.casefold().startswith(typed.casefold()))
    return Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST)
