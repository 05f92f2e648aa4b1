"""A model judges and summarises for a whole installation, over its real wire; what it gets wrong costs no turn."""

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from r_memory import Settings, open_memory
from tests.acceptance.conftest import begin
from tests.chat_server import ChatServer, Sent, chat_server, completion, refuses, write

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("_begun")]
ALLERGY = "I am severely allergic to penicillin."
LONG = " ".join(f"On day {day} we moved box {day} to the attic and had tea afterwards." for day in range(40))


@pytest.fixture
def _begun(tmp_path: Path) -> None:
    begin(tmp_path / "data")


def settings_for(server: ChatServer, folder: Path) -> Settings:
    return Settings(
        data_dir=folder / "data",
        cache_dir=folder / "cache",
        model_url=server.url,
        model_name="test-model",
        model_key="sk-canary-4711",
        model_retries=0,
        controller="model",
        summaries="model",
        profile="scm",
    )


def plays_all_parts(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
    """Says no to the gate, gives a summary where another object is asked for, and one sentence otherwise."""
    if "Is earlier conversation needed" in str(sent["messages"]):
        text = json.dumps({"answer": "B"})
    elif "response_format" in sent:
        text = json.dumps({"core_discussion": "moving house", "key_data": ["box 7 is in the attic"]})
    else:
        text = "Boxes went to the attic."
    write(handler, 200, completion({"content": text}))


@pytest.mark.proves("SCM-1", "SCM-2")
async def test_a_model_judges_and_summarises_in_place_of_the_local_helpers(tmp_path: Path) -> None:
    with chat_server(plays_all_parts) as server:
        async with open_memory(settings_for(server, tmp_path)) as memory:
            await memory.remember("Hello.", subject="P1", subject_name="Pat Miller")
            turns = [f"{number}: {LONG}" for number in range(3)]
            stored = [
                await memory.finish_turn(text, "Well done.", subject="P1", conversation_id="move") for text in turns
            ]
            assert [done.troubles for done in stored] == [{}, {}, {}]
            done = stored[-1]
            kept = await memory.talk.conversations.summary("move", subject_uid=done.item.subject_uid)
            turn = await memory.build_turn("Hello there!", subject="P1", conversation_id="move")
    assert "Boxes went to the attic." in done.item.summary
    assert kept is not None
    assert (kept.content.core_discussion, kept.made_by) == ("moving house", "chat test-model")
    assert turn.prepared is not None
    assert (turn.prepared.decision.gate.yes, turn.prepared.decision.gate.by) == (False, "chat test-model")
    assert "sk-canary" not in json.dumps(server.requests)


async def test_a_model_that_is_away_costs_no_turn_and_its_work_is_made_good(tmp_path: Path) -> None:
    with chat_server(refuses(503)) as away, chat_server(plays_all_parts) as back:
        async with open_memory(settings_for(away, tmp_path)) as memory:
            await memory.remember(ALLERGY, subject="P1", subject_name="Pat Miller")
            for number in range(3):
                done = await memory.finish_turn(f"{number}: {LONG}", "Well done.", subject="P1", conversation_id="move")
                assert {"turn_summary", "summary"} <= set(done.troubles)
            turn = await memory.build_turn("Order amoxicillin.", subject="P1", conversation_id="move")
        assert "CRITICAL ALLERGY" in turn.block
        assert turn.prepared is not None
        assert turn.prepared.decision.gate.yes is None
        assert turn.prepared.decision.parse_failures > 0
        assert "box 39" in turn.memory
        async with open_memory(settings_for(back, tmp_path)) as memory:
            done = await memory.finish_turn("And now?", "Now we rest.", subject="P1", conversation_id="move")
            kept = await memory.talk.conversations.summary("move", subject_uid=done.item.subject_uid)
    assert (done.troubles, done.item.index) == ({}, 4)
    assert kept is not None
    assert (kept.upto, kept.content.core_discussion) == (4, "moving house")
