"""`docs/reference/tools.md`: every tool, resource and prompt with all of its parts, from the server object itself.

`python -m scripts.tool_reference` writes the page; a test compares it. Opens no store.
"""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer

from r_memory.errors import StoreUnavailable
from r_memory.serving.tools import surface
from r_memory.serving.tools.offer import Offer
from r_memory.serving.tools.schemas import closed_input
from r_memory.serving.tools.strict import StrictServer

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "tools.md"
_HEAD = """\
# Tools, resources and prompts

Made by `python -m scripts.tool_reference` from the server itself; a test compares.
A list of tools names the parts of a result without words, and arguments without lengths, since clients have little
room for it: here they all stand.
The description of `memory_remember` ends with the card of the domain: what facts there are (`r-memory describe`).
Fields that hold their default are left out of a result: absent means none.
`--audit` adds `memory_run_audit`, `--hooks` adds `memory_hook_context`, `--read-only` leaves out whatever writes.
Schemas whose relations say `across`, such as law and finance, add `memory_check_across`.
In a single-subject installation `subject` may be left out everywhere.
"""
_BOUNDS = (("minLength", "≥ {} characters"), ("maxLength", "≤ {} characters"), ("minimum", "≥ {}"), ("maximum", "≤ {}"))
_ITEMS = (("minItems", "≥ {} items"), ("maxItems", "≤ {} items"), ("maxProperties", "≤ {} entries"))


def server() -> StrictServer:
    """A server with every tool; its memory is never opened."""

    def never() -> Any:  # noqa: ANN401 - never called
        raise StoreUnavailable("a reference opens no memory")

    return surface.build(never, Offer(audit=True, hooks=True, across=True, about="what the schema declares"))


async def page() -> str:
    """The whole page."""
    told = server()
    lines = [_HEAD]
    all_tools = {tool.name: tool for tool in await MCPServer.list_tools(told)}
    full = {name: tool.output_schema or {} for name, tool in all_tools.items()}
    for tool in await told.list_tools():
        lines += [f"## {tool.name}", "", _sentences(tool.description), "", *_hint(tool.annotations), ""]
        required = tool.input_schema["required"]
        lines += [*_table("argument", closed_input(all_tools[tool.name].input_schema, also_required=required)), ""]
        lines += [*_table("result", full[tool.name]), ""]
        for name, part in full[tool.name].get("$defs", {}).items():
            if "properties" in part:
                lines += [
                    f"`{_short(name)}`: {_sentences(part.get('description', ''))}",
                    "",
                    *_table("field", part),
                    "",
                ]
    lines += ["## Resources", "", "| address | what it is |", "|---|---|"]
    lines += [f"| `{each.uri}` | {each.title} |" for each in await told.list_resources()]
    lines += [f"| `{each.uri_template}` | {each.title} |" for each in await told.list_resource_templates()]
    lines += ["", "## Prompts", "", "| prompt | arguments | what it is |", "|---|---|---|"]
    for prompt in await told.list_prompts():
        arguments = ", ".join(f"`{argument.name}`" for argument in prompt.arguments or ())
        lines.append(f"| `{prompt.name}` | {arguments} | {_sentences(prompt.description)} |")
    return "\n".join(lines) + "\n"


def _hint(annotations: Any) -> Iterator[str]:  # noqa: ANN401 - the SDK's model, read by name
    if annotations.read_only_hint:
        yield "Reads only."
    else:
        yield "Changes what stands." if annotations.destructive_hint else "Writes; the same call twice writes once."


def _table(what: str, schema: Mapping[str, Any]) -> Iterator[str]:
    properties = schema.get("properties", {})
    if not properties:
        yield f"No {what}s."
        return
    yield f"| {what} | kind | |"
    yield "|---|---|---|"
    for name, part in properties.items():
        shown = f"**`{name}`**" if what == "argument" and name in schema.get("required", ()) else f"`{name}`"
        yield f"| {shown} | {_kind(part)} | {_sentences(part.get('description', ''))} |"


def _kind(part: Mapping[str, Any]) -> str:
    """The type in a few words."""
    if "$ref" in part:
        return f"`{_short(part['$ref'])}`"
    if "enum" in part or "const" in part:
        return ", ".join(f"`{word}`" for word in part.get("enum", [part.get("const")]))
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(map(_kind, part["anyOf"])))
    bounds = [text.format(part[key]) for key, text in (*_BOUNDS, *_ITEMS) if key in part]
    kind = f"list of {_kind(part['items'])}" if "items" in part else part.get("type", "anything")
    return ", ".join([kind, *bounds])


def _short(name: str) -> str:
    return name.rpartition("/")[2].removesuffix("Out")


def _sentences(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(asyncio.run(page()), encoding="utf-8")
