"""Keys of an issuer: a key that it withdrew stops to count, and an issuer that is away for a while locks nobody out."""

import http.server
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from typing_extensions import override

from r_memory.config.settings import Settings
from r_memory.serving.http.tokens import JwtVerifier, fetched

ISSUER = "https://issuer.example"
RESOURCE = "https://memory.example.com/mcp"
SECRET = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Keys:
    """What an issuer publishes at present."""

    def __init__(self) -> None:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(SECRET.public_key()))
        self.published: list[dict[str, Any]] = [{**public, "kid": "k1", "use": "sig", "alg": "RS256"}]
        self.away = False
        self.now = time.time()

    def fetch(self, _: str) -> bytes:
        if self.away:
            raise OSError("no route")
        return json.dumps({"keys": self.published}).encode()

    def token(self) -> str:
        claims = {"iss": ISSUER, "aud": RESOURCE, "sub": "ann", "exp": int(time.time()) + 600}
        return jwt.encode(claims, SECRET, algorithm="RS256", headers={"kid": "k1"})


@pytest.fixture
def keys() -> Keys:
    return Keys()


@pytest.fixture
def verifier(keys: Keys) -> JwtVerifier:
    settings = Settings(http_issuer=ISSUER, http_resource=RESOURCE, http_jwks=f"{ISSUER}/keys")
    return JwtVerifier(settings, now=lambda: keys.now, fetch=keys.fetch)


@pytest.mark.anyio
async def test_a_key_that_the_issuer_withdrew_stops_to_count_without_a_restart(
    keys: Keys, verifier: JwtVerifier
) -> None:
    assert await verifier.verify(keys.token())
    keys.published = [{**keys.published[0], "kid": "k2"}]
    assert await verifier.verify(keys.token())
    keys.now += 301
    assert await verifier.verify(keys.token()) is None


@pytest.mark.anyio
async def test_an_issuer_that_is_away_locks_nobody_out(keys: Keys, verifier: JwtVerifier) -> None:
    assert await verifier.verify(keys.token())
    keys.away = True
    keys.now += 301
    assert await verifier.verify(keys.token())


@pytest.fixture
def detour() -> Iterator[str]:
    """The address of a server that sends everybody elsewhere."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302 if self.path == "/keys" else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(b"{}")

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_keys_are_fetched_where_they_are_said_to_be_and_nowhere_else(detour: str) -> None:
    """Whoever answers there could otherwise send this server to an address that was never checked."""
    assert fetched(f"{detour}/elsewhere") == b"{}"
    with pytest.raises(OSError, match="302"):
        fetched(f"{detour}/keys")
