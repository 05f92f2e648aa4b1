"""Answers that are read while they are made, through the real client: pieces, ends, and everything that goes wrong."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from r_memory.errors import BadReply, ModelError, ModelRefused, ModelUnavailable
from r_memory.protocols import ChatMessage
from r_memory.providers import ModelEndpoint
from r_memory.testing.clock import FixedClock
from r_memory_chat.streaming import StreamingModel
from tests.chat_server import Answer, ChatServer, chat_server, drops, hangs, lacks, refuses, says, streams

pytestmark = pytest.mark.anyio
MESSAGES = (ChatMessage(role="system", text="Be brief."), ChatMessage(role="user", text="Who are you?"))


@asynccontextmanager
async def a_model(*answers: Answer, limit_s: float = 60) -> AsyncIterator[tuple[StreamingModel, ChatServer]]:
    with chat_server(*answers) as server:
        endpoint = ModelEndpoint(url=server.url, model="test-model", limit_s=limit_s)
        chat = StreamingModel(endpoint, clock=FixedClock())
        try:
            yield chat, server
        finally:
            await chat.close()


async def told(chat: StreamingModel) -> list[str]:
    async with aclosing(chat.stream(MESSAGES)) as pieces:
        return [piece async for piece in pieces]


async def test_pieces_come_in_their_order_and_the_messages_go_out_unchanged() -> None:
    async with a_model(streams("I am ", "a mo", "del.")) as (chat, server):
        assert await told(chat) == ["I am ", "a mo", "del."]
    (request,) = server.requests
    assert request["stream"] is True
    assert request["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who are you?"},
    ]


async def test_a_server_that_answers_in_one_piece_all_the_same_is_read_so() -> None:
    async with a_model(says("All at once.")) as (chat, _):
        assert await told(chat) == ["All at once."]


async def test_a_server_that_does_not_know_streaming_is_asked_for_the_whole_answer() -> None:
    async with a_model(lacks("stream", otherwise=says("All at once."))) as (chat, server):
        assert await told(chat) == ["All at once."]
    assert ["stream" in request for request in server.requests] == [True, False]


async def test_a_server_that_is_overloaded_at_first_is_tried_again() -> None:
    async with a_model(refuses(503), streams("Yes.")) as (chat, _):
        assert await told(chat) == ["Yes."]


@pytest.mark.parametrize(
    ("answer", "kind", "why"),
    [
        (refuses(401), ModelRefused, "refused the key"),
        (refuses(400, "This model's context is 8 tokens"), ModelRefused, "refused the request"),
        (drops, ModelUnavailable, "could not be reached"),
        (streams("I am ", then=drops), ModelUnavailable, "broke off"),
        (streams("I am ", finish=None), ModelUnavailable, "broke off"),
        (streams("I am ", finish="length"), BadReply, "cut off"),
        (streams("Well", finish="content_filter"), BadReply, "declined"),
        (streams(), BadReply, "empty answer"),
    ],
)
async def test_an_answer_without_its_end_is_an_error_that_says_why(
    answer: Answer, kind: type[ModelError], why: str
) -> None:
    async with a_model(answer) as (chat, _):
        with pytest.raises(kind, match=why):
            await told(chat)


@pytest.mark.parametrize("answer", [hangs, streams("I am ", then=hangs)])
async def test_a_server_that_falls_silent_is_given_up(answer: Answer) -> None:
    async with a_model(answer, limit_s=0.2) as (chat, _):
        with pytest.raises(ModelUnavailable, match=r"0\.2 s"):
            await told(chat)


async def test_an_answer_that_is_left_early_lets_the_next_one_be_asked_for() -> None:
    async with a_model(streams("I am ", "a mo", then=hangs), streams("Yes.")) as (chat, _):
        async with aclosing(chat.stream(MESSAGES)) as pieces:
            assert await anext(pieces) == "I am "
        assert await told(chat) == ["Yes."]


async def test_a_plain_question_that_a_server_cannot_take_is_refused_in_our_words() -> None:
    async with a_model(refuses(400, "This model's context is 8 tokens")) as (chat, _):
        with pytest.raises(ModelRefused, match="refused the request"):
            await chat.reply(MESSAGES)
