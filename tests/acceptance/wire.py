"""The server as a process of its own, spoken to line by line: for what a well-behaved client would never do or see."""

import json
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.warm_starts import SCRIPT

PATIENCE = 240.0
"""Seconds until a test gives up: machines are busy, and what is fast is measured elsewhere."""
NEWEST_HANDSHAKE = "2025-11-25"


@contextmanager
def noted(log: Path) -> Iterator[None]:
    """Whatever fails within carries the end of this log."""
    try:
        yield
    except BaseException as error:
        add_log(error, log)
        raise


def add_log(error: BaseException, log: Path) -> None:
    """Adds the end of the log to what is printed of the error."""
    error.add_note(f"--- {log.name} ---\n{log.read_text(encoding='utf-8', errors='replace')[-3000:]}")


class WireServer:
    """A running `r-memory serve`; ended, if it still runs, at the end of the `with` block."""

    def __init__(self, environment: Mapping[str, str], *, log: Path, arguments: tuple[str, ...] = ("serve",)) -> None:
        self._path = log
        self._log = log.open("wb")
        self.process = subprocess.Popen(
            [SCRIPT, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=dict(environment),
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._log.close()
        if error is not None:
            add_log(error, self._path)

    def send(self, message: bytes) -> None:
        """Writes one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(message + b"\n")
        self.process.stdin.flush()

    def receive(self, patience: float = PATIENCE) -> dict[str, Any]:
        """The next message.

        Raises:
            queue.Empty: there was none in time.
        """
        message: dict[str, Any] = json.loads(self._lines.get(timeout=patience))
        return message

    def unread(self) -> list[bytes]:
        """Lines that nobody asked for; only once the process has ended."""
        self._reader.join(PATIENCE)
        return list(self._lines.queue)

    def request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """The response to a request."""
        number = self.ask(method, params)
        while (answer := self.receive()).get("id") != number:
            continue
        return answer

    def ask(self, method: str, params: Mapping[str, object]) -> int:
        """Sends a request, without waiting for its response; gives its number."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        return self._number

    def handshake(self, version: str = NEWEST_HANDSHAKE) -> dict[str, Any]:
        """Greets as a client of this protocol version; gives what the server answers."""
        client = {"name": "wire", "version": "1"}
        answer = self.request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """The result of a tool, an error of the tool included."""
        result: dict[str, Any] = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def leave(self, patience: float = PATIENCE) -> int:
        """Closes standard input as a client does that goes; gives the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(patience)

    def stop(self, by: signal.Signals) -> int:
        """Ends the process by a signal; gives the exit code."""
        self.process.send_signal(by)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """Ends the process at once; harmless if it has ended."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
