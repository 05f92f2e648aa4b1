"""`conversation` over an oracle that holds a short talk about John Doe."""

import asyncio
import json
from pathlib import Path

import pytest

from r_memory_talk.stream.values import NewTurn
from tests.unit.cli.conftest import Command
from tests.unit.memory_world import World
from tests.unit.talk.world import World as Talks

JOHN = "clinic/Patient/JD001"
ABOUT = ("--subject", "JD001")


@pytest.fixture
def talks(world: World, monkeypatch: pytest.MonkeyPatch) -> Talks:
    """Three turns about John Doe, and one question that was prepared for."""
    talks = Talks()

    async def told() -> None:
        await world.memory.remember("Hello.", subject="JD001", subject_name="John Doe")
        for asked, answered in (("My dog is Rex.", "Noted."), ("I drive a van.", "Good."), ("Tea, please.", "Here.")):
            talks.clock.advance(60_000)
            await talks.conversations.finish(
                NewTurn(
                    conversation="visit", observation=asked, response=answered, subject_uid=JOHN, speaker="John Doe"
                )
            )
        await talks.conversations.prepare("What is my dog called?", "visit", subject_uid=JOHN)

    asyncio.run(told())
    monkeypatch.setattr(world.memory.talk, "stream", talks.stream)
    monkeypatch.setattr(world.memory.talk, "conversations", talks.conversations)
    return talks


@pytest.mark.usefixtures("talks")
def test_conversations_are_listed_and_their_turns_shown(command: Command) -> None:
    assert command("conversation", "list", *ABOUT).out == "visit\n"
    shown = command("conversation", "show", "visit", *ABOUT, "--last", "2").out
    assert "I drive a van." in shown
    assert "Rex" not in shown
    turns = command("conversation", "show", "visit", *ABOUT, "--json").json
    assert [turn["turn"] for turn in turns] == [1, 2, 3]


def test_a_conversation_about_nobody_is_shown_searched_exported_and_reset_like_others(
    talks: Talks, command: Command
) -> None:
    asked = NewTurn(conversation="ferry", observation="When does the ferry leave?", response="At nine.")
    asyncio.run(talks.conversations.finish(asked))
    assert "At nine." in command("conversation", "show", "ferry").out
    assert command("conversation", "summary", "ferry").out.startswith("Version 1")
    assert "At nine." in command("conversation", "search", "ferry", "--in", "ferry").out
    assert "At nine." in command("conversation", "export", "ferry").out
    assert command("conversation", "reset", "ferry", "--yes").code == 0
    assert "No turn of this conversation" in command("conversation", "show", "ferry").out
    assert "Rex" in command("conversation", "show", "visit", *ABOUT).out


@pytest.mark.proves("CIM-26")
@pytest.mark.usefixtures("talks")
def test_the_summary_is_shown_with_its_version_and_every_heading(command: Command) -> None:
    shown = command("conversation", "summary", "visit", *ABOUT)
    assert shown.out.startswith("Version 3 · up to turn 3 · ")
    assert "Here." in shown.out
    assert command("conversation", "summary", "visit", *ABOUT, "--json").json["version"] == 3


@pytest.mark.usefixtures("talks")
def test_before_the_first_turn_there_is_no_summary(command: Command) -> None:
    assert "no summary yet" in command("conversation", "summary", "other", *ABOUT).out
    assert "No turn of this conversation" in command("conversation", "show", "other", *ABOUT).out


@pytest.mark.proves("SCM-40")
@pytest.mark.usefixtures("talks")
def test_a_decision_is_read_back_with_gate_candidates_and_tokens(command: Command) -> None:
    (one,) = command("conversation", "decisions", "visit", *ABOUT, "--json").json
    assert one["turn"] == 4
    assert one["gate"]["by"] == "scripted"
    assert {candidate["form"] for candidate in one["candidates"]} == {"raw"}
    shown = command("conversation", "decisions", "visit", *ABOUT).out
    assert "yes (scripted)" in shown
    assert command("conversation", "decisions", "--json").json == [one]


@pytest.mark.usefixtures("talks")
def test_a_clean_conversation_shows_no_sign(command: Command) -> None:
    assert command("conversation", "signs", "visit", *ABOUT).out == "No sign of failure.\n"


@pytest.mark.usefixtures("talks")
def test_a_search_finds_what_was_said_with_its_score(command: Command) -> None:
    first, *_ = command("conversation", "search", "dog Rex", *ABOUT, "--json").json
    assert first["observation"] == "My dog is Rex."
    assert first["components"]
    assert "My dog is Rex." in command("conversation", "search", "dog Rex", *ABOUT, "--in", "visit").out
    wrong = command("conversation", "search", "dog", *ABOUT, "--profile", "scmm")
    assert (wrong.code, "scmm" in wrong.err) == (2, True)


def test_memories_are_due_after_forty_turns_and_made_on_request(command: Command, talks: Talks) -> None:
    async def told() -> None:
        for number in range(40):
            talks.clock.advance(60_000)
            await talks.conversations.finish(
                NewTurn(conversation="visit", observation=f"Box {number}?", response="In the attic.", subject_uid=JOHN)
            )

    asyncio.run(told())
    assert "due: 1 window, 0 consolidations" in command("conversation", "tiers", "visit", *ABOUT).out
    made = command("conversation", "tiers", "visit", *ABOUT, "--consolidate", "--json").json
    assert [len(memory["sources"]) for memory in made["medium"]] == [20]
    assert made["due"]["windows"] == []
    shown = command("conversation", "tiers", "visit", *ABOUT).out
    assert "medium" in shown
    assert "attic" in shown


@pytest.mark.proves("SCM-31")
@pytest.mark.usefixtures("talks")
def test_a_rollback_and_a_reset_erase_turns_and_say_how_many(command: Command) -> None:
    assert command("conversation", "rollback", "visit", *ABOUT, "--to", "1", "--yes").out == "2 items erased.\n"
    assert [turn["turn"] for turn in command("conversation", "show", "visit", *ABOUT, "--json").json] == [1]
    assert command("conversation", "reset", "visit", *ABOUT, "--yes").out == "1 item erased.\n"
    assert command("conversation", "reset", "visit", *ABOUT, "--yes").out == "0 items erased.\n"


@pytest.mark.usefixtures("talks")
def test_nothing_is_erased_without_a_yes(command: Command) -> None:
    assert command("conversation", "reset", "visit", *ABOUT).code == 1
    assert len(command("conversation", "show", "visit", *ABOUT, "--json").json) == 3


@pytest.mark.proves("SCM-31")
@pytest.mark.usefixtures("talks")
def test_a_conversation_is_exported_as_pairs_or_as_plain_text(command: Command, tmp_path: Path) -> None:
    whole = command("conversation", "export", "visit", *ABOUT).json
    assert whole["pairs"][0] == {"user": "My dog is Rex.", "system": "Noted."}
    assert [kept["version"] for kept in whole["summaries"]] == [3, 2, 1]
    command("conversation", "export", "visit", *ABOUT, "--to", str(tmp_path / "talk.txt"))
    assert "[Turn 1]\nJohn Doe: My dog is Rex." in (tmp_path / "talk.txt").read_text(encoding="utf-8")
    command("conversation", "export", "visit", *ABOUT, "--to", str(tmp_path / "talk.json"))
    assert json.loads((tmp_path / "talk.json").read_text(encoding="utf-8")) == whole
    failed = command("conversation", "export", "visit", *ABOUT, "--to", str(tmp_path / "no" / "talk.json"))
    assert (failed.code, "choose another place" in failed.err) == (2, True)


@pytest.mark.usefixtures("talks")
def test_an_unknown_subject_is_an_error_with_the_way_out(command: Command) -> None:
    result = command("conversation", "show", "visit", "--subject", "JD009")
    assert (result.code, result.out) == (2, "")
    assert "JD009" in result.err
