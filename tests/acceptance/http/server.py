"""`r-memory serve --http` as a process of its own, and plain requests to it, as no well-behaved client sends them."""

import http.client
import json
import re
import signal
import ssl
import subprocess
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.client.streamable_http import streamable_http_client

from tests.acceptance.conftest import Assistant, Era
from tests.acceptance.wire import PATIENCE
from tests.warm_starts import SCRIPT

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
_URL = re.compile(r"url='(?P<url>https?://[^']+)'")
Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: Headers
    """Names in small letters."""
    body: str

    @property
    def message(self) -> dict[str, Any]:
        """The JSON-RPC message, whether alone or in a stream of events."""
        data = [line.removeprefix("data: ") for line in self.body.splitlines() if line.startswith("data: {")]
        message: dict[str, Any] = json.loads(data[-1] if data else self.body)
        return message


class HttpServer:
    """A running server; ended, if it still runs, at the end of the `with` block."""

    def __init__(
        self, environment: Mapping[str, str], *, log: Path, address: str = "127.0.0.1:0", options: Sequence[str] = ()
    ) -> None:
        self._log = log
        self._url = ""
        self._listening = threading.Event()
        self._lines: list[str] = []
        self.process = subprocess.Popen(
            [SCRIPT, "serve", "--http", address, *options], env=dict(environment), stderr=subprocess.PIPE, text=True
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()
        if error is not None:
            error.add_note("--- server ---\n" + self.log[-3000:])

    @property
    def url(self) -> str:
        """Where it answers, once it listens."""
        assert self._listening.wait(PATIENCE), self.log
        assert self._url, self.log
        return self._url

    @property
    def near(self) -> str:
        """Where it answers on this machine, even if it listens on all addresses."""
        return self.url.replace("//0.0.0.0", "//127.0.0.1")

    @property
    def port(self) -> int:
        """Its port."""
        return urlsplit(self.url).port or 0

    @property
    def log(self) -> str:
        """Standard error so far."""
        return "".join(self._lines)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ends it by a signal; gives the exit code."""
        self.process.send_signal(by)
        return self.process.wait(PATIENCE)

    def connection(self, tls: ssl.SSLContext | None = None) -> http.client.HTTPConnection:
        """A connection to it, on this machine whatever it listens on."""
        if tls is not None:
            return http.client.HTTPSConnection("localhost", self.port, timeout=PATIENCE, context=tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def request(
        self,
        method: str,
        path: str = "/mcp",
        body: bytes = b"",
        headers: Headers | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> Reply:
        """One request, on a connection of its own."""
        connection = self.connection(tls)
        try:
            connection.request(method, path, body or None, dict(headers or {}))
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, named, answer.read().decode())
        finally:
            connection.close()

    def ask(self, method: str, params: Mapping[str, object] | None = None, /, **headers: str) -> Reply:
        """A request of the newest protocol; `headers` with `_` for `-`, and what is empty left out."""
        body = modern_body(method, params or {})
        return self.request("POST", body=body, headers=modern_headers(method, params, headers))

    def ask_legacy(self, method: str, params: Mapping[str, object] | None = None, /, **headers: str) -> Reply:
        """A request of the handshake era, in the middle of a session that this server does not keep."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode()
        return self.request("POST", body=body, headers=legacy_headers(**headers))

    def opened(self, **headers: str) -> Self:
        """Itself, once its memory is open: test machines are busy, and a call gives up after 45 seconds."""
        asked = {"name": "memory_list_facts", "arguments": {"subject": "nobody"}}
        replies = (self.ask("tools/call", asked, **headers).body for _ in range(4))
        assert any("SAFETY MEMORY UNAVAILABLE" not in body for body in replies), self.log
        return self

    @asynccontextmanager
    async def client(
        self, era: Era = "auto", token: str = "", person: ElicitationFnT | None = None
    ) -> AsyncIterator[Assistant]:
        """A well-behaved client; `person` answers the forms that it is sent."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        # It speaks plain HTTP: reading all authorities would take 24 ms of processor.
        nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE, verify=nobody) as http_client,
            Client(
                streamable_http_client(self.near, http_client=http_client), mode=era, elicitation_callback=person
            ) as client,
        ):
            yield Assistant(client)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.append(line)
            if found := _URL.search(line):
                self._url = found["url"]
                self._listening.set()
        self._listening.set()


def modern_body(method: str, params: Mapping[str, object], version: str = MODERN) -> bytes:
    """A request of the newest protocol, which carries what a handshake would have told."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
    }
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}).encode()


def modern_headers(method: str, params: Mapping[str, object] | None, headers: Headers) -> dict[str, str]:
    """What goes with it."""
    name = (params or {}).get("name")
    routing = {"mcp_method": method, **({"mcp_name": str(name)} if name else {})}
    return _spelt({"mcp_protocol_version": MODERN, **routing, **headers})


def legacy_headers(**headers: str) -> dict[str, str]:
    """Those of a request in the handshake era."""
    return _spelt({"mcp_protocol_version": LEGACY, **headers})


def _spelt(headers: Headers) -> dict[str, str]:
    common = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
    return {name.replace("_", "-"): value for name, value in {**common, **headers}.items() if value}
