"""Whom a request is addressed to, and from which page: Host and Origin, parsed and compared as a whole.

Against pages that make a browser call this machine (DNS rebinding). The SDK compares how a header begins, so that
`127.0.0.1:80@evil` and `http://localhost:1.evil.example` would pass; what is no host and port is refused here.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

_HOST = r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?)(?::(?P<port>[0-9]{1,5}))?"
_AUTHORITY = re.compile(_HOST, re.IGNORECASE)
_ORIGIN = re.compile(rf"(?P<scheme>[a-z][a-z0-9+.-]*)://{_HOST}", re.IGNORECASE)
_USUAL_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a page; without a port in the header, the scheme's default port."""

    scheme: str
    host: str
    port: int | None


class Addressing:
    """Checks the host that a request names, and the page that sends it."""

    def __init__(
        self, hosts: Iterable[str], origins: Iterable[str], *, local: Iterable[str] = (), own: bool = False
    ) -> None:
        """`hosts` are names without port; every port is accepted.

        Pages of `local` hosts may call from any port over http. `own`: this server's own pages may call the address
        that they come from.
        """
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(filter(None, map(origin_of, origins)))
        self._local = frozenset(host.lower() for host in local)
        self._own = own

    def refusal(self, headers: Headers) -> Response | None:
        """Returns the refusal if the headers name another server or a page that may not call; else `None`."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or host_of(hosts[0]) not in self._hosts:
            return PlainTextResponse("Invalid Host header", status_code=421)
        if self._own and is_own(headers):
            return None
        if len(origins) > 1 or not all(map(self._may_call, origins)):
            return PlainTextResponse("Invalid Origin header", status_code=403)
        return None

    def _may_call(self, text: str) -> bool:
        origin = origin_of(text)
        if origin is None:
            return False
        return origin in self._origins or (origin.scheme == "http" and origin.host in self._local)


def is_own(headers: Headers) -> bool:
    """Whether the calling page was served at the address that it calls."""
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or len(origins) != 1:
        return False
    origin = origin_of(origins[0])
    return origin is not None and origin_of(f"{origin.scheme}://{hosts[0]}") == origin


def host_of(text: str) -> str | None:
    """Returns the host of `HOST` or `HOST:PORT` in small letters; `None` for anything else.

    >>> host_of("LOCALHOST:8000")
    'localhost'
    >>> host_of("127.0.0.1:80@evil")
    """
    found = _AUTHORITY.fullmatch(text)
    return None if found is None or int(found["port"] or 0) > _LAST_PORT else found["host"].lower()


def origin_of(text: str) -> Origin | None:
    """Returns the origin of `SCHEME://HOST` or `SCHEME://HOST:PORT`; `None` for anything else, such as `null`."""
    found = _ORIGIN.fullmatch(text)
    if found is None or int(found["port"] or 0) > _LAST_PORT:
        return None
    scheme = found["scheme"].lower()
    port = int(found["port"]) if found["port"] else _USUAL_PORTS.get(scheme)
    return Origin(scheme, found["host"].lower(), port)
