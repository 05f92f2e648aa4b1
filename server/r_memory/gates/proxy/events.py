"""Server-sent events as bytes: cut into events, each kept as it came."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

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
