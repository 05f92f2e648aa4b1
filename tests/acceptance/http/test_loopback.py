"""A server on this machine's loopback, without tokens: both eras, and everything that must not come in."""

import asyncio
import json

import pytest

from tests.acceptance.conftest import Era, Installation
from tests.acceptance.http.server import LEGACY, MODERN, HttpServer, modern_body, modern_headers

ALLERGIC = "I am severely allergic to penicillin."


@pytest.mark.anyio
@pytest.mark.proves("M-8", "RM-4")
@pytest.mark.parametrize(("era", "version"), [("auto", MODERN), ("legacy", LEGACY)])
async def test_both_eras_tell_and_ask_over_http(server: HttpServer, era: Era, version: str) -> None:
    who = {"subject": f"P-{era}", "subject_name": f"Ann {era}"}
    async with server.client(era) as assistant:
        assert assistant.client.protocol_version == version
        await assistant.call("memory_remember", text=ALLERGIC, **who)
        context = await assistant.call("memory_build_context", query="Which antibiotic?", subject=who["subject"])
    assert "penicillin" in context["block"].lower()
    assert len(context["fact_ids"]) == 1


@pytest.mark.proves("M-7")
def test_a_version_that_nobody_speaks_is_an_error_that_names_those_that_are_spoken(server: HttpServer) -> None:
    unspoken = "2031-01-01"
    body = modern_body("tools/list", {}, version=unspoken)
    headers = modern_headers("tools/list", None, {"mcp_protocol_version": unspoken})
    reply = server.request("POST", body=body, headers=headers)
    assert reply.status == 400
    assert reply.message["error"]["code"] == -32022
    assert MODERN in reply.message["error"]["data"]["supported"]


@pytest.mark.proves("M-8")
def test_a_client_of_the_handshake_era_is_told_that_no_notice_will_come_over_http(server: HttpServer) -> None:
    """There is no session to send one to; over standard input and output it may subscribe."""
    asked = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    able = server.ask_legacy("initialize", asked).message["result"]["capabilities"]
    told = {kind: [able[kind].get("listChanged"), able[kind].get("subscribe")] for kind in ("tools", "resources")}
    assert told == {"tools": [False, None], "resources": [False, False]}


@pytest.mark.proves("M-41")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:80"}, 421),
        ({"host": "127.0.0.1:41919@evil"}, 421),
        ({"host": "127.0.0.1:80, evil"}, 421),
        ({"host": "127.0.0.1:80/../"}, 421),
        ({"host": "127.0.0.1:99999"}, 421),
        ({"origin": "http://localhost:1.evil.example"}, 403),
        ({"origin": "http://127.0.0.1:1@evil"}, 403),
        ({"origin": "https://localhost:1"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:6274"}, 200),
    ],
)
def test_only_this_machine_by_its_own_names_and_pages_is_let_in(
    server: HttpServer, headers: dict[str, str], status: int
) -> None:
    answers = [server.ask("tools/list", **headers), server.ask_legacy("tools/list", **headers)]
    assert [answer.status for answer in answers] == [status, status]


@pytest.mark.proves("M-42")
@pytest.mark.parametrize("headers", [{"mcp_method": "tools/list"}, {"mcp_name": "memory_remember"}, {"mcp_method": ""}])
def test_headers_that_contradict_the_body_are_refused(server: HttpServer, headers: dict[str, str]) -> None:
    assert server.ask("tools/call", {"name": "memory_describe", "arguments": {}}, **headers).status == 400


@pytest.mark.proves("M-42")
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_anything_but_a_post_is_refused(server: HttpServer, method: str) -> None:
    reply = server.request(method, headers={"accept": "text/event-stream"})
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.proves("M-42")
def test_five_megabytes_are_too_many(server: HttpServer) -> None:
    body = modern_body("tools/call", {"name": "memory_remember", "arguments": {"text": "x" * 5_000_000}})
    headers = modern_headers("tools/call", {"name": "memory_remember"}, {})
    assert server.request("POST", body=body, headers=headers).status == 413


def test_a_length_that_is_only_announced_is_refused_before_anything_is_read(server: HttpServer) -> None:
    connection = server.connection()
    connection.putrequest("POST", "/mcp")
    connection.putheader("content-length", "50000000")
    connection.putheader("content-type", "application/json")
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"[" * 50_000, b'{"jsonrpc":"2.0"}', b"\xff\xfe"])
def test_what_is_no_message_is_a_clients_mistake(server: HttpServer, body: bytes) -> None:
    modern, legacy = modern_headers("tools/list", None, {}), modern_headers("", None, {"mcp_protocol_version": LEGACY})
    replies = [server.request("POST", body=body, headers=headers) for headers in (modern, legacy)]
    assert {reply.status // 100 for reply in replies} <= {4, 2}
    assert 500 not in {reply.status for reply in replies}
    assert "Traceback" not in server.log


def test_an_answer_to_a_call_is_never_cut_off_by_the_accept_header(server: HttpServer) -> None:
    assert server.ask("tools/list", accept="text/html").status == 406


@pytest.mark.proves("M-24")
def test_an_unknown_tool_is_a_protocol_error_over_http_as_well(server: HttpServer) -> None:
    reply = server.ask("tools/call", {"name": "memory_forget_all", "arguments": {}})
    assert reply.message["error"]["code"] == -32602


def test_health_is_told_to_whoever_asks_and_says_nothing_else(server: HttpServer) -> None:
    reply = server.request("GET", "/healthz", headers={"host": "10.0.0.7:8000"})
    assert (reply.status, json.loads(reply.body)) == (200, {"status": "ok"})


def test_no_page_is_served_beside_the_two(server: HttpServer) -> None:
    paths = ("/", "/docs", "/.well-known/oauth-protected-resource/mcp", "/mcp/../etc/passwd", "//mcp")
    assert {server.request("GET", path).status for path in paths} == {404}


@pytest.mark.anyio
@pytest.mark.proves("M-44")
async def test_five_hundred_requests_twenty_at_once_are_all_answered(server: HttpServer) -> None:
    """How fast is measured by `r-memory bench http`; here none may fail."""
    queue = asyncio.Queue[int]()
    for number in range(500):
        queue.put_nowait(number)
    answered: list[int] = []
    async with server.client() as first:
        await first.call("memory_remember", text=ALLERGIC, subject="L1", subject_name="Lou Load")

    async def caller() -> None:
        async with server.client() as assistant:
            while not queue.empty():
                number = queue.get_nowait()
                context = await assistant.call("memory_build_context", query="Which antibiotic?", subject="L1")
                assert context["fact_ids"]
                answered.append(number)

    await asyncio.gather(*(caller() for _ in range(20)))
    assert sorted(answered) == list(range(500))


@pytest.mark.proves("M-50", "Z35")
def test_no_words_and_no_headers_are_in_the_log(server: HttpServer, home: Installation) -> None:
    canary = "zyxcanaryxyz"
    arguments = {"text": f"I am allergic to {canary}.", "subject": canary, "subject_name": f"Ann {canary}"}
    server.ask("tools/call", {"name": "memory_remember", "arguments": arguments}, authorization=f"Bearer {canary}")
    server.ask("tools/call", {"name": "memory_remember", "arguments": {canary: canary}})
    server.request("GET", f"/{canary}?{canary}")
    assert canary not in server.log
    assert str(home.folder) not in server.log


def test_an_address_with_a_slash_too_many_is_no_redirect(server: HttpServer) -> None:
    """Behind a proxy that speaks TLS a redirect names plain HTTP, and a client that follows tells its token."""
    reply = server.request("POST", path="/mcp/", body=b"{}")
    assert (reply.status, reply.headers.get("location")) == (404, None)
