"""An OAuth authorization server, as far as a resource server sees it: metadata, keys, and the tokens it signs."""

import http.server
import json
import threading
import time
from types import TracebackType
from typing import Any, Self

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from typing_extensions import override

RESOURCE = "https://memory.example.com/mcp"


class Issuer:
    """Runs while its `with` block does."""

    def __init__(self) -> None:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.asked: list[str] = []
        """Paths that were fetched."""
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked.append(self.path)
                content = json.dumps(issuer.documents().get(self.path, {})).encode()
                self.send_response(200 if self.path in issuer.documents() else 404)
                self.end_headers()
                self.wfile.write(content)

            @override
            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def documents(self) -> dict[str, Any]:
        """What it publishes, by path."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return {
            "/.well-known/oauth-authorization-server": {"issuer": self.url, "jwks_uri": f"{self.url}/keys"},
            "/keys": {"keys": [{**public, "kid": "k1", "use": "sig", "alg": "RS256"}]},
        }

    def token(self, *, forged: bool = False, algorithm: str = "RS256", kid: str = "k1", **claims: object) -> str:
        """A token that lets read and write in space `ward`, unless `claims` say otherwise; `None` leaves one out."""
        said = {
            "iss": self.url,
            "aud": RESOURCE,
            "sub": "dr-who",
            "exp": int(time.time()) + 600,
            "scope": "memory:read memory:write openid",
            "space": "ward",
            **claims,
        }
        kept = {name: value for name, value in said.items() if value is not None}
        key: Any = self._stranger if forged else self._key
        if algorithm == "HS256":
            key = "a secret that is long enough for everybody"
        if algorithm == "none":
            key = ""
        return jwt.encode(kept, key, algorithm=algorithm, headers={"kid": kid})
