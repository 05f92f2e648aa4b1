"""What a user sees when the model's server fails, through the real client: the fact is kept and the words wait."""

import logging

import pytest

from r_memory.domain.events import EpisodeStatus
from r_memory.providers import ModelEndpoint
from r_memory.providers.openai import OpenAIChat
from r_memory.testing.clock import FixedClock
from tests.chat_server import Answer, body, chat_server, drops, facts, hangs, lacks, refuses, says
from tests.model_world import Practice, fact, model_route

pytestmark = pytest.mark.anyio
KEY = "sk-canary-4711"
TEXT = "I am allergic to penicillin."
AGREES = facts(fact("HAS_ALLERGY_TO", "penicillin", TEXT))
FAILURES: dict[str, Answer] = {
    "key refused, and repeated": refuses(401, f"Incorrect API key provided: {KEY}"),
    "no such model": refuses(404, "model_not_found"),
    "too many requests": refuses(429, retry_after="1"),
    "too many requests, for an hour": refuses(429, retry_after="3600"),
    "overloaded": refuses(503),
    "request not understood": refuses(422, f"unprocessable: {TEXT}"),
    "time-out": hangs,
    "connection dropped": drops,
    "empty reply": says(""),
    "prose": says("The patient mentions an allergy."),
    "truncated JSON": says('{"facts": [{"relation": "HAS_ALLERGY_TO", "obj', finish="length"),
    "wrong schema": says('{"answer": "penicillin"}'),
    "facts that are no list": says('{"facts": "penicillin"}'),
    "HTML error page": body("<html>Bad gateway</html>", kind="text/html"),
    "body cut off": body('{"id": "c1", "choices": [{"mess'),
}


def a_chat(url: str, *, limit_s: float = 60) -> OpenAIChat:
    endpoint = ModelEndpoint(url=url, model="test-model", key=KEY, limit_s=limit_s, retries=0)
    return OpenAIChat(endpoint, clock=FixedClock())


@pytest.mark.proves("Z35")
@pytest.mark.parametrize("failure", FAILURES)
async def test_the_fact_is_kept_the_words_wait_and_the_key_is_nowhere(
    failure: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    answer = FAILURES[failure]
    with chat_server(answer) as server:
        chat = a_chat(server.url, limit_s=0.3 if answer is hangs else 60)
        practice = Practice(chat)
        remembered = await practice.hear(TEXT)
        await chat.close()
    assert await practice.shown() == {"HAS_ALLERGY_TO penicillin active"}
    assert [(result.verdict, result.reason) for result in remembered.results] == [("stored", "")]
    assert remembered.pending == 0
    assert "; " in model_route(remembered).failed
    assert [episode.status for episode in await practice.open()] == [EpisodeStatus.RETRY]
    for told in (repr(remembered), caplog.text):
        assert KEY not in told
    assert TEXT not in caplog.text + model_route(remembered).failed


@pytest.mark.parametrize("failure", FAILURES)
async def test_once_the_server_is_well_again_the_words_are_read(failure: str) -> None:
    answer = FAILURES[failure]
    with chat_server(answer) as ill, chat_server(AGREES) as well:
        first, second = a_chat(ill.url, limit_s=0.3 if answer is hangs else 60), a_chat(well.url)
        practice = Practice(first)
        await practice.hear(TEXT)
        healthy = Practice(second, store=practice.store)  # the same memory, opened again
        assert await healthy.resume() == 1
        await first.close()
        await second.close()
    assert await practice.open() == ()
    assert await practice.shown() == {"HAS_ALLERGY_TO penicillin active"}


@pytest.mark.parametrize("missing", [(), ("response_format",), ("response_format", "tools")])
async def test_every_server_is_read_whatever_it_lacks(missing: tuple[str, ...]) -> None:
    text = "The ibuprofen sent me straight to the emergency room."
    with chat_server(lacks(*missing, otherwise=facts(fact("HAS_ALLERGY_TO", "ibuprofen", text)))) as server:
        chat = a_chat(server.url)
        practice = Practice(chat)
        remembered = await practice.hear(text)
        await chat.close()
    assert model_route(remembered).failed == ""
    assert await practice.shown() == {"HAS_ALLERGY_TO ibuprofen unconfirmed model_only"}


async def test_fenced_json_is_read_like_any_other() -> None:
    with chat_server(says('Sure:\n```json\n{"facts": [],}\n```')) as server:
        chat = a_chat(server.url)
        remembered = await Practice(chat).hear(TEXT)
        await chat.close()
    assert model_route(remembered).failed == ""


async def test_while_the_circuit_is_open_the_offline_result_comes_at_once() -> None:
    with chat_server(refuses(503)) as server:
        chat = a_chat(server.url)
        practice = Practice(chat)
        for text in ("I take warfarin.", "I have a pacemaker.", "I take metformin."):
            await practice.hear(text)
        asked = len(server.requests)
        remembered = await practice.hear(TEXT)
        await chat.close()
    assert len(server.requests) == asked
    assert "left alone" in model_route(remembered).failed
    assert "HAS_ALLERGY_TO penicillin active" in await practice.shown()
