"""A server that others reach: who may come in, into which space, with which tools."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from r_memory.config.access_tokens import add_token
from tests.acceptance.conftest import Era, Installation
from tests.acceptance.http.issuer import RESOURCE, Issuer
from tests.acceptance.http.server import HttpServer, legacy_headers

ALLERGIC = "I am severely allergic to penicillin."
ENVIRONMENT = "a-token-from-the-environment-0123456789"
PUBLIC = {"host": "memory.example.com"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with Issuer() as running:
        yield running


@pytest.fixture(scope="module")
def tokens(home: Installation) -> dict[str, str]:
    """By bearer: tokens of the file, which is where the server will look."""
    file = home.folder / "tokens.yaml"
    yesterday = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=1)
    return {
        "north": add_token(file, "north", space="north"),
        "south": add_token(file, "south", space="south"),
        "reader": add_token(file, "reader", space="north", scopes=["memory:read"]),
        "writer": add_token(file, "writer", space="north", scopes=["memory:write"]),
        "former": add_token(file, "former", space="north", expires=yesterday),
    }


@pytest.fixture(scope="module")
def server(home: Installation, issuer: Issuer, tokens: dict[str, str]) -> Iterator[HttpServer]:
    """On every address of this machine."""
    assert tokens
    shared = home.with_settings(
        http_token_file=str(home.folder / "tokens.yaml"),
        http_token=ENVIRONMENT,
        http_issuer=issuer.url,
        http_resource=RESOURCE,
        http_space_claim="space",
        http_hosts="memory.example.com,127.0.0.1",
        http_origins="https://app.example.com",
    )
    with HttpServer(shared.environment, log=shared.log, address="0.0.0.0:0") as running:
        yield running.opened(**bearing(ENVIRONMENT))


def bearing(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}", **PUBLIC}


def listed(server: HttpServer, token: str) -> int:
    return server.ask("tools/list", **bearing(token)).status


@pytest.mark.proves("M-43")
def test_without_a_token_nobody_comes_in_and_is_told_where_to_get_one(server: HttpServer) -> None:
    replies = [server.ask(method, **PUBLIC) for method in ("tools/list", "server/discover")]
    replies.append(server.ask_legacy("initialize", **PUBLIC))
    assert {reply.status for reply in replies} == {401}
    challenge = replies[0].headers["www-authenticate"]
    assert 'resource_metadata="https://memory.example.com/.well-known/oauth-protected-resource/mcp"' in challenge


@pytest.mark.proves("M-43")
def test_the_metadata_names_issuer_and_scopes(server: HttpServer, issuer: Issuer) -> None:
    reply = server.request("GET", "/.well-known/oauth-protected-resource/mcp", headers=PUBLIC)
    told = json.loads(reply.body)
    assert (told["resource"], told["authorization_servers"]) == (RESOURCE, [issuer.url])
    scopes = ["memory:read", "memory:write", "memory:review", "memory:admin", "memory:across"]
    assert told["scopes_supported"] == scopes


@pytest.mark.proves("M-43")
def test_tokens_of_the_file_of_the_environment_and_of_the_issuer_count(
    server: HttpServer, tokens: dict[str, str], issuer: Issuer
) -> None:
    counting = [tokens["north"], tokens["reader"], ENVIRONMENT, issuer.token(), issuer.token(aud=[RESOURCE, "other"])]
    assert [listed(server, token) for token in counting] == [200] * 5


@pytest.mark.proves("M-43")
@pytest.mark.parametrize(
    "claims",
    [
        {"exp": 1_700_000_000},
        {"aud": "https://elsewhere.example.com/mcp"},
        {"aud": None},
        {"iss": "https://evil.example.com"},
        {"exp": None},
        {"sub": None},
        {"space": None},
        {"space": "knowledge"},
        {"space": "../other"},
        {"nbf": 4_000_000_000},
        {"forged": True},
        {"algorithm": "HS256"},
        {"algorithm": "none"},
        {"kid": "unknown"},
    ],
    ids=str,
)
def test_a_token_that_is_late_forged_or_meant_for_another_does_not_count(
    server: HttpServer, issuer: Issuer, claims: dict[str, object]
) -> None:
    assert listed(server, issuer.token(**claims)) == 401  # type: ignore[arg-type]  # claims of any type are the point


@pytest.mark.proves("M-43")
@pytest.mark.parametrize("token", ["", "x", "rmem_nearly", "a" * 20_000, "a.b.c", "Bearer"])
def test_any_other_text_does_not_count(server: HttpServer, token: str) -> None:
    assert listed(server, token) == 401


@pytest.mark.proves("M-43")
def test_an_expired_entry_of_the_file_does_not_count(server: HttpServer, tokens: dict[str, str]) -> None:
    assert listed(server, tokens["former"]) == 401


def test_unknown_keys_make_no_flood_of_requests_to_the_issuer(server: HttpServer, issuer: Issuer) -> None:
    listed(server, issuer.token())
    before = len(issuer.asked)
    assert {listed(server, issuer.token(kid=f"k{number}")) for number in range(2, 12)} == {401}
    assert len(issuer.asked) - before <= 2


@pytest.mark.proves("M-43")
def test_a_token_without_the_scope_to_read_may_do_nothing(
    server: HttpServer, tokens: dict[str, str], issuer: Issuer
) -> None:
    assert [listed(server, tokens["writer"]), listed(server, issuer.token(scope="openid"))] == [403, 403]


@pytest.mark.anyio
@pytest.mark.proves("M-63")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_token_that_may_only_read_is_not_even_shown_how_to_write(
    server: HttpServer, tokens: dict[str, str], era: Era
) -> None:
    async with server.client(era, tokens["reader"]) as reader:
        shown = {tool.name for tool in (await reader.client.list_tools()).tools}
    async with server.client(era, tokens["north"]) as writer:
        whole = {tool.name: tool for tool in (await writer.client.list_tools()).tools}
    assert "memory_build_context" in shown
    assert shown == {name for name, tool in whole.items() if tool.annotations and tool.annotations.read_only_hint}
    assert "memory_remember" in whole


@pytest.mark.proves("M-43", "M-63")
def test_a_write_with_a_reading_token_is_refused_and_the_challenge_names_the_scope(
    server: HttpServer, tokens: dict[str, str]
) -> None:
    call = {"name": "memory_remember", "arguments": {"text": ALLERGIC, "subject": "X1", "subject_name": "Xi"}}
    replies = [server.ask("tools/call", call, **bearing(tokens["reader"]))]
    replies.append(server.ask_legacy("tools/call", call, **bearing(tokens["reader"])))
    assert [reply.status for reply in replies] == [403, 403]
    assert 'error="insufficient_scope", scope="memory:read memory:write"' in replies[0].headers["www-authenticate"]
    looked_for = {"name": "memory_list_facts", "arguments": {"subject": "X1"}}
    seen = server.ask("tools/call", looked_for, **bearing(tokens["reader"]))
    assert seen.message["result"]["isError"]


@pytest.mark.proves("M-63")
def test_a_body_that_hides_the_tool_from_the_gate_is_refused_by_the_tool(
    server: HttpServer, tokens: dict[str, str]
) -> None:
    """JSON parsers differ on a name that is given twice; whatever the gate reads, the tool itself decides."""
    rest = '"arguments":{"text":"Hello.","subject":"X2","subject_name":"Xo"}'
    for first, last in (("memory_remember", "memory_describe"), ("memory_describe", "memory_remember")):
        call = f'{{"name":"{first}","name":"{last}",{rest}}}'
        body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{call}}}'.encode()
        reply = server.request("POST", body=body, headers=legacy_headers(**bearing(tokens["reader"])))
        assert reply.status == 403 or reply.message["result"]["isError"]


@pytest.mark.anyio
@pytest.mark.proves("Z10", "RM-20")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_token_decides_the_space_and_no_other_is_ever_seen(
    server: HttpServer, tokens: dict[str, str], issuer: Issuer, era: Era
) -> None:
    who = {"subject": f"S-{era}", "subject_name": f"Sam Hidden {era}"}
    async with server.client(era, tokens["north"]) as north:
        stored = await north.call("memory_remember", text=ALLERGIC, **who)
        fact_id = stored["results"][0]["fact_id"]
        visit = {"subject": who["subject"], "conversation_id": "visit"}
        await north.call("memory_remember", text="My house is red.", reply="Since when?", **visit)
        for foreign in (tokens["south"], issuer.token(), ENVIRONMENT):
            async with server.client(era, foreign) as other:
                told = [
                    await other.refused("memory_build_context", query="What can he take?", subject=who["subject"]),
                    await other.refused("memory_list_facts", subject=f"Sam Hiden {era}"),
                ]
                await other.call("memory_remember", text="Hello.", **who)
                history = await other.refused("memory_list_facts", subject=who["subject"], fact_id=fact_id)
                facts = await other.call("memory_list_facts", subject=who["subject"])
                found = await other.call("memory_search", query="red house", subject=who["subject"])
                await other.refused("memory_get_summary", **visit)
            assert who["subject_name"] not in "".join(told)
            assert "no fact has the id" in history
            assert (facts["total"], found["total"]) == (0, 0)
        assert (await north.call("memory_list_facts", subject=who["subject"]))["total"] == 1
    async with server.client(era, tokens["reader"]) as colleague:
        assert (await colleague.call("memory_list_facts", subject=who["subject"]))["total"] == 1


@pytest.mark.proves("M-41")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "memory.example.com:8443"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": "localhost"}, 421),
        ({"origin": "https://app.example.com"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://localhost:6274"}, 403),
    ],
)
def test_on_every_address_only_the_names_and_pages_that_are_listed_count(
    server: HttpServer, headers: dict[str, str], status: int
) -> None:
    assert server.ask("tools/list", **{**bearing(ENVIRONMENT), **headers}).status == status


def test_a_listed_page_may_ask_before_it_calls_and_others_are_refused(server: HttpServer) -> None:
    asking = {"access-control-request-method": "POST", "access-control-request-headers": "authorization", **PUBLIC}
    ours = server.request("OPTIONS", headers={**asking, "origin": "https://app.example.com"})
    theirs = server.request("OPTIONS", headers={**asking, "origin": "https://evil.example"})
    assert (ours.status, ours.headers["access-control-allow-origin"]) == (200, "https://app.example.com")
    assert theirs.status == 403


@pytest.mark.proves("M-64")
def test_nobody_may_listen_where_strangers_share_a_server(server: HttpServer) -> None:
    reply = server.ask("subscriptions/listen", {"notifications": {}}, **bearing(ENVIRONMENT))
    assert reply.message["error"]["code"] == -32601


@pytest.mark.proves("M-50", "Z35")
def test_tokens_and_their_bearers_words_are_not_in_the_log(
    server: HttpServer, tokens: dict[str, str], issuer: Issuer
) -> None:
    signed = issuer.token()
    for token in (*tokens.values(), ENVIRONMENT, signed, "rmem_unknown_canary"):
        server.ask("tools/call", {"name": "memory_list_facts", "arguments": {"subject": "canary"}}, **bearing(token))
    parts = [*tokens.values(), ENVIRONMENT, *signed.split("."), "canary"]
    assert [part for part in parts if part in server.log] == []
    assert "caller='north'" in server.log


def test_a_withdrawn_entry_stops_to_count_without_a_restart(tmp_path: Path, home: Installation) -> None:
    file = tmp_path / "tokens.yaml"
    kept, withdrawn = add_token(file, "kept", space="north"), add_token(file, "withdrawn", space="north")
    shared = home.with_settings(http_token_file=str(file), data_dir=str(tmp_path / "data"))
    with HttpServer(shared.environment, log=tmp_path / "log") as server:
        headers = [{"authorization": f"Bearer {token}"} for token in (kept, withdrawn)]
        assert [server.ask("tools/list", **held).status for held in headers] == [200, 200]
        head, _, _ = file.read_text().partition('  - name: "withdrawn"')
        file.write_text(head)
        assert [server.ask("tools/list", **held).status for held in headers] == [200, 401]
        file.write_text("tokens: [nonsense")
        assert [server.ask("tools/list", **held).status for held in headers] == [401, 401]
