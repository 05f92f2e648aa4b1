"""What a round with strangers needs: they write, call, label and play without having seen the product (`evals/guides`).

python -m scripts.strangers client DOMAIN FILE        writes what a client sees of a server of this domain
python -m scripts.strangers steps STORIES FILE        writes what a caller sees of stories: no expectations
python -m scripts.strangers join WORK DOMAIN          joins lines, calls and labels to one file for `eval readings`
python -m scripts.strangers start WORK NAME DOMAIN    starts a server for a player, with a store of its own in WORK
python -m scripts.strangers call WORK NAME TOOL JSON  calls a tool of it (`@FILE` reads the arguments from a file)
python -m scripts.strangers stop WORK NAME            stops it
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent

_STARTS_WITHIN_S = 60.0
_ANSWERS_WITHIN_S = 300.0
_LONGEST = 2**24
"""Bytes of a call."""


@asynccontextmanager
async def _server(domain: str, folder: Path) -> AsyncIterator[Client]:
    """Starts a server of the domain with its store in the folder."""
    environment = {**os.environ, "R_MEMORY_SCHEMA": domain, "R_MEMORY_DATA_DIR": str(folder)}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "r_memory.cli", "serve"], env=environment, cwd=Path.cwd()
    )
    async with Client(stdio_client(command)) as client:
        yield client


async def client_view(domain: str) -> str:
    """Returns the instructions and tools of a server as a client sees them."""
    with tempfile.TemporaryDirectory() as folder:
        async with _server(domain, Path(folder)) as client:
            listed = await client.list_tools()
            parts = ["# Instructions of the server", client.instructions or "", "# Tools"]
            for tool in listed.tools:
                parts += [f"## {tool.name}", tool.description or "", f"```json\n{json.dumps(tool.input_schema)}\n```"]
    return "\n\n".join(parts) + "\n"


def steps(stories: Path) -> Iterator[Mapping[str, Any]]:
    """Yields each statement, request and draft of stories, numbered within its story, without what is expected."""
    for story in yaml.safe_load(stories.read_text(encoding="utf-8"))["stories"]:
        for number, step in enumerate(story["steps"]):
            if shown := {name: step[name] for name in ("say", "by", "about", "ask", "check") if name in step}:
                yield {"story": story["story"], "step": number, "people": story["people"], **shown}


def joined(work: Path, domain: str) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Returns the rows for `eval readings`, and the ids of lines that have no call or no label."""
    lines, calls, labels = (_by_id(work / f"{domain}.{part}.jsonl") for part in ("lines", "calls", "gold"))
    missing = [name for name in lines if name not in calls or name not in labels]
    rows: list[Mapping[str, Any]] = [
        {
            "id": name,
            "speaker": line["speaker"],
            "text": line["text"],
            "tags": line.get("tags", []),
            "model": calls[name]["facts"],
            **{part: labels[name][part] for part in ("expect", "allow", "forbid")},
        }
        for name, line in lines.items()
        if name not in missing
    ]
    return rows, missing


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _by_id(file: Path) -> dict[str, Mapping[str, Any]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {row["id"]: row for row in rows}


async def _play(work: Path, name: str, domain: str) -> None:
    """Answers the calls that come over the player's socket by one server, until it is told to stop."""
    stopped = asyncio.Event()
    folder = work / "stores" / name
    folder.mkdir(parents=True, exist_ok=True)
    async with _server(domain, folder) as client:

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked = json.loads(await reader.readline())
            if asked["tool"]:
                said = await _said(client, asked["tool"], asked["arguments"])
                with (work / f"{name}.log").open("a", encoding="utf-8") as log:
                    log.write(json.dumps({**asked, "result": said}, ensure_ascii=False) + "\n")
            else:
                said = "stopped"
                stopped.set()
            writer.write(said.encode())
            await writer.drain()
            writer.close()

        async with await asyncio.start_unix_server(answer, work / f"{name}.sock", limit=_LONGEST):
            await stopped.wait()
    (work / f"{name}.sock").unlink(missing_ok=True)


async def _said(client: Client, tool: str, arguments: Mapping[str, Any]) -> str:
    result = await client.call_tool(tool, dict(arguments))
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    return f"ERROR {text}" if result.is_error else text


def _ask(work: Path, name: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """Returns the answer to one call; an empty tool stops the server."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(_ANSWERS_WITHIN_S)
        line.connect(str(work / f"{name}.sock"))
        line.sendall(json.dumps({"tool": tool, "arguments": arguments}).encode() + b"\n")
        return b"".join(iter(lambda: line.recv(65_536), b"")).decode()


def _start(work: Path, name: str, domain: str) -> str:
    """Starts the server of a player beside this process; it goes on when this command has ended."""
    address = work / f"{name}.sock"
    address.unlink(missing_ok=True)
    with (work / f"{name}.err").open("w", encoding="utf-8") as log:
        command = [sys.executable, "-m", "scripts.strangers", "play", str(work), name, domain]
        subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)  # noqa: S603 - our own module, with the words of whoever runs this
    until = time.monotonic() + _STARTS_WITHIN_S
    while not address.exists():
        if time.monotonic() > until:
            raise SystemExit(f"the server did not start; see {work / name}.err")
        time.sleep(0.1)
    return "started"


def main(command: str, *words: str) -> str:
    """Runs one command and returns what it prints.

    Raises:
        SystemExit: there is no such command, or the server did not start.
    """
    if command in {"client", "steps"}:
        seen = asyncio.run(client_view(words[0])) if command == "client" else _lines(steps(Path(words[0])))
        Path(words[1]).write_text(seen, encoding="utf-8")
        return words[1]
    work, name = Path(words[0]).resolve(), words[1]
    if command == "join":
        rows, missing = joined(work, name)
        (work / f"{name}.jsonl").write_text(_lines(rows), encoding="utf-8")
        return f"{len(rows)} rows; without call or label: {', '.join(missing) or 'none'}"
    if command == "start":
        return _start(work, name, words[2])
    if command == "play":
        asyncio.run(_play(work, name, words[2]))
        return ""
    if command == "call":
        given = words[3] if len(words) > 3 else "{}"
        told = Path(given[1:]).read_text(encoding="utf-8") if given.startswith("@") else given
        return _ask(work, name, words[2], json.loads(told))
    if command == "stop":
        return _ask(work, name, "", {})
    raise SystemExit(__doc__)


if __name__ == "__main__":
    print(main(*sys.argv[1:] or [""]))
