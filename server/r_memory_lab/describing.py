"""`describe`: the surface as a client shows it to a model, for whoever writes or reviews its texts: names first, then
sentences, and how much room each takes.

Reads the server object; opens nothing.
"""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from r_memory.cli.printing import Answer, on_settings
from r_memory.config.settings import Settings
from r_memory.errors import StoreUnavailable
from r_memory.memory import Memory
from r_memory.serving.tools import surface
from r_memory.serving.tools.offer import Offer

PREFIX = "mcp__r-memory__"
"""Prefix of every name in Claude Code."""
_LIST_BUDGET, _INPUT_BUDGET = 24_000, 12_000
"""Most characters of the list, and of names, descriptions and inputs in it (mcp.md, M-19)."""
_SENTENCE = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Everything that a client gets before the first call."""

    instructions: str
    tools: Sequence[Mapping[str, Any]]
    """Tools as transmitted."""
    prompts: Sequence[Mapping[str, Any]] = ()
    """Prompts as transmitted."""


async def listed(offer: Offer) -> Listed:
    """Returns what a server with this offer lists; its memory is not opened."""

    def never_opened() -> AbstractAsyncContextManager[Memory]:
        raise StoreUnavailable("a description opens no memory")

    server = surface.build(never_opened, offer)
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in await server.list_tools()]
    prompts = [
        prompt.model_dump(mode="json", by_alias=True, exclude_none=True) for prompt in await server.list_prompts()
    ]
    return Listed(instructions=server.instructions or "", tools=tools, prompts=prompts)


def as_model(told: Listed) -> Iterator[str]:
    """Yields lines for people: names, first sentences with sizes and hints, instructions, and totals."""
    width = max(len(tool["name"]) for tool in told.tools)
    yield f"At first ({len(told.tools)} tools, names only, as Claude Code lists them):"
    for tool in told.tools:
        always = "  always loaded" if (tool.get("_meta") or {}).get("anthropic/alwaysLoad") else ""
        yield f"  {PREFIX}{tool['name']}{always}"
    yield ""
    yield "When looked for (first sentence; characters of description, inputs, outputs):"
    for tool in told.tools:
        sizes = (len(tool["description"]), _size(tool["inputSchema"]), _size(tool.get("outputSchema", {})))
        yield f"  {tool['name']:<{width}}  {_hint(tool)}  {' '.join(f'{size:>5}' for size in sizes)}"
        yield f"    {_SENTENCE.split(tool['description'], maxsplit=1)[0]}"
    yield ""
    yield f"Instructions ({len(told.instructions)} characters):"
    yield from (f"  {line}" for line in told.instructions.splitlines())
    yield ""
    whole = _size(list(told.tools))
    inputs = sum(_size({key: tool[key] for key in ("name", "description", "inputSchema")}) for tool in told.tools)
    yield f"Whole list: {whole} of {_LIST_BUDGET} characters; names, descriptions, inputs: {inputs} of {_INPUT_BUDGET}."


def _hint(tool: Mapping[str, Any]) -> str:
    annotations = tool.get("annotations") or {}
    if annotations.get("readOnlyHint"):
        return "reads  "
    return "changes" if annotations.get("destructiveHint") else "writes "


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


@on_settings
def describe(
    settings: Settings,
    read_only: Annotated[bool, typer.Option("--read-only", help="As `serve --read-only` offers it.")] = False,
    audit: Annotated[bool, typer.Option("--audit", help="As `serve --audit` offers it.")] = False,
    hooks: Annotated[bool, typer.Option("--hooks", help="As `serve --hooks` offers it.")] = False,
) -> Answer:
    """Prints what a model reads of this server: names, descriptions, instructions, sizes.

    A client shows names at first, then first sentences, then the rest; it cuts what is too long. No store is opened.
    """
    offer = Offer(read_only=read_only, audit=audit, hooks=hooks).of(settings)
    told = asyncio.run(listed(offer))
    data = {"instructions": told.instructions, "tools": told.tools}
    return Answer(data=data, shown=as_model(told))
