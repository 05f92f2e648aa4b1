"""What becomes of an answer under each policy, streamed and not, and over `responses` as over chat completions."""

import json
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import Response

from r_memory.domain.blocks import MatchLevel
from r_memory.domain.gates import Decision, Reactions
from r_memory.text.markers import START
from tests.acceptance.gates.conftest import BAD, REQUEST, Client, Gated
from tests.acceptance.gates.test_proxy import chunks, in_pieces, streamed_text
from tests.chat_server import Answer, Sent, says, streams, write

pytestmark = pytest.mark.anyio
BEFORE, AFTER = "Drink enough and rest. ", " Come back in two days."
WHOLE = BEFORE + BAD + AFTER


def under(world: Gated, decision: Decision) -> Gated:
    """The world in which every finding leads to this decision."""
    levels = dict.fromkeys(MatchLevel, decision)
    return world.under(usual=Reactions(conflict=levels, warning=levels))


async def test_a_stream_ends_before_the_sentence_that_is_stopped_and_what_was_sent_stays(world: Gated) -> None:
    async with world.proxy(streams(*in_pieces(WHOLE))) as client:
        text = await streamed_text(client, REQUEST)
    assert text.startswith(BEFORE.strip())
    assert "500 mg" not in text
    assert AFTER.strip() not in text
    assert "[R-MEMORY: STOPPED]" in text
    assert "The part above was sent before this was found." in text


async def test_a_stream_that_is_held_gives_nothing_from_the_doubtful_sentence_on(
    world: Gated,
) -> None:
    async with under(world, "hold").proxy(streams(*in_pieces(WHOLE))) as client:
        text = await streamed_text(client, REQUEST)
    assert "500 mg" not in text
    assert AFTER.strip() not in text
    assert "[R-MEMORY: STOPPED]" in text


async def test_an_annotated_stream_comes_whole_and_the_note_follows_it(world: Gated) -> None:
    async with under(world, "annotate").proxy(streams(*in_pieces(WHOLE))) as client:
        text = await streamed_text(client, REQUEST)
    assert text.startswith(WHOLE)
    assert text.index("[R-MEMORY: NOTE]") > len(WHOLE)
    assert "CRITICAL ALLERGY" in text


async def test_a_noted_answer_comes_as_it_is_and_the_receipt_says_what_was_found(world: Gated) -> None:
    async with under(world, "note").proxy(streams(*in_pieces(WHOLE))) as client:
        assert await streamed_text(client, REQUEST) == WHOLE
    [newest, *_] = await world.memory.receipts(subject="JD001")
    assert (newest.gate.gate, newest.gate.decision, newest.gate.verdict) == ("after", "note", "conflict")


async def test_of_several_answers_only_the_bad_one_is_stopped(world: Gated) -> None:
    async with world.proxy(two_choices) as client:
        answer = await client.openai.chat.completions.create(model="m", messages=asked(REQUEST), n=2)
    first, second = answer.choices
    assert (first.message.content, first.finish_reason) == ("Rest well.", "stop")
    assert "500 mg" not in (second.message.content or "")
    assert second.finish_reason == "content_filter"


async def test_of_several_streamed_answers_only_the_bad_one_is_stopped(world: Gated) -> None:
    async with world.proxy(two_streams) as client:
        stream = await client.openai.chat.completions.create(model="m", messages=asked(REQUEST), n=2, stream=True)
        texts = {0: "", 1: ""}
        async for chunk in stream:
            for choice in chunk.choices:
                texts[choice.index] += choice.delta.content or ""
    assert texts[0] == "Rest well. Drink enough."
    assert "500 mg" not in texts[1]
    assert "[R-MEMORY: STOPPED]" in texts[1]


def asked(words: str) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": words}]


def two_choices(handler: BaseHTTPRequestHandler, _: Sent) -> None:
    choices: list[dict[str, Any]] = [
        {"index": number, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for number, text in enumerate(["Rest well.", BAD])
    ]
    whole = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
    write(handler, 200, json.dumps(whole))


def two_streams(handler: BaseHTTPRequestHandler, _: Sent) -> None:
    pieces = [(0, "Rest well."), (1, "I recommend "), (1, BAD), (0, " Drink enough."), (1, " Good luck. And more.")]
    told: list[dict[str, Any]] = [
        {"index": index, "delta": {"content": text}, "finish_reason": None} for index, text in pieces
    ]
    told += [{"index": index, "delta": {}, "finish_reason": "stop"} for index in (0, 1)]
    chunks_of(handler, told)


def chunks_of(handler: BaseHTTPRequestHandler, choices: Sequence[Mapping[str, Any]]) -> None:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events(handler, [{**head, "choices": [choice]} for choice in choices], end="[DONE]")


def events(handler: BaseHTTPRequestHandler, datas: Sequence[Mapping[str, Any]], *, end: str = "") -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("connection", "close")
    handler.end_headers()
    handler.close_connection = True
    for data in datas:
        kind = f"event: {data['type']}\n" if "type" in data else ""
        handler.wfile.write(f"{kind}data: {json.dumps(data)}\n\n".encode())
    if end:
        handler.wfile.write(f"data: {end}\n\n".encode())


# --- responses -------------------------------------------------------------------------------------------------------


def response(*output: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def message(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def call(arguments: Mapping[str, Any]) -> dict[str, Any]:
    words = json.dumps(arguments)
    return {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "order_medication", "arguments": words}


def responds(*output: Mapping[str, Any]) -> Answer:
    return lambda handler, _: write(handler, 200, json.dumps(response(*output)))


def response_streams(*output: Mapping[str, Any]) -> Answer:
    """The events of these items, as the API sends them."""

    def answer(handler: BaseHTTPRequestHandler, _: Sent) -> None:
        told: list[dict[str, Any]] = [{"type": "response.created", "response": {**response(), "status": "in_progress"}}]
        for place, item in enumerate(output):
            told += [
                {"type": "response.output_item.added", "output_index": place, "item": {**item, "status": "in_progress"}}
            ]
            if item["type"] == "message":
                [part] = item["content"]
                same = {"item_id": item["id"], "output_index": place, "content_index": 0}
                told += [{"type": "response.content_part.added", **same, "part": {**part, "text": ""}}]
                told += [
                    {"type": "response.output_text.delta", **same, "delta": piece, "logprobs": []}
                    for piece in in_pieces(part["text"])
                ]
                told += [{"type": "response.output_text.done", **same, "text": part["text"], "logprobs": []}]
                told += [{"type": "response.content_part.done", **same, "part": part}]
            else:
                same = {"item_id": item["id"], "output_index": place}
                told += [
                    {"type": "response.function_call_arguments.delta", **same, "delta": piece}
                    for piece in in_pieces(item["arguments"])
                ]
                done = {"name": item["name"], "arguments": item["arguments"]}
                told += [{"type": "response.function_call_arguments.done", **same, **done}]
            told += [{"type": "response.output_item.done", "output_index": place, "item": item}]
        told += [{"type": "response.completed", "response": response(*output)}]
        events(handler, [{**one, "sequence_number": number} for number, one in enumerate(told)])

    return answer


async def responded(client: Client, words: Any = REQUEST) -> Response:  # noqa: ANN401 - a text or items
    return await client.openai.responses.create(model="m", input=words)


async def response_streamed(client: Client, words: str = REQUEST) -> tuple[str, Response | None]:
    """The words of all deltas, and the response that the last event holds."""
    found, last = "", None
    async for event in await client.openai.responses.create(model="m", input=words, stream=True):
        if event.type in {"response.output_text.delta", "response.function_call_arguments.delta"}:
            found += event.delta
        if event.type in {"response.completed", "response.incomplete"}:
            last = event.response
    return found, last


async def test_a_response_has_the_block_in_front_and_a_bad_one_is_replaced(both: Gated) -> None:
    async with both.proxy(
        responds(message(WHOLE)), responds(call({"item": "Amoxicillin"})), responds(message("Rest."))
    ) as client:
        first, second, third = [await responded(client) for _ in range(3)]
    assert client.upstream.requests[0]["input"].startswith(START)
    assert client.upstream.requests[0]["input"].endswith(REQUEST)
    for item in (first, second):
        assert item.status == "incomplete"
        assert "500 mg" not in item.output_text
        assert "[R-MEMORY: STOPPED]" in item.output_text
    assert third.output_text == "Rest."
    assert third.status == "completed"


async def test_a_streamed_response_ends_before_the_sentence_that_is_stopped(world: Gated) -> None:
    async with world.proxy(response_streams(message(WHOLE))) as client:
        text, last = await response_streamed(client)
    assert text.startswith(BEFORE.strip())
    assert "500 mg" not in text
    assert last is not None
    assert last.status == "incomplete"
    assert "500 mg" not in last.output_text
    assert "[R-MEMORY: STOPPED]" in last.output_text


async def test_a_streamed_call_of_a_tool_is_seen_whole_or_not_at_all(world: Gated) -> None:
    order, other = call({"item": "Amoxicillin", "dose": "500 mg"}), call({"item": "Paracetamol", "dose": "500 mg"})
    async with world.proxy(response_streams(order), response_streams(message("I order it."), other)) as client:
        stopped, last = await response_streamed(client)
        passed, _ = await response_streamed(client)
    assert "Amoxicillin" not in stopped.split("[R-MEMORY: STOPPED]")[0]
    assert last is not None
    assert [item.type for item in last.output] == ["message"]
    assert passed == "I order it." + other["arguments"]


async def test_a_streamed_call_of_a_tool_that_never_comes_whole_does_not_go_out(world: Gated) -> None:
    # Issue 30: the upstream ends, and the call whose pieces it sent stands in no event as a whole.
    async with world.proxy(_without_its_end) as client:
        said, last = await response_streamed(client)
    assert "amoxicillin" not in said.casefold()
    assert last is not None
    assert last.output == []


def _without_its_end(handler: BaseHTTPRequestHandler, _: Sent) -> None:
    item = {**call({"drug": "Amoxicillin 500 mg"}), "status": "in_progress"}
    same = {"item_id": item["id"], "output_index": 0}
    told: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response(), "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", **same, "delta": item["arguments"]},
        {"type": "response.completed", "response": response()},
    ]
    events(handler, [{**one, "sequence_number": number} for number, one in enumerate(told)])


async def test_a_streamed_response_that_is_annotated_says_so_in_every_event_that_repeats_it(world: Gated) -> None:
    async with under(world, "annotate").proxy(response_streams(message(WHOLE))) as client:
        text, last = await response_streamed(client)
    assert text.startswith(WHOLE)
    assert "[R-MEMORY: NOTE]" in text
    assert last is not None
    assert last.output_text == text


async def test_a_streamed_response_without_objection_comes_out_as_it_is(world: Gated) -> None:
    async with world.proxy(response_streams(message("Drink enough. Rest well."))) as client:
        text, last = await response_streamed(client)
    assert text == "Drink enough. Rest well."
    assert last is not None
    assert (last.status, last.output_text) == ("completed", text)


async def test_answers_in_json_are_never_followed_by_a_note(world: Gated) -> None:
    bad = json.dumps({"advice": BAD})
    async with under(world, "annotate").proxy(says(bad)) as client:
        answer = await client.openai.chat.completions.create(
            model="m", messages=asked(REQUEST), response_format={"type": "json_object"}
        )
    assert answer.choices[0].message.content == bad
    extra = answer.choices[0].model_extra or {}
    assert extra["r_memory"]["decision"] == "annotate"


async def test_a_tool_of_ones_own_is_called_where_nothing_stands_against_it(world: Gated) -> None:
    arguments = json.dumps({"item": "Paracetamol", "dose": "500 mg", "patient_id": "JD001", "date": "2026-11-29"})

    def answer(handler: BaseHTTPRequestHandler, _: Sent) -> None:
        first = {"index": 0, "id": "c", "type": "function", "function": {"name": "order_medication", "arguments": ""}}
        deltas = [{"tool_calls": [first]}, {"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]}]
        chunks(handler, deltas, "tool_calls")

    async with world.proxy(answer) as client:
        assert await streamed_text(client, REQUEST) == "order_medication" + arguments
