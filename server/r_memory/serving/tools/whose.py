"""Asks the person at the host for whom a request or a draft is, where its words name somebody else than the call does.

Knows only whom the words name; nothing of what is recorded. Where nobody can be asked, or nobody answers, the call
goes on about whom it named, and its result says `SUBJECT-MISMATCH`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult
from pydantic import BaseModel, Field, create_model

from r_memory.domain.blocks import Recall
from r_memory.errors import SubjectAmbiguous
from r_memory.facts.recall.rendering import called
from r_memory.memory import Memory
from r_memory.serving.tools.calls import Call, memory_for, shows_forms
from r_memory.text.inert import inert_name


class WhoseAnswer(BaseModel):
    """What a person answers."""

    subject: str


async def whose_request(
    ctx: Call, *, query: str, subject: str, subjects: Sequence[str], conversation_id: str
) -> WhoseAnswer | Elicit[WhoseAnswer]:
    """Returns for whom a request is, or the question for the person at the host.

    A conversation, which is about one person, and a request for several need no question.

    Without side effects, and the same for the same words and people: it runs again in each round.
    """
    return WhoseAnswer(subject=subject) if conversation_id or subjects else await _whose(ctx, query, subject)


async def whose_draft(
    ctx: Call, *, text: str, subject: str, subjects: Sequence[str]
) -> WhoseAnswer | Elicit[WhoseAnswer]:
    """Returns for whom a draft is, or the question for the person at the host."""
    return WhoseAnswer(subject=subject) if subjects else await _whose(ctx, text, subject)


def chosen(answer: ElicitationResult[WhoseAnswer], subject: str) -> str:
    """Whom a person chose, or else whom the call named."""
    return answer.data.subject if isinstance(answer, AcceptedElicitation) else subject


async def as_chosen(memory: Memory, recall: Recall, whose: str, subject: str) -> Recall:
    """The recall, which says so where a person chose somebody else than the call named."""
    if not subject or whose == subject:
        return recall
    named = await memory.find_subject(subject)
    if named == recall.subject:
        return recall
    return replace(recall, addressed=replace(recall.addressed, instead_of=named))


async def _whose(ctx: Call, words: str, subject: str) -> WhoseAnswer | Elicit[WhoseAnswer]:
    if not shows_forms(ctx):
        return WhoseAnswer(subject=subject)
    async with memory_for(ctx) as memory:
        if len(words) > memory.limits.message:
            return WhoseAnswer(subject=subject)
        told, choices = await _choices(memory, words, subject)
    if len(choices) < 2:
        return WhoseAnswer(subject=subject)
    return Elicit(f"{told} For whom is it?", _form(choices))


async def _choices(memory: Memory, words: str, subject: str) -> tuple[str, Mapping[str, str]]:
    """What there is to decide, and what means each of those whom it may be about, to how they are shown."""
    try:
        about, addressed = await memory.addressed(subject, words)
    except SubjectAmbiguous as error:
        people = {word: await memory.find_subject(word) for word in error.candidates}
        shown = {word: called(person) for word, person in people.items()}
        return f"This may be about {' or '.join(shown.values())}.", shown
    others = (*addressed.others, *addressed.namesakes)
    shown = {other.id: called(other) for other in (about, *others)}
    return f"The words name {' and '.join(map(called, others))}, and the call is about {called(about)}.", shown


def _form(choices: Mapping[str, str]) -> type[WhoseAnswer]:
    """A form with one choice, its values with the names that belong to them."""
    of = ", ".join(f"{inert_name(word)}: {name}" for word, name in choices.items())
    # A type that is made at run time is no form that mypy knows.
    one: Any = (Literal[tuple(choices)], Field(title="Whose facts", description=of))
    return create_model("WhoseAnswer", __base__=WhoseAnswer, subject=one)
