"""A capability for pydantic-ai: `Agent(model, capabilities=[GateCapability(gates, "JD001")])`. Needs that extra."""

from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.output import OutputContext
from pydantic_ai.tools import ToolDefinition
from typing_extensions import override

from r_memory.domain.gates import withheld
from r_memory.gates.gates import Gates
from r_memory.gates.middleware import Guard, Subject, replaced
from r_memory.gates.proxy.requests import with_block
from r_memory.text.markers import START


@dataclass(init=False)
class GateCapability(AbstractCapability[Any]):
    """Puts the record in front of each model call, and checks each answer and tool call.

    A stopped answer goes back to the model as a retry. If the model repeats it, the run ends with the framework's own
    error.
    """

    def __init__(self, gates: Gates, subject: Subject = "") -> None:
        """`subject` is an id, or a function of the run's dependencies."""
        self._guard = Guard(gates, subject, shown_to="pydantic-ai")

    @override
    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        messages = [*request_context.messages]
        for at, message in reversed([*enumerate(messages)]):
            prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
            if isinstance(message, ModelRequest) and prompts:
                block = await self._guard.block(_words(prompts), ctx.deps, is_new=at == len(messages) - 1)
                front = UserPromptPart(content=str(with_block("", block)))
                # For this request only: the run's own history stays as it is.
                messages[at] = replace(message, parts=[front, *message.parts])
                break
        request_context.messages = messages
        return request_context

    @override
    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        texts = [part for part in response.parts if isinstance(part, TextPart) and part.content.strip()]
        if not texts:
            return response
        judged = await self._guard.judged("\n".join(part.content for part in texts), ctx.deps)
        if withheld(judged.decision):
            raise ModelRetry(judged.message)
        noted = replace(texts[-1], content=replaced(texts[-1].content, judged))
        return replace(response, parts=[noted if part is texts[-1] else part for part in response.parts])

    @override
    async def after_output_validate(self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any) -> Any:
        """Returns a structured output after checking it.

        Raises:
            ModelRetry: the output must not go out.
        """
        judged = None if isinstance(output, str) else await self._guard.judged(str(output), ctx.deps)
        if judged is not None and withheld(judged.decision):
            raise ModelRetry(judged.message)
        return output

    @override
    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        objection = await self._guard.objection(call.tool_name, args, ctx.deps)
        return objection or await handler(args)


def _words(prompts: list[UserPromptPart]) -> str:
    """Returns the person's words, without a block that was put in front of them before."""
    texts = []
    for part in prompts:
        content = [part.content] if isinstance(part.content, str) else part.content
        texts += [item for item in content if isinstance(item, str) and not item.startswith(START)]
    return "\n".join(texts)
