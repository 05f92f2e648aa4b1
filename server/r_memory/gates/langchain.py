"""Middleware for LangChain and LangGraph agents: `create_agent(..., middleware=[GateMiddleware(gates, "JD001")])`.

Needs the extra `langchain`. The gates are asynchronous: run the agent with `ainvoke` or `astream`.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import override

from r_memory.gates.gates import Gates
from r_memory.gates.middleware import Guard, Subject, replaced
from r_memory.gates.proxy.requests import with_block


class GateMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Puts the record in front of each model call, and checks each answer and tool call."""

    def __init__(self, gates: Gates, subject: Subject = "") -> None:
        """`subject` is an id, or a function of the agent's state."""
        super().__init__()
        self._guard = Guard(gates, subject, shown_to="langchain")

    @override
    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        messages: list[AnyMessage] = [*request.messages]
        last = max((at for at, message in enumerate(messages) if isinstance(message, HumanMessage)), default=-1)
        words = messages[last].text if last >= 0 else ""
        block = await self._guard.block(words, request.state, is_new=last == len(messages) - 1)
        if last < 0:
            messages = [HumanMessage(content=block), *messages]
        else:
            content = with_block(messages[last].content, block)
            # For this call only: the agent's own history stays as it is.
            messages[last] = messages[last].model_copy(update={"content": content})
        return await handler(request.override(messages=messages))

    @override
    async def aafter_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        answer = state["messages"][-1]
        if not isinstance(answer, AIMessage) or not answer.text.strip():
            return None
        judged = await self._guard.judged(answer.text, state)
        if judged.decision in {"pass", "note"}:
            return None
        text = replaced(answer.text, judged)
        calls = answer.tool_calls if judged.decision == "annotate" else []
        return {"messages": [AIMessage(content=text, id=answer.id, tool_calls=calls)]}

    @override
    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call = request.tool_call
        objection = await self._guard.objection(call["name"], call["args"], request.state)
        if objection:
            return ToolMessage(content=objection, tool_call_id=call["id"] or "", name=call["name"], status="error")
        return await handler(request)
