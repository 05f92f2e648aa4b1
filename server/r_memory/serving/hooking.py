"""The hooks of clients, answered beside a server that has the memory open."""

from contextlib import AbstractAsyncContextManager, nullcontext

from r_memory.config.settings import Settings
from r_memory.gates.hooks import Sessions, answer
from r_memory.gates.line import answering
from r_memory.memory import Memory
from r_memory.wiring import gates_over


def answering_hooks(settings: Settings, memory: Memory) -> AbstractAsyncContextManager[None]:
    """Answers the hooks of clients while it is open, if the environment alone defines the memory."""
    if settings != Settings.from_environment():
        return nullcontext()

    async def told(event: str, given: bytes) -> tuple[int, bytes, bytes]:
        gates = gates_over(memory, settings)  # each time: the policy may be edited meanwhile
        return (await answer(event, given, gates, Sessions(settings.cache_dir / "gates"))).printed

    return answering(told)
