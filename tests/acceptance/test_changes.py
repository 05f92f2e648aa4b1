"""Decisions as people make them: through an assistant whose host asks, and at the command line beside it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.stdio import stdio_client
from mcp.types import ElicitRequestParams, ElicitResult

from tests.acceptance.conftest import Assistant, Era, Installation
from tests.acceptance.shell import Done, Shell
from tests.acceptance.wire import noted
from tests.warm_starts import SCRIPT

pytestmark = pytest.mark.anyio
WORDS = "I am severely allergic to penicillin."
ORDER = "Prescribe an antibiotic for him."
WHY = "oral challenge without a reaction"
CRITICAL = "CRITICAL ALLERGY: Carl Poe is allergic to Penicillin"


@asynccontextmanager
async def assistant_of(installation: Installation, era: Era, answer: str) -> AsyncIterator[tuple[Assistant, list[str]]]:
    """A client of a server process, in front of somebody who answers every form like this; and what was asked."""
    asked: list[str] = []

    async def person(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG001 - the name is the SDK's
        asked.append(params.message)
        accepted = answer == "accept"
        return ElicitResult(action="accept" if accepted else "decline", content={"ok": True} if accepted else None)

    server = StdioServerParameters(command=str(SCRIPT), args=["serve"], env=installation.environment)
    with installation.log.open("w", encoding="utf-8") as log, noted(installation.log):
        transport = stdio_client(server, errlog=log)
        callback = None if answer == "nobody" else person
        async with Client(transport, mode=era, elicitation_callback=callback) as client:
            yield Assistant(client), asked


async def told(assistant: Assistant) -> dict[str, Any]:
    """Carl's allergy, as the list shows it."""
    await assistant.call("memory_remember", text=WORDS, subject="C1", subject_name="Carl Poe", speaker="patient")
    [fact] = (await assistant.call("memory_list_facts", subject="C1"))["facts"]
    return dict(fact)


async def block(assistant: Assistant) -> str:
    text: str = (await assistant.call("memory_build_context", query=ORDER, subject="C1"))["block"]
    return text


def change(fact: dict[str, Any]) -> dict[str, object]:
    return {
        "fact_id": fact["fact_id"],
        "change": "refute",
        "reason": WHY,
        "version": fact["version"],
        "confirm": True,
    }


async def shell(installation: Installation, *arguments: str) -> Done:
    """A command in a pipe, beside the running server."""
    return await asyncio.to_thread(Shell(installation=installation).run, *arguments)


@pytest.mark.proves("M-32", "Z32")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_person_who_agrees_changes_a_critical_fact_and_the_block_says_who(
    embedded: Installation, era: Era
) -> None:
    async with assistant_of(embedded, era, "accept") as (assistant, asked):
        fact = await told(assistant)
        done = await assistant.call("memory_change_fact", **change(fact))
        again = await assistant.call("memory_change_fact", **change(fact))
        shown = await block(assistant)
    assert (done["outcome"], again["outcome"], len(asked)) == ("changed", "already", 1)
    assert "Carl Poe (C1) HAS_ALLERGY_TO Penicillin, active" in asked[0]
    assert CRITICAL not in shown
    assert f'"{WHY}"' in shown


@pytest.mark.proves("M-32")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_host_that_declines_is_told_plainly_and_the_risk_stays(embedded: Installation, era: Era) -> None:
    """As `claude -p` does, which answers every question with no."""
    async with assistant_of(embedded, era, "decline") as (assistant, asked):
        said = await assistant.refused("memory_change_fact", **change(await told(assistant)))
        shown = await block(assistant)
    assert (len(asked), CRITICAL in shown) == (1, True)
    assert "Declined: the person (or a host that answers for them) did not agree" in said


@pytest.mark.proves("M-32", "Z12", "Z32")
async def test_what_an_assistant_asked_for_waits_for_a_person_at_the_command_line(installation: Installation) -> None:
    async with assistant_of(installation, "auto", "nobody") as (assistant, _):
        fact = await told(assistant)
        asked = await assistant.call("memory_change_fact", **change(fact))
        waiting = await block(assistant)
        listed = (await shell(installation, "review", "--json")).json["waiting"]
        approved = await shell(installation, "review", "--approve", listed[0]["id"][:8], "--actor", "Dr Ada")
        decided = await block(assistant)
        history = await shell(installation, "history", fact["fact_id"], "--json")
        verified = await shell(installation, "verify")
    assert asked["outcome"] == "requested"
    assert CRITICAL in waiting
    assert "CHANGE REQUESTED, not made" in waiting
    assert [(item["why"], item["request"]["change"]) for item in listed] == [(["request"], "refute")]
    assert (approved.returncode, approved.stderr) == (0, "")
    assert CRITICAL not in decided
    assert f'by Dr Ada on {fact["recorded_at"][:10]}: "{WHY}"' in decided
    assert [(event["kind"], event["status"], event["actor"]) for event in history.json] == [
        ("observed", "active", ""),
        ("changed", "refuted", "Dr Ada"),
    ]
    assert verified.returncode == 0


@pytest.mark.proves("Z32")
async def test_wrong_decisions_end_with_the_exit_codes_of_the_design(embedded: Installation) -> None:
    async with assistant_of(embedded, "auto", "nobody") as (assistant, _):
        fact = await told(assistant)
        id_ = fact["fact_id"]
        codes = [
            (await shell(embedded, "change", *arguments, "--actor", "Dr Ada")).returncode
            for arguments in (
                (id_, "--to", "resolved", "--reason", "outgrown", "--version", "9"),
                (id_, "--to", "resolved", "--reason", "no"),
                (id_, "--reason", WHY),
                ("00000000", "--to", "resolved", "--reason", WHY),
                (id_, "--to", "resolved", "--reason", "outgrown", "--version", "1"),
                (id_, "--to", "resolved", "--reason", "outgrown"),
            )
        ]
    away = embedded.with_settings(
        store_uri="bolt://127.0.0.1:1", store_user="x", store_password="y", read_timeout_s="1"
    )
    codes.append((await shell(away, "change", id_, "--to", "resolved", "--reason", WHY)).returncode)
    assert codes == [2, 2, 2, 2, 0, 0, 3]
