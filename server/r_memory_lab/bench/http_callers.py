"""Callers in a process of their own that cost next to nothing: threads that send JSON-RPC bodies on kept connections.

    python -m r_memory_lab.bench.http_callers URL SUBJECT CALLS AT_ONCE

Prints `[milliseconds, answered]` for each call that counts, then the milliseconds of CPU that a call cost here. Knows
the wire (revision 2026-07-28) and no SDK: what an SDK adds at the client is measured beside it, in `serving.py`.
"""

import http.client
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Self
from urllib.parse import urlsplit

from r_memory_lab.bench.talk import REQUESTS

_WARM_UP = 200
"""Calls before the first that counts."""
_PROTOCOL = "2026-07-28"
_TOOL = "memory_build_context"
_LIMIT_S = 60.0
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": _PROTOCOL,
    "Mcp-Method": "tools/call",
    "Mcp-Name": _TOOL,
}
_META = {
    "io.modelcontextprotocol/protocolVersion": _PROTOCOL,
    "io.modelcontextprotocol/clientInfo": {"name": "r-memory bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def main() -> None:
    """Calls the server and prints the results."""
    url, subject, calls, at_once = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with Callers(url, subject, at_once=at_once) as callers:
        callers.called(_WARM_UP)
        before = time.process_time()
        called = callers.called(calls)
        cpu_ms = (time.process_time() - before) * 1000 / calls
    for took, answered in called:
        print(json.dumps([took, answered]))
    print(json.dumps(cpu_ms))


class Callers:
    """Threads with one connection and one running call each."""

    def __init__(self, url: str, subject: str, *, at_once: int) -> None:
        self._path = urlsplit(url).path
        self._subject = subject
        address = urlsplit(url).netloc
        self._connections = [http.client.HTTPConnection(address, timeout=_LIMIT_S) for _ in range(at_once)]
        self._pool = ThreadPoolExecutor(at_once)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        for connection in self._connections:
            connection.close()

    def called(self, calls: int) -> list[tuple[float, bool]]:
        """Returns the milliseconds of each call, and whether its answer had a receipt."""
        numbers: SimpleQueue[int] = SimpleQueue()
        for number in range(calls):
            numbers.put(number)

        def share(connection: http.client.HTTPConnection) -> list[tuple[float, bool]]:
            done: list[tuple[float, bool]] = []
            with suppress(Empty):
                while True:
                    done.append(self._call(connection, numbers.get_nowait()))
            return done

        return list(chain.from_iterable(self._pool.map(share, self._connections)))

    def _call(self, connection: http.client.HTTPConnection, number: int) -> tuple[float, bool]:
        body = _body(number, self._subject)
        began = time.perf_counter()
        try:
            connection.request("POST", self._path, body, _HEADERS)
            answered = b'"receipt_id"' in connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            connection.close()
            answered = False
        return (time.perf_counter() - began) * 1000, answered


def _body(number: int, subject: str) -> bytes:
    arguments = {"query": REQUESTS[number % len(REQUESTS)], "subject": subject}
    params = {"name": _TOOL, "arguments": arguments, "_meta": _META}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


if __name__ == "__main__":
    main()
