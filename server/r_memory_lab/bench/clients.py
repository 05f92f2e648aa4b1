"""Memory servers over standard input and output, as a client meets them: ours, and others with the same three calls."""

import gc
import json
import secrets
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Literal, Protocol

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from r_memory_lab.bench.talk import FACTS, HARMLESS, REQUESTS


class Patients:
    """Whom a run calls about: those who are known, and some who are new in this run."""

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known
        self.run = secrets.token_hex(4)

    def known(self, number: int) -> str:
        """One of them for each number, over and over."""
        return self._known[number % len(self._known)]

    def new(self, number: int) -> str:
        """Somebody else for each number."""
        return f"N{self.run}{number:04}"


class Server(Protocol):
    """A memory server with patients in it; each call says whether it was answered as it should be."""

    name: str

    async def look_up(self, number: int) -> bool:
        """Asks about one of the patients, another one for each number."""

    async def write(self, number: int) -> bool:
        """Says something more about one of them."""

    async def add(self, number: int) -> bool:
        """Says something about somebody who is new, another one for each number."""

    async def kept(self, number: int) -> bool:
        """Whether what was said about that new one is there."""


class OurServer:
    """`r-memory serve`."""

    name = "r-memory"

    def __init__(self, client: Client, patients: Patients) -> None:
        self._client = client
        self._patients = patients

    async def look_up(self, number: int) -> bool:
        """By `memory_build_context`, with its receipt."""
        request = REQUESTS[number % len(REQUESTS)]
        answer = await self._called("memory_build_context", query=request, subject=self._patients.known(number))
        return bool(answer.get("receipt_id"))

    async def write(self, number: int) -> bool:
        """By `memory_remember`."""
        return await self._told(number, FACTS, subject=self._patients.known(number))

    async def add(self, number: int) -> bool:
        """By the same call, which declares the new one."""
        return await self._told(
            number, subject=self._patients.new(number), subject_name=f"New {self._patients.new(number)}"
        )

    async def kept(self, number: int) -> bool:
        """By `memory_list_facts`."""
        answer = await self._called("memory_list_facts", subject=self._patients.new(number))
        return bool(answer.get("facts"))

    async def _told(self, number: int, said: Sequence[str], **about: str) -> bool:
        key = f"{self._patients.run}/{about['subject']}/{number}"
        words = said[number % len(said)]
        answer = await self._called("memory_remember", text=words, speaker="patient", idempotency_key=key, **about)
        return bool(answer.get("results"))

    async def _called(self, tool: str, **arguments: str) -> Mapping[str, Any]:
        return (await self._client.call_tool(tool, arguments)).structured_content or {}


class ReferenceServer:
    """The Model Context Protocol's reference memory server, which keeps a graph in one file of JSON lines.

    A patient is an entity and a fact one of its observations. `open_nodes` is the quickest look-up it has.
    """

    name = "server-memory"

    def __init__(self, client: Client, patients: Patients) -> None:
        self._client = client
        self._patients = patients

    async def look_up(self, number: int) -> bool:
        """By `open_nodes`."""
        name = self._patients.known(number)
        return f'"{name}"' in await self._called("open_nodes", names=[name])

    async def write(self, number: int) -> bool:
        """By `add_observations`."""
        said = f"{FACTS[number % len(FACTS)]} ({self._patients.run}/{number})"
        observation = {"entityName": self._patients.known(number), "contents": [said]}
        return said in await self._called("add_observations", observations=[observation])

    async def add(self, number: int) -> bool:
        """By `create_entities`."""
        name = self._patients.new(number)
        entity = {"name": name, "entityType": "Patient", "observations": [HARMLESS[number % len(HARMLESS)]]}
        return name in await self._called("create_entities", entities=[entity])

    async def kept(self, number: int) -> bool:
        """By `open_nodes`."""
        name = self._patients.new(number)
        return f'"{name}"' in await self._called("open_nodes", names=[name])

    async def _called(self, tool: str, **arguments: Sequence[object]) -> str:
        answer = await self._client.call_tool(tool, arguments)
        return "" if answer.is_error else json.dumps(answer.structured_content)


async def served(
    stack: AsyncExitStack,
    environment: Mapping[str, str],
    log: Path,
    *flags: str,
    mode: Literal["auto", "legacy"] = "auto",
) -> Client:
    """A client of a server of ours that it has started."""
    return await started(stack, [sys.executable, "-m", "r_memory.cli", "serve", *flags], environment, log, mode=mode)


async def started(
    stack: AsyncExitStack,
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    *,
    mode: Literal["auto", "legacy"] = "auto",
) -> Client:
    """A client of a server that it has started; it ends with the stack."""
    leave_out_own_heap()
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment))
    errors = stack.enter_context(log.open("a", encoding="utf-8"))
    return await stack.enter_async_context(Client(stdio_client(parameters, errlog=errors), mode=mode))


def leave_out_own_heap() -> None:
    """Spares what this process has loaded from its garbage collector, whose pauses are nobody's answer time."""
    gc.collect()
    gc.freeze()
