"""What clients may do to a server process beside calling tools: watch, take back, speak of another era."""

import json

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.wire import WireServer

ALLERGIC = "I am severely allergic to penicillin."
UPDATED = "notifications/resources/updated"
MODERN = "2026-07-28"


def heard(server: WireServer, until: int) -> list[str]:
    """Addresses that were announced before the answer to a request."""
    found: list[str] = []
    while (message := server.receive()).get("id") != until:
        if message.get("method") == UPDATED:
            found.append(message["params"]["uri"])
    return found


def modern(server: WireServer, method: str, **params: object) -> dict[str, object]:
    """The response to a request of the newer era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
    }
    return server.request(method, {**params, "_meta": meta})


@pytest.mark.proves("M-64")
def test_a_handshake_client_hears_of_what_it_watches_and_of_nothing_else(embedded: Installation) -> None:
    uri = "rmemory://subject/P1/facts"
    with embedded.wire() as server:
        capabilities = server.handshake()["result"]["capabilities"]
        for id_ in ("P1", "P2"):
            server.call("memory_remember", text="Hello.", subject=id_, subject_name=f"Name {id_}")
        assert server.request("resources/subscribe", {"uri": uri})["result"] == {}
        other = server.ask("tools/call", {"name": "memory_remember", "arguments": {"text": ALLERGIC, "subject": "P2"}})
        of_other = heard(server, other)
        own = server.ask("tools/call", {"name": "memory_remember", "arguments": {"text": ALLERGIC, "subject": "P1"}})
        of_own = heard(server, own)
        server.request("resources/unsubscribe", {"uri": uri})
        again = {"text": "I am allergic to latex.", "subject": "P1"}
        afterwards = heard(server, server.ask("tools/call", {"name": "memory_remember", "arguments": again}))
    assert capabilities["resources"]["subscribe"] is True
    assert (of_other, of_own, afterwards) == ([], [uri], [])


@pytest.mark.proves("M-38")
def test_a_write_that_is_taken_back_is_whole_or_not_there_and_the_server_goes_on(embedded: Installation) -> None:
    """Issue 6, bad input: a cancelled write. Each statement holds two facts; there are both, or none."""
    with embedded.wire() as server:
        server.handshake()
        server.call("memory_remember", text="Hello.", subject="P0", subject_name="Zoe Zee")
        for number in range(8):
            who = {"subject": f"G{number}", "subject_name": f"Gil {number}"}
            arguments = {"text": "Allergies: aspirin, latex", **who}
            asked = server.ask("tools/call", {"name": "memory_remember", "arguments": arguments})
            cancelled = {"requestId": asked, "reason": "changed my mind"}
            server.send(
                json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}).encode()
            )
        totals = [server.call("memory_list_facts", subject=f"G{number}") for number in range(8)]
        kept = server.call("memory_remember", text=ALLERGIC, subject="P0")
        log = embedded.log.read_text(errors="replace")
    counts = {0 if each["isError"] else each["structuredContent"]["total"] for each in totals}
    assert counts <= {0, 2}
    assert not kept["isError"]
    assert "Traceback" not in log


def test_what_the_other_era_has_is_an_error_of_the_protocol_and_not_the_end(embedded: Installation) -> None:
    """Issue 6, bad input: wrong era."""
    with embedded.wire() as server:
        server.handshake()
        listening = server.request("subscriptions/listen", {"notifications": {}})
        tools = server.request("tools/list", {})
    with embedded.wire() as server:
        ping = modern(server, "ping")
        watching = modern(server, "resources/subscribe", uri="rmemory://schema")
        found = modern(server, "tools/list")
    assert [each["error"]["code"] for each in (listening, ping, watching)] == [-32601] * 3  # type: ignore[index]  # a message
    assert tools["result"]["tools"]
    assert found["result"]["tools"]  # type: ignore[index]  # a message


def test_another_space_sees_no_conversation_no_decision_and_no_name(embedded: Installation) -> None:
    """Design rule 9, for what conversations leave behind."""
    visit = {"subject": "P1", "conversation_id": "visit 7"}
    decisions = {"uri": "rmemory://conversation/visit%207/decisions"}
    asked = {
        "ref": {"type": "ref/resource", "uri": "rmemory://conversation/{id}/decisions"},
        "argument": {"name": "id", "value": ""},
    }
    seen = {}
    for space in ("practice", "other"):
        with embedded.with_settings(space=space).wire() as server:
            server.handshake()
            if space == "practice":
                server.call("memory_remember", text="Hello.", subject="P1", subject_name="Ann Lee")
                server.call("memory_remember", text="Red house?", reply="Yes.", **visit)
                server.call("memory_build_context", query="Which house?", **visit)
            else:
                server.call("memory_remember", text="Hello.", subject="P1", subject_name="Ben Roe")
            found = server.call("memory_search", query="red house", subject="P1", kinds=["turn"])
            seen[space] = (
                found["structuredContent"]["total"],
                server.call("memory_get_summary", **visit)["isError"],
                "error" in server.request("resources/read", decisions),
                server.request("completion/complete", asked)["result"]["completion"]["values"],
            )
            assert server.leave() == 0
    assert seen == {"practice": (1, False, False, ["visit 7"]), "other": (0, True, True, [])}
