"""The server object: the SDK's, made strict where it is lenient. The one place with overridden or private API of it."""

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult
from mcp.types import Tool as ListedTool
from pydantic import ValidationError
from typing_extensions import override

from r_memory.tools.errors import invalid_arguments
from r_memory.tools.opening import SharedMemory
from r_memory.tools.schemas import portable_input, portable_output
from r_memory.tools.wire import incoming, outgoing

Served = Context[SharedMemory, Any]


class StrictServer(MCPServer[SharedMemory]):
    """Refuses what the SDK drops silently: unknown arguments, unknown tools as tool errors, values in error texts."""

    def require(self, *arguments: str) -> None:
        """Lists these arguments as required, wherever a tool has them; the tool itself says what is missing."""
        self._also_required = arguments

    _also_required: tuple[str, ...] = ()
    shared: SharedMemory | None = None
    """The memory of the running server; `None` while it does not run."""

    async def close_memory(self) -> None:
        """Closes the memory of the running server, if there is one."""
        if self.shared is not None:
            await self.shared.close()

    async def serve_on(self, inward: int, outward: int) -> None:
        """Speaks MCP over two descriptors until the client closes the first."""
        async with stdio_server(incoming(inward), outgoing(outward)) as (read, write):
            options = self._lowlevel_server.create_initialization_options()
            await self._lowlevel_server.run(read, write, options)

    @override
    async def list_tools(self) -> list[ListedTool]:
        """The tools with portable schemas, always in the same order."""
        return [self._listed(tool) for tool in await super().list_tools()]

    def _listed(self, tool: ListedTool) -> ListedTool:
        changed = {
            "description": _flowing(tool.description or ""),
            "input_schema": portable_input(tool.input_schema, also_required=self._also_required),
            "output_schema": portable_output(tool.output_schema or {}),
        }
        return tool.model_copy(update=changed)

    @override
    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Served | None = None
    ) -> CallToolResult | InputRequiredResult:
        """The result of a tool, if every argument is one that it knows.

        Raises:
            MCPError: no such tool.
            ToolError: an argument is unknown or wrong; names it, without its value.
        """
        schema = self._tool_input_schema(name)
        if schema is None:
            raise MCPError(code=INVALID_PARAMS, message="Unknown tool")
        _refuse_unknown(arguments, known=set(schema.get("properties", {})))
        try:
            return await super().call_tool(name, arguments, context)
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


def _flowing(docstring: str) -> str:
    """The paragraphs of a docstring, each on one line."""
    return "\n".join(" ".join(paragraph.split()) for paragraph in docstring.split("\n\n")).strip()


def _refuse_unknown(arguments: dict[str, Any], *, known: set[str]) -> None:
    """Raises:
    ToolError: an argument that the tool does not have; a misspelt filter would be a confident wrong answer.
    """
    if extra := sorted(set(arguments) - known):
        named = ", ".join(argument[:40] for argument in extra[:8])
        raise ToolError(f"Unknown argument(s): {named}. Allowed: {', '.join(sorted(known)) or 'none'}.")
