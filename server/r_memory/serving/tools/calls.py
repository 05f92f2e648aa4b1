"""What tools need of the call they serve: the memory, who asks, and the arguments that several of them take."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Annotated

from mcp.server.mcpserver import Context
from pydantic import Field, WithJsonSchema

from r_memory.memory import Memory
from r_memory.serving.tools.access import caller
from r_memory.serving.tools.errors import reading
from r_memory.serving.tools.opening import SharedMemory
from r_memory.text.inert import inert

Call = Context[SharedMemory]
_CLIENT_LIMIT = 80

Subject = Annotated[str, Field(max_length=200, description="Whose: id or exact name.")]
SubjectName = Annotated[str, Field(max_length=200, description="Of somebody new, with a new id.")]
AnotherThan = Annotated[
    Sequence[Annotated[str, Field(max_length=200)]],
    Field(max_length=100),
    # Listed without its bounds: lists of tools are short of room.
    WithJsonSchema({"type": "array", "items": {"type": "string"}}),
    Field(description="Ids of all others of that name."),
]
Speaker = Annotated[str, Field(max_length=200, description="Who said it: nurse, wife.")]
ConversationId = Annotated[str, Field(max_length=200, description="Its conversation.")]
Name = Annotated[str, Field(max_length=64)]
Profile = Annotated[str, Field(max_length=64, description="default, scm, cim, mimir, or of the settings.")]
Cursor = Annotated[str, Field(max_length=200, description="next_cursor of the page before.")]


def shared_by(call: Call) -> SharedMemory:
    """The memory of the server, open or not."""
    return call.request_context.lifespan_context


async def memory_of(call: Call) -> Memory:
    """The memory of the server, once it is open, in the space of whoever calls.

    Raises:
        RMemoryError: it could not be opened.
    """
    return await callers_memory(shared_by(call))


async def callers_memory(shared: SharedMemory) -> Memory:
    """The same, where the SDK hands no context over.

    Raises:
        RMemoryError: it could not be opened.
    """
    memory = await shared.get()
    by = caller()
    return memory if by is None else memory.in_space(by.space)


@asynccontextmanager
async def memory_for(call: Call, told: AbstractContextManager[None] | None = None) -> AsyncIterator[Memory]:
    """The memory, where what goes wrong is `told` as a tool says it; by default as one says it that reads."""
    with told or reading(shared_by(call).ask):
        yield await memory_of(call)


def client_of(call: Call) -> str:
    """Name and version that the client gave of itself, inert; empty if it gave none. It is a name, not a right.

    Where a token is asked for, the name of its bearer stands before it.
    """
    by = caller()
    bearer = [] if by is None else [by.name]
    params = call.request_context.session.client_params
    client = [] if params is None else [params.client_info.name, params.client_info.version]
    return inert(" ".join((*bearer, *client)), _CLIENT_LIMIT)
