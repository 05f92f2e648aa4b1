"""One clinic on each store that people use, reached only as its users reach it: by a client of the running server."""

import uuid
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from tests.acceptance.conftest import STORES, Assistant, Installation, in_a_task_of_its_own, installation_on

ORDER = "Prescribe something for him."


def cases(names: str, of: Iterable[object]) -> pytest.MarkDecorator:
    """Every case on the embedded store, the first on Neo4j as well: what sets them apart is read and never stored."""
    every = [case if isinstance(case, tuple) else (case,) for case in of]
    on_both = [pytest.param("neo4j", *every[0], marks=pytest.mark.neo4j), *(("embedded", *case) for case in every)]
    # Without its scope the house would be of one test, with a server of its own for each.
    return pytest.mark.parametrize(f"house, {names}", on_both, indirect=["house"], scope="session")


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
        return await self.assistant.call("memory_build_context", detail=True, query=query, subject=self.id, **arguments)

    async def facts(self, **arguments: object) -> Sequence[Mapping[str, Any]]:
        """Everything recorded."""
        listed = await self.assistant.call("memory_list_facts", subject=self.id, **arguments)
        facts: Sequence[Mapping[str, Any]] = listed["facts"]
        return facts

    async def triples(self) -> set[tuple[str, str, str]]:
        """Relation, object (in small letters) and status of everything recorded."""
        return {(fact["relation"], fact["object"].casefold(), fact["status"]) for fact in await self.facts()}


@pytest.fixture(scope="session", params=STORES)
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The installation of the clinic on each store."""
    return installation_on(request, request.param, tmp_path_factory.mktemp("clinic"))


@pytest.fixture(scope="session")
async def clinic(house: Installation) -> AsyncIterator[Assistant]:
    """A client of one running server on each store, for all tests that leave the server alone."""
    async with in_a_task_of_its_own(house.client()) as assistant:
        yield assistant


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
