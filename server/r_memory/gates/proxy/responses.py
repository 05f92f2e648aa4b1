"""Responses: where the words of the model stand in an answer, and what may go out of it.

A note and a notice are messages of their own, behind what was sent.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from r_memory.domain.gates import withheld
from r_memory.gates.gates import GateJudgement
from r_memory.gates.proxy.events import Event, Outgoing, event_of
from r_memory.gates.proxy.requests import Body, ModelRequest
from r_memory.gates.sluice import Key, Sluice, gravest_of, note, notice

_TEXT = "response.output_text"
_DELTAS = {f"{_TEXT}.delta": "delta", "response.refusal.delta": "delta"}
_DONE = {f"{_TEXT}.done": "text", "response.refusal.done": "refusal"}
_ENDS = {"response.completed", "response.incomplete", "response.failed"}
_UNREAD_TYPES = {"message", "reasoning"}
_NAMES = ("item_id", "output_index", "content_index")
_ARGUMENTS = ("arguments", "input", "action", "operation", "code", "queries")


def _texts(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the text parts of a message."""
    content = item.get("content")
    yield from (part for part in (content if isinstance(content, list) else ()) if isinstance(part, dict))


def _call(item: Mapping[str, Any]) -> tuple[str, object]:
    """Returns name and arguments of a tool call, built-in or not."""
    given = {name: item[name] for name in _ARGUMENTS if item.get(name)}
    arguments: object = next(iter(given.values())) if len(given) == 1 else given
    return str(item.get("name") or item.get("type") or ""), arguments


def _is_message(item: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(item, dict) and item.get("type") == "message"


def _is_call(item: object) -> TypeGuard[Mapping[str, Any]]:
    return (
        isinstance(item, dict)
        and item.get("type") not in _UNREAD_TYPES
        and any(item.get(argument) for argument in _ARGUMENTS)
    )


def _message(text: str, status: str = "incomplete") -> dict[str, Any]:
    """Returns a message of the gate."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "msg_r_memory", "type": "message", "role": "assistant", "status": status, "content": [part]}


def _events(item: dict[str, Any], place: int) -> list[dict[str, Any]]:
    """Returns the events by which a stream shows a message."""
    [part] = item["content"]
    same = {"item_id": item["id"], "output_index": place, "content_index": 0}
    return [
        {"type": "response.output_item.added", "output_index": place, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **same, "part": {**part, "text": ""}},
        {"type": f"{_TEXT}.delta", **same, "delta": part["text"], "logprobs": []},
        {"type": f"{_TEXT}.done", **same, "text": part["text"], "logprobs": []},
        {"type": "response.content_part.done", **same, "part": part},
        {"type": "response.output_item.done", "output_index": place, "item": item},
    ]


async def guard_response(body: Body, sluice: Sluice, request: ModelRequest) -> list[GateJudgement]:
    """Checks a complete response and changes it as decided; returns the judgements."""
    worst = await ResponsesStream(sluice, request).judge(body)
    return [worst] if worst is not None else []


def _end(response: Body, output: list[dict[str, Any]]) -> None:
    ended = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": output}
    response.update(ended)
    if isinstance(response.get("output_text"), str):
        response["output_text"] = output[-1]["content"][-1]["text"]


class ResponsesStream:
    """Decides which events of a stream go out, and replaces the others."""

    def __init__(self, sluice: Sluice, request: ModelRequest) -> None:
        self._sluice = sluice
        self._is_json = request.is_json
        self._response: dict[str, Any] = {}
        self._judged: list[GateJudgement] = []
        self._calls: dict[int, bool] = {}
        """Calls of tools by their place, and whether each may go out."""
        self._outgoing = Outgoing(sluice, lambda place: self._calls.get(place, True))
        self._named: dict[Key, dict[str, Any]] = {}
        """How events name each channel."""
        self._number = 0
        self.is_over = False
        """Whether nothing more can come that may go out."""
        self.is_complete = False
        """Whether the upstream said that it ended."""

    async def take(self, event: Event) -> bytes:
        """Returns the bytes that may go out after this event."""
        data = event.data
        if data is None:
            return self._outgoing.released() + event.raw
        kind, place = str(data.get("type") or ""), int(data.get("output_index") or 0)
        key = (place, int(data.get("content_index") or 0))
        self._number = int(data.get("sequence_number") or self._number)
        if isinstance(data.get("response"), dict):
            self._response = dict(data["response"])
        if kind in _DELTAS:
            self._named[key] = {name: data[name] for name in _NAMES if name in data}
            channel = await self._sluice.add(key, str(data.get("delta") or ""))
            self._outgoing.put(event.raw, {key: len(channel.text)})
            return self._stop(channel.judged) if channel.stopped and channel.judged else self._outgoing.released()
        if kind in _DONE:
            return await self._text_done(key, event, str(data.get(_DONE[kind]) or ""))
        if kind == "response.output_item.added" and dict(data.get("item") or {}).get("type") not in _UNREAD_TYPES:
            self._calls[place] = False
        if kind in _ENDS:
            return await self._end(dict(data), kind)
        self._outgoing.put(event.raw, calls=[place] if place in self._calls else [])
        if kind == "response.output_item.done" and place in self._calls:
            return await self._call_done(place, data.get("item"))
        return self._outgoing.released()

    async def _text_done(self, key: tuple[int, int], event: Event, said: str) -> bytes:
        if said and not self._sluice.channel(key).text:
            await self._sluice.add(key, said)
        judged = (await self._sluice.finish(key)).judged
        if judged is not None:
            self._judged.append(judged)
            if withheld(judged.decision):
                return self._stop(judged)
            self._outgoing.put(event.raw)
        return self._outgoing.released()

    async def _call_done(self, place: int, item: object) -> bytes:
        found = await self._sluice.judge("", [_call(item)] if isinstance(item, dict) and _is_call(item) else [])
        self._judged += found
        for judged in found:
            if withheld(judged.decision):
                return self._stop(judged)
        self._calls[place] = True
        return self._outgoing.released()

    async def judge(self, response: Body) -> GateJudgement | None:
        """Checks what no earlier event showed, and changes the response as decided; returns the strictest judgement."""
        items = dict(enumerate(response.get("output") or ()))
        for key in [key for key, channel in self._sluice.channels.items() if channel.judged is None]:
            self._judged += filter(None, [(await self._sluice.finish(key)).judged])
        seen = {channel.text for channel in self._sluice.channels.values()}
        texts = (part for item in items.values() if _is_message(item) for part in _texts(item))
        said = [text for part in texts if (text := str(part.get("text") or part.get("refusal") or "")) not in seen]
        calls = [_call(item) for place, item in items.items() if _is_call(item) and not self._calls.get(place)]
        self._judged += await self._sluice.judge("\n".join(filter(None, said)), calls)
        self._calls |= dict.fromkeys(items, True)
        worst = gravest_of(self._judged)
        if worst is not None:
            response["r_memory"] = worst.data
            if withheld(worst.decision):
                _end(response, [_message(notice(worst))])
            elif worst.decision == "annotate" and not self._is_json:
                response["output"] = [*items.values(), _message(note(worst), "completed")]
        return worst

    async def _end(self, data: dict[str, Any], kind: str) -> bytes:
        """Returns the last event; content that no earlier event showed is checked first."""
        self.is_complete = True
        response = dict(data["response"]) if isinstance(data.get("response"), dict) else {}
        before = response.get("output")
        worst = await self.judge(response)
        if worst is not None and withheld(worst.decision):
            return self._stop(worst)
        # A call that came whole in no event was not judged: its pieces do not go out.
        for place in [place for place, is_judged in self._calls.items() if not is_judged]:
            self._outgoing.drop(place)
        out = self._outgoing.released()
        output = response.get("output")
        if output is not None and output is not before:
            out += self._sent(_events(output[-1], len(output) - 1))
        return out + event_of(data if worst is None else {**data, "response": response}, kind)

    def _stop(self, judged: GateJudgement) -> bytes:
        """Returns the end of the response: the notice as a message, without the rest of the answer."""
        out = self._outgoing.released()
        self.is_over = True
        place = 1 + max((key[0] for key in self._sluice.channels), default=-1)
        item = _message(notice(judged))
        response = {"object": "response", **self._response, "r_memory": judged.data}
        sent = [channel.text[: channel.cleared] for channel in self._sluice.channels.values()]
        _end(response, [*({**_message(text), "id": f"{item['id']}_sent"} for text in sent if text), item])
        rests = [
            {"type": f"{_TEXT}.delta", **self._named.get(key, {}), "delta": channel.rest, "logprobs": []}
            for key, channel in self._sluice.channels.items()
            if channel.rest
        ]
        return out + self._sent([*rests, *_events(item, place), {"type": "response.incomplete", "response": response}])

    def _sent(self, told: list[dict[str, Any]]) -> bytes:
        """Returns events of the gate, numbered behind what was sent."""
        numbered = [{**each, "sequence_number": number} for number, each in enumerate(told, start=self._number + 1)]
        return b"".join(event_of(item, item["type"]) for item in numbered)
