"""A language model behind an address, through the real client: what it lacks, and everything that goes wrong."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from r_memory.errors import BadReply, ModelError, ModelRefused, ModelUnavailable
from r_memory.protocols import ChatMessage, ChatReply, ReplyForm
from r_memory.providers import ModelEndpoint
from r_memory.providers.openai import OpenAIChat, Rung
from r_memory.testing.clock import FixedClock
from tests.chat_server import (
    Answer,
    ChatServer,
    body,
    chat_server,
    completion,
    drops,
    facts,
    hangs,
    lacks,
    refuses,
    says,
)

pytestmark = pytest.mark.anyio
KEY = "sk-canary-4711"
WORDS = "I am allergic to penicillin."
FORM = ReplyForm(
    name="facts",
    schema={"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "object"}}}},
)
MESSAGES = (ChatMessage(role="system", text="List the facts."), ChatMessage(role="user", text=WORDS))
EMPTY = facts()


@asynccontextmanager
async def a_model(
    *answers: Answer,
    retries: int = 2,
    limit_s: float = 60,
    models: Sequence[str] | None = ("test-model",),
    max_tokens: int = 0,
) -> AsyncIterator[tuple[OpenAIChat, ChatServer, FixedClock]]:
    clock = FixedClock()
    with chat_server(*answers, models=models) as server:
        endpoint = ModelEndpoint(
            url=server.url, model="test-model", key=KEY, limit_s=limit_s, retries=retries, max_tokens=max_tokens
        )
        chat = OpenAIChat(endpoint, clock=clock)
        try:
            yield chat, server, clock
        finally:
            await chat.close()


async def asked(chat: OpenAIChat) -> ChatReply:
    return await chat.reply(MESSAGES, form=FORM)


async def test_a_server_with_everything_is_asked_for_the_schema_at_temperature_0() -> None:
    async with a_model(facts({"relation": "TAKES"})) as (chat, server, _):
        reply = await asked(chat)
    assert reply.data == {"facts": [{"relation": "TAKES"}]}
    (request,) = server.requests
    assert (request["temperature"], request["model"]) == (0, "test-model")
    assert "max_tokens" not in request, "how long an answer may be is the server's business"
    assert request["response_format"]["json_schema"]["strict"] is True
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("missing", "rungs", "left"),
    [
        (("response_format",), ["json_schema", "tool", "tool"], Rung.TOOL),
        (("response_format", "tools"), ["json_schema", "tool", "plain", "plain"], Rung.PLAIN),
    ],
)
async def test_what_a_server_lacks_is_found_out_once(missing: tuple[str, ...], rungs: list[str], left: Rung) -> None:
    async with a_model(lacks(*missing, otherwise=facts({"a": 1}))) as (chat, server, _):
        first, second = await asked(chat), await asked(chat)
    assert first.data == second.data == {"facts": [{"a": 1}]}
    assert (server.rungs, chat.rung) == (rungs, left)


async def test_an_error_about_something_else_does_not_cost_the_better_way_of_asking() -> None:
    too_long = refuses(400, "This model's context is 8 tokens")
    async with a_model(too_long, EMPTY) as (chat, server, _):
        await asked(chat)
        await asked(chat)
    assert server.rungs == ["json_schema", "tool", "json_schema"]


@pytest.mark.parametrize("option", ["temperature", "max_tokens"])
async def test_an_option_that_a_server_refuses_is_left_out(option: str) -> None:
    async with a_model(lacks(option, otherwise=EMPTY), max_tokens=9_000) as (chat, server, _):
        await asked(chat)
        await asked(chat)
    assert [option in request for request in server.requests] == [True, False, False]
    assert set(server.rungs) == {"json_schema"}


@pytest.mark.parametrize(
    "text",
    [
        '{"facts": []}',
        '```json\n{"facts": []}\n```',
        'Here you are: {"facts": []}. Anything else?',
        '{"facts": [],}',
        "{'facts': []}",
    ],
)
async def test_an_object_is_found_whatever_stands_around_it(text: str) -> None:
    async with a_model(says(text)) as (chat, _, _):
        assert (await asked(chat)).data == {"facts": []}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (says(""), "empty answer"),
        (says("I cannot find any facts in that."), "no JSON object"),
        (says("[1, 2]"), "no JSON object"),
        (says('{"facts": [{"relation": "TAK', finish="length"), "cut off"),
        (says("Sorry.", finish="content_filter"), "declined"),
        (body(completion({"content": None, "refusal": "I will not."})), "declined"),
        (body("<html><body>Sign in</body></html>", kind="text/html"), "no chat completion"),
        (body('{"choices": []}'), "no chat completion"),
        (body('{"hello": 1}'), "no chat completion"),
        (body("{broken"), "no chat completion"),
        (body("null"), "no chat completion"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_called_so_and_not_asked_for_again(
    answer: Answer, why: str, pauses: list[float]
) -> None:
    async with a_model(answer) as (chat, server, _):
        with pytest.raises(BadReply, match=why):
            await asked(chat)
    assert (len(server.requests), pauses) == (1, [])


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
async def test_what_may_pass_is_tried_again_after_a_growing_pause(status: int, pauses: list[float]) -> None:
    async with a_model(refuses(status), refuses(status), EMPTY) as (chat, server, _):
        await asked(chat)
    assert len(server.requests) == 3
    assert 0.3 <= pauses[0] <= 0.5
    assert 0.7 <= pauses[1] <= 1


async def test_a_dropped_connection_is_tried_again(pauses: list[float]) -> None:
    async with a_model(drops, EMPTY) as (chat, server, _):
        await asked(chat)
    assert (len(server.requests), len(pauses)) == (2, 1)


async def test_the_pause_that_a_server_asks_for_is_kept(pauses: list[float]) -> None:
    async with a_model(refuses(429, retry_after="3"), EMPTY) as (chat, _, _):
        await asked(chat)
    assert pauses == [3.0]


async def test_a_server_that_wants_a_longer_pause_than_anybody_waits_is_left_alone_until_then(
    pauses: list[float],
) -> None:
    async with a_model(refuses(429, retry_after="120"), EMPTY) as (chat, server, clock):
        with pytest.raises(ModelUnavailable):
            await asked(chat)
        clock.advance(119_000)
        with pytest.raises(ModelUnavailable, match="left alone for 1 s"):
            await asked(chat)
        clock.advance(1_000)
        await asked(chat)
    assert (len(server.requests), pauses) == (2, [])


@pytest.mark.parametrize(
    ("answer", "error", "says_what"),
    [
        (refuses(503), ModelUnavailable, "overloaded or broken"),
        (drops, ModelUnavailable, "R_MEMORY_MODEL_URL"),
        (refuses(401, f"Incorrect API key provided: {KEY}"), ModelRefused, "R_MEMORY_MODEL_KEY"),
        (refuses(403), ModelRefused, "R_MEMORY_MODEL_KEY"),
        (refuses(404, "model_not_found: no such model"), ModelRefused, "R_MEMORY_MODEL_NAME"),
        (refuses(400, f"cannot read '{WORDS}'"), ModelRefused, "R_MEMORY_MODEL_URL"),
        (hangs, ModelUnavailable, "R_MEMORY_MODEL_TIMEOUT_S"),
    ],
)
async def test_a_failure_says_what_to_do_and_repeats_neither_key_nor_words(
    answer: Answer, error: type[ModelError], says_what: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with a_model(answer, limit_s=0.3 if answer is hangs else 60) as (chat, _, _):
        with pytest.raises(error, match=says_what) as raised:
            await asked(chat)
    assert raised.value.__suppress_context__
    told = f"{raised.value!r} {raised.value.__cause__!r} {caplog.text} {chat!r} {vars(chat)['_endpoint']!r}"
    assert KEY not in told
    assert WORDS not in told


async def test_an_address_where_nobody_listens_is_unavailable() -> None:
    with chat_server(EMPTY) as server:
        url = server.url
    chat = OpenAIChat(ModelEndpoint(url=url, model="m"), clock=FixedClock())
    with pytest.raises(ModelUnavailable, match="could not be reached"):
        await asked(chat)
    await chat.close()


async def test_after_failures_in_a_row_nobody_waits_and_one_attempt_closes_the_circuit_again() -> None:
    async with a_model(*[refuses(503)] * 3, EMPTY, retries=0) as (chat, server, clock):
        for _ in range(3):
            with pytest.raises(ModelUnavailable, match="overloaded"):
                await asked(chat)
        with pytest.raises(ModelUnavailable, match="left alone for 30 s"):
            await asked(chat)
        assert len(server.requests) == 3
        clock.advance(30_000)
        await asyncio.gather(asked(chat), asked(chat), return_exceptions=True)
        assert len(server.requests) == 4
        await asked(chat)


async def test_nonsense_does_not_open_the_circuit_as_the_next_question_may_be_answered() -> None:
    async with a_model(*[says("?")] * 5, EMPTY) as (chat, _, _):
        for _ in range(5):
            with pytest.raises(BadReply):
                await asked(chat)
        assert (await asked(chat)).data == {"facts": []}


async def test_without_a_form_the_models_words_come_back() -> None:
    async with a_model(says("A summary.")) as (chat, server, _):
        reply = await chat.reply(MESSAGES)
    assert (reply.text, reply.data) == ("A summary.", {})
    assert server.rungs == ["plain"]


async def test_the_models_that_a_server_offers_are_listed() -> None:
    async with a_model(EMPTY, models=("a", "b")) as (chat, _, _):
        assert await chat.models() == ("a", "b")
    async with a_model(EMPTY, models=None) as (chat, _, _):
        with pytest.raises(ModelRefused):
            await chat.models()
