"""Gates for the OpenAI Agents SDK: an input filter, an output guardrail and a guardrail for function tools.

Needs the extra `openai-agents`:

    guard = AgentGates(gates, "JD001")
    agent = Agent(name=…, tools=[…], output_guardrails=[guard.output_guardrail])
    await Runner.run(agent, words, run_config=RunConfig(call_model_input_filter=guard.input_filter))

with `@function_tool(tool_input_guardrails=[guard.tool_guardrail])` on each tool that acts.
"""

from typing import Any

from agents import (
    Agent,
    GuardrailFunctionOutput,
    OutputGuardrail,
    RunContextWrapper,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
)
from agents.run_config import CallModelData, ModelInputData

from r_memory.domain.gates import withheld
from r_memory.gates.gates import Gates
from r_memory.gates.middleware import Guard, Subject
from r_memory.gates.proxy.requests import responses_request


class AgentGates:
    """Puts the record in front of each model call, and checks the answer and each tool call."""

    def __init__(self, gates: Gates, subject: Subject = "") -> None:
        """`subject` is an id, or a function of the run's context."""
        self._guard = Guard(gates, subject, shown_to="openai-agents")
        self.output_guardrail: OutputGuardrail[Any] = OutputGuardrail(self._answer, name="r-memory")
        """Trips where the answer must not go out."""
        self.tool_guardrail: ToolInputGuardrail[Any] = ToolInputGuardrail(self._call, name="r-memory")
        """Gives the model the objection in the place of the tool's result."""

    async def input_filter(self, data: CallModelData[Any]) -> ModelInputData:
        """Returns the input with the record in front of the last user message."""
        request = responses_request({"input": [*data.model_data.input]})
        request.put(await self._guard.block(request.words, data.context, is_new=request.is_new))
        return ModelInputData(input=request.body["input"], instructions=data.model_data.instructions)

    async def _answer(self, context: RunContextWrapper[Any], _: Agent[Any], output: object) -> GuardrailFunctionOutput:
        judged = await self._guard.judged(str(output), context.context)
        return GuardrailFunctionOutput(
            output_info={**judged.data, "message": judged.message}, tripwire_triggered=withheld(judged.decision)
        )

    async def _call(self, data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        call = data.context
        objection = await self._guard.objection(call.tool_name, call.tool_arguments, call.context)
        if objection:
            return ToolGuardrailFunctionOutput.reject_content(objection)
        return ToolGuardrailFunctionOutput.allow()
