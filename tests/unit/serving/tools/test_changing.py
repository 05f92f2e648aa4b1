"""`memory_change_fact`: who may decide about what, in both eras (M-32), and what is told when nothing was changed."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import pytest
from mcp import Client, ClientSession
from mcp.client import ClientRequestContext
from mcp.types import (
    ClientCapabilities,
    ElicitationCapability,
    ElicitRequestParams,
    ElicitResult,
    UrlElicitationCapability,
)

from r_memory.domain.facts import Extraction, Proposal, Route
from r_memory.errors import StoreUnavailable
from r_memory.serving.tools import access
from tests.unit.serving.tools.practice import ALLERGIC, Era, Practice, called, refused, text_of

pytestmark = pytest.mark.anyio
Host = Literal["none", "url-only", "accept", "decline", "cancel", "accept-no"]
LIKES = "I like tea."
WHY = "skin test negative"
ORDER = "What may I take?"


@pytest.fixture
def practice() -> Practice:
    """One critical fact and one that is not."""
    practice = Practice()
    likes = Proposal(
        relation="LIKES",
        object="tea",
        object_type="Thing",
        evidence="like tea",
        route=Route.RULES,
        extractor="scripted/1",
        attrs={"severity": "mild"},
    )
    practice.script[LIKES] = Extraction(proposals=(likes,))
    return practice


class Person:
    """Whoever answers the host's form."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.asked: list[str] = []

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002 - the name is the SDK's
        self.asked.append(params.message)
        if self._host in {"decline", "cancel"}:
            return ElicitResult(action="decline" if self._host == "decline" else "cancel")
        return ElicitResult(action="accept", content={"ok": self._host == "accept"})


@asynccontextmanager
async def host_of(
    practice: Practice, era: Era, host: Host, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Client, Person]]:
    """A connected client of this kind, and the person in front of it."""
    person = Person(host)
    if host == "url-only":
        _only_addresses(monkeypatch)
    callback = None if host == "none" else person
    async with Client(practice.server(), mode=era, elicitation_callback=callback) as client:
        yield client, person


def _only_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK's client always offers forms as well; this one says that it opens addresses only."""
    offered = ClientSession._build_capabilities

    def addresses(self: ClientSession, version: str) -> ClientCapabilities:
        only = ElicitationCapability(url=UrlElicitationCapability())
        return offered(self, version).model_copy(update={"elicitation": only})

    monkeypatch.setattr(ClientSession, "_build_capabilities", addresses)


async def told(client: Client, words: str = ALLERGIC) -> dict[str, Any]:
    """The fact that the words state, as a list shows it."""
    await called(client, "memory_remember", text=words, subject="P1", subject_name="Ann Lee")
    [fact] = [
        fact for fact in (await called(client, "memory_list_facts", subject="P1"))["facts"] if fact["evidence"] in words
    ]
    return dict(fact)


def change(fact: dict[str, Any], **more: object) -> dict[str, object]:
    return {"fact_id": fact["fact_id"], "change": "refute", "reason": WHY, "version": fact["version"], **more}


async def standing(client: Client, fact: dict[str, Any]) -> tuple[str, bool]:
    """The status of the fact, and whether the block shows the risk."""
    everything = ["active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error"]
    listed = (await called(client, "memory_list_facts", subject="P1", statuses=everything))["facts"]
    [now] = [each for each in listed if each["fact_id"] == fact["fact_id"]]
    block = (await called(client, "memory_build_context", query=ORDER, subject="P1"))["block"]
    return now["status"], "CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in block


@pytest.mark.proves("M-32")
@pytest.mark.parametrize("critical", [True, False])
@pytest.mark.parametrize(
    ("host", "on_critical", "on_other"),
    [
        ("none", "requested", "changed"),
        ("url-only", "requested", "changed"),
        ("accept", "changed", "changed"),
        ("accept-no", "Not confirmed", "Not confirmed"),
        ("decline", "Declined", "Declined"),
        ("cancel", "Declined", "Declined"),
    ],
)
async def test_no_critical_fact_changes_without_a_person(
    practice: Practice,
    era: Era,
    host: Host,
    on_critical: str,
    on_other: str,
    critical: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with host_of(practice, era, host, monkeypatch) as (client, person):
        fact = await told(client, ALLERGIC if critical else LIKES)
        result = await client.call_tool("memory_change_fact", change(fact, confirm=True))
        outcome = text_of(result) if result.is_error else (result.structured_content or {})["outcome"]
        status, risk = await standing(client, fact)
    assert (on_critical if critical else on_other) in outcome
    assert len(person.asked) == (host not in {"none", "url-only"})
    assert status == ("refuted" if outcome == "changed" else "active")
    assert risk == (critical and outcome != "changed")


@pytest.mark.parametrize(("scopes", "outcome"), [(("memory:review",), "changed"), ((), "requested")])
async def test_a_program_that_answers_for_a_person_decides_only_with_a_token_for_reviews(
    practice: Practice, monkeypatch: pytest.MonkeyPatch, scopes: tuple[str, ...], outcome: str
) -> None:
    """Whoever bears a token may say that it shows forms, and answer them itself."""
    async with host_of(practice, "auto", "accept", monkeypatch) as (client, person):
        fact = await told(client)
        bearer = access.token_of("evil-agent", "", {"memory:read", "memory:write", *scopes})
        with monkeypatch.context() as borne:
            borne.setattr(access, "caller", lambda: bearer)
            result = await called(client, "memory_change_fact", **change(fact, confirm=True))
        _, risk = await standing(client, fact)
    assert (result["outcome"], risk, len(person.asked)) == (outcome, outcome == "requested", len(scopes))


@pytest.mark.proves("M-32", "M-26")
@pytest.mark.parametrize("words", [ALLERGIC, LIKES])
async def test_where_nobody_can_be_asked_nothing_changes_without_confirm(
    practice: Practice, era: Era, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host_of(practice, era, "none", monkeypatch) as (client, _):
        fact = await told(client, words)
        said = await refused(client, "memory_change_fact", **change(fact))
        again = (await standing(client, fact))[0]
    assert "Not confirmed: nothing was changed. Ask the person, and call again with confirm=true" in said
    assert again == "active"


@pytest.mark.proves("M-32")
async def test_a_requested_change_keeps_both_lines_in_view(
    practice: Practice, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host_of(practice, era, "none", monkeypatch) as (client, _):
        fact = await told(client)
        asked = [await called(client, "memory_change_fact", **change(fact, confirm=True)) for _ in range(2)]
        context = await called(client, "memory_build_context", query=ORDER, subject="P1")
    assert [each["outcome"] for each in asked] == ["requested", "requested"]
    assert asked[0]["before"] == asked[0]["after"] == {"status": "active", "version": fact["version"]}
    assert "CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in context["block"]
    assert context["block"].count("CHANGE REQUESTED, not made") == 1
    assert WHY in context["block"]


async def test_the_person_reads_what_is_changed_and_why(
    practice: Practice, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host_of(practice, era, "accept", monkeypatch) as (client, person):
        fact = await told(client)
        result = await client.call_tool("memory_change_fact", change(fact))
        done = json.loads(text_of(result))
        events = (await called(client, "memory_list_facts", subject="P1", fact_id=fact["fact_id"]))["history"]
    [asked] = person.asked
    assert asked == (
        "Record that this was tested and disproved? Ann Lee (P1) HAS_ALLERGY_TO Penicillin, active, "
        f'fact {fact["fact_id"][:8]}, version 1. It rests on: "severely allergic to penicillin". '
        f'Reason given: "{WHY}".'
    )
    assert result.structured_content == done
    assert done == {
        "outcome": "changed",
        "relation": "HAS_ALLERGY_TO",
        "object": "Penicillin",
        "quote": "severely allergic to penicillin",
        "before": {"status": "active", "version": 1},
        "after": {"status": "refuted", "version": 2},
        "event_id": done["event_id"],
    }
    assert (events[1]["kind"], events[1]["status"], events[1]["route"], events[1]["reason"]) == (
        "changed",
        "refuted",
        "person",
        WHY,
    )
    assert events[1]["actor"].startswith("person asked by ")


async def test_what_a_program_decided_is_not_recorded_as_a_persons(
    practice: Practice, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host_of(practice, era, "none", monkeypatch) as (client, _):
        fact = await told(client, LIKES)
        await called(client, "memory_change_fact", **change(fact, confirm=True))
        events = (await called(client, "memory_list_facts", subject="P1", fact_id=fact["fact_id"]))["history"]
    assert (events[1]["route"], events[1]["actor"].startswith("person")) == ("client", False)


async def test_of_two_clients_that_decide_the_same_the_second_gets_already(
    practice: Practice, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        host_of(practice, era, "accept", monkeypatch) as (first, _),
        host_of(practice, era, "accept", monkeypatch) as (second, asked),
    ):
        fact = await told(first)
        outcomes = [(await called(each, "memory_change_fact", **change(fact)))["outcome"] for each in (first, second)]
    assert (outcomes, asked.asked) == (["changed", "already"], [])


@pytest.mark.proves("M-26")
async def test_a_fact_that_moved_on_is_told_with_its_version(
    practice: Practice, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host_of(practice, era, "accept", monkeypatch) as (client, person):
        fact = await told(client)
        await called(client, "memory_change_fact", **change(fact, change="entered_in_error"))
        stale = await refused(client, "memory_change_fact", **change(fact, change="reinstate"))
        wrong = await refused(client, "memory_change_fact", **change(fact, version=2))
    assert "its version is 2 (status entered_in_error), not 1; read it again" in stale
    assert "'refute' is not allowed for a fact that is entered_in_error; allowed: reinstate" in wrong
    assert len(person.asked) == 1


@pytest.mark.proves("M-26")
async def test_an_unknown_fact_is_told_and_nothing_is_asked(
    practice: Practice, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host_of(practice, era, "accept", monkeypatch) as (client, person):
        await told(client)
        said = await refused(client, "memory_change_fact", fact_id="00000000", change="refute", reason=WHY, version=1)
    assert "no fact has the id '00000000'; use one of" in said
    assert person.asked == []


async def test_a_store_that_goes_away_is_not_called_a_change(
    practice: Practice, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object, **__: object) -> None:
        raise StoreUnavailable("the store does not answer")

    async with host_of(practice, era, "accept", monkeypatch) as (client, _):
        fact = await told(client)
        monkeypatch.setattr(practice.store, "append", gone)
        said = await refused(client, "memory_change_fact", **change(fact))
    assert (
        "The change may not have been made: the store does not answer. Call again, which never makes it twice." in said
    )
