"""Server-sent events as bytes: cut into events, each kept as it came until it may go out."""

import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from r_memory.gates.sluice import Key, Sluice

_LARGEST = 32 * 1024 * 1024
DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event."""

    raw: bytes
    data: Mapping[str, Any] | None
    """Its JSON; `None` for a comment and for the end mark."""
    is_end: bool = False


async def events_of(pieces: AsyncIterator[bytes]) -> AsyncIterator[Event]:
    """Yields the events of a body.

    Raises:
        ValueError, RecursionError: an event holds no JSON object, or is too long.
    """
    waiting = b""
    async for piece in pieces:
        waiting = (
            (waiting + piece).replace(b"\r\n", b"\n") if b"\r" in piece or waiting[-1:] == b"\r" else waiting + piece
        )
        *whole, waiting = waiting.split(b"\n\n")
        for raw in whole:
            yield _event(raw + b"\n\n")
        if len(waiting) > _LARGEST:
            raise ValueError("an event without end")
    if waiting.strip():
        yield _event(waiting.rstrip(b"\n") + b"\n\n")


def _event(raw: bytes) -> Event:
    lines = [line[5:].lstrip() for line in raw.split(b"\n") if line.startswith(b"data:")]
    text = b"\n".join(lines)
    if not lines or text == b"[DONE]":
        return Event(raw, None, is_end=bool(lines))
    if not isinstance(data := json.loads(text), dict):
        raise ValueError("an event that is no object")  # noqa: TRY004 - of the stream, not of a caller's
    return Event(raw, data)


def event_of(data: Mapping[str, Any], kind: str = "") -> bytes:
    """Returns an event as bytes."""
    head = f"event: {kind}\n" if kind else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


class Outgoing:
    """Events of one stream that wait for what they hold, in their order."""

    def __init__(self, sluice: Sluice, is_judged: Callable[[int], bool]) -> None:
        """`is_judged` says of the place of tool calls whether they may go out."""
        self._sluice, self._is_judged = sluice, is_judged
        self._waiting: list[tuple[bytes, Mapping[Key, int], Collection[int]]] = []

    def put(self, raw: bytes, texts: Mapping[Key, int] | None = None, calls: Collection[int] = ()) -> None:
        """Adds an event: for each text, the characters of it that must be cleared, and the places of its tool calls."""
        self._waiting.append((raw, texts or {}, calls))

    def released(self) -> bytes:
        """Returns the events that may go out now, unchanged."""
        out = b""
        while self._waiting:
            raw, texts, calls = self._waiting[0]
            cleared = all(self._sluice.channel(key).cleared >= count for key, count in texts.items())
            if not cleared or not all(map(self._is_judged, calls)):
                break
            out += raw
            for key, count in texts.items():
                self._sluice.channel(key).sent = count
            del self._waiting[0]
        return out

    def drop(self, place: int) -> None:
        """Drops the events with a text or tool call of a place."""
        self._waiting = [
            item for item in self._waiting if place not in item[2] and all(at != place for at, _ in item[1])
        ]
