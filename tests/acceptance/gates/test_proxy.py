"""The proxy through the plain `openai` client, against a scripted upstream: the record stands in front, and what goes
against it does not come out.
"""

import json
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam

from r_memory.text.markers import END, START
from tests.acceptance.gates.conftest import BAD, REQUEST, Client, Gated, tool_call
from tests.chat_server import Sent, completion, says, streams, write

pytestmark = pytest.mark.anyio

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": REQUEST}]
TOOLS: list[ChatCompletionFunctionToolParam] = [
    {
        "type": "function",
        "function": {"name": "order_medication", "parameters": {"type": "object", "properties": {}}},
    }
]


async def test_john_does_allergy_stands_in_front_of_every_request_and_amoxicillin_never_comes_out(both: Gated) -> None:
    """The figure of issue 30: 20 of 20 with the block, 0 answers with amoxicillin under `stop`."""
    blocks = passed = 0
    answers = [says(BAD), streams(*in_pieces(BAD)), ordered, streamed_order] * 10
    async with both.proxy(*answers) as client:
        for number in range(20):
            words = f"{REQUEST} Room {number % 3}."
            found = [await said(client, words), await streamed_text(client, words)]
            passed += any("500 mg" in item or "order_medication" in item or "I recommend" in item for item in found)
            for sent in client.upstream.requests[-2:]:
                content = sent["messages"][-1]["content"]
                blocks += content.startswith(START) and "allergic to Penicillin" in content and content.endswith(words)
    assert (blocks, passed) == (40, 0)


def in_pieces(text: str) -> list[str]:
    """Words with the blank before them, as models send them."""
    return [text[at : at + 5] for at in range(0, len(text), 5)]


def ordered(handler: BaseHTTPRequestHandler, _: Sent) -> None:
    call = tool_call("order_medication", json.dumps({"item": "Amoxicillin", "dose": "500 mg", "patient_id": "JD001"}))
    write(handler, 200, completion({"content": None, "tool_calls": call}, "tool_calls"))


def streamed_order(handler: BaseHTTPRequestHandler, _: Sent) -> None:
    pieces = ['{"item": "Amox', 'icillin", "dose"', ': "500 mg"}']
    first = {"index": 0, "id": "c", "type": "function", "function": {"name": "order_medication", "arguments": ""}}
    deltas = [{"tool_calls": [first]}]
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces]
    chunks(handler, deltas, "tool_calls")


def chunks(handler: BaseHTTPRequestHandler, deltas: Sequence[Mapping[str, Any]], finish: str) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("connection", "close")
    handler.end_headers()
    handler.close_connection = True
    for delta, reason in [*((delta, None) for delta in deltas), ({}, finish)]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
    handler.wfile.write(b"data: [DONE]\n\n")


async def said(client: Client, words: str) -> str:
    """What a plain client shows of an answer that comes whole, calls of tools included."""
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": words}]
    answer = await client.openai.chat.completions.create(model="m", messages=asked, tools=TOOLS)
    message = answer.choices[0].message
    calls = [json.dumps(call.to_dict()) for call in message.tool_calls or ()]
    return "".join([message.content or "", *calls])


async def streamed_text(client: Client, words: str) -> str:
    """The same of an answer that is streamed."""
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": words}]
    stream = await client.openai.chat.completions.create(model="m", messages=asked, stream=True)
    found = ""
    async for chunk in stream:
        for choice in chunk.choices:
            found += choice.delta.content or ""
            for call in choice.delta.tool_calls or ():
                found += (call.function and (call.function.name or "") + (call.function.arguments or "")) or ""
    return found


async def test_an_answer_that_nothing_stands_against_comes_out_word_for_word(world: Gated) -> None:
    async with world.proxy(says("Drink enough and rest."), streams("Drink ", "enough ", "and rest.")) as client:
        assert await said(client, "How do I get well?") == "Drink enough and rest."
        assert await streamed_text(client, "How do I get well?") == "Drink enough and rest."


PLAIN = """How do I get well?
He has a fever of 39 and a cough. What should we do?
Book an MRI of the lumbar spine for next Tuesday.
He has a cough since Sunday. Which tests are due?
Summarise the attached report in five bullets.
Draft an email to Dr. Miller about the appointment.
What does a low potassium mean?
Order a full blood count and CRP.
She is 64 and has a sore throat since yesterday. What next?
What did we talk about yesterday?
Write a referral to cardiology for chest pain on exertion.
Change the colour of the button to red.
Plan my week: gym on Monday, dentist on Wednesday.
I'm tired today, tell me a joke.
Which exercises help against back pain?
My throat hurts. What should I do?
Explain atrial fibrillation in simple words.
Book a table for two at seven.
Now shorten it to one paragraph.
Thanks, that helps.""".splitlines()


async def test_requests_that_tell_nothing_do_not_lengthen_the_blocks_that_follow(both: Gated) -> None:
    """They stay stored and are found; nobody is shown them as words that were not read."""
    about = "Whom do I call?"
    jane = (await both.memory.remember("I am allergic to latex.", subject="JD020", subject_name="Jane Plain")).subject
    async with both.proxy(*[says("Rest well.")] * (len(PLAIN) + 7), subject="JD020") as client:

        async def block() -> list[str]:
            await said(client, about)
            sent = client.upstream.requests[-1]["messages"][-1]["content"].partition(END)[0].splitlines()
            return [line for line in sent if "Checked 20" not in line and "Receipt" not in line]

        empty = await block()
        for words in PLAIN:
            await said(client, words)
        assert await block() == empty
        stored = await both.memory.facts.store.episodes(jane.space, jane.uid)
        assert set(PLAIN) <= {turn.text for turn in stored}
        await said(client, "I can't have penicillin, what else is there?")
        assert any("must not have Penicillin" in line for line in await block())
        assert not any("NOT YET READ" in line for line in await block())
        await said(client, "Find me a restaurant near the station with good seafood.")
        assert any("NOT YET READ" in line for line in await block())
