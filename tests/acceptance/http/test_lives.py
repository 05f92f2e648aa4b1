"""The life of a server over HTTP: a dead store, clients that go, several servers, TLS, and its end."""

import concurrent.futures
import contextlib
import datetime as dt
import os
import signal
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from r_memory.serving.http.serving import ENDING_S
from tests.acceptance.conftest import Installation
from tests.acceptance.http.server import HttpServer, modern_body, modern_headers
from tests.acceptance.shell import Shell
from tests.acceptance.wire import PATIENCE

ALLERGIC = "I am severely allergic to penicillin."
LISTEN = {"notifications": {"toolsListChanged": True}}


def call(tool: str, **arguments: object) -> dict[str, object]:
    return {"name": tool, "arguments": arguments}


def remember(server: HttpServer, subject: str, text: str = ALLERGIC) -> bool:
    """Whether the server acknowledged the statement."""
    stated = call("memory_remember", text=text, subject=subject, subject_name=f"Name {subject}")
    reply = server.ask("tools/call", stated)
    return reply.status == 200 and not reply.message["result"].get("isError")


def total(server: HttpServer, subject: str) -> int:
    listed = server.ask("tools/call", call("memory_list_facts", subject=subject)).message["result"]
    return -1 if listed.get("isError") else int(listed["structuredContent"]["total"])


@pytest.fixture
def nowhere() -> Iterator[int]:
    """A port of this machine that nobody listens on; held, so that nobody begins to."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.mark.proves("M-39", "M-40", "Z15")
def test_a_dead_store_is_said_by_every_read_and_by_health_and_nothing_leaks(
    embedded: Installation, nowhere: int
) -> None:
    down = embedded.with_settings(
        store_uri=f"bolt://127.0.0.1:{nowhere}", store_password="hunter2secret", read_timeout_s="5"
    )
    with HttpServer(down.environment, log=down.log) as server:
        reads = [
            server.ask("tools/call", call("memory_build_context", query="What can she take?", subject="P1")),
            server.ask_legacy("tools/call", call("memory_list_facts", subject="P1")),
        ]
        health = server.request("GET", "/healthz")
        listed = server.ask("tools/list")
        for read in reads:
            assert read.message["result"]["isError"]
            assert "SAFETY MEMORY UNAVAILABLE: " in read.body
        assert (health.status, listed.status) == (503, 200)
        everything = server.log + health.body + "".join(read.body for read in reads)
    assert [secret for secret in ("hunter2secret", f":{nowhere}", "bolt://") if secret in everything] == []


@pytest.mark.proves("M-36", "M-38")
def test_clients_that_go_in_the_middle_leave_whole_statements_and_a_server_that_serves(embedded: Installation) -> None:
    """Each statement holds two facts; of a caller that did not wait there are both, or none."""
    with HttpServer(embedded.environment, log=embedded.log) as server:
        assert remember(server.opened(), "P0")
        for number in range(12):
            stated = call(
                "memory_remember", text="Allergies: aspirin, latex", subject=f"G{number}", subject_name=f"Gil {number}"
            )
            body, headers = modern_body("tools/call", stated), modern_headers("tools/call", stated, {})
            connection = server.connection()
            connection.request("POST", "/mcp", body, headers)
            if number % 3 == 0:
                connection.sock.settimeout(0.01 + 0.02 * number)
                with contextlib.suppress(TimeoutError):
                    connection.sock.recv(1)
            connection.close()
        after = [total(server, f"G{number}") for number in range(12)]
        assert total(server, "P0") == 1
        assert remember(server, "P1")
        assert "Traceback" not in server.log
    assert set(after) <= {-1, 0, 2}


@pytest.mark.proves("M-37")
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_five_seconds_although_somebody_listens(embedded: Installation, by: signal.Signals) -> None:
    """Three for what runs, as uvicorn is told, and the rest is work; a busy machine may take longer for that."""
    assert ENDING_S <= 3
    with HttpServer(embedded.environment, log=embedded.log) as server:
        assert remember(server.opened(), "P1")
        connection = server.connection()
        connection.request(
            "POST",
            "/mcp",
            modern_body("subscriptions/listen", LISTEN),
            modern_headers("subscriptions/listen", None, {}),
        )
        stream = connection.getresponse()
        assert stream.status == 200
        assert b"acknowledged" in stream.readline() + stream.readline()
        server.process.send_signal(by)
        assert server.process.wait(PATIENCE) == (0 if by == signal.SIGTERM else 130)
        connection.close()
        assert "Traceback" not in server.log
    with HttpServer(embedded.environment, log=embedded.log) as again:
        assert total(again.opened(), "P1") == 1


@pytest.mark.proves("M-36")
def test_killed_in_the_middle_of_writes_it_keeps_every_acknowledged_one(embedded: Installation) -> None:
    with HttpServer(embedded.environment, log=embedded.log) as server, concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert remember(server.opened(), "K0", "Allergies: aspirin, latex")
        asked = {
            f"K{number}": pool.submit(remember, server, f"K{number}", "Allergies: aspirin, latex")
            for number in range(1, 12)
        }
        next(concurrent.futures.as_completed(asked.values()))
        server.process.send_signal(signal.SIGKILL)
        acknowledged = {name for name, done in asked.items() if done.exception() is None and done.result()}
    with HttpServer(embedded.environment, log=embedded.log) as again:
        again.opened()
        totals = {name: total(again, name) for name in ("K0", *asked)}
    assert {totals[name] for name in ("K0", *acknowledged)} == {2}
    assert set(totals.values()) <= {-1, 0, 2}


@pytest.mark.proves("M-60")
def test_several_servers_over_one_store_are_one_memory(embedded: Installation) -> None:
    with (
        HttpServer(embedded.environment, log=embedded.log) as first,
        HttpServer(embedded.environment, log=embedded.log) as second,
        concurrent.futures.ThreadPoolExecutor(10) as pool,
    ):
        assert remember(first.opened(), "W0")
        servers = (first, second.opened())
        stored = list(pool.map(lambda number: remember(servers[number % 2], f"W{number}"), range(1, 21)))
        totals = list(pool.map(lambda number: total(servers[number // 2 % 2], f"W{number}"), range(21)))
        assert stored == [True] * 20
        assert totals == [1] * 21
        assert [second.stop(), first.stop()] == [0, 0]


@pytest.mark.proves("M-42")
def test_more_connections_than_allowed_are_told_to_come_again(embedded: Installation) -> None:
    with HttpServer(embedded.with_settings(http_connections="4").environment, log=embedded.log) as server:
        held = [server.connection() for _ in range(4)]
        for connection in held:
            connection.connect()
        refused = server.ask("tools/list")
        for connection in held:
            connection.close()
        assert refused.status == 503
        assert server.ask("tools/list").status == 200


@pytest.mark.skipif(os.name == "nt", reason="the certificate is made for a POSIX path")
def test_it_speaks_tls_by_itself(embedded: Installation) -> None:
    certificate, key = self_signed(embedded.folder)
    secure = embedded.with_settings(http_cert=str(certificate), http_key=str(key))
    context = ssl.create_default_context(cafile=str(certificate))
    with HttpServer(secure.environment, log=secure.log) as server:
        assert server.url.startswith("https://")
        body, headers = modern_body("tools/list", {}), modern_headers("tools/list", None, {})
        assert server.request("POST", body=body, headers=headers, tls=context).status == 200
        with pytest.raises(OSError):  # noqa: PT011 - of which kind depends on who closes first
            server.request("POST", body=body, headers=headers)


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "server.pem", folder / "server.key"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return files


@pytest.mark.parametrize(
    ("address", "settings", "remedy"),
    [
        ("0.0.0.0:0", {}, "no token is asked for"),
        ("[::]:0", {}, "no token is asked for"),
        ("127.0.0.1:0", {"http_hosts": "memory.example.com"}, "no token is asked for"),
        ("0.0.0.0:0", {"http_token": "x" * 40}, "R_MEMORY_HTTP_HOSTS="),
        ("127.0.0.1:0", {"http_token": "short"}, "32 characters"),
        ("127.0.0.1:0", {"http_token_file": "/nonexistent/tokens.yaml"}, "r-memory token"),
        ("127.0.0.1:0", {"http_issuer": "https://id.example.com"}, "R_MEMORY_HTTP_RESOURCE"),
        ("127.0.0.1:0", {"http_cert": "/nonexistent.pem"}, "R_MEMORY_HTTP_KEY"),
        ("127.0.0.1:0", {"http_workers": "4"}, "docs/how-to/serve-over-http.md"),
        ("8000", {}, "127.0.0.1:8000"),
        ("memory.example.com:80", {}, "127.0.0.1:8000"),
    ],
)
def test_what_would_let_strangers_in_or_cannot_work_is_refused_before_it_listens(
    untouched: Installation, address: str, settings: dict[str, str], remedy: str
) -> None:
    done = Shell(installation=untouched.with_settings(**settings)).run("serve", "--http", address)
    assert (done.returncode, done.stdout) == (2, "")
    assert remedy in done.stderr
    assert "Listening" not in done.stderr
    assert not (untouched.folder / "data").exists()
