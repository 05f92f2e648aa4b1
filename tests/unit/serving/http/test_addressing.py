"""A request is let in by the server's own names and pages, compared as a whole and not by how they begin."""

import pytest
from starlette.datastructures import Headers

from r_memory.serving.http.addressing import Addressing

DOOR = Addressing(["memory.example.com", "[::1]"], ["https://app.example.com"], local=["localhost"])


def answered(*headers: tuple[str, str]) -> int:
    """The status of a refusal; 200 for who is let in."""
    raw = [(name.encode(), value.encode()) for name, value in headers]
    refusal = DOOR.refusal(Headers(raw=raw))
    return 200 if refusal is None else refusal.status_code


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("memory.example.com", 200),
        ("Memory.Example.com:443", 200),
        ("[::1]:8000", 200),
        ("", 421),
        ("memory.example.com:", 421),
        ("memory.example.com:8000@evil", 421),
        ("memory.example.com:8000, evil", 421),
        ("memory.example.com:8000/../", 421),
        ("memory.example.com:8000.evil.example", 421),
        ("memory.example.com:65536", 421),
        ("evil@memory.example.com", 421),
        ("memory.example.com.evil.example", 421),
        ("[::1", 421),
        ("memory.example.com\n", 421),
    ],
)
def test_only_a_host_and_a_port_of_this_server_are_an_address(host: str, status: int) -> None:
    assert answered(("host", host)) == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://app.example.com", 200),
        ("https://app.example.com:443", 200),
        ("http://localhost:6274", 200),
        ("http://localhost", 200),
        ("https://app.example.com:444", 403),
        ("http://app.example.com", 403),
        ("http://localhost:1.evil.example", 403),
        ("http://localhost:1@evil", 403),
        ("https://localhost:1", 403),
        ("https://app.example.com.evil.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_only_a_page_that_was_named_or_is_of_this_machine_may_call(origin: str, status: int) -> None:
    assert answered(("host", "[::1]"), ("origin", origin)) == status


def test_two_hosts_or_two_origins_are_refused() -> None:
    assert answered(("host", "[::1]"), ("host", "[::1]")) == 421
    assert answered(("host", "[::1]"), ("origin", "http://localhost:1"), ("origin", "http://localhost:1")) == 403
    assert answered() == 421
