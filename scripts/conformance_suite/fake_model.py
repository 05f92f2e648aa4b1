"""A stand-in for Anthropic's API on this machine's loopback: gives one answer to everything, keeps what it is sent.

Knows as much of the protocol as Claude Code needs to end a turn. No model, no network.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

ANSWER = "Understood."
_USAGE = {"input_tokens": 1, "output_tokens": 1}
_MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake", "stop_sequence": None}


@dataclass(slots=True)
class FakeModel:
    """What came in."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything that the model was sent, as JSON."""
        return json.dumps(self.bodies, ensure_ascii=False)


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    """Answers at `url` until the end of the block."""
    model = FakeModel()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            if self.path.partition("?")[0].endswith("/count_tokens"):
                self._reply(b'{"input_tokens": 1}', "application/json")
                return
            model.bodies.append(body)
            if body.get("stream"):
                self._reply(_events(), "text/event-stream")
            else:
                self._reply(json.dumps(_whole()).encode(), "application/json")

        def do_GET(self) -> None:
            self._reply(b"{}", "application/json")

        def do_HEAD(self) -> None:
            self.do_GET()

        def _reply(self, content: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Nothing: bodies are what counts."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        model.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield model
        finally:
            server.shutdown()


def _whole() -> dict[str, Any]:
    content = [{"type": "text", "text": ANSWER}]
    return {**_MESSAGE, "content": content, "stop_reason": "end_turn", "usage": _USAGE}


def _events() -> bytes:
    start: dict[str, Any] = {**_MESSAGE, "content": [], "stop_reason": None, "usage": _USAGE}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ANSWER}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": _USAGE},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
