"""The process behind one address: the socket, the certificate, and an orderly end.

The only importer of `uvicorn`. Knows nothing of what is served. What a service needs beyond that (slow callers, rates,
several processes) is the work of a proxy in front: docs/how-to/serve-over-http.md.
"""

import logging
import signal
import socket
import ssl
import sys
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from r_memory.errors import ConfigurationError
from r_memory.serving.http.plan import PATH, Address, HttpPlan

logger = logging.getLogger(__name__)

_IDLE_S = 30
ENDING_S = 3
"""Seconds for running requests after the end is requested; the store needs the rest of a stop's five seconds."""
_MAX_HEAD = 65_536
_BACKLOG = 512


def run(plan: HttpPlan, make: Callable[[], ASGIApp], *, path: str = PATH) -> None:
    """Serves the application that `make` returns until it is stopped.

    `path` is the path for clients, shown at the start.

    Raises:
        ConfigurationError: the address is taken or not of this machine, or the certificate does not fit its key.
    """
    _check_certificate(plan)
    listening = listening_at(plan.address)
    port = listening.getsockname()[1]
    if plan.asks_for_token and plan.settings.http_cert is None and not plan.address.loopback:
        logger.warning("Tokens travel unencrypted unless a proxy in front speaks TLS", extra={"action": "listening"})
    url = f"{'https' if plan.settings.http_cert else 'http'}://{plan.address.name}:{port}{path}"
    logger.info("Listening", extra={"action": "listening", "url": url, "tokens": plan.asks_for_token})
    # uvicorn raises the signal again once all is closed: a stop that was asked for is a success.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    uvicorn.Server(_config(plan, make)).run(sockets=[listening])


def _config(plan: HttpPlan, make: Callable[[], ASGIApp]) -> uvicorn.Config:
    return uvicorn.Config(
        make,
        factory=True,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        # Nothing here trusts a caller's address, so nobody may set it.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=plan.settings.http_connections,
        backlog=_BACKLOG,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=ENDING_S,
        h11_max_incomplete_event_size=_MAX_HEAD,
        ssl_certfile=plan.settings.http_cert,
        ssl_keyfile=plan.settings.http_key,
    )


def listening_at(address: Address) -> socket.socket:
    """Returns a socket that listens at the address, and whose connections answer at once.

    Raises:
        ConfigurationError: the address is taken or not of this machine.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        listening = socket.create_server((address.host, address.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise ConfigurationError(
            f"cannot listen on {address.name}:{address.port} ({why}); choose another address or port"
        ) from error
    # Connections inherit it. asyncio sets it only on sockets that say IPPROTO_TCP, which these do not: each answer,
    # written in two parts, waited 40 ms for the client's acknowledgement of the first (measured).
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _check_certificate(plan: HttpPlan) -> None:
    cert, key = plan.settings.http_cert, plan.settings.http_key
    if cert is None or key is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)
    except (ssl.SSLError, OSError) as error:
        message = "does not go with its key, or is no PEM file; mend one of them"
        raise ConfigurationError(message, file=cert) from error
