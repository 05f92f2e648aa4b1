"""Where to listen and for whom: strangers stay out by default."""

from dataclasses import replace
from pathlib import Path

import pytest

from r_memory.config.access_tokens import add_token
from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.serving.http.plan import is_safe_url, parse_address, planned

TOKEN = "t" * 40
OAUTH = {"http_issuer": "https://id.example.com/", "http_resource": "https://memory.example.com/mcp"}


@pytest.mark.parametrize(
    "text", ["", "8000", ":8000", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", "host:80", "1.2.3:80"]
)
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"127\.0\.0\.1:8000"):
        parse_address(text)


@pytest.mark.parametrize(
    ("text", "loopback"),
    [
        ("127.0.0.1:80", True),
        ("[::1]:80", True),
        ("localhost:80", True),
        ("127.9.9.9:80", True),
        ("0.0.0.0:80", False),
        ("10.0.0.7:80", False),
        ("[::]:80", False),
    ],
)
def test_only_this_machine_is_loopback(text: str, loopback: bool) -> None:
    assert parse_address(text).loopback is loopback


@pytest.mark.proves("M-41")
@pytest.mark.parametrize("address", ["0.0.0.0:80", "10.0.0.7:80", "[::]:80"])
def test_another_address_needs_a_token(address: str) -> None:
    with pytest.raises(ConfigurationError, match="no token is asked for"):
        planned(Settings(), parse_address(address))


def test_loopback_behind_a_public_name_needs_a_token_as_well() -> None:
    """A proxy in front makes a loopback address public."""
    with pytest.raises(ConfigurationError, match="lets others in"):
        planned(Settings(http_hosts=("memory.example.com",)), parse_address("127.0.0.1:80"))


@pytest.mark.proves("M-41")
def test_names_that_count_are_those_listed_and_those_of_the_address() -> None:
    everywhere = Settings(http_token=TOKEN, http_hosts=("memory.example.com",))
    assert planned(everywhere, parse_address("0.0.0.0:80")).hosts == ("memory.example.com",)
    assert planned(Settings(http_token=TOKEN), parse_address("10.0.0.7:80")).hosts == ("10.0.0.7",)
    assert planned(Settings(), parse_address("127.0.0.1:80")).hosts == ("127.0.0.1", "localhost", "[::1]")
    assert planned(Settings(**OAUTH), parse_address("0.0.0.0:80")).hosts == ("memory.example.com",)  # type: ignore[arg-type]  # texts, all of them


def test_the_file_of_the_home_counts_if_it_is_there(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, http_hosts=("m.example.com",))
    with pytest.raises(ConfigurationError):
        planned(settings, parse_address("0.0.0.0:80"))
    add_token(tmp_path / "tokens.yaml", "ann", space="default")
    assert planned(settings, parse_address("0.0.0.0:80")).asks_for_token


@pytest.mark.parametrize(
    "changed",
    [
        {"http_resource": ""},
        {"http_issuer": "http://id.example.com"},
        {"http_resource": "ftp://x/mcp"},
        {"http_jwks": "http://keys.example.com"},
        {"http_issuer": "https://u:pw@id.example.com"},
    ],
)
def test_oauth_over_open_wires_or_by_halves_is_refused(changed: dict[str, str]) -> None:
    settings = replace(Settings(), **{**OAUTH, **changed})  # type: ignore[arg-type]  # texts, all of them
    with pytest.raises(ConfigurationError) as refused:
        planned(settings, parse_address("127.0.0.1:80"))
    assert "pw" not in str(refused.value)


def test_secrets_are_in_no_representation() -> None:
    plan = planned(Settings(http_token=TOKEN), parse_address("127.0.0.1:80"))
    assert TOKEN not in repr(plan)
    assert repr(plan.state_key) not in repr(plan)


def test_two_plans_never_share_a_key() -> None:
    address = parse_address("127.0.0.1:80")
    assert planned(Settings(), address).state_key != planned(Settings(), address).state_key


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://a.example.com/x", True),
        ("http://127.0.0.1:80/x", True),
        ("http://localhost/x", True),
        ("http://a.example.com", False),
        ("file:///etc/passwd", False),
        ("https://", False),
        ("https://a/x?y", False),
        ("not a url", False),
    ],
)
def test_keys_come_over_safe_wires_only(url: str, safe: bool) -> None:
    assert is_safe_url(url) is safe
