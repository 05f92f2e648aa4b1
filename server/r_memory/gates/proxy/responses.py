"""Responses: where the words of the person stand in a request, and those of the model in an answer."""

from collections.abc import Iterator, Mapping
from typing import Any

from r_memory.gates.gates import GateJudgement
from r_memory.gates.proxy.chat import Body, judged_calls, text_of, with_block
from r_memory.gates.proxy.events import Event, event_of
from r_memory.gates.sluice import Key, Sluice, gravest_of, note, notice

_TEXT = "response.output_text"
_DELTAS = {f"{_TEXT}.delta": "delta", "response.refusal.delta": "delta"}
_DONE = {f"{_TEXT}.done": "text", "response.refusal.done": "refusal"}
_ENDS = {"response.completed", "response.incomplete", "response.failed"}
_UNREAD_TYPES = {"message", "reasoning"}
_NAMES = ("item_id", "output_index", "content_index")
_ARGUMENTS = ("arguments", "input", "action", "operation", "code", "queries")


class ResponsesRequest:
    """A request for a response."""

    def __init__(self, body: Body) -> None:
        self.body = body
        given = body.get("input")
        self._items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())
        places = [place for place, one in enumerate(self._items) if isinstance(one, dict)]
        self._last = max((place for place in places if self._items[place].get("role") == "user"), default=-1)

    @property
    def refused(self) -> str:
        """Why the request cannot be taken; empty if it can."""
        if self.body.get("background"):
            return "an answer made in the background is fetched past the gate; leave `background` out"
        return ""

    @property
    def is_new(self) -> bool:
        """Whether the user's message is the last, with no tool result after it."""
        return self._last >= 0 and self._last == len(self._items) - 1

    @property
    def words(self) -> str:
        """The text of the last user message; empty if the request holds only tool results."""
        return text_of(self._items[self._last].get("content")) if self._last >= 0 else ""

    @property
    def is_json(self) -> bool:
        """Whether the answer must be JSON, so that no note may follow it."""
        text = self.body.get("text")
        form = text.get("format") if isinstance(text, dict) else None
        return isinstance(form, dict) and form.get("type") in {"json_object", "json_schema"}

    def put(self, block: str) -> None:
        """Puts the block in front of the last user message; without one, as a message of its own."""
        if self._last < 0:
            items = [{"role": "user", "content": block}, *self._items]
        else:
            item = self._items[self._last]
            changed = {**item, "content": with_block(item.get("content"), block, kind="input_text")}
            items = [*self._items[: self._last], changed, *self._items[self._last + 1 :]]
        plain = isinstance(self.body.get("input"), str)
        self.body["input"] = items[0]["content"] if plain else items


def _texts(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the text parts of a message."""
    content = item.get("content")
    yield from (part for part in (content if isinstance(content, list) else ()) if isinstance(part, dict))


def _call(item: Mapping[str, Any]) -> tuple[str, object]:
    """Returns name and arguments of a tool call, built-in or not."""
    given = {name: item[name] for name in _ARGUMENTS if item.get(name)}
    arguments: object = next(iter(given.values())) if len(given) == 1 else given
    return str(item.get("name") or item.get("type") or ""), arguments


def _is_call(item: object) -> bool:
    return isinstance(item, dict) and item.get("type") not in _UNREAD_TYPES and any(item.get(one) for one in _ARGUMENTS)


def _stopped(judged: GateJudgement, item_id: str = "msg_r_memory") -> dict[str, Any]:
    """Returns the message that replaces a stopped answer."""
    part = {"type": "output_text", "text": notice(judged), "annotations": []}
    return {"id": item_id, "type": "message", "role": "assistant", "status": "incomplete", "content": [part]}


async def guard_response(
    body: Body, sluice: Sluice, request: ResponsesRequest, no_content: frozenset[str]
) -> list[GateJudgement]:
    """Checks a complete response and changes it as decided; returns the judgements."""
    items = [item for item in body.get("output") or () if isinstance(item, dict)]
    texts = [part for item in items if item.get("type") == "message" for part in _texts(item)]
    said = "\n".join(filter(None, (str(part.get("text") or part.get("refusal") or "") for part in texts)))
    judged = [await sluice.judge(said, "after", said=said)] if said.strip() else []
    judged += await judged_calls((_call(item) for item in items if _is_call(item)), sluice, no_content)
    worst = gravest_of(judged)
    if worst is None:
        return []
    body["r_memory"] = worst.data
    if worst.decision in {"stop", "hold"}:
        _end(body, [_stopped(worst)])
    elif worst.decision == "annotate" and not request.is_json:
        _annotate(body, worst)
    return [worst]


def _end(response: Body, output: list[dict[str, Any]]) -> None:
    ended = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": output}
    response.update(ended)
    if isinstance(response.get("output_text"), str):
        response["output_text"] = output[-1]["content"][-1]["text"]


def _annotate(response: Body, judged: GateJudgement) -> None:
    """Adds the note behind the last text; without text, as a message of its own."""
    parts = [part for item in response["output"] if item.get("type") == "message" for part in _texts(item)]
    texts = [part for part in parts if isinstance(part.get("text"), str)]
    if texts:
        texts[-1]["text"] += note(judged)
    else:
        response["output"] = [*response["output"], {**_stopped(judged), "status": "completed"}]
        response["output"][-1]["content"][0]["text"] = note(judged).strip()


class ResponsesStream:
    """Decides which events of a stream go out, and replaces the others."""

    def __init__(self, sluice: Sluice, request: ResponsesRequest, no_content: frozenset[str]) -> None:
        self._sluice = sluice
        self._is_json = request.is_json
        self._no_content = no_content
        self._waiting: list[tuple[bytes, Key | None, int, int | None]] = []
        """Events, the channel of each, the characters of it that must be cleared, and the call that must be judged."""
        self._response: dict[str, Any] = {}
        self._judged: list[GateJudgement] = []
        self._notes: dict[tuple[int, int], str] = {}
        self._calls: dict[int, bool] = {}
        """Calls of tools by their place, and whether each may go out."""
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
            return self._released() + (await self.end() + event.raw if event.is_end else event.raw)
        kind, place = str(data.get("type") or ""), int(data.get("output_index") or 0)
        key = (place, int(data.get("content_index") or 0))
        self._number = int(data.get("sequence_number") or self._number)
        if isinstance(data.get("response"), dict):
            self._response = dict(data["response"])
        if kind in _DELTAS:
            self._named[key] = {name: data[name] for name in _NAMES if name in data}
            channel = await self._sluice.add(key, str(data.get("delta") or ""))
            self._waiting.append((event.raw, key, len(channel.text), None))
            return await self._stop(channel.judged) if channel.stopped and channel.judged else self._released()
        if kind in _DONE:
            return await self._text_done(key, data, kind)
        if kind == "response.output_item.added" and dict(data.get("item") or {}).get("type") not in _UNREAD_TYPES:
            self._calls[place] = False
        if kind == "response.output_item.done" and place in self._calls:
            self._waiting.append((event.raw, None, 0, place))
            return await self._call_done(place, data)
        if kind in _ENDS:
            return await self._end(dict(data), kind)
        raw = event_of(self._noted(data), kind) if self._notes else event.raw
        self._waiting.append((raw, None, 0, place if place in self._calls else None))
        return self._released()

    async def end(self) -> bytes:
        """Returns the bytes at the end of a stream without an end event."""
        return self._released()

    async def _text_done(self, key: tuple[int, int], data: Mapping[str, Any], kind: str) -> bytes:
        channel = self._sluice.channel(key)
        if not channel.text and (said := str(data.get(_DONE[kind]) or "")):
            await self._sluice.add(key, said)
        judged = (await self._sluice.finish(key)).judged
        if judged is None:
            return self._released()
        self._judged.append(judged)
        if judged.decision in {"stop", "hold"}:
            return await self._stop(judged)
        out = self._released()
        if judged.decision == "annotate" and not self._is_json and kind in _DONE:
            self._notes[key] = note(judged)
            same = {name: data[name] for name in _NAMES if name in data}
            delta = {"type": f"{_TEXT}.delta", **same, "sequence_number": self._number, "delta": note(judged)}
            out += event_of(delta, f"{_TEXT}.delta")
        self._waiting.append((event_of(self._noted(data), kind), None, 0, None))
        return out + self._released()

    async def _call_done(self, place: int, data: Mapping[str, Any]) -> bytes:
        item = data.get("item")
        calls = iter([_call(item)]) if isinstance(item, dict) and _is_call(item) else iter(())
        found = await judged_calls(calls, self._sluice, self._no_content)
        self._judged += found
        stops = [one for one in found if one.decision in {"stop", "hold"}]
        if stops:
            return await self._stop(stops[0])
        self._calls[place] = True
        return self._released()

    async def _end(self, data: dict[str, Any], kind: str) -> bytes:
        """Returns the last event; content that no earlier event showed is checked first."""
        self.is_complete = True
        response = dict(data["response"]) if isinstance(data.get("response"), dict) else {}
        for key in [key for key, channel in self._sluice.channels.items() if channel.judged is None]:
            self._judged += filter(None, [(await self._sluice.finish(key)).judged])
        seen = {channel.text for channel in self._sluice.channels.values()}
        for place, item in enumerate(response.get("output") or ()):
            said = [part.get("text") for part in _texts(item)] if item.get("type") == "message" else []
            for number, text in enumerate(one for one in said if isinstance(one, str) and one and one not in seen):
                judged = await self._sluice.judge(text, "after", said=text)
                self._judged.append(judged)
                self._notes |= {(place, number): note(judged)} if judged.decision == "annotate" else {}
            if _is_call(item) and not self._calls.get(place):
                self._judged += await judged_calls(iter([_call(item)]), self._sluice, self._no_content)
        worst = gravest_of(self._judged)
        if worst is not None and worst.decision in {"stop", "hold"}:
            return await self._stop(worst)
        self._calls = dict.fromkeys(self._calls, True)
        data = self._noted(data)
        if worst is not None:
            data["response"] = {**data["response"], "r_memory": worst.data}
        return self._released() + event_of(data, kind)

    async def _stop(self, judged: GateJudgement) -> bytes:
        """Returns the end of the response: the notice as a message, without the rest of the answer."""
        out = self._released()
        self._waiting, self.is_over = [], True
        place = 1 + max((key[0] for key in self._sluice.channels), default=-1)
        item = _stopped(judged)
        [part] = item["content"]
        same = {"item_id": item["id"], "output_index": place, "content_index": 0}
        response = {"object": "response", **self._response, "r_memory": judged.data}
        sent = [{**part, "text": channel.text[: channel.cleared]} for channel in self._sluice.channels.values()]
        before = [{**item, "id": f"{item['id']}_sent", "content": [one]} for one in sent if one["text"]]
        _end(response, [*before, item])
        rests = ((key, channel.rest) for key, channel in self._sluice.channels.items() if channel.rest)
        told: list[dict[str, Any]] = [
            *(
                {"type": f"{_TEXT}.delta", **self._named.get(key, {}), "delta": rest, "logprobs": []}
                for key, rest in rests
            ),
            {"type": "response.output_item.added", "output_index": place, "item": {**item, "content": []}},
            {"type": "response.content_part.added", **same, "part": {**part, "text": ""}},
            {"type": f"{_TEXT}.delta", **same, "delta": part["text"], "logprobs": []},
            {"type": f"{_TEXT}.done", **same, "text": part["text"], "logprobs": []},
            {"type": "response.content_part.done", **same, "part": part},
            {"type": "response.output_item.done", "output_index": place, "item": item},
            {"type": "response.incomplete", "response": response},
        ]
        numbered = ({**one, "sequence_number": self._number + ahead} for ahead, one in enumerate(told, start=1))
        return out + b"".join(event_of(one, one["type"]) for one in numbered)

    def _noted(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the event with each note behind the text that it belongs to."""
        changed = dict(data)
        place = data.get("output_index")
        mine = {key: text for key, text in self._notes.items() if place is None or key[0] == place}
        if told := mine.get((int(place or 0), int(data.get("content_index") or 0)), ""):
            if isinstance(data.get("text"), str):
                changed["text"] = data["text"] + told
            if isinstance(part := data.get("part"), dict):
                changed["part"] = {**part, "text": str(part.get("text") or "") + told}
        if isinstance(item := data.get("item"), dict):
            changed["item"] = _with_notes(item, int(place or 0), mine)
        if isinstance(response := data.get("response"), dict):
            output = [_with_notes(one, at, mine) for at, one in enumerate(response.get("output") or ())]
            changed["response"] = {**response, "output": output}
        return changed

    def _released(self) -> bytes:
        out = b""
        while self._waiting:
            raw, key, count, call = self._waiting[0]
            held = call is not None and not self._calls.get(call, True)
            if held or (key is not None and self._sluice.channel(key).cleared < count):
                break
            out += raw
            if key is not None:
                self._sluice.channel(key).sent = count
            del self._waiting[0]
        return out


def _with_notes(item: Mapping[str, Any], place: int, notes: Mapping[tuple[int, int], str]) -> dict[str, Any]:
    content = item.get("content")
    if not isinstance(content, list):
        return dict(item)
    parts = [
        {**part, "text": part["text"] + notes[place, number]}
        if (place, number) in notes and isinstance(part, dict) and isinstance(part.get("text"), str)
        else part
        for number, part in enumerate(content)
    ]
    return {**item, "content": parts}
