"""The server object: the SDK's, made strict where it is lenient. The one place with overridden API of it.

Spans of the SDK carry the texts of protocol errors, which name subjects, and names as clients spell them: in ours a
name stands only if the server has something of that name.
"""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_origin, get_type_hints

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    EmptyResult,
    GetPromptResult,
    InputRequiredResult,
    SubscribeRequestParams,
    ToolAnnotations,
    UnsubscribeRequestParams,
)
from mcp.types import Tool as ListedTool
from mcp_types.methods import SPEC_CLIENT_METHODS
from opentelemetry.propagate import extract
from opentelemetry.trace import ProxyTracerProvider, SpanKind, StatusCode, get_tracer_provider
from pydantic import ValidationError
from typing_extensions import override

from r_memory.serving.tools import access
from r_memory.serving.tools.calls import SharedMemory
from r_memory.serving.tools.errors import invalid_arguments
from r_memory.serving.tools.lines import answers_to, lines_of
from r_memory.serving.tools.offer import Offer
from r_memory.serving.tools.schemas import portable_input, portable_output

Served = Context[SharedMemory, Any]
ANYTHING = "what must not be overlooked"
"""What is remembered where nobody said what that is."""
_OTHER = "other"
"""Stands in spans for whatever the server does not know."""
_VERSION = re.compile(r"\d{4}-\d\d-\d\d")
_METHODS = SPEC_CLIENT_METHODS | {"skills/list", "skills/get"}
_WATCHED = 1_000
"""Resources that one client may watch."""
_ABOUT_ANYBODY = frozenset({"memory_ingest_document"})
"""Tools that can do without a subject."""
_SOME = 3
"""Topics that stand for all of them in tools that are looked for by their verb."""


_RETIRED = {"memory_record_facts": "call memory_remember with the same text and subject and your `facts`"}
"""Tools of the version before, to what is called instead."""
_EMPTY_SAYS = frozenset({"facts"})


class StrictServer(MCPServer[SharedMemory]):
    """Refuses what the SDK drops silently: unknown arguments, unknown tools as tool errors, values in error texts."""

    shared: SharedMemory | None = None
    """The memory of the running server; `None` while it does not run."""

    def __init__(self, name: str, *, offer: Offer, tools: Sequence[Tool], **told: Any) -> None:  # noqa: ANN401 - the SDK's
        """`offer` is what the server says of itself: `about` stands for `{about}` in descriptions, its beginning for
        `{topics}`. `told` is passed on to the SDK.
        """
        super().__init__(name, tools=list(tools), **told)
        self.offer = offer
        self._offered = {tool.name: tool for tool in tools}
        # The SDK's own spans, outermost of all (documented there), hold nobody's words only where they are ours.
        self.middleware[0] = self._in_a_span

    async def _in_a_span(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """The answer, with a span around it for whoever exports them: what was called and how it ended."""
        provider = get_tracer_provider()
        if isinstance(provider, ProxyTracerProvider):  # nobody does
            return await call_next(ctx)
        method, target = ctx.method if ctx.method in _METHODS else _OTHER, await self._target(ctx)
        version = ctx.protocol_version if _VERSION.fullmatch(str(ctx.protocol_version)) else _OTHER
        attributes = {"mcp.method.name": method, "mcp.protocol.version": version}
        carrier = {name: value for name, value in (ctx.meta or {}).items() if isinstance(value, str)}
        if target:
            attributes["gen_ai.tool.name" if method == "tools/call" else "gen_ai.prompt.name"] = target
        with provider.get_tracer("r-memory").start_as_current_span(
            f"{method} {target}".rstrip(),
            kind=SpanKind.SERVER,
            attributes=attributes,
            # The caller's trace, where it sent one that can be read.
            context=extract(carrier) if "traceparent" in carrier else None,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                result = await call_next(ctx)
            except BaseException as error:  # also a cancelled call has its span; raised again
                kind = str(error.error.code) if isinstance(error, MCPError) else type(error).__qualname__
                span.set_attribute("error.type", kind)
                span.set_status(StatusCode.ERROR)
                raise
            match result:
                case CallToolResult(is_error=True) | {"isError": True}:
                    span.set_attribute("error.type", "tool_error")
                    span.set_status(StatusCode.ERROR)
            return result

    async def _target(self, ctx: ServerRequestContext[Any, Any]) -> str:
        """The tool or prompt that is asked for, if there is one of that name; empty for any other request."""
        name = (ctx.params or {}).get("name")
        if ctx.method not in {"tools/call", "prompts/get"} or not isinstance(name, str):
            return ""
        if ctx.method == "tools/call":
            return name if name in self._offered else _OTHER
        return name if name in {prompt.name for prompt in await self.list_prompts()} else _OTHER

    def annotations_of(self, name: str) -> ToolAnnotations | None:
        """What a tool says of itself; `None` for one that says nothing, or does not exist."""
        tool = self._offered.get(name)
        return None if tool is None else tool.annotations

    def http_manager(self, *, max_body: int) -> StreamableHTTPSessionManager:
        """Answers HTTP requests, each for itself; `run` it around them."""
        self.streamable_http_app(
            stateless_http=True,
            # Never as one JSON document: that would lose progress, and make a question to the person an error.
            json_response=False,
            # `http/addressing.py` compares names as a whole.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=max_body,
        )
        return self.session_manager

    async def serve_on(self, inward: int, outward: int) -> None:
        """Speaks MCP over two descriptors until the client closes the first."""
        # The SDK's own object for standard streams takes no others, and no handlers of what the new era took away.
        server = self._lowlevel_server
        # So clients of the handshake era watch resources, as those of the newer era do by listening. Only where one
        # process serves one client: over HTTP each request of that era stands for itself.
        server.add_request_handler("resources/subscribe", SubscribeRequestParams, _watch)
        server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, _unwatch)
        async with stdio_server(lines_of(inward), answers_to(outward)) as (read, write):
            options = server.create_initialization_options()
            await server.run(read, write, options)

    @override
    async def list_tools(self) -> list[ListedTool]:
        """The tools that the caller may use, with portable schemas, always in the same order."""
        usable = [tool for tool in await super().list_tools() if access.may_use(tool.name, tool.annotations)]
        return [self._listed(tool) for tool in usable]

    def _listed(self, tool: ListedTool) -> ListedTool:
        about = self.offer.about or ANYTHING
        some = ", ".join(about.split(", ")[:_SOME])
        # The tool itself says what is missing.
        required = () if self.offer.single_subject or tool.name in _ABOUT_ANYBODY else ("subject",)
        told = _flowing(tool.description or "").replace("{about}", about).replace("{topics}", some)
        changed = {
            "description": told.replace("{card}", self.offer.card).strip(),
            "input_schema": portable_input(tool.input_schema, also_required=required),
            "output_schema": portable_output(tool.output_schema) if tool.output_schema else None,
        }
        return tool.model_copy(update=changed)

    @override
    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Served | None = None
    ) -> CallToolResult | InputRequiredResult:
        """The result of a tool, if every argument is one that it knows.

        Raises:
            MCPError: no such tool.
            ToolError: an argument is unknown or wrong; names it, without its value. Or the token does not allow it.
        """
        if (instead := _RETIRED.get(name)) is not None:
            raise ToolError(f"{name} is gone: {instead}. Nothing was done.")
        tool = self._offered.get(name)
        if tool is None:
            raise MCPError(code=INVALID_PARAMS, message="Unknown tool")
        schema, hints = tool.parameters, tool.annotations
        if not access.may_use(name, hints):
            raise ToolError(
                f"This token does not allow {name}: it lacks the scope {access.needed_scope(name, hints)}. "
                "Nothing was done; ask whoever runs this server for a token that does."
            )
        known = set(schema.get("properties", {}))
        # A misspelt filter that is dropped would be a confident wrong answer.
        if extra := sorted(set(arguments) - known):
            named = ", ".join(argument[:40] for argument in extra[:8])
            raise ToolError(f"Unknown argument(s): {named}. Allowed: {', '.join(sorted(known)) or 'none'}.")
        try:
            return await super().call_tool(name, _given(arguments, schema), context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise invalid_arguments(error.__cause__) from None
            raise

    @override
    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Served | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """The prompt.

        Raises:
            MCPError: no such prompt; the SDK's own error has another code in each era.
        """
        if name not in {prompt.name for prompt in await self.list_prompts()}:
            raise MCPError(code=INVALID_PARAMS, message="Unknown prompt")
        return await super().get_prompt(name, arguments, context)


def tool_of(
    fn: Callable[..., Any], *, title: str, annotations: ToolAnnotations, meta: dict[str, Any] | None = None
) -> Tool:
    """Returns a tool; a `CallToolResult` of it is sent as it is, for it was made of the model that is listed."""
    tool = Tool.from_function(fn, title=title, annotations=annotations, meta=meta, structured_output=True)
    if get_origin(get_type_hints(fn, include_extras=True)["return"]) is Annotated:
        tool.fn_metadata.output_model = None
    return tool


async def _watch(ctx: ServerRequestContext[SharedMemory, Any], params: SubscribeRequestParams) -> EmptyResult:
    if len(ctx.lifespan_context.watched) >= _WATCHED and params.uri not in ctx.lifespan_context.watched:
        raise MCPError(code=INVALID_PARAMS, message=f"More than {_WATCHED} resources are watched; unsubscribe some")
    ctx.lifespan_context.watched.add(params.uri)
    return EmptyResult()


async def _unwatch(ctx: ServerRequestContext[SharedMemory, Any], params: UnsubscribeRequestParams) -> EmptyResult:
    ctx.lifespan_context.watched.discard(params.uri)
    return EmptyResult()


def _given(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The arguments without those that mean "absent": clients send unset ones as null, "" or [].

    An empty list of `facts` says something: the words were read, and state nothing.
    """
    required = schema.get("required", ())
    return {
        name: value
        for name, value in arguments.items()
        if not (
            value is None
            or (value == "" and name not in required)
            or (value == [] and name not in required and name not in _EMPTY_SAYS)
        )
    }


def _flowing(docstring: str) -> str:
    """The paragraphs of a docstring, each on one line."""
    return "\n".join(" ".join(paragraph.split()) for paragraph in docstring.split("\n\n")).strip()
