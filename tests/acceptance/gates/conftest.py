"""A proxy over a real memory, on a socket of this machine, and the plain client in front of it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import uvicorn
from openai import AsyncOpenAI
from starlette.types import ASGIApp
from typing_extensions import override

from r_memory.config.gates_file import load_gates
from r_memory.config.settings import Settings, load_settings
from r_memory.domain.gates import GatePolicy
from r_memory.gates.gates import Gates
from r_memory.gates.proxy.app import ProxyPlan, application
from r_memory.memory import Memory
from r_memory.serving.http.door import behind_door
from r_memory.serving.http.plan import HttpPlan, parse_address
from r_memory.wiring import open_memory
from tests.acceptance.conftest import STORES, Installation, begun_in, in_a_task_of_its_own, installation_on
from tests.chat_server import Answer, ChatServer, chat_server

INTAKE = "I am severely allergic to Penicillin."
REQUEST = "Patient John Doe has tested positive for Strep. Recommend the standard first-line antibiotic."
BAD = "For strep throat I recommend Amoxicillin 500 mg three times a day."
GOOD = "For strep throat Azithromycin 500 mg once a day is an option."
JOHN = "JD001"


@dataclass(frozen=True, slots=True)
class Gated:
    """An open memory with its gates."""

    memory: Memory
    gates: Gates
    settings: Settings

    def under(self, **policy: object) -> "Gated":
        """The same under another policy."""
        changed: GatePolicy = replace(self.gates.policy, **policy)  # type: ignore[arg-type]  # fields of the policy
        return replace(self, gates=gates_of(self.memory, changed))

    @asynccontextmanager
    async def proxy(self, *answers: Answer, subject: str = JOHN, **plan: object) -> AsyncIterator["Client"]:
        """A client of a proxy in front of a server that gives these answers."""
        with upstream(*answers) as server:
            async with self.proxy_of(server.url, subject=subject, **plan) as client:
                yield replace(client, upstream=server)

    @asynccontextmanager
    async def proxy_of(self, url: str, *, subject: str = JOHN, **plan: object) -> AsyncIterator["Client"]:
        """A client of a proxy in front of whatever answers there."""
        app = application(self.gates, ProxyPlan(upstream=url, **plan))  # type: ignore[arg-type]  # fields of the plan
        here = HttpPlan(settings=self.settings, address=parse_address("127.0.0.1:8787"))
        async with served(behind_door(app, here)) as base:
            headers = {"x-r-memory-subject": subject} if subject else {}
            openai = AsyncOpenAI(api_key="key-of-a-test", base_url=f"{base}/v1", default_headers=headers, max_retries=0)
            async with openai:
                yield Client(openai=openai, base=base, upstream=ChatServer(url=url))


@dataclass(frozen=True, slots=True)
class Client:
    """The plain client, and what the upstream was sent."""

    openai: AsyncOpenAI
    base: str
    upstream: ChatServer


def gates_of(memory: Memory, policy: GatePolicy) -> Gates:
    async def opened() -> Memory:
        return memory

    return Gates(opened, policy, ask=memory.schema.unavailable)


@asynccontextmanager
async def gated(settings: Settings) -> AsyncIterator[Gated]:
    """The memory of an installation, to which John Doe's intake was told."""
    async with open_memory(settings) as memory:
        await memory.remember(INTAKE, subject=JOHN, subject_name="John Doe", speaker="patient")
        yield Gated(memory, gates_of(memory, load_gates(settings.files, memory.schema)), settings)


def settings_in(installation: Installation) -> Settings:
    return load_settings(installation.environment)


@contextmanager
def upstream(*answers: Answer) -> Iterator[ChatServer]:
    with chat_server(*answers) as server:
        yield server


class Announced(uvicorn.Server):
    """Says when it serves."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.serving = asyncio.Event()

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.serving.set()


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[str]:
    """The address at which an application answers on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Announced(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=5))
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            await server.serving.wait()
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gated]:
    """On the embedded store, shared by the tests of a module."""
    async with in_a_task_of_its_own(gated(settings_in(begun_in(tmp_path_factory.mktemp("gates"))))) as opened:
        yield opened


@pytest.fixture(scope="module", params=STORES)
async def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gated]:
    """On each store that people use."""
    folder: Path = tmp_path_factory.mktemp("gates")
    async with in_a_task_of_its_own(gated(settings_in(installation_on(request, request.param, folder)))) as opened:
        yield opened


def tool_call(name: str, arguments: str) -> Sequence[object]:
    return [{"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]
