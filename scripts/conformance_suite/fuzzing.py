"""Arguments that are off the schema, or just inside it, for every tool in both eras.

The same every time: drawn with a fixed seed. Looks only at whether an answer comes and gives a reason.
"""

import random
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

CALLS = 40
LIMIT_S = 5.0
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 10**30, 1.5, float("1e308"), [], [None], [[]], ["x"] * 200, {}, {"": ""}, {"relation": "X"}),
    *("", " ", "null", "[1]", '{"a":1}', "\x00", "\u202e", "\ud7ff", "a" * 50_000, "../../etc/passwd", "%s%n"),
    *("'; MATCH (n) DETACH DELETE n //", "${jndi:ldap://x}", "9999-99-99T99:99:99Z", "MED_ORDER", "P1"),
    [{"relation": 1}],
)


async def fuzz(program: str, environment: Mapping[str, str], seed: int = 7) -> tuple[int, list[str]]:
    """How many calls were made, and what was wrong with which."""
    bad: list[str] = []
    count = 0
    eras: tuple[Literal["auto", "legacy"], ...] = ("auto", "legacy")
    for era in eras:
        server = StdioServerParameters(command=program, args=["serve", "--audit", "--hooks"], env=dict(environment))
        async with Client(stdio_client(server), mode=era) as client:
            await client.call_tool("memory_remember", {"text": "Hello.", "subject": "P1", "subject_name": "Ann"})
            for tool in (await client.list_tools()).tools:
                for arguments in _arguments(tool.input_schema, random.Random(f"{seed}{tool.name}")):  # noqa: S311 - not a secret
                    count += 1
                    if trouble := await _trouble(client, tool.name, arguments):
                        bad.append(f"{era} {tool.name}({', '.join(sorted(arguments))}): {trouble}")
    return count, bad


async def _trouble(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    try:
        with anyio.fail_after(LIMIT_S):
            result = await client.call_tool(tool, arguments)
    except TimeoutError:
        return f"no answer in {LIMIT_S:.0f} s"
    except MCPError as error:
        return "" if error.error.code == -32602 else f"protocol error {error.error.code}"
    said = "".join(part.text for part in result.content if isinstance(part, TextContent))
    return "an error without a reason" if result.is_error and said.rstrip(".") == f"Error executing tool {tool}" else ""


def _arguments(schema: Mapping[str, Any], chance: random.Random) -> Iterator[dict[str, Any]]:
    names = [*schema.get("properties", {}), "unknown"]
    required = list(schema.get("required", ()))
    yield {}
    for _ in range(CALLS - 1):
        chosen = {*required, *chance.sample(names, k=chance.randint(0, min(3, len(names))))}
        yield {name: _value(name, chance) for name in chosen if chance.random() < 0.95}


def _value(name: str, chance: random.Random) -> Any:  # noqa: ANN401 - of any kind, on purpose
    plausible = {"subject": "P1", "text": "I am allergic to latex.", "query": "Which antibiotic?", "name": "x"}
    return plausible[name] if name in plausible and chance.random() < 0.5 else chance.choice(ODD)
