"""The lines for nginx and Caddy on the page, and what they keep away from the server.

Whether they say what the page promises is read from the page; what they do is tried where the program is installed.
"""

import concurrent.futures
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from r_memory.config.access_tokens import add_token
from tests.acceptance.conftest import Installation
from tests.acceptance.http.server import HttpServer, modern_body, modern_headers
from tests.acceptance.http.test_lives import self_signed
from tests.acceptance.wire import PATIENCE

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "serve-over-http.md"
PUBLIC = "memory.example.com"
LIMITS: Mapping[str, tuple[str, ...]] = {
    "nginx": (
        r"^limit_req_zone \$http_authorization zone=callers:1m rate=100r/s;",
        r"limit_req zone=callers burst=1000 nodelay;",
        r"limit_req_status 429;",
        r"client_header_timeout 10s;",
        r"client_body_timeout 15s;",
        r"client_max_body_size 8m;",
        r"proxy_set_header Host \$host;",
        r"proxy_read_timeout 300s;",
    ),
    "caddy": (
        r"timeouts \{\s+read_header 10s\s+read_body 15s\s+\}",
        r"max_size 8MB",
        r"response_header_timeout 300s",
    ),
}


def lines_for(program: str) -> str:
    """The page's only block in the language of a program."""
    (block,) = re.findall(rf"```{program}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(block)


@pytest.mark.parametrize("program", ["nginx", "caddy"])
def test_the_lines_of_the_page_name_every_limit(program: str) -> None:
    lines = lines_for(program)

    assert [limit for limit in LIMITS[program] if re.search(limit, lines) is None] == []
    assert lines.count("{") == lines.count("}")
    assert "127.0.0.1:8000" in lines
    assert f"R_MEMORY_HTTP_HOSTS={PUBLIC} r-memory serve --http 127.0.0.1:8000" in PAGE.read_text(encoding="utf-8")


class Proxy:
    """A running proxy, with the page's lines but for ports, files and shorter times."""

    def __init__(self, port: int, certificate: Path) -> None:
        self.port = port
        self._context = ssl.create_default_context(cafile=str(certificate))

    def connection(self) -> HTTPSConnection:
        return HTTPSConnection("localhost", self.port, timeout=PATIENCE, context=self._context)

    def status(self, token: str, method: str = "tools/list") -> int:
        """The answer to one request."""
        headers = modern_headers(method, None, {"host": PUBLIC, "authorization": f"Bearer {token}"})
        connection = self.connection()
        connection.request("POST", "/mcp", modern_body(method, {}), headers)
        status = connection.getresponse().status
        connection.close()
        return status


@pytest.fixture(scope="module")
def tokens(home: Installation) -> list[str]:
    return [add_token(home.folder / "tokens.yaml", name, space="north") for name in ("hasty", "calm")]


@pytest.fixture(scope="module")
def server(home: Installation, tokens: list[str]) -> Iterator[HttpServer]:
    shared = home.with_settings(http_token_file=str(home.folder / "tokens.yaml"), http_hosts=PUBLIC)
    with HttpServer(shared.environment, log=shared.log) as running:
        yield running.opened(authorization=f"Bearer {tokens[1]}")


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def program(request: pytest.FixtureRequest) -> str:
    """Its name, where it is installed."""
    name = str(request.param)
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed; install it to try the page's lines (Debian: apt-get install {name})")
    return name


@pytest.fixture
def proxy(program: str, server: HttpServer, tmp_path: Path) -> Iterator[Proxy]:
    with running(program, server.port, tmp_path) as started:
        yield started


@contextmanager
def running(program: str, behind: int, folder: Path) -> Iterator[Proxy]:
    certificate, key = self_signed(folder)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    make = {"nginx": _nginx, "caddy": _caddy}[program]
    lines = re.sub(r"\b1[05]s\b", "1s", lines_for(program)).replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(make(lines, port, certificate, key, folder), stderr=log, stdout=log)
        try:
            assert _listens(process, port), (folder / "proxy.log").read_text()
            yield Proxy(port, certificate)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _nginx(lines: str, port: int, certificate: Path, key: Path, folder: Path) -> list[str]:
    lines = lines.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace("burst=1000", "burst=10")
    lines = lines.replace("rate=100r/s", "rate=1r/m")
    lines = lines.replace("/etc/ssl/memory.pem", str(certificate)).replace("/etc/ssl/memory.key", str(key))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    own = "".join(f"{kind}_temp_path {folder / kind};\n" for kind in kinds) + "access_log off;\n"
    head = f"daemon off;\nmaster_process off;\npid {folder / 'pid'};\nerror_log stderr;\nevents {{ }}\n"
    (folder / "nginx.conf").write_text(f"{head}http {{\n{own}{lines}}}\n")
    return ["nginx", "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]


def _caddy(lines: str, port: int, certificate: Path, key: Path, folder: Path) -> list[str]:
    own = "{\n\tadmin off\n\tauto_https disable_redirects\n"
    lines = own + lines.removeprefix("{\n")
    site = f"https://{PUBLIC}:{port}, https://localhost:{port} {{\n\tbind 127.0.0.1\n\ttls {certificate} {key}"
    (folder / "Caddyfile").write_text(lines.replace(f"{PUBLIC} {{", site))
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def _listens(process: subprocess.Popen[bytes], port: int) -> bool:
    """Whether it accepts connections before it ends by itself."""
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        except OSError:
            continue
        return True
    return False


def test_a_client_with_a_token_is_served_and_strangers_are_not(proxy: Proxy, tokens: list[str]) -> None:
    assert (proxy.status(tokens[0]), proxy.status("a-token-that-nobody-gave")) == (200, 401)


def test_a_head_and_a_body_that_do_not_come_are_given_up(proxy: Proxy, tokens: list[str]) -> None:
    head, body = proxy.connection(), proxy.connection()
    head.connect()
    head.sock.sendall(b"POST /mcp HTTP/1.1\r\nHo")
    body.putrequest("POST", "/mcp")
    body.putheader("content-length", "100")
    body.endheaders(b"{")

    assert b" 200 " not in head.sock.recv(1000)
    assert b" 200 " not in body.sock.recv(1000)
    assert proxy.status(tokens[1]) == 200
    head.close()
    body.close()


@pytest.mark.parametrize("program", ["nginx"], indirect=True)
def test_a_token_that_calls_too_often_is_told_to_wait_and_others_are_served(proxy: Proxy, tokens: list[str]) -> None:
    """Caddy limits no rate without a module, as the page says."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        flood = list(pool.map(lambda _: proxy.status(tokens[0]), range(20)))

    assert (flood.count(200), flood.count(429)) == (11, 9)
    assert proxy.status(tokens[1]) == 200
