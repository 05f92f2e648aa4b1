"""Agents of real frameworks with a scripted model: the record stands in front, and no call with amoxicillin leaves."""

import json
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatResult
from openai import AsyncOpenAI
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from typing_extensions import override

from r_memory.domain.blocks import QUERY
from r_memory.errors import GateClosed, StoreUnavailable
from r_memory.gates.gates import Gates
from r_memory.gates.langchain import GateMiddleware
from r_memory.gates.openai_agents import AgentGates
from r_memory.gates.pydantic_ai import GateCapability
from r_memory.memory import Memory
from r_memory.text.markers import START
from tests.acceptance.gates.conftest import BAD, JOHN, REQUEST, Gated, tool_call
from tests.chat_server import Sent, chat_server, completion, says, write

pytestmark = pytest.mark.anyio
REST = "Drink enough and rest."
ORDER = {"item": "Amoxicillin", "dose": "500 mg"}


@pytest.fixture
def gone(world: Gated) -> Gates:
    async def opened() -> Memory:
        raise StoreUnavailable("the store does not answer")

    return Gates(opened, world.gates.policy)


class Scripted(GenericFakeChatModel):
    """Gives prepared messages, and keeps what it was sent."""

    seen: list[Sequence[BaseMessage]] = []  # noqa: RUF012 - a field of a pydantic model

    @override
    def bind_tools(self, tools: Any, **_: Any) -> "Scripted":
        return self

    @override
    def _generate(self, messages: list[BaseMessage], *args: Any, **more: Any) -> ChatResult:
        self.seen.append(messages)
        return super()._generate(messages, *args, **more)


async def test_a_langchain_agent_never_orders_amoxicillin_nor_says_to(world: Gated) -> None:
    ordered: list[str] = []

    async def order_medication(item: str, dose: str) -> str:
        """Orders a medication."""
        ordered.append(f"{item} {dose}")
        return "ordered"

    call = AIMessage(content="", tool_calls=[{"name": "order_medication", "args": ORDER, "id": "c1"}])
    model = Scripted(messages=iter([call, AIMessage(content=BAD)]))
    agent = create_agent(model, tools=[order_medication], middleware=[GateMiddleware(world.gates, JOHN)])
    result = await agent.ainvoke({"messages": [HumanMessage(content=REQUEST)]})
    first = model.seen[0][-1]
    refused = next(each for each in result["messages"] if isinstance(each, ToolMessage))
    assert str(first.content).startswith(START)
    assert str(first.content).endswith(REQUEST)
    assert result["messages"][0].content == REQUEST
    assert ordered == []
    assert "allergic to Penicillin" in str(refused.content)
    assert "500 mg" not in str(result["messages"][-1].content)


async def test_a_langchain_agent_without_objection_works_as_before(world: Gated) -> None:
    model = Scripted(messages=iter([AIMessage(content=REST)]))
    agent = create_agent(model, tools=[], middleware=[GateMiddleware(world.gates, lambda _: JOHN)])
    result = await agent.ainvoke({"messages": [HumanMessage(content="How do I get well?")]})
    assert result["messages"][-1].content == REST


async def test_a_langchain_agent_without_a_memory_asks_no_model(gone: Gates) -> None:
    model = Scripted(messages=iter([AIMessage(content=BAD)]))
    agent = create_agent(model, tools=[], middleware=[GateMiddleware(gone, JOHN)])
    with pytest.raises(GateClosed, match="SAFETY MEMORY UNAVAILABLE"):
        await agent.ainvoke({"messages": [HumanMessage(content=REQUEST)]})
    assert model.seen == []


async def test_an_openai_agent_without_a_memory_asks_no_model(gone: Gates) -> None:
    set_tracing_disabled(True)
    guard = AgentGates(gone, JOHN)
    with chat_server(says(BAD)) as server:
        async with AsyncOpenAI(api_key="x", base_url=server.url) as client:
            agent = Agent(name="clerk", model=OpenAIChatCompletionsModel(model="m", openai_client=client))
            with pytest.raises(GateClosed, match="SAFETY MEMORY UNAVAILABLE"):
                await Runner.run(agent, REQUEST, run_config=RunConfig(call_model_input_filter=guard.input_filter))
    assert server.requests == []


async def test_a_pydantic_agent_without_a_memory_asks_no_model(gone: Gates) -> None:
    async def model(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        raise AssertionError("the model was asked")

    agent = PydanticAgent(FunctionModel(model), capabilities=[GateCapability(gone, JOHN)])
    with pytest.raises(GateClosed, match="SAFETY MEMORY UNAVAILABLE"):
        await agent.run(REQUEST)


async def test_a_session_of_an_openai_agent_keeps_the_words_without_the_block(world: Gated) -> None:
    set_tracing_disabled(True)
    guard, session = AgentGates(world.gates, JOHN), SQLiteSession("s1")
    config = RunConfig(call_model_input_filter=guard.input_filter)
    with chat_server(says(REST), says(REST)) as server:
        async with AsyncOpenAI(api_key="x", base_url=server.url) as client:
            agent = Agent(name="clerk", model=OpenAIChatCompletionsModel(model="m", openai_client=client))
            for words in (REQUEST, "And then?"):
                await Runner.run(agent, words, run_config=config, session=session)
    kept = json.dumps(await session.get_items())
    assert (REQUEST in kept, START in kept) == (True, False)
    first, second = [json.dumps(request["messages"]) for request in server.requests]
    assert [(sent.count(START), sent.count(QUERY)) for sent in (first, second)] == [(1, 1), (1, 1)]
    session.close()


async def test_an_openai_agent_never_orders_amoxicillin_nor_says_to(world: Gated) -> None:
    set_tracing_disabled(True)
    guard, ordered = AgentGates(world.gates, JOHN), list[str]()

    @function_tool(tool_input_guardrails=[guard.tool_guardrail])
    async def order_medication(item: str, dose: str) -> str:
        """Orders a medication."""
        ordered.append(f"{item} {dose}")
        return "ordered"

    def calls(handler: BaseHTTPRequestHandler, _: Sent) -> None:
        call = tool_call("order_medication", json.dumps(ORDER))
        write(handler, 200, completion({"content": None, "tool_calls": call}, "tool_calls"))

    with chat_server(calls, says(REST), says(BAD)) as server:
        async with AsyncOpenAI(api_key="x", base_url=server.url) as client:
            agent = Agent(
                name="clerk",
                model=OpenAIChatCompletionsModel(model="m", openai_client=client),
                model_settings=ModelSettings(),
                tools=[order_medication],
                output_guardrails=[guard.output_guardrail],
            )
            config = RunConfig(call_model_input_filter=guard.input_filter)
            found = await Runner.run(agent, REQUEST, run_config=config)
            with pytest.raises(OutputGuardrailTripwireTriggered) as tripped:
                await Runner.run(agent, REQUEST, run_config=config)
    first, second, _ = [request["messages"] for request in server.requests]
    assert START in json.dumps(first[-1])
    assert json.dumps(first).count(START.strip(":")) == json.dumps(second).count(START.strip(":"))
    assert "allergic to Penicillin" in second[-1]["content"]
    assert ordered == []
    assert found.final_output == REST
    assert "allergic to Penicillin" in tripped.value.guardrail_result.output.output_info["message"]


async def test_a_pydantic_agent_never_orders_amoxicillin_nor_says_to(world: Gated) -> None:
    script = [
        ModelResponse(parts=[ToolCallPart(tool_name="order_medication", args=ORDER)]),
        ModelResponse(parts=[TextPart(content=BAD)]),
        ModelResponse(parts=[TextPart(content=REST)]),
    ]
    seen: list[list[ModelMessage]] = []

    async def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        seen.append(messages)
        return script[len(seen) - 1]

    agent = PydanticAgent(FunctionModel(model), capabilities=[GateCapability(world.gates, JOHN)])
    ordered: list[str] = []

    @agent.tool_plain
    async def order_medication(item: str, dose: str) -> str:
        """Orders a medication."""
        ordered.append(f"{item} {dose}")
        return "ordered"

    result = await agent.run(REQUEST)
    assert str(seen[0][0].parts[0].content).startswith(START)  # type: ignore[union-attr]
    assert "allergic to Penicillin" in str(seen[1][-1])
    assert "allergic to Penicillin" in str(seen[2][-1])
    assert ordered == []
    assert result.output == REST
    assert START not in str(result.all_messages()[0])


async def test_a_pydantic_agent_that_insists_gets_nothing_out(world: Gated) -> None:
    async def model(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(content=BAD)])

    agent = PydanticAgent(FunctionModel(model), capabilities=[GateCapability(world.gates, JOHN)])
    with pytest.raises(UnexpectedModelBehavior):
        await agent.run(REQUEST)
