"""Resources: what a host may show beside a conversation. Views of what the tools give, read only.

A subject's two resources change with every write about it; `changed` says so to whoever listens.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from urllib.parse import quote

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources.types import FunctionResource
from pydantic import BaseModel

from r_memory.errors import InvalidInput, RMemoryError, StoreError
from r_memory.facts.recall.rendering import render
from r_memory.memory import Memory
from r_memory.serving.tools import shaping
from r_memory.serving.tools.answers import fitting
from r_memory.serving.tools.calls import Call, callers_memory, client_of, memory_of, shared_by
from r_memory.serving.tools.describing import Part, described
from r_memory.serving.tools.errors import message_of, unavailable_sentence
from r_memory.serving.tools.listing import facts_of
from r_memory.serving.tools.models import DecisionsOut, DocumentOut, FactsOut
from r_memory.serving.tools.strict import StrictServer

CONTEXT, FACTS = "rmemory://subject/{id}/context", "rmemory://subject/{id}/facts"
FACT = "rmemory://fact/{id}"
DECISIONS = "rmemory://conversation/{id}/decisions"
DOCUMENT = "rmemory://document/{id}"
_PARTS: dict[str, tuple[Part, str]] = {
    "schema": ("relations", "Relations and statuses"),
    "intents": ("intents", "Action types and the relations they read"),
    "health": ("health", "How the store is"),
}
_JSON = "application/json"
_DECISIONS = 2_000
"""Newest of the space among which those of a conversation are looked for."""
_CHARS = 20_000
"""Beyond them, lines below the critical ones are left out and counted."""
_EVERYTHING = "Everything that must be known."
"""Stands for a request where nobody asks for anything yet: it opens every row, and is not shown."""


def register(server: StrictServer) -> None:
    """Adds the resources."""
    for name, (part, title) in _PARTS.items():
        server.add_resource(
            FunctionResource(
                uri=f"rmemory://{name}", name=name, title=title, mime_type=_JSON, fn=partial(_part, server, part)
            )
        )
    add = server.resource
    add(CONTEXT, title="What must be known about a subject", mime_type="text/plain")(subject_context)
    add(FACTS, title="Everything recorded about a subject", mime_type=_JSON)(subject_facts)
    add(FACT, title="One fact with its history and evidence", mime_type=_JSON)(fact)
    add(DECISIONS, title="What was decided for each turn of a conversation", mime_type=_JSON)(decisions)
    add(DOCUMENT, title="A document with its summaries", mime_type=_JSON)(document)


async def changed(ctx: Call, subject_id: str) -> None:
    """Tells those who listen to a subject's resources that these have changed."""
    for template in (CONTEXT, FACTS):
        uri = template.replace("{id}", quote(subject_id, safe=""))
        await ctx.notify_resource_updated(uri)
        if uri in shared_by(ctx).watched:
            await ctx.session.send_resource_updated(uri)


async def subject_context(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """Every fact that speaks for a risk, and the outcome along every relation, as the block for a prompt."""
    with _reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        rows = memory.action_types
        reader = client_of(ctx)
        recall = await memory.build_context(_EVERYTHING, subject=id, intents=rows, shown_to=reader, max_chars=_CHARS)
    if recall.unavailable:
        raise ResourceError(unavailable_sentence(recall.unavailable, recall.ask))
    return render(recall, with_query=False)


async def subject_facts(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """The first page of everything recorded about a subject; memory_list_facts gives the next ones."""
    with _reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        return _text(await facts_of(memory, id, (), (), as_of=None, limit=memory.limits.page, cursor=""))


async def fact(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """One fact as it stands, and every event of it, oldest first."""
    with _reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        return _text(await _history(memory, id))


async def decisions(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """What the conversational memory decided for each turn, newest first: gate, candidates with scores, tokens.

    Of every conversation that has this name, about whomever it is; as many as fit.
    """
    with _reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        found = [
            each for each in await memory.talk.conversations.decisions(limit=_DECISIONS) if each.conversation == id
        ]
        if not found:
            raise InvalidInput("no decision about a conversation of this name; list them with completions")
        told = [shaping.decision(each) for each in found]
        shown = told[: fitting(told, room=_CHARS)]
        return _text(DecisionsOut(decisions=shown, omitted=len(told) - len(shown)))


async def document(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """A document that was read: how far, and its summaries from the whole down to its blocks, as many as fit."""
    with _reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        levels = await memory.talk.documents.levels(id)
        (found,) = await memory.talk.documents.known(id)
        return _text(_fitted(shaping.document(found, levels)))


def _fitted(of: DocumentOut) -> DocumentOut:
    shown = of.summaries[: fitting(of.summaries, room=_CHARS)]
    return of.model_copy(update={"summaries": shown, "omitted": len(of.summaries) - len(shown)})


async def _history(memory: Memory, fact_id: str) -> FactsOut:
    events = await memory.history(fact_id)
    subject, found = await memory.find_fact(fact_id)
    return shaping.history(subject, [found], [shaping.event(event) for event in events], total=len(events))


async def _part(server: StrictServer, part: Part) -> str:
    shared = server.shared
    if shared is None:
        raise ResourceError("the server is not running; start it and read again")
    with _reading(shared.ask):
        return _text(described(await (await callers_memory(shared)).describe(), part))


@contextmanager
def _reading(ask: str) -> Iterator[None]:
    """Errors as a reader of resources gets them.

    Raises:
        ResourceNotFoundError: there is no such subject or fact.
        ResourceError: memory could not be read; with the sentence.
    """
    try:
        yield
    except StoreError as error:
        raise ResourceError(unavailable_sentence(str(error), ask)) from error
    except InvalidInput as error:
        raise ResourceNotFoundError(message_of(error)) from error
    except RMemoryError as error:
        raise ResourceError(unavailable_sentence(str(error), ask)) from error


def _text(result: BaseModel) -> str:
    return json.dumps(result.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
