"""The tools about the memory as a whole: what it can hold, how it is, and audits of the caller's own space."""

import time
from collections.abc import Mapping
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BaseModel, Field, WithJsonSchema

from r_memory.domain.facts import Status
from r_memory.errors import RMemoryError
from r_memory.memory import Description
from r_memory.serving.tools.calls import Call, answer, fits, memory_for, shared_by
from r_memory.serving.tools.models import LOOSELY, From, Ours, Out
from r_memory.text.inert import inert, without_secrets

Part = Literal["all", "relations", "intents", "limits", "audits", "health"]
_CELL = 400
"""Characters of a cell of an audit."""
_ALWAYS = {"domain", "single_subject", "subject_type"}


class RelationOut(Out):
    """A relation that facts can have."""

    name: str
    belongs: str = Field(default="", description="What belongs in it, and where it ends.")
    subjects: list[str]
    objects: list[str]
    attrs: Annotated[dict[str, str], WithJsonSchema({"type": "object"})] = {}
    critical: bool
    question: str = ""


class IntentOut(Out):
    """An action type and the relations it reads."""

    name: str
    description: str
    relations: Annotated[list[str], From("edges")]
    expand: Annotated[dict[str, int], WithJsonSchema({"type": "object"})] = {}


class HealthOut(Out):
    """How the store is."""

    store: Annotated[str, From("name")] = Field(default="", description='Its name, or "down".')
    trouble: Ours[str] = ""
    latency_ms: Annotated[float, From(told=lambda taken: round(taken, 2))] = 0.0
    pending: int = 0
    schema_version: str = ""
    pack_version: str = ""
    model: Ours[str] = Field(default="", description="Language model that reads, and how far its reading counts.")


def _listed(of: Mapping[str, object]) -> list[object]:
    return list(of.values())


def _health(of: Description) -> HealthOut:
    if of.health is None:
        return HealthOut(store="down", trouble=without_secrets(of.trouble), model=_model(of))
    return HealthOut.of(of.health, model=_model(of))


def _model(of: Description) -> str:
    return "" if of.model is None else f"{of.model.model} ({of.model.state}: {of.model.why})"


class DescriptionOut(Out):
    """What can be remembered and asked here; the parts that were asked for."""

    domain: Annotated[str, From("schema.name")] = ""
    single_subject: bool = False
    subject_type: Annotated[str, From("schema.subject")] = ""
    relations: Annotated[list[RelationOut], LOOSELY, From("schema.relations", _listed)] = []
    statuses: Annotated[list[str], From(".", lambda _: list(Status))] = []
    intents: Annotated[list[IntentOut], LOOSELY, From("table.intents", _listed)] = []
    limits: Annotated[
        dict[str, int],
        WithJsonSchema({"type": "object"}),
        From(told=lambda of: {"text": of.message, "page": of.page, "facts_per_call": of.claims}),
    ] = {}
    audits: list[str] = []
    health: Annotated[HealthOut, LOOSELY, From(".", _health)] = HealthOut()


async def memory_describe(
    ctx: Call,
    *,
    part: Annotated[Part, Field(description="Only this part.")] = "all",
) -> Annotated[CallToolResult, DescriptionOut]:
    """Describe what this memory can hold, with all of each relation, and how it is."""
    try:
        description = await (await shared_by(ctx).of_caller()).describe()
    except RMemoryError as error:
        return answer(DescriptionOut(health=HealthOut(store="down", trouble=without_secrets(str(error)))))
    return answer(described(description, part))


def described(of: Description, part: Part) -> DescriptionOut:
    """What a reader is told of the asked part, or of everything."""
    whole = DescriptionOut.of(of)
    if part == "all":
        return whole
    kept = {*_ALWAYS, part, *(("statuses",) if part == "relations" else ())}
    return DescriptionOut.model_validate({name: getattr(whole, name) for name in kept})


class AuditOut(BaseModel):
    """Rows of an audit."""

    columns: list[str]
    rows: list[list[str | int | float | bool | None]]
    truncated: bool = Field(description="There are more rows than were asked for or than fit.")
    elapsed_ms: float


async def memory_run_audit(
    ctx: Call,
    *,
    name: Annotated[str, Field(max_length=64, description="An audit that memory_describe lists.")],
    limit: Annotated[int, Field(ge=1, le=200, description="Most rows.")] = 50,
) -> Annotated[CallToolResult, AuditOut]:
    """Run one of the shipped audits over everything that is remembered: open statements, contradictions, gaps, readers.

    Call memory_describe with part "audits" for their names. Cells are data that people stated.
    """
    started = time.perf_counter()
    async with memory_for(ctx) as memory:
        table = await memory.audit(name, limit=limit)
    result = AuditOut(
        columns=list(table.columns),
        rows=[[_cell(value) for value in row] for row in table.rows],
        truncated=table.truncated,
        elapsed_ms=round((time.perf_counter() - started) * 1000, 1),
    )
    while not fits(result) and result.rows:
        result = result.model_copy(update={"rows": result.rows[: len(result.rows) // 2], "truncated": True})
    return answer(result)


def _cell(value: object) -> str | int | float | bool | None:
    """A value as a client can read it; texts are inert, everything else that has parts becomes a text."""
    return value if value is None or isinstance(value, bool | int | float) else inert(str(value), _CELL)
