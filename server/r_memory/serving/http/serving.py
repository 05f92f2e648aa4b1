"""The processes behind one address: the socket, the workers, TLS, and an orderly end.

The only importer of `uvicorn`. Knows nothing of what is served.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.supervisors import Multiprocess

from r_memory.errors import ConfigurationError
from r_memory.serving.http.plan import PATH, Address, HttpPlan

logger = logging.getLogger(__name__)

_HEADERS_S = 10.0
"""Most seconds until a connection has sent the head of its first request, as slow ones would use up all connections. A
later head has as long, after the idle time."""
_IDLE_S = 30
_ENDING_S = 3
"""Seconds for running requests after the end is requested; the store needs the rest of a stop's five seconds."""
_MAX_HEAD = 65_536
_BACKLOG = 512


class PromptH11(H11Protocol):
    """Answers at once, and closes a connection that sends no complete head in time."""

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the base itself has it
        super().connection_made(transport)
        connected: socket.socket | None = transport.get_extra_info("socket")
        if connected is not None:
            # asyncio does so only for sockets that say IPPROTO_TCP, which accepted ones do not: each answer, written in
            # two parts, waited 40 ms for the client's acknowledgement of the first (measured).
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.loop.call_later(_HEADERS_S, self._close_if_silent)

    @override
    def on_response_complete(self) -> None:
        answered = self.cycle
        super().on_response_complete()
        self.loop.call_later(_IDLE_S + _HEADERS_S, self._close_if_still, answered)

    def _close_if_still(self, answered: RequestResponseCycle) -> None:
        """Closes a connection whose head arrives too slowly, which never counts as idle."""
        if self.cycle is answered and not self.transport.is_closing():
            self.transport.close()

    def _close_if_silent(self) -> None:
        # By name: the base declares the attribute as never None, and sets it to None.
        if vars(self)["scope"] is None and not self.transport.is_closing():
            self.transport.close()


def run(plan: HttpPlan, make: Callable[[], ASGIApp], *, path: str = PATH) -> None:
    """Serves until it is stopped; each worker process calls `make` for its application.

    `path` is the path for clients, shown at the start.

    Raises:
        ConfigurationError: the address is taken or not of this machine, or the certificate does not fit its key.
    """
    _check_certificate(plan)
    listening = _listening(plan.address)
    port = listening.getsockname()[1]
    if plan.asks_for_token and plan.settings.http_cert is None and not plan.address.loopback:
        logger.warning("Tokens travel unencrypted unless a proxy in front speaks TLS", extra={"action": "listening"})
    url = f"{'https' if plan.settings.http_cert else 'http'}://{plan.address.name}:{port}{path}"
    logger.info("Listening", extra={"action": "listening", "url": url, "tokens": plan.asks_for_token})
    config = _config(plan, make)
    if plan.settings.http_workers > 1:
        Multiprocess(config, sockets=[listening]).run()
    else:
        # uvicorn raises the signal again once all is closed: a stop that was asked for is a success.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        uvicorn.Server(config).run(sockets=[listening])


def leave_with_parent() -> None:
    """Ends this worker in order if its parent process has gone; does nothing in other processes."""
    parent = multiprocessing.parent_process()
    if parent is not None:

        def outlive() -> None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

        threading.Thread(target=outlive, daemon=True).start()


def _config(plan: HttpPlan, make: Callable[[], ASGIApp]) -> uvicorn.Config:
    return uvicorn.Config(
        make,
        factory=True,
        loop="asyncio",
        http=PromptH11,
        ws="none",
        lifespan="on",
        interface="asgi3",
        workers=plan.settings.http_workers,
        log_config=None,
        access_log=False,
        # Nothing here trusts a caller's address, so nobody may set it.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=plan.settings.http_connections,
        backlog=_BACKLOG,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_ENDING_S,
        h11_max_incomplete_event_size=_MAX_HEAD,
        ssl_certfile=plan.settings.http_cert,
        ssl_keyfile=plan.settings.http_key,
    )


def _listening(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise ConfigurationError(
            f"cannot listen on {address.name}:{address.port} ({why}); choose another address or port"
        ) from error


def _check_certificate(plan: HttpPlan) -> None:
    cert, key = plan.settings.http_cert, plan.settings.http_key
    if cert is None or key is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
    except (ssl.SSLError, OSError) as error:
        message = "does not go with its key, or is no PEM file; mend one of them"
        raise ConfigurationError(message, file=cert) from error
