"""What a tool needs to know of the call it serves: the memory, and who asks."""

from mcp.server.mcpserver import Context

from r_memory.domain.inert import inert
from r_memory.memory import Memory
from r_memory.tools.opening import SharedMemory

Call = Context[SharedMemory]
_CLIENT_LIMIT = 80


def shared_by(call: Call) -> SharedMemory:
    """The memory of the server, open or not."""
    return call.request_context.lifespan_context


async def memory_of(call: Call) -> Memory:
    """The memory of the server, once it is open.

    Raises:
        RMemoryError: it could not be opened.
    """
    return await shared_by(call).get()


def client_of(call: Call) -> str:
    """Name and version that the client gave of itself, inert; empty if it gave none. It is a name, not a right."""
    params = call.request_context.session.client_params
    if params is None:
        return ""
    return inert(f"{params.client_info.name} {params.client_info.version}", _CLIENT_LIMIT)
