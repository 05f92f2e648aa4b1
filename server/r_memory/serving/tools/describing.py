"""The tool that explains this memory: what it can hold, which requests it knows, how it is."""

from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from r_memory.domain.facts import Status
from r_memory.errors import RMemoryError
from r_memory.memory import Description
from r_memory.serving.tools import shaping
from r_memory.serving.tools.answers import answer
from r_memory.serving.tools.calls import Call, memory_of
from r_memory.serving.tools.hints import READS
from r_memory.serving.tools.models import DescriptionOut, HealthOut
from r_memory.serving.tools.opening import SharedMemory
from r_memory.text.inert import without_secrets

Part = Literal["all", "relations", "intents", "limits", "audits", "health"]
_FIELDS: dict[Part, set[str]] = {
    "relations": {"relations", "statuses"},
    "intents": {"intents"},
    "limits": {"limits"},
    "audits": {"audits"},
    "health": {"health"},
}
_ALWAYS = {"domain", "single_subject", "subject_type"}


def register(server: MCPServer[SharedMemory]) -> None:
    """Adds the tool."""
    server.add_tool(memory_describe, title="Describe this memory", annotations=READS, structured_output=True)


async def memory_describe(
    ctx: Call,
    *,
    part: Annotated[Part, Field(description="Only this part; all: everything.")] = "all",
) -> Annotated[CallToolResult, DescriptionOut]:
    """Describe what this memory can hold and how it is: relations, action types, limits, audits, health.

    Call it before memory_record_facts, or to check the store: health.store is "down" when it does not answer.
    """
    try:
        description = await (await memory_of(ctx)).describe()
    except RMemoryError as error:
        down = HealthOut(store="down", trouble=without_secrets(str(error)))
        return answer(DescriptionOut(health=down))
    return answer(described(description, part))


def described(of: Description, part: Part) -> DescriptionOut:
    """What a reader is told of the asked part, or of everything."""
    whole = DescriptionOut(
        domain=of.schema.name,
        single_subject=of.single_subject,
        subject_type=of.schema.subject,
        relations=[shaping.relation(relation) for relation in of.schema.relations.values()],
        statuses=[status.value for status in Status],
        intents=[shaping.intent(intent) for intent in of.table.intents.values()],
        limits=shaping.limits(of),
        audits=list(of.audits),
        health=shaping.health(of.health, without_secrets(of.trouble)),
    )
    if part == "all":
        return whole
    kept = _ALWAYS | _FIELDS[part]
    return DescriptionOut.model_validate({name: getattr(whole, name) for name in kept})
