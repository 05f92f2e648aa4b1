"""Installations as people have them: the command, an environment, a data folder, and a client that speaks stdio."""

import asyncio
import os
import shutil
import subprocess
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest
from filelock import FileLock
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent

from r_memory.config.settings import Settings
from r_memory_lab import evaluating
from r_memory_lab.bench.core import BenchPlan
from tests.acceptance.wire import PATIENCE, WireServer, noted
from tests.conftest import SHARED
from tests.neo4j_servers import Neo4jAddress
from tests.warm_starts import SCRIPT

_T = TypeVar("_T")
Era = Literal["auto", "legacy"]
STORES = ("embedded", pytest.param("neo4j", marks=pytest.mark.neo4j))
"""Those that people use."""
CLINICAL = "clinical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """One installation: what `r-memory serve` finds in its environment."""

    folder: Path
    settings: Mapping[str, str]
    """Environment variables without their prefix, in small letters."""
    has_begun: bool = False
    """Every data folder that it is given holds what a first start leaves."""

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its processes: what a host passes, and the settings."""
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "JAVA_HOME") if name in os.environ}
        return inherited | {f"R_MEMORY_{name.upper()}": value for name, value in self.settings.items()}

    @property
    def log(self) -> Path:
        """Standard error of the last server that was started."""
        return self.folder / "server.log"

    def with_settings(self, **settings: str) -> "Installation":
        """The same installation under other settings."""
        made = replace(self, settings={**self.settings, **settings})
        if made.has_begun and "data_dir" in settings:
            begin(Path(settings["data_dir"]), made.settings.get("schema", CLINICAL))
        return made

    @asynccontextmanager
    async def client(self, era: Era = "auto") -> AsyncIterator["Assistant"]:
        """A client, connected to a server process of its own, which ends with it."""
        server = StdioServerParameters(command=str(SCRIPT), args=["serve"], env=self.environment)
        with self.log.open("w", encoding="utf-8") as log, noted(self.log):
            async with Client(stdio_client(server, errlog=log), mode=era) as client:
                yield await Assistant(client).opened()

    def wire(self) -> WireServer:
        """A server process to be spoken to line by line."""
        return WireServer(self.environment, log=self.log)


@dataclass(frozen=True, slots=True)
class Assistant:
    """A connected client, as a model uses it."""

    client: Client

    async def opened(self) -> "Assistant":
        """Itself, once its memory is open: a cold database on a busy machine takes longer than a call waits for it."""
        for _ in range(6):
            look = await self.client.call_tool("memory_list_facts", {"subject": "nobody"})
            if "SAFETY MEMORY UNAVAILABLE" not in text_of(look):
                break
        return self

    async def call(self, tool: str, **arguments: object) -> Mapping[str, Any]:
        """The structured result of a call that must succeed."""
        result = await self.client.call_tool(tool, dict(arguments))
        assert not result.is_error, text_of(result)
        assert result.structured_content is not None
        content: Mapping[str, Any] = result.structured_content
        return content

    async def refused(self, tool: str, **arguments: object) -> str:
        """What a call that must fail tells the model."""
        result = await self.client.call_tool(tool, dict(arguments))
        assert result.is_error, text_of(result)
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    """The text channel of a result."""
    return "".join(content.text for content in result.content if isinstance(content, TextContent))


def installed_in(folder: Path) -> Installation:
    """An installation whose data lies in the folder; patient, as test machines are busy."""
    settings = {"data_dir": str(folder / "data"), "space": "practice", "read_timeout_s": str(PATIENCE)}
    return Installation(folder=folder, settings=settings)


def begun_in(folder: Path, schema: str = CLINICAL) -> Installation:
    """The same with the knowledge of its schema in it and nobody known, as its first start leaves it."""
    installation = replace(installed_in(folder), has_begun=True)
    return installation.with_settings(schema=schema, data_dir=installation.settings["data_dir"])


def begin(data: Path, schema: str = CLINICAL) -> None:
    """Makes a data folder that does not exist what the first start of an installation leaves."""
    if not data.joinpath("store").exists():
        shutil.copytree(_begun(schema) / "store" / "arcadedb", data / "store" / "arcadedb")


def _begun(schema: str) -> Path:
    """A data folder after a first start. Made once: writing the knowledge takes three quarters of a test's time."""
    folder = Path(os.environ[SHARED]) / f"begun-{schema}"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            starting = folder.with_name(f"starting-{schema}")
            environment = installed_in(starting).with_settings(schema=schema).environment
            subprocess.run([SCRIPT, "subjects"], env=environment, check=True, capture_output=True)
            starting.rename(folder)
    return folder / "data"


@pytest.fixture
def begun_suites(monkeypatch: pytest.MonkeyPatch) -> None:
    """The own store of each suite of `eval`, and those of `bench` that it does not fill, are as a first start leaves
    them."""
    alone, embedded = evaluating._alone, BenchPlan.embedded

    def begun(settings: Settings, folder: Path) -> Settings:
        begin(folder)
        return alone(settings, folder)

    def begun_plan(plan: BenchPlan, part: str) -> Settings:
        if part in {"shared", "trials"} and not (plan.folder / part).exists():
            begin(plan.folder / part)
        return embedded(plan, part)

    monkeypatch.setattr(evaluating, "_alone", begun)
    monkeypatch.setattr(BenchPlan, "embedded", begun_plan)


@pytest.fixture
def untouched(tmp_path: Path) -> Installation:
    """On the embedded store, before its first start."""
    return installed_in(tmp_path)


@pytest.fixture
def embedded(tmp_path: Path) -> Installation:
    """On the embedded store, in a folder of its own, which was started before."""
    return begun_in(tmp_path)


def installation_on(request: pytest.FixtureRequest, store: str, folder: Path) -> Installation:
    """An installation on this store; on a server, in a space of its own."""
    if store == "embedded":
        return begun_in(folder)
    address: Neo4jAddress = request.getfixturevalue("neo4j_2026")
    return installed_in(folder).with_settings(
        store_uri=address.uri,
        store_user=address.user,
        store_password=address.password,
        space=f"test-{uuid.uuid4().hex[:12]}",
    )


@pytest.fixture(params=STORES)
def installation(request: pytest.FixtureRequest, tmp_path: Path) -> Installation:
    """On each store that people use."""
    return installation_on(request, request.param, tmp_path)


@pytest.fixture(scope="module", params=STORES)
def standing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The same, for all tests of a module."""
    return installation_on(request, request.param, tmp_path_factory.mktemp("standing"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Plays one row of each test on Neo4j too, and the others, which are sentences, on the embedded store alone."""
    on_neo4j = [item for item in items if _stands_on_neo4j(item)]
    played = {item.nodeid.partition("[")[0]: item for item in reversed(on_neo4j)}
    others = set(on_neo4j) - set(played.values())
    config.hook.pytest_deselected(items=list(others))
    items[:] = [item for item in items if item not in others]


def _stands_on_neo4j(item: pytest.Item) -> bool:
    return hasattr(item, "callspec") and item.callspec.params.get("standing") == "neo4j"


@asynccontextmanager
async def in_a_task_of_its_own(client: AbstractAsyncContextManager[_T]) -> AsyncIterator[_T]:
    """Keeps a client's cancel scope off the task in which every test of the session runs.

    There, what some test leaves behind decides whether the scope can be closed.
    """
    opened: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def hold() -> None:
        try:
            async with client as assistant:
                opened.set_result(assistant)
                await over.wait()
        except Exception as error:
            if not opened.done():
                opened.set_exception(error)
            raise

    holder = asyncio.create_task(hold())
    try:
        yield await opened
    finally:
        over.set()
        await holder


@pytest.fixture(scope="module")
async def assistant(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Assistant]:
    """A client of one server on the embedded store, shared by the tests of a module: each takes subjects of its own."""
    folder = tmp_path_factory.mktemp("shared")
    async with begun_in(folder).client() as connected:
        yield connected
