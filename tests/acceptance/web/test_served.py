"""`serve --http --web` as a process: pages beside the tools, with the tokens, scopes and spaces of these."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
import yaml
from mcp.client import ClientRequestContext
from mcp.types import ElicitRequestParams, ElicitRequestURLParams, ElicitResult

from r_memory.config.access_tokens import add_token
from tests.acceptance.conftest import Assistant, Installation, begun_in
from tests.acceptance.http.server import HttpServer, Reply

ALLERGIC = "I am severely allergic to penicillin."
SUBJECT = "JD001"
WHY = "The skin test was negative."
PAGES = (
    "/",
    "/review",
    "/ask",
    "/audits",
    "/health",
    f"/person?id={SUBJECT}",
    f"/graph.json?id={SUBJECT}",
    "/case?id=x",
)
_SIGN = re.compile(r'name="sign" value="([0-9a-f]{64})"')
_FACT = re.compile(r'href="/fact\?id=([0-9a-f-]+)"')


@dataclass(frozen=True, slots=True)
class Visit:
    """A browser at the server, signed in or not."""

    server: HttpServer
    cookie: str = ""

    def get(self, path: str, **headers: str) -> Reply:
        return self.server.request("GET", path, headers={**self._own(), **headers})

    def post(self, path: str, fields: Mapping[str, str], *, origin: str = "") -> Reply:
        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "origin": origin or f"http://127.0.0.1:{self.server.port}",
            **self._own(),
        }
        return self.server.request("POST", path, body=urlencode(fields).encode(), headers=headers)

    def entered(self, token: str) -> "Visit":
        """The visit that the token begins."""
        reply = self.post("/enter", {"token": token})
        assert reply.status == 303, reply.body
        told = reply.headers["set-cookie"]
        assert ("HttpOnly" in told, "samesite=strict" in told.lower()) == (True, True)
        return Visit(self.server, told.partition(";")[0])

    def sign(self) -> str:
        found = _SIGN.search(self.get("/ask").body)
        assert found is not None
        return found[1]

    def fact(self) -> str:
        """The id of the fact about the penicillin."""
        found = _FACT.search(self.get(f"/person?id={SUBJECT}").body)
        assert found is not None
        return found[1]

    def _own(self) -> dict[str, str]:
        return {"cookie": self.cookie} if self.cookie else {}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return begun_in(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def tokens(home: Installation) -> dict[str, str]:
    """By bearer."""
    file = home.folder / "tokens.yaml"
    yesterday = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=1)
    every = ["memory:read", "memory:write", "memory:review", "memory:admin"]
    return {
        "north": add_token(file, "north", space="north", scopes=every),
        "south": add_token(file, "south", space="south", scopes=every),
        "reader": add_token(file, "reader", space="north", scopes=["memory:read"]),
        "writer": add_token(file, "writer", space="north", scopes=["memory:write"]),
        "asking": add_token(file, "asking", space="north", scopes=["memory:read", "memory:write"]),
        "former": add_token(file, "former", space="north", expires=yesterday),
        "leaving": add_token(file, "leaving", space="north", scopes=every),
    }


@pytest.fixture(scope="module")
def server(home: Installation, tokens: dict[str, str]) -> Iterator[HttpServer]:
    """With one fact in the space `north`, told through its tools."""
    shared = home.with_settings(http_token_file=str(home.folder / "tokens.yaml"))
    with HttpServer(shared.environment, log=shared.log, options=["--web"]) as running:
        bearer = {"authorization": f"Bearer {tokens['north']}"}
        running.opened(**bearer)
        told = {"text": ALLERGIC, "subject": SUBJECT, "subject_name": "John Doe", "speaker": "patient"}
        answer = running.ask("tools/call", {"name": "memory_remember", "arguments": told}, **bearer)
        assert not answer.message["result"].get("isError"), answer.body
        yield running


def test_without_a_token_no_page_is_shown_and_a_wrong_one_opens_nothing(
    server: HttpServer, tokens: dict[str, str]
) -> None:
    stranger = Visit(server)
    assert {stranger.get(path).status for path in PAGES} == {401}
    for token in ("", "x" * 40, tokens["former"], tokens["writer"]):
        assert stranger.post("/enter", {"token": token}).status == 401
    bearer = {"authorization": f"Bearer {tokens['north']}"}
    assert stranger.get("/", **bearer).status == 401


def test_a_token_opens_its_own_space_and_no_other(server: HttpServer, tokens: dict[str, str]) -> None:
    north, south = (Visit(server).entered(tokens[name]) for name in ("north", "south"))
    fact = north.fact()
    assert "Penicillin" in north.get(f"/person?id={SUBJECT}").body
    for path in (f"/person?id={SUBJECT}", f"/fact?id={fact}", f"/timeline?id={SUBJECT}", f"/review?id={SUBJECT}"):
        reply = south.get(path)
        assert (reply.status, "enicillin" in reply.body, "John" in reply.body) == (400, False, False), path
    assert "JD001" not in south.get("/").body
    fields = {"sign": south.sign(), "kind": "fact", "id": fact, "key": "g", "reason": "not mine", "sure": "1"}
    assert south.post("/decide", fields).status == 400
    assert "active" in north.get(f"/fact?id={fact}").body


def test_scopes_say_who_decides_and_who_audits(server: HttpServer, tokens: dict[str, str]) -> None:
    reader = Visit(server).entered(tokens["reader"])
    fields = {"sign": reader.sign(), "kind": "fact", "id": reader.fact(), "key": "g", "reason": "gone", "sure": "1"}
    refused = [reader.post("/decide", fields), reader.get("/audit?name=severe_allergies")]
    assert [reply.status for reply in refused] == [403, 403]
    assert ["memory:review" in refused[0].body, "memory:admin" in refused[1].body] == [True, True]
    assert Visit(server).entered(tokens["north"]).get("/audit?name=severe_allergies").status == 200


def test_a_form_of_another_site_decides_nothing(server: HttpServer, tokens: dict[str, str]) -> None:
    north = Visit(server).entered(tokens["north"])
    fact = north.fact()
    fields = {"sign": north.sign(), "kind": "fact", "id": fact, "key": "g", "reason": "gone", "sure": "1"}
    for origin in ("http://evil.example", f"http://127.0.0.1:{server.port + 1}", "null"):
        assert north.post("/decide", fields, origin=origin).status == 403, origin
    other = Visit(server).entered(tokens["leaving"])
    assert north.post("/decide", {**fields, "sign": other.sign()}).status == 403
    page = north.get(f"/fact?id={fact}").body
    assert (page.count("<li value="), "resolved" in page.partition("<h2>Decide")[0]) == (1, False)


def test_no_answer_may_be_framed_or_kept(server: HttpServer, tokens: dict[str, str]) -> None:
    north = Visit(server).entered(tokens["north"])
    for path in (*PAGES, "/enter", "/nowhere"):
        headers = north.get(path).headers
        assert headers["x-frame-options"] == "DENY", path
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert headers["cache-control"] == "no-store", path


def test_a_name_of_another_host_reaches_no_page(server: HttpServer) -> None:
    assert Visit(server).get("/", host="memory.evil.example").status == 421


def test_a_token_that_is_withdrawn_ends_its_visit(
    server: HttpServer, home: Installation, tokens: dict[str, str]
) -> None:
    leaving = Visit(server).entered(tokens["leaving"])
    assert leaving.get("/").status == 200
    file = home.folder / "tokens.yaml"
    kept = yaml.safe_load(file.read_text(encoding="utf-8"))
    kept["tokens"] = [item for item in kept["tokens"] if item["name"] != "leaving"]
    file.write_text(yaml.safe_dump(kept), encoding="utf-8")
    assert leaving.get("/").status == 401
    assert Visit(server).entered(tokens["north"]).get("/").status == 200


@pytest.mark.anyio
async def test_a_change_that_a_person_decides_leads_to_the_review_page(
    server: HttpServer, tokens: dict[str, str]
) -> None:
    # A client that opens addresses is asked to; it needs no form, and no right of its own.
    opened: list[str] = []

    async def person(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG001 - the name is the SDK's
        assert isinstance(params, ElicitRequestURLParams)
        opened.append(params.url)
        return ElicitResult(action="accept")

    async with server.client(token=tokens["asking"], person=person) as assistant:
        told = await _asked_to_refute(assistant)

    assert ("requested", [f"http://127.0.0.1:{server.port}/review?id={SUBJECT}"]) == (told["outcome"], opened)
    page = Visit(server).entered(tokens["north"]).get(urlsplit(opened[0]).path + f"?id={SUBJECT}")
    assert (page.status, WHY in page.body) == (200, True)


@pytest.mark.anyio
async def test_a_client_that_opens_no_addresses_is_told_that_the_change_waits(
    server: HttpServer, tokens: dict[str, str]
) -> None:
    async with server.client(token=tokens["asking"]) as assistant:
        assert (await _asked_to_refute(assistant))["outcome"] == "requested"


async def _asked_to_refute(assistant: Assistant) -> Mapping[str, Any]:
    [fact] = (await assistant.call("memory_list_facts", subject=SUBJECT))["facts"]
    asked = {"fact_id": fact["fact_id"], "subject": SUBJECT, "change": "refute", "reason": WHY, "confirm": True}
    return await assistant.call("memory_change_fact", **asked)
