"""Callers over HTTP without an SDK: what they send, and what they count."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from typing_extensions import override

from r_memory_lab.bench.http_callers import Callers

Heard = list[dict[str, Any]]


class Server(ThreadingHTTPServer):
    """Answers as it is told, and keeps what it heard."""

    daemon_threads = True
    answer = b'{"result":{"structuredContent":{"receipt_id":"01"}}}'

    def __init__(self) -> None:
        self.heard: Heard = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/mcp"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        self.server.heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    @override
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def test_every_call_is_made_once_whoever_makes_it(server: Server) -> None:
    with Callers(server.url, "B000000", at_once=4) as callers:
        called = callers.called(25)
    assert [answered for _, answered in called] == [True] * 25
    assert sorted(message["id"] for message in server.heard) == list(range(25))
    assert {message["params"]["arguments"]["subject"] for message in server.heard} == {"B000000"}


def test_an_answer_without_a_receipt_counts_as_failed(server: Server) -> None:
    server.answer = b'{"result":{"isError":true,"content":[{"type":"text","text":"SAFETY MEMORY UNAVAILABLE"}]}}'
    with Callers(server.url, "B000000", at_once=2) as callers:
        assert [answered for _, answered in callers.called(4)] == [False] * 4


def test_a_server_that_is_gone_counts_as_failed(server: Server) -> None:
    server.shutdown()
    server.server_close()
    with Callers(server.url, "B000000", at_once=2) as callers:
        assert [answered for _, answered in callers.called(4)] == [False] * 4
