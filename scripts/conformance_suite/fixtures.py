"""The server that the conformance suite asks for: ours, with the suite's own tools, resources and prompts added.

For tests only: the suite can then exercise what our own tools never do (sampling, roots, images, …) through the same
factory. Names, words and shapes are those that its scenarios demand.
"""

import asyncio
import base64
import json
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import uvicorn
from mcp import MCPDeprecationWarning
from mcp.server.mcpserver import AcceptedElicitation, Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import Prompt, UserMessage
from mcp.shared.exceptions import MCPError
from mcp.types import (
    AudioContent,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel, Field
from pydantic_core import to_jsonable_python

from r_memory.config.settings import Settings
from r_memory.serving.logs import log_to_standard_error
from r_memory.serving.tools import surface
from r_memory.serving.tools.strict import StrictServer
from r_memory.wiring import open_memory

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
MISSING_CAPABILITY = -32021
Ctx = Context[Any, Any]
Asks = InputRequiredResult | str


def text(words: str) -> TextContent:
    """A block of text."""
    return TextContent(type="text", text=words)


def image() -> ImageContent:
    """One pixel."""
    return ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, words: str, mime: str = "text/plain") -> EmbeddedResource:
    """A resource inside an answer."""
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime, text=words))


# --- content


async def test_simple_text() -> str:
    """Gives a simple text."""
    return "This is a simple text response for testing."


async def test_image_content() -> list[Any]:
    """Gives an image."""
    return [image()]


async def test_audio_content() -> list[Any]:
    """Gives a sound."""
    return [AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")]


async def test_embedded_resource() -> list[Any]:
    """Gives a resource inside its answer."""
    return [embedded("test://embedded-resource", "This is an embedded resource content.")]


async def test_multiple_content_types() -> list[Any]:
    """Gives text, an image and a resource."""
    mixed = embedded("test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json")
    return [text("Multiple content types test:"), image(), mixed]


async def test_error_handling() -> str:
    """Fails."""
    raise ToolError("This tool intentionally returns an error for testing")


# --- notices


async def test_tool_with_progress(ctx: Ctx) -> str:
    """Reports its progress."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100, f"Completed step {done} of 100")
        await asyncio.sleep(0.02)
    return "done"


async def test_tool_with_logging(ctx: Ctx) -> str:
    """Logs to the client."""
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(words)
        await asyncio.sleep(0.02)
    return "Tool with logging executed successfully"


async def test_logging_tool(ctx: Ctx) -> str:
    """Logs to a client that asked for it."""
    await ctx.info("Only for whoever set a level")
    return "done"


async def test_trigger_tool_change(ctx: Ctx) -> str:
    """Says that the list of tools changed."""
    await ctx.notify_tools_changed()
    return "done"


async def test_trigger_prompt_change(ctx: Ctx) -> str:
    """Says that the list of prompts changed."""
    await ctx.notify_prompts_changed()
    return "done"


# --- questions of the handshake era


class Answer(BaseModel):
    """What a person types."""

    response: str = Field(description="User's response")


class Defaults(BaseModel):
    """One field of each kind, with a default (SEP-1034)."""

    name: str = Field(default="John Doe", description="User name")
    age: int = Field(default=30, description="User age")
    score: float = Field(default=95.5, description="User score")
    status: str = Field(
        default="active", description="User status", json_schema_extra={"enum": ["active", "inactive", "pending"]}
    )
    verified: bool = Field(default=True, description="Verification status")


def _titled(*pairs: tuple[str, str]) -> list[Any]:
    return [{"const": const, "title": title} for const, title in pairs]


class Choices(BaseModel):
    """Every way to spell a choice (SEP-1330)."""

    untitledSingle: str = Field(description="One", json_schema_extra={"enum": ["active", "inactive", "pending"]})  # noqa: N815 - demanded
    titledSingle: str = Field(  # noqa: N815 - demanded
        description="One, titled",
        json_schema_extra={
            "oneOf": _titled(("low", "Low Priority"), ("medium", "Medium Priority"), ("high", "High Priority"))
        },
    )
    untitledMulti: list[str] = Field(  # noqa: N815 - demanded
        description="Several", json_schema_extra={"items": {"type": "string", "enum": ["read", "write", "execute"]}}
    )
    titledMulti: list[str] = Field(  # noqa: N815 - demanded
        description="Several, titled",
        json_schema_extra={
            "items": {"anyOf": _titled(("feature", "New Feature"), ("bug", "Bug Fix"), ("docs", "Documentation"))}
        },
    )
    legacyEnum: str = Field(  # noqa: N815 - demanded
        description="As it was once written",
        json_schema_extra={
            "enum": ["small", "medium", "large"],
            "enumNames": ["Small Size", "Medium Size", "Large Size"],
        },
    )


async def _elicited(ctx: Ctx, message: str, schema: type[BaseModel]) -> str:
    result = await ctx.elicit(message=message, schema=schema)
    content = result.data.model_dump_json() if isinstance(result, AcceptedElicitation) else "{}"
    return f"action={result.action}, content={content}"


async def test_elicitation(message: str, ctx: Ctx) -> str:
    """Asks the person."""
    return f"User response: {await _elicited(ctx, message, Answer)}"


async def test_elicitation_sep1034_defaults(ctx: Ctx) -> str:
    """Asks with defaults."""
    return f"Elicitation completed: {await _elicited(ctx, 'Please review', Defaults)}"


async def test_elicitation_sep1330_enums(ctx: Ctx) -> str:
    """Asks for choices."""
    return f"Elicitation completed: {await _elicited(ctx, 'Please choose', Choices)}"


async def test_sampling(prompt: str, ctx: Ctx) -> str:
    """Asks the client's model."""
    asked = [SamplingMessage(role="user", content=text(prompt))]
    result = await ctx.session.create_message(messages=asked, max_tokens=100)
    return f"LLM response: {getattr(result.content, 'text', 'no text')}"


# --- questions of the newest era


def _form(message: str, **properties: str) -> ElicitRequest:
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(words: str, most: int) -> CreateMessageRequest:
    asked = [SamplingMessage(role="user", content=text(words))]
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=asked, max_tokens=most))


def _asks(requests: Mapping[str, Any], state: str | None = None) -> InputRequiredResult:
    return InputRequiredResult(input_requests=dict(requests), request_state=state)


def _given(ctx: Ctx, key: str) -> str:
    """What the client answered, as JSON; empty if it did not."""
    answer = (ctx.input_responses or {}).get(key)
    return "" if answer is None else json.dumps(to_jsonable_python(answer, by_alias=True))


async def test_input_required_result_elicitation(ctx: Ctx) -> Asks:
    """Asks for a name."""
    given = _given(ctx, "user_name")
    if not given:
        return _asks({"user_name": _form("What is your name?", name="string")})
    return f"Hello, {(json.loads(given).get('content') or {}).get('name', 'stranger')}!"


async def test_input_required_result_sampling(ctx: Ctx) -> Asks:
    """Asks the client's model."""
    return _given(ctx, "capital_question") or _asks(
        {"capital_question": _sample("What is the capital of France?", 100)}
    )


async def test_input_required_result_list_roots(ctx: Ctx) -> Asks:
    """Asks for the client's folders."""
    return _given(ctx, "client_roots") or _asks({"client_roots": ListRootsRequest()})


async def test_input_required_result_request_state(ctx: Ctx) -> Asks:
    """Asks, and wants its state back."""
    if _given(ctx, "confirm") and ctx.request_state == "asked":
        return "state-ok"
    return _asks({"confirm": _form("Please confirm", ok="boolean")}, "asked")


async def test_input_required_result_tampered_state(ctx: Ctx) -> Asks:
    """Asks, and wants its state back untouched."""
    return await test_input_required_result_request_state(ctx)


async def test_input_required_result_multiple_inputs(ctx: Ctx) -> Asks:
    """Asks three things at once."""
    given = [_given(ctx, key) for key in ("user_name", "greeting", "client_roots")]
    if all(given):
        return " ".join(given)
    return _asks(
        {
            "user_name": _form("What is your name?", name="string"),
            "greeting": _sample("Generate a greeting", 50),
            "client_roots": ListRootsRequest(),
        },
        "three",
    )


async def test_input_required_result_multi_round(ctx: Ctx) -> Asks:
    """Asks one thing after the other."""
    if _given(ctx, "step2") and ctx.request_state == "second":
        return "Both steps are done"
    if _given(ctx, "step1") and ctx.request_state == "first":
        return _asks({"step2": _form("Step 2: What is your favorite color?", color="string")}, "second")
    return _asks({"step1": _form("Step 1: What is your name?", name="string")}, "first")


async def test_input_required_result_capabilities(ctx: Ctx) -> Asks:
    """Asks only for what the client can give."""
    can = ctx.client_capabilities
    requests: dict[str, Any] = {}
    if can is not None and can.elicitation is not None:
        requests["name"] = _form("What is your name?", name="string")
    if can is not None and can.sampling is not None:
        requests["greeting"] = _sample("Generate a greeting", 50)
    answered = all(_given(ctx, key) for key in requests)
    return "done" if answered else _asks(requests)


async def test_streaming_elicitation(ctx: Ctx) -> Asks:
    """Asks in the middle of its progress."""
    await ctx.report_progress(1, 2)
    return _given(ctx, "confirm") or _asks({"confirm": _form("Please confirm", ok="boolean")})


async def test_missing_capability(ctx: Ctx) -> str:
    """Needs a client that can sample."""
    can = ctx.client_capabilities
    if can is None or can.sampling is None:
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(code=MISSING_CAPABILITY, message="This tool needs sampling", data=needed)
    return "done"


# --- prompts and resources


async def test_simple_prompt() -> list[Any]:
    """A prompt."""
    return [UserMessage(text("This is a simple prompt for testing."))]


async def test_prompt_with_arguments(arg1: str, arg2: str) -> list[Any]:
    """A prompt with arguments."""
    return [UserMessage(text(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]


async def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:  # noqa: N803 - demanded
    """A prompt that carries a resource."""
    return [
        UserMessage(embedded(resourceUri, "Embedded resource content for testing.")),
        UserMessage(text("Please process the embedded resource above.")),
    ]


async def test_prompt_with_image() -> list[Any]:
    """A prompt that carries an image."""
    return [UserMessage(image()), UserMessage(text("Please analyze the image above."))]


async def test_input_required_result_prompt(ctx: Ctx) -> Any:  # noqa: ANN401 - messages, or a question
    """A prompt that asks first."""
    given = _given(ctx, "user_context")
    if not given:
        return _asks({"user_context": _form("What context should the prompt use?", context="string")})
    return [UserMessage(text(given))]


TOOLS = [value for name, value in list(globals().items()) if name.startswith("test_") and "prompt" not in name]
TOOLS.append(test_trigger_prompt_change)
PROMPTS: list[Callable[..., Any]] = [
    test_simple_prompt,
    test_prompt_with_arguments,
    test_prompt_with_embedded_resource,
    test_prompt_with_image,
    test_input_required_result_prompt,
]


def add_fixtures(server: StrictServer) -> None:
    """Adds everything that the suite asks for."""
    for tool in TOOLS:
        server.add_tool(tool, structured_output=False)
    for prompt in PROMPTS:
        server.add_prompt(Prompt.from_function(prompt))
    _add_resources(server)
    low = server._lowlevel_server  # noqa: SLF001 - the SDK has no public way to add these
    low.add_request_handler("logging/setLevel", SetLevelRequestParams, _done)
    low.add_request_handler("resources/subscribe", SubscribeRequestParams, _done)
    low.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, _done)


def _add_resources(server: StrictServer) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    async def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    async def static_binary() -> bytes:
        return base64.b64decode(PIXEL)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    async def template(id: str) -> str:  # noqa: A002 - named in the template
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    @server.resource("test://watched-resource", mime_type="text/plain")
    async def watched() -> str:
        return "Watched resource content"


async def _done(*_: object) -> EmptyResult:
    return EmptyResult()


def main() -> None:
    """Serves on a free port of this machine, and prints its address."""
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listening:
        settings = Settings(data_dir=Path(folder) / "data")
        server = surface.build(lambda: open_memory(settings))
        add_fixtures(server)
        # With sessions: in the handshake era the server's own questions need one.
        log_to_standard_error()
        app = server.streamable_http_app()
        print(f"url='http://127.0.0.1:{listening.getsockname()[1]}/mcp'", file=sys.stderr, flush=True)
        uvicorn.Server(uvicorn.Config(app, log_config=None)).run(sockets=[listening])


if __name__ == "__main__":
    main()
