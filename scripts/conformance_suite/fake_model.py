"""A stand-in for Anthropic's and OpenAI's API on this machine's loopback: gives one answer to everything, keeps what it
is sent.

Knows as much of the protocols as Claude Code and Codex need to end a turn. No model, no network.
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
def fake_model(answer: str = ANSWER) -> Iterator[FakeModel]:
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
            if self.path.endswith("/responses"):
                self._reply(_streamed(_response(answer)), "text/event-stream")
            elif body.get("stream"):
                self._reply(_streamed(_events(answer)), "text/event-stream")
            else:
                self._reply(json.dumps(_whole(answer)).encode(), "application/json")

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


def _whole(answer: str) -> dict[str, Any]:
    content = [{"type": "text", "text": answer}]
    return {**_MESSAGE, "content": content, "stop_reason": "end_turn", "usage": _USAGE}


def _events(answer: str) -> list[dict[str, Any]]:
    start: dict[str, Any] = {**_MESSAGE, "content": [], "stop_reason": None, "usage": _USAGE}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": answer}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": _USAGE},
        {"type": "message_stop"},
    ]


def _response(answer: str) -> list[dict[str, Any]]:
    content = [{"type": "output_text", "text": answer, "annotations": []}]
    item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}
    usage = {**_USAGE, "input_tokens_details": None, "output_tokens_details": None, "total_tokens": 2}
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r1", "output": [item], "usage": usage}},
    ]


def _streamed(events: list[dict[str, Any]]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
