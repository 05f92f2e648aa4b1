"""One clinic on each store that people use, reached only as its users reach it: by a client of the running server."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from tests.acceptance.conftest import Assistant, Installation, begun_in, installed_in
from tests.neo4j_servers import Neo4jAddress

STORES = ("embedded", pytest.param("neo4j", marks=pytest.mark.neo4j))
ORDER = "Prescribe something for him."


@dataclass(frozen=True, slots=True)
class Patient:
    """Somebody whom nothing is known about until the test says it."""

    assistant: Assistant
    id: str
    name: str

    async def tell(self, text: str, **arguments: object) -> Sequence[Mapping[str, Any]]:
        """What became of a statement: one result for each fact, review item and refusal."""
        told = await self.assistant.call(
            "memory_remember", text=text, subject=self.id, subject_name=self.name, **arguments
        )
        results: Sequence[Mapping[str, Any]] = told["results"]
        return results

    async def context(self, query: str = ORDER, **arguments: object) -> Mapping[str, Any]:
        """What stands in front of a request."""
        return await self.assistant.call("memory_build_context", query=query, subject=self.id, **arguments)

    async def facts(self, **arguments: object) -> Sequence[Mapping[str, Any]]:
        """Everything recorded."""
        listed = await self.assistant.call("memory_list_facts", subject=self.id, **arguments)
        facts: Sequence[Mapping[str, Any]] = listed["facts"]
        return facts

    async def triples(self) -> set[tuple[str, str, str]]:
        """Relation, object (in small letters) and status of everything recorded."""
        return {(fact["relation"], fact["object"].casefold(), fact["status"]) for fact in await self.facts()}


def installation_on(request: pytest.FixtureRequest, store: str, folder: Path) -> Installation:
    """An installation on this store, in a space of its own."""
    if store == "embedded":
        return begun_in(folder)
    address: Neo4jAddress = request.getfixturevalue("neo4j_2026")
    return installed_in(folder).with_settings(
        store_uri=address.uri,
        store_user=address.user,
        store_password=address.password,
        space=f"hazards-{uuid.uuid4().hex[:12]}",
    )


@pytest.fixture(scope="session", params=STORES)
async def clinic(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Assistant]:
    """A client of one running server on each store, for all tests that leave the server alone."""
    installation = installation_on(request, request.param, tmp_path_factory.mktemp("clinic"))
    async with _in_a_task_of_its_own(installation.client()) as assistant:
        yield assistant


@asynccontextmanager
async def _in_a_task_of_its_own(client: AbstractAsyncContextManager[Assistant]) -> AsyncIterator[Assistant]:
    """Keeps a client's cancel scope off the task in which every test of the session runs.

    There, what some test leaves behind decides whether the scope can be closed.
    """
    opened: asyncio.Future[Assistant] = asyncio.get_running_loop().create_future()
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


@pytest.fixture(params=STORES)
def own(request: pytest.FixtureRequest, tmp_path: Path) -> Installation:
    """An installation on each store that a test may stop, starve or edit."""
    return installation_on(request, request.param, tmp_path)


@pytest.fixture
def patient(clinic: Assistant) -> Patient:
    """Somebody new."""
    return somebody(clinic)


def somebody(assistant: Assistant) -> Patient:
    """Somebody new at any clinic."""
    number = uuid.uuid4().hex[:8]
    return Patient(assistant, f"Z-{number}", f"Pat {number}")


def drug_names() -> list[str]:
    """Names of drugs that the shipped lexicon knows."""
    return sorted(load_domain(Files(), "clinical").schema.lexicon.terms["Drug"])
