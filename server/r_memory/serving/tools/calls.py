"""What a tool needs to know of the call it serves: the memory, and who asks."""

from mcp.server.mcpserver import Context

from r_memory.memory import Memory
from r_memory.serving.tools.access import caller
from r_memory.serving.tools.opening import SharedMemory
from r_memory.text.inert import inert

Call = Context[SharedMemory]
_CLIENT_LIMIT = 80


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


def client_of(call: Call) -> str:
    """Name and version that the client gave of itself, inert; empty if it gave none. It is a name, not a right.

    Where a token is asked for, the name of its bearer stands before it.
    """
    by = caller()
    bearer = [] if by is None else [by.name]
    params = call.request_context.session.client_params
    client = [] if params is None else [params.client_info.name, params.client_info.version]
    return inert(" ".join((*bearer, *client)), _CLIENT_LIMIT)
