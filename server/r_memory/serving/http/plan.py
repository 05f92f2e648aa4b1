"""What serving over HTTP needs to know, worked out from the settings before anything listens.

Refuses what would open a memory to strangers. Plain values, handed on to worker processes as they are.
"""

import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from r_memory.config.access_tokens import FILE, StaticToken, hash_of, read_tokens
from r_memory.config.settings import PREFIX, Settings
from r_memory.errors import ConfigurationError

PATH = "/mcp"
HEALTH = "/healthz"
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where to listen."""

    host: str
    port: int
    """0 takes any that is free."""

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host == "localhost" or _ip(self.host).is_loopback

    @property
    def everywhere(self) -> bool:
        """Whether it is every address of this machine, so that its own name is unknown."""
        return self.host != "localhost" and _ip(self.host).is_unspecified

    @property
    def name(self) -> str:
        """The host as a URL has it."""
        return f"[{self.host}]" if ":" in self.host else self.host


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth:
    """A resource server of OAuth: whose tokens count, and for what."""

    issuer: str
    resource: str
    """Audience that a token must be meant for."""
    jwks: str = ""
    """Address of the issuer's keys; empty: as the issuer's metadata says."""
    space_claim: str = ""
    space: str = "default"
    """Space of every token where `space_claim` is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpPlan:
    """Everything that the processes behind one address share."""

    address: Address
    hosts: tuple[str, ...]
    """Names that a request may call this server by, without port."""
    origins: tuple[str, ...] = ()
    space: str = "default"
    token: StaticToken | None = None
    """The one of the environment."""
    token_file: Path | None = None
    oauth: OAuth | None = None
    cert: Path | None = None
    key: Path | None = None
    workers: int = 1
    connections: int = 256
    rate: int = 100
    state_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Drawn once, for all workers."""

    @property
    def asks_for_token(self) -> bool:
        """Whether a caller must bear a token."""
        return self.token is not None or self.token_file is not None or self.oauth is not None

    @property
    def shared(self) -> bool:
        """Whether notices of changes would reach strangers, or only some: several callers, or several processes."""
        return self.asks_for_token or self.workers > 1

    def url(self, port: int) -> str:
        """Where it answers once it listens at the port."""
        return f"{'https' if self.cert else 'http'}://{self.address.name}:{port}{PATH}"


def parse_address(text: str) -> Address:
    """`HOST:PORT` as an address.

    >>> parse_address("[::1]:8000")
    Address(host='::1', port=8000)

    Raises:
        ConfigurationError: not of that form.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    numeric = port.isascii() and port.isdigit() and int(port) <= 65_535
    if not (numeric and (host == "localhost" or _is_ip(host))):
        raise ConfigurationError(f"'{text[:80]}' is not HOST:PORT with an IP address; write for example 127.0.0.1:8000")
    return Address(host=host, port=int(port))


def planned(settings: Settings, address: Address) -> HttpPlan:
    """How to serve this installation at the address.

    Raises:
        ConfigurationError: strangers could come in, or settings do not fit together; says what to set.
    """
    plan = HttpPlan(
        address=address,
        hosts=_hosts(settings, address),
        origins=settings.http_origins,
        space=settings.space,
        token=_environment_token(settings),
        token_file=_token_file(settings),
        oauth=_oauth(settings),
        cert=settings.http_cert,
        key=settings.http_key,
        workers=settings.http_workers,
        connections=settings.http_connections,
        rate=settings.http_rate,
    )
    for problem in filter(None, (_strangers(plan, settings), _tls_problem(settings), _name_problem(plan))):
        raise ConfigurationError(problem)
    if plan.token_file is not None:
        read_tokens(plan.token_file, space=settings.space)
    return plan


def _strangers(plan: HttpPlan, settings: Settings) -> str:
    if plan.asks_for_token:
        return ""
    way_out = (
        f"make one with `r-memory token NAME`, or set {PREFIX}HTTP_TOKEN, or {PREFIX}HTTP_ISSUER for OAuth; "
        "without a token only 127.0.0.1 is served"
    )
    if not plan.address.loopback:
        return f"whoever reaches {plan.address.host} could read this memory, as no token is asked for; {way_out}"
    if settings.http_hosts or settings.http_origins:
        return f"{PREFIX}HTTP_HOSTS or {PREFIX}HTTP_ORIGINS lets others in, and no token is asked for; {way_out}"
    return ""


def _tls_problem(settings: Settings) -> str:
    if (settings.http_cert is None) != (settings.http_key is None):
        return f"TLS needs both {PREFIX}HTTP_CERT and {PREFIX}HTTP_KEY; set both or neither"
    missing = next((file for file in (settings.http_cert, settings.http_key) if file and not file.is_file()), None)
    return f"{missing} does not exist; name the certificate chain and its key" if missing else ""


def _name_problem(plan: HttpPlan) -> str:
    if plan.hosts:
        return ""
    return f"say by which names clients call this server: {PREFIX}HTTP_HOSTS=memory.example.com"


def _hosts(settings: Settings, address: Address) -> tuple[str, ...]:
    named = [*settings.http_hosts]
    if settings.http_resource:
        named.append(_host_of(settings.http_resource))
    if address.loopback:
        named += LOOPBACK_NAMES
    elif not address.everywhere:
        named.append(address.name)
    return tuple(dict.fromkeys(named))


def _host_of(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return f"[{host}]" if ":" in host else host


def _environment_token(settings: Settings) -> StaticToken | None:
    if not settings.http_token:
        return None
    return StaticToken(name=_ENVIRONMENT, sha256=hash_of(settings.http_token), space=settings.space)


def _token_file(settings: Settings) -> Path | None:
    if settings.http_token_file is not None or settings.home is None:
        return settings.http_token_file
    file = settings.home / FILE
    return file if file.is_file() else None


def _oauth(settings: Settings) -> OAuth | None:
    if not settings.http_issuer:
        if settings.http_jwks or settings.http_space_claim:
            raise ConfigurationError(f"OAuth settings without an issuer; set {PREFIX}HTTP_ISSUER")
        return None
    if not settings.http_resource:
        raise ConfigurationError(
            f"{PREFIX}HTTP_ISSUER needs {PREFIX}HTTP_RESOURCE, the address of this server that tokens are meant for, "
            f"such as https://memory.example.com{PATH}"
        )
    addresses = {"ISSUER": settings.http_issuer, "RESOURCE": settings.http_resource, "JWKS": settings.http_jwks}
    for name, url in addresses.items():
        if url and not is_safe_url(url):
            raise ConfigurationError(f"{PREFIX}HTTP_{name} must be an https address without a password or a query")
    return OAuth(
        issuer=settings.http_issuer,
        resource=settings.http_resource,
        jwks=settings.http_jwks,
        space_claim=settings.http_space_claim,
        space=settings.space,
    )


def is_safe_url(url: str) -> bool:
    """Whether nobody on the way can read or change what is fetched there: https, or this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    plain = parts.username is None and not parts.query and not parts.fragment
    return plain and bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host)))


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_ip(host) and _ip(host).is_loopback)


def _is_ip(host: str) -> bool:
    try:
        return bool(_ip(host).version)
    except ValueError:
        return False


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(host)
