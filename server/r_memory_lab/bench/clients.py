"""Memory servers over standard input and output, as a client meets them: ours, and others with the same three calls."""

import asyncio
import gc
import json
import secrets
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent

from r_memory.errors import StoreUnavailable
from r_memory_lab.bench.charts import BenchChart
from r_memory_lab.bench.talk import FACTS, READINGS, REQUESTS

_AT_ONCE = 500
"""Patients in one call to the reference server."""


class Patients:
    """The patients of a run: known ones, and new ones."""

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known
        self.run = secrets.token_hex(4)

    def known(self, number: int) -> str:
        """Returns a known patient for a number, in a cycle."""
        return self._known[number % len(self._known)]

    def new(self, number: int) -> str:
        """Returns another new patient for each number."""
        return f"N{self.run}{number:04}"


class Server(Protocol):
    """A memory server with patients; each call returns whether it was answered correctly."""

    name: str

    async def look_up(self, number: int) -> bool:
        """Looks up one of the patients, another for each number."""

    async def write(self, number: int) -> bool:
        """Adds a statement about one of the patients."""

    async def add(self, number: int) -> bool:
        """Adds a statement about a new patient, another for each number."""

    async def kept(self, number: int) -> bool:
        """Whether the statement about that new patient is stored."""


class OurServer:
    """`r-memory serve`."""

    name = "r-memory"

    def __init__(self, client: Client, patients: Patients) -> None:
        self._client = client
        self._patients = patients

    async def look_up(self, number: int) -> bool:
        """Calls `memory_build_context`, with its receipt."""
        request = REQUESTS[number % len(REQUESTS)]
        answer = await self._called("memory_build_context", query=request, subject=self._patients.known(number))
        return bool(answer.get("receipt_id"))

    async def write(self, number: int) -> bool:
        """Calls `memory_remember`."""
        return await self._told(number, subject=self._patients.known(number))

    async def add(self, number: int) -> bool:
        """Calls `memory_remember`, which declares the new patient."""
        new = self._patients.new(number)
        return await self._told(number, subject=new, subject_name=f"New {new}")

    async def kept(self, number: int) -> bool:
        """Calls `memory_list_facts`; a fact or waiting words count."""
        answer = await self._called("memory_list_facts", subject=self._patients.new(number))
        return bool(answer.get("facts") or answer.get("pending"))

    async def tell(self, number: int, *, read: bool) -> bool:
        """Calls `memory_remember` about one of the patients; with `read`, gives the reading of the words as `facts`."""
        relation, thing, status, attrs = READINGS[number % len(READINGS)]
        words = FACTS[number % len(FACTS)]
        fact = {"relation": relation, "object": thing, "evidence": words, "status": status, "attrs": attrs}
        given = {"facts": [fact]} if read else {}
        return await self._remembered(
            f"{number}/{read}", words, subject=self._patients.known(2 * number + read), **given
        )

    async def _told(self, number: int, **about: str) -> bool:
        return await self._remembered(f"{about['subject']}/{number}", FACTS[number % len(FACTS)], **about)

    async def _remembered(self, key: str, words: str, **arguments: object) -> bool:
        key = f"{self._patients.run}/{key}"
        answer = await self._called("memory_remember", text=words, speaker="patient", idempotency_key=key, **arguments)
        return bool(answer.get("results"))

    async def _called(self, tool: str, **arguments: object) -> Mapping[str, Any]:
        return (await self._client.call_tool(tool, arguments)).structured_content or {}


class ForeignServer(Server, Protocol):
    """A memory server other than ours."""

    async def fill(self, charts: Iterable[BenchChart]) -> None:
        """Adds patients by the server's own tools."""


class ReferenceServer:
    """The Model Context Protocol's reference memory server, which keeps a graph in one file of JSON lines.

    A patient is an entity and a fact one of its observations. `open_nodes` is the quickest look-up it has.
    """

    name = "server-memory"

    def __init__(self, client: Client, patients: Patients) -> None:
        self._client = client
        self._patients = patients

    async def fill(self, charts: Iterable[BenchChart]) -> None:
        """Calls `create_entities` for some hundred at a time."""
        waiting = iter(charts)
        while some := list(islice(waiting, _AT_ONCE)):
            await self._created((chart.subject.id, _said_of(chart)) for chart in some)

    async def look_up(self, number: int) -> bool:
        """Calls `open_nodes`."""
        return await self._knows(self._patients.known(number))

    async def write(self, number: int) -> bool:
        """Calls `add_observations`."""
        said = f"{FACTS[number % len(FACTS)]} ({self._patients.run}/{number})"
        observation = {"entityName": self._patients.known(number), "contents": [said]}
        return said in await _answer(self._client, "add_observations", observations=[observation])

    async def add(self, number: int) -> bool:
        """Calls `create_entities`."""
        return await self._created([(self._patients.new(number), [FACTS[number % len(FACTS)]])])

    async def kept(self, number: int) -> bool:
        """Calls `open_nodes`."""
        return await self._knows(self._patients.new(number))

    async def _created(self, people: Iterable[tuple[str, Sequence[str]]]) -> bool:
        entities = [{"name": name, "entityType": "Patient", "observations": said} for name, said in people]
        return f'"{entities[0]["name"]}"' in await _answer(self._client, "create_entities", entities=entities)

    async def _knows(self, name: str) -> bool:
        return f'"{name}"' in await _answer(self._client, "open_nodes", names=[name])


class MemoryService:
    """`mcp-memory-service`, which keeps texts with their embeddings in SQLite; here without a model, by hashes.

    A patient is a tag; everything known at first is one text. `memory_list` by the tag is the quickest look-up it has.
    """

    name = "mcp-memory-service"

    def __init__(self, client: Client, patients: Patients, filler: Callable[[str], bool] = bool) -> None:
        """`filler` stores lines, each a tag and its text as JSON, and returns whether all are stored."""
        self._client = client
        self._patients = patients
        self._filler = filler

    async def fill(self, charts: Iterable[BenchChart]) -> None:
        """Adds one text for each patient, without the tools, as each call of them reads all texts."""
        told = ((chart.subject.id, f"{chart.subject.id}: {', '.join(_said_of(chart))}") for chart in charts)
        if not await asyncio.to_thread(self._filler, "\n".join(map(json.dumps, told))):
            raise StoreUnavailable(f"{self.name} could not be filled; delete it from the cache and run again")

    async def look_up(self, number: int) -> bool:
        """Calls `memory_list`."""
        return await self._knows(self._patients.known(number))

    async def write(self, number: int) -> bool:
        """Calls `memory_store`."""
        said = f"{FACTS[number % len(FACTS)]} ({self._patients.run}/{number})"
        return await self._stored(self._patients.known(number), said)

    async def add(self, number: int) -> bool:
        """Calls `memory_store`."""
        return await self._stored(self._patients.new(number), FACTS[number % len(FACTS)])

    async def kept(self, number: int) -> bool:
        """Calls `memory_list`."""
        return await self._knows(self._patients.new(number))

    async def _stored(self, name: str, said: str) -> bool:
        # A conversation spares its look for texts that mean the same.
        told = {"content": f"{name}: {said}", "metadata": {"tags": [name]}, "conversation_id": name}
        return "successfully" in await _answer(self._client, "memory_store", **told)

    async def _knows(self, name: str) -> bool:
        return f"{name}: " in await _answer(self._client, "memory_list", tags=[name])


def _said_of(chart: BenchChart) -> list[str]:
    return [f"{fact.relation} {fact.object.name} ({fact.status})" for fact in chart.batch.facts]


async def _answer(client: Client, tool: str, **arguments: object) -> str:
    """Returns the text of a tool's answer; empty if the tool failed."""
    answer = await client.call_tool(tool, arguments)
    return "" if answer.is_error else "".join(part.text for part in answer.content if isinstance(part, TextContent))


async def served(
    stack: AsyncExitStack,
    environment: Mapping[str, str],
    log: Path,
    *flags: str,
    mode: Literal["auto", "legacy"] = "auto",
) -> Client:
    """Starts one of our servers and returns a client of it."""
    return await started(stack, [sys.executable, "-m", "r_memory.cli", "serve", *flags], environment, log, mode=mode)


async def started(
    stack: AsyncExitStack,
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    *,
    mode: Literal["auto", "legacy"] = "auto",
) -> Client:
    """Starts a server and returns a client of it; the server ends with the stack."""
    leave_out_own_heap()
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment))
    errors = stack.enter_context(log.open("a", encoding="utf-8"))
    return await stack.enter_async_context(Client(stdio_client(parameters, errlog=errors), mode=mode))


def leave_out_own_heap() -> None:
    """Exempts this process's loaded objects from garbage collection, whose pauses would count as answer times."""
    gc.collect()
    gc.freeze()
