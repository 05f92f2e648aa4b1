"""What serving over HTTP needs to know, worked out from the settings before anything listens.

Refuses what would open a memory to strangers. Plain values.
"""

import ipaddress
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from r_memory.config.access_tokens import FILE, read_tokens
from r_memory.config.settings import PREFIX, Settings
from r_memory.errors import ConfigurationError

PATH = "/mcp"
HEALTH = "/healthz"
CARDS = "/cds-services"
"""Path of the CDS Hooks services."""
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address to listen at."""

    host: str
    port: int
    """0: any free port."""

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def name(self) -> str:
        """The host in the form of a URL."""
        return _bracketed(self.host)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpPlan:
    """What is served at one address, and to whom."""

    settings: Settings
    address: Address
    token_file: Path | None = None
    """The token file at the start; if it disappears later, no token is valid."""
    state_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """A random key, for what people and clients carry from one request to the next."""

    @property
    def asks_for_token(self) -> bool:
        """Whether a caller needs a token."""
        return bool(self.settings.http_token or self.token_file or self.settings.http_issuer)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names, without port, under which a request may call this server."""
        resource = self.settings.http_resource
        named = [*self.settings.http_hosts, *([_bracketed(urlsplit(resource).hostname or "")] if resource else [])]
        if self.address.loopback:
            named += LOOPBACK_NAMES
        elif not ipaddress.ip_address(self.address.host).is_unspecified:
            named.append(self.address.name)
        return tuple(dict.fromkeys(named))


def parse_address(text: str) -> Address:
    """Returns `HOST:PORT` as an address.

    Raises:
        ConfigurationError: the text is no address.

    >>> parse_address("[::1]:8000")
    Address(host='::1', port=8000)
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    numeric = port.isascii() and port.isdigit() and int(port) <= 65_535
    if not (numeric and _ip(host)):
        raise ConfigurationError(f"'{text[:80]}' is not HOST:PORT with an IP address; write for example 127.0.0.1:8000")
    return Address(host=host, port=int(port))


def planned(settings: Settings, address: Address) -> HttpPlan:
    """Returns the plan to serve this installation at the address.

    Raises:
        ConfigurationError: strangers could get access, or settings do not fit together; says what to set.
    """
    plan = HttpPlan(settings=settings, address=address, token_file=_token_file(settings))
    for problem in _problems(plan):
        raise ConfigurationError(problem)
    if plan.token_file is not None:
        read_tokens(plan.token_file, space=settings.space)
    return plan


def _token_file(settings: Settings) -> Path | None:
    if settings.http_token_file is not None or settings.home is None:
        return settings.http_token_file
    file = settings.home / FILE
    return file if file.is_file() else None


def _problems(plan: HttpPlan) -> Iterator[str]:
    """Yields what prevents serving this installation, the worst first, each with what to set."""
    settings = plan.settings
    way_out = (
        f"make one with `r-memory token NAME`, or set {PREFIX}HTTP_TOKEN, or {PREFIX}HTTP_ISSUER for OAuth; "
        "without a token only 127.0.0.1 is served"
    )
    yield from _oauth_problems(settings)
    if not plan.asks_for_token and not plan.address.loopback:
        yield f"whoever reaches {plan.address.host} could read this memory, as no token is asked for; {way_out}"
    if not plan.asks_for_token and (settings.http_hosts or settings.http_origins):
        yield f"{PREFIX}HTTP_HOSTS or {PREFIX}HTTP_ORIGINS lets others in, and no token is asked for; {way_out}"
    if (settings.http_cert is None) != (settings.http_key is None):
        yield f"TLS needs both {PREFIX}HTTP_CERT and {PREFIX}HTTP_KEY; set both or neither"
    for file in (settings.http_cert, settings.http_key):
        if file and not file.is_file():
            yield f"{file} does not exist; name the certificate chain and its key"
    if not plan.hosts:
        yield f"say by which names clients call this server: {PREFIX}HTTP_HOSTS=memory.example.com"


def _oauth_problems(settings: Settings) -> Iterator[str]:
    if not settings.http_issuer and (settings.http_jwks or settings.http_space_claim):
        yield f"OAuth settings without an issuer; set {PREFIX}HTTP_ISSUER"
    if settings.http_issuer and not settings.http_resource:
        yield (
            f"{PREFIX}HTTP_ISSUER needs {PREFIX}HTTP_RESOURCE, the address of this server that tokens are meant for, "
            f"such as https://memory.example.com{PATH}"
        )
    addresses = {"ISSUER": settings.http_issuer, "RESOURCE": settings.http_resource, "JWKS": settings.http_jwks}
    for name, url in addresses.items():
        if settings.http_issuer and url and not is_safe_url(url):
            yield f"{PREFIX}HTTP_{name} must be an https address without a password or a query"


def is_safe_url(url: str) -> bool:
    """Whether a document there cannot be read or changed on the way: https, or this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    plain = parts.username is None and not parts.query and not parts.fragment
    return plain and bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


def is_loopback(host: str) -> bool:
    """Whether the host is reachable only from this machine."""
    found = _ip(host)
    return found is not None and found.is_loopback


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Returns the IP address of a host, also for this machine's own name; `None` for any other name."""
    try:
        return ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return None


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
