"""A connection as the operating system sees it."""

import asyncio
import socket

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from typing_extensions import override
from uvicorn.server import ServerState

from r_memory.serving.http import serving
from r_memory.serving.http.plan import Address
from r_memory.serving.http.serving import PromptH11, _listening

pytestmark = pytest.mark.anyio


async def test_an_answer_never_waits_for_the_clients_acknowledgement() -> None:
    """Without TCP_NODELAY each answer took 40 ms more."""
    config = uvicorn.Config(lambda: None, http=PromptH11, log_config=None)
    config.load()
    seen = asyncio.get_running_loop().create_future()

    class Seen(PromptH11):
        @override
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the base has it
            super().connection_made(transport)
            connected = transport.get_extra_info("socket")
            seen.set_result(connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            transport.close()

    with _listening(Address(host="127.0.0.1", port=0)) as listening:
        accepting = await asyncio.get_running_loop().create_server(
            lambda: Seen(config, ServerState(), {}), sock=listening
        )
        async with accepting:
            _, writer = await asyncio.open_connection(*listening.getsockname())
            assert await seen
            writer.close()
            await writer.wait_closed()


async def test_a_second_head_that_comes_byte_by_byte_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that was answered once was never closed: 255 of them kept everybody else out."""
    monkeypatch.setattr(serving, "_HEADERS_S", 0.05)
    monkeypatch.setattr(serving, "_IDLE_S", 0.05)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - an application's arguments
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    config = uvicorn.Config(answer, http=PromptH11, log_config=None, timeout_keep_alive=3600)
    config.load()
    with _listening(Address(host="127.0.0.1", port=0)) as listening:
        accepting = await asyncio.get_running_loop().create_server(
            lambda: PromptH11(config, ServerState(), {}), sock=listening
        )
        async with accepting:
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            assert b"200" in await reader.readline()
            writer.write(b"GET / HTTP/1.1\r\nHo")
            await asyncio.wait_for(reader.read(), timeout=10)  # ends only where the connection does
            writer.close()
            await writer.wait_closed()
