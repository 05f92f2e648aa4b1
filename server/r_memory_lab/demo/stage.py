"""The server as a real process, and what the demo says to it over MCP: the official client on both ends of a pipe.

Knows how to start, ask and kill; not what is told, nor what must come of it.
"""

import os
import signal
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation, TextContent

from r_memory.domain.instants import Instant, iso
from r_memory.errors import NotStored, RMemoryError, StoreUnavailable
from r_memory.serving.tools.models import ContextOut, FactOut, FactsOut, RememberedOut
from r_memory.store.host_lock import announced
from r_memory_lab.demo.story import StoryPatient, StoryTurn

NAME = Implementation(name="r-memory demo", version=version("r-memory"))
"""Recipient named in the receipts."""
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Signal that ends a process at once; Windows has only SIGTERM."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A running server."""

    client: Client

    async def tell(self, turn: StoryTurn, *, said_at: Instant) -> RememberedOut:
        """Returns the result of one turn.

        Raises:
            NotStored: the server reports that it was not stored.
        """
        arguments = {
            "text": turn.text,
            "subject": turn.about.id,
            "subject_name": turn.about.name,
            "speaker": turn.speaker,
            "conversation_id": turn.conversation,
            "said_at": iso(said_at),
        }
        try:
            return RememberedOut.model_validate(await self._call("memory_remember", arguments))
        except StoreUnavailable as error:
            raise NotStored(str(error)) from error

    async def ask(self, request: str, about: StoryPatient) -> ContextOut:
        """Returns the context for a request."""
        arguments = {"query": request, "subject": about.id, "detail": True}
        return ContextOut.model_validate(await self._call("memory_build_context", arguments))

    async def facts(self, about: StoryPatient) -> tuple[FactOut, ...]:
        """Returns all facts about a subject."""
        page = await self._page(about, "")
        facts = page.facts
        while page.next_cursor:
            page = await self._page(about, page.next_cursor)
            facts += page.facts
        return tuple(facts)

    async def _page(self, about: StoryPatient, cursor: str) -> FactsOut:
        return FactsOut.model_validate(await self._call("memory_list_facts", {"subject": about.id, "cursor": cursor}))

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> object:
        result = await self.client.call_tool(tool, dict(arguments))
        if result.is_error:
            raise StoreUnavailable(_text(result.content))
        return result.structured_content


@asynccontextmanager
async def served(home: Path, log: TextIO) -> AsyncIterator[Stage]:
    """Runs a server process on the home's memory; it ends with the context, unless it was killed.

    Raises:
        StoreUnavailable: it did not start, or broke off.
    """
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "r_memory.cli", "serve", "--home", str(home)]
    )
    try:
        async with Client(stdio_client(parameters, errlog=log), client_info=NAME) as client:
            yield Stage(client=client)
    except (ExceptionGroup, MCPError, OSError) as error:
        known = next((leaf for leaf in _leaves(error) if isinstance(leaf, RMemoryError)), None)
        raise known or StoreUnavailable(f"the server broke off; {log.name} says why") from error


def _leaves(error: Exception) -> Iterator[Exception]:
    """Yields the single errors in the client's exception groups."""
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def kill(store: Path) -> int:
    """Kills the process that hosts the store and returns its process id.

    Raises:
        StoreUnavailable: no process hosts it.
    """
    host = announced(store)
    if host is None:
        raise StoreUnavailable(f"no process hosts {store}; the server's log beside it says why")
    os.kill(host.pid, KILL)
    return host.pid


def _text(content: Iterable[object]) -> str:
    return " ".join(part.text for part in content if isinstance(part, TextContent))
