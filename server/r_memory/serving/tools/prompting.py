"""Prompts: whole conversations' beginnings that a person picks in a host that shows them; and completions: what a host
offers while somebody types an argument of a prompt or an address.

Names leak in completions more easily than anywhere: only the caller's own space is looked at, and nothing is offered
when it cannot be read.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated

from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference
from pydantic import Field

from r_memory.domain.blocks import State
from r_memory.domain.facts import Fact
from r_memory.errors import InvalidInput, RMemoryError
from r_memory.facts.recall.rendering import render
from r_memory.memory import Memory
from r_memory.serving.tools.calls import Call, client_of, shared_by
from r_memory.serving.tools.errors import message_of
from r_memory.serving.tools.strict import StrictServer
from r_memory.serving.tools.viewing import CONTEXT, DECISIONS, FACT, FACTS, RECONCILED, everything
from r_memory.text.inert import inert, inert_name
from r_memory.text.unavailable import unavailable_block

Who = Annotated[str, Field(description="Id, or exact name, of whom this is about.")]
Teller = Callable[[Memory, str, str], Awaitable[str]]
"""Given the memory, the subject and who reads."""
_CONFLICTS = 50


def register(server: StrictServer) -> None:
    """Adds the prompts and the completions."""
    add = server.prompt
    add(title="Brief me before anything is done")(safety_briefing)
    add(title="Answer with what is remembered")(answer_with_memory)
    add(title="Ask what was never asked")(intake)
    add(title="Review contradictions")(review_conflicts)
    _add_completions(server)


async def safety_briefing(subject: Who, ctx: Call) -> list[UserMessage]:
    """Everything that must be known about somebody before anything is ordered or advised."""
    return await _messages(ctx, subject, _briefing)


async def answer_with_memory(
    subject: Who, query: Annotated[str, Field(description="The request, unchanged.")], ctx: Call
) -> list[UserMessage]:
    """A request with the context that must stand in front of it."""

    async def whole(memory: Memory, about: str, reader: str) -> str:
        return render(await memory.build_context(query, subject=about, shown_to=reader))

    return await _messages(ctx, subject, whole)


async def intake(subject: Who, ctx: Call) -> list[UserMessage]:
    """The questions that nobody has asked about somebody yet."""
    return await _messages(ctx, subject, _questions)


async def review_conflicts(subject: Who, ctx: Call) -> list[UserMessage]:
    """Facts that somebody asserted and somebody denied, for a person to settle."""
    return await _messages(ctx, subject, _conflicts)


async def _briefing(memory: Memory, subject: str, reader: str) -> str:
    recall = await everything(memory, subject, reader)
    return f"{render(recall, with_query=False)}\nSum up what must be known, most dangerous first; leave nothing out."


async def _questions(memory: Memory, subject: str, reader: str) -> str:
    recall = await everything(memory, subject, reader)
    open_ = [outcome.relation for outcome in recall.outcomes if outcome.state is State.NOT_ASKED]
    asked = [memory.schema.relations[name].question for name in open_ if name in memory.schema.relations]
    questions = [f"- {question}" for question in asked if question]
    if not questions:
        return f"Everything that the schema asks about was asked of {inert_name(recall.subject.name)} before."
    told = f"Ask {inert_name(recall.subject.name)} these questions, one at a time, and store each answer in the words "
    return "\n".join([f"{told}it was given in, with memory_remember:", *questions])


async def _conflicts(memory: Memory, subject: str, _: str) -> str:
    page = await memory.list_facts(subject=subject)
    found = [fact for fact in page.facts if fact.contradicted][:_CONFLICTS]
    if not found:
        return f"Nothing that is recorded about {inert_name(page.subject.name)} is contradicted."
    told = "Each of these was asserted and denied. Ask the person which holds, then call memory_change_fact:"
    return "\n".join([told, *map(_dispute, found)])


def _dispute(fact: Fact) -> str:
    return (
        f"- {fact.relation} {inert_name(fact.object.name)}: {fact.status.value}; said by {inert_name(fact.speaker)}: "
        f'"{inert(fact.evidence)}" (fact {fact.fact_id}, version {fact.last_seq})'
    )


async def _messages(ctx: Call, subject: str, tell: Teller) -> list[UserMessage]:
    """The text as a message of the person; what keeps memory from being read is said in its place, never left out."""
    try:
        return [UserMessage(await tell(await shared_by(ctx).of_caller(), subject, client_of(ctx)))]
    except InvalidInput as error:
        return [UserMessage(f"The memory could not be asked: {inert(message_of(error))}")]
    except RMemoryError as error:
        return [UserMessage(unavailable_block(str(error), shared_by(ctx).ask))]


# --- completions -----------------------------------------------------------------------------------------------------


_NAMES = 1_000
"""Newest conversations among which one is looked for."""
MOST = 100
"""Values in one answer, as the protocol has it."""
_SUBJECT, _CONVERSATION, _FACT = "subject", "conversation", "fact"
_KINDS = {CONTEXT: _SUBJECT, FACTS: _SUBJECT, RECONCILED: _SUBJECT, FACT: _FACT, DECISIONS: _CONVERSATION}
"""What kind of value the id in an address is; that of a document is nothing that anybody types."""


def _add_completions(server: StrictServer) -> None:
    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the SDK's decorator has no types
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        if server.shared is None:
            return None
        try:
            kind = _KINDS.get(ref.uri, "") if isinstance(ref, ResourceTemplateReference) else argument.name
            values = await _values(await server.shared.of_caller(), kind, context)
        except RMemoryError:
            return None
        typed = argument.value.casefold()
        found = sorted(value for value in values if value.casefold().startswith(typed))
        return Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST)


async def _values(memory: Memory, kind: str, context: CompletionContext | None) -> Iterable[str]:
    if kind == _SUBJECT:
        return [inert_name(subject.id) for subject in await memory.subjects()]
    subject = (context.arguments or {}).get(_SUBJECT, "") if context is not None else ""
    if kind == _CONVERSATION:
        about = (await memory.find_subject(subject)).uid if subject else ""
        return [inert(name) for name in await memory.talk.conversations.names(subject_uid=about, limit=_NAMES)]
    if kind == _FACT and subject:
        return [fact.fact_id for fact in (await memory.list_facts(subject=subject)).facts]
    return []
