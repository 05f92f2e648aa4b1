"""A loopback server that speaks the OpenAI protocol: prepared answers, and everything that goes wrong with real ones.

The tests reach it through the real client.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

Sent = Mapping[str, Any]
Answer = Callable[[BaseHTTPRequestHandler, Sent], None]
"""Writes the response to one request."""


@dataclass(slots=True)
class ChatServer:
    """What was sent, and where."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the chat requests, in order."""
    headers: list[dict[str, str]] = field(default_factory=list)
    """Headers of the same."""
    finished: threading.Event = field(default_factory=threading.Event)
    """Set at the end, for answers that hang until then."""

    @property
    def rungs(self) -> list[str]:
        """How each request asked for its form."""
        return [
            "json_schema" if "response_format" in request else "tool" if "tools" in request else "plain"
            for request in self.requests
        ]


@contextmanager
def chat_server(*answers: Answer, models: Sequence[str] | None = ("test-model",)) -> Iterator[ChatServer]:
    """A server that gives the answers in order, and the last for ever; `models` of `None` has no list of them."""
    script = iter(answers)
    state = ChatServer(url="")
    last: list[Answer] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                state.requests.append(sent)
                state.headers.append({name.lower(): value for name, value in self.headers.items()})
                last[:] = [next(script, *last)]
                answer = last[0]
            answer(self, sent)

        def do_GET(self) -> None:
            if models is None:
                write(self, 404, json.dumps({"error": {"message": "no such path"}}))
            else:
                write(self, 200, json.dumps({"object": "list", "data": [{"id": name} for name in models]}))

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        finished = state.finished

        @override
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that gave up is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        state.finished.set()
        server.shutdown()
        server.server_close()
        thread.join()


def write(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: str,
    *,
    kind: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> None:
    content = body.encode()
    handler.send_response(status)
    for name, value in {"content-type": kind, "content-length": str(len(content)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(content)


def completion(message: Mapping[str, object], finish: str = "stop") -> str:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 70, "completion_tokens": 7, "total_tokens": 77}
    return json.dumps(
        {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    )


def says(text: str, *, finish: str = "stop") -> Answer:
    """The text, as the model's own words."""
    return lambda handler, sent: write(handler, 200, completion({"content": text}, finish))  # noqa: ARG005


def streams(*pieces: str, finish: str | None = "stop", then: Answer | None = None) -> Answer:
    """The pieces one after the other, as server-sent events; `finish` of `None` ends without saying so.

    `then` takes the connection over after the last piece, in place of an end.
    """

    def answer(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("connection", "close")
        handler.end_headers()
        handler.close_connection = True
        for piece in pieces:
            _event(handler, {"delta": {"role": "assistant", "content": piece}, "finish_reason": None})
        if then is not None:
            then(handler, sent)
            return
        if finish is not None:
            _event(handler, {"delta": {}, "finish_reason": finish})
        handler.wfile.write(b"data: [DONE]\n\n")

    return answer


def _event(handler: BaseHTTPRequestHandler, choice: Mapping[str, object]) -> None:
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    data = json.dumps({**chunk, "choices": [{"index": 0, **choice}]})
    handler.wfile.write(f"data: {data}\n\n".encode())
    handler.wfile.flush()


def facts(*items: Mapping[str, object]) -> Answer:
    """These facts, in the form that was asked for."""
    text = json.dumps({"facts": list(items)})

    def answer(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
        if "tools" in sent:
            name = sent["tools"][0]["function"]["name"]
            call = {"id": "t1", "type": "function", "function": {"name": name, "arguments": text}}
            write(handler, 200, completion({"content": None, "tool_calls": [call]}, "tool_calls"))
        else:
            write(handler, 200, completion({"content": text}))

    return answer


def body(text: str, *, kind: str = "application/json") -> Answer:
    """Status 200 with whatever body."""
    return lambda handler, sent: write(handler, 200, text, kind=kind)  # noqa: ARG005


def refuses(status: int, message: str = "no", **headers: str) -> Answer:
    """An error with a message, as such servers phrase them."""
    error = json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": None}})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, sent: write(handler, status, error, headers=named)  # noqa: ARG005


def lacks(*parts: str, otherwise: Answer) -> Answer:
    """A server that refuses requests with one of these parts, and answers the others."""

    def answer(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
        unknown = [part for part in parts if part in sent]
        if unknown:
            error = {"error": {"message": f"Unrecognized request argument supplied: {unknown[0]}"}}
            write(handler, 400, json.dumps(error))
        else:
            otherwise(handler, sent)

    return answer


def drops(handler: BaseHTTPRequestHandler, sent: Sent) -> None:  # noqa: ARG001
    """Closes the connection without an answer."""
    handler.close_connection = True
    handler.connection.close()


def hangs(handler: BaseHTTPRequestHandler, sent: Sent) -> None:  # noqa: ARG001
    """Says nothing until the server ends."""
    finished: threading.Event = getattr(handler.server, "finished")  # noqa: B009 - the type does not know of it
    finished.wait()
    handler.close_connection = True
