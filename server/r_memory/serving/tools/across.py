"""The tool that holds a party against everybody of a space; offered where the schema has relations for that, to those
whose token allows it.
"""

from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from r_memory.domain.across import AcrossCheck
from r_memory.facts.across import block_of
from r_memory.facts.recall.rendering import lines_within
from r_memory.serving.tools.calls import MAX_RESULT, Call, answer, client_of, fits, memory_for

AcrossState = Literal["FOUND", "MAY-BE", "NOTHING-FOUND", "COULD-NOT-CHECK"]


class AcrossOut(BaseModel):
    """Who is tied to a party."""

    state: AcrossState
    block: str
    complete: bool = Field(description="Everybody was read, and everything found stands in block.")
    subjects: list[str] = Field(default=[], description="Ids of those it is tied to.")
    fact_ids: list[str] = []
    receipt_id: str = Field(default="", description="Empty: not recorded.")

    @classmethod
    def of(cls, check: AcrossCheck) -> "AcrossOut":
        """The check, with as much of its block as a result holds."""
        surest: AcrossState = "FOUND" if any(involvement.sure for involvement in check.involved) else "MAY-BE"
        nothing: AcrossState = "NOTHING-FOUND" if check.complete else "COULD-NOT-CHECK"
        whole = cls(
            state=surest if check.involved else nothing,
            block=block_of(check),
            complete=check.complete,
            subjects=list(dict.fromkeys(involvement.subject.id for involvement in check.involved)),
            fact_ids=list(check.fact_ids),
            receipt_id=check.receipt_id,
        )
        if fits(whole):
            return whole
        more = "more lines: look at each client, or ask for a longer name"
        block = lines_within(whole.block, MAX_RESULT // 3, more)
        return whole.model_copy(update={"block": block, "complete": False, "subjects": [], "fact_ids": []})


async def memory_check_across(ctx: Call, *, party: str) -> Annotated[CallToolResult, AcrossOut]:
    """Conflict check: a name against everybody; tells matters and roles."""
    async with memory_for(ctx) as memory:
        return answer(AcrossOut.of(await memory.check_across(party, shown_to=client_of(ctx))))
