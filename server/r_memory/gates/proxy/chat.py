"""Chat completions: where the words of the model stand in an answer, and what may go out of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from r_memory.domain.gates import withheld
from r_memory.gates.gates import GateJudgement
from r_memory.gates.proxy.events import DONE, Event, Outgoing, event_of
from r_memory.gates.proxy.requests import Body, ModelRequest, text_of
from r_memory.gates.sluice import Key, Sluice, gravest_of, note, notice

TEXTS = ("content", "refusal")
_FILTERED = "content_filter"


def _index(choice: Mapping[str, Any]) -> int:
    return int(choice.get("index") or 0)


def _calls(message: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yields name and arguments of each tool call of a message."""
    for call in message.get("tool_calls") or ():
        for kind in ("function", "custom"):
            if isinstance(call, dict) and isinstance(one := call.get(kind), dict):
                yield str(one.get("name") or ""), one.get("arguments", one.get("input", ""))
    if isinstance(old := message.get("function_call"), dict):
        yield str(old.get("name") or ""), old.get("arguments", "")


async def guard_answer(body: Body, sluice: Sluice, request: ModelRequest) -> list[GateJudgement]:
    """Checks each choice of a complete answer and changes it as decided; returns the judgements."""
    told = []
    for choice in body.get("choices") or ():
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            continue
        said = "\n".join(filter(None, (text_of(message.get(name)) for name in TEXTS)))
        worst = gravest_of(await sluice.judge(said, _calls(message)))
        if worst is None:
            continue
        told.append(worst)
        choice["r_memory"] = worst.data
        if withheld(worst.decision):
            kept = {name: message[name] for name in ("role",) if name in message}
            choice |= {"message": {**kept, "content": notice(worst), "refusal": None}, "finish_reason": _FILTERED}
            choice.pop("logprobs", None)
        elif worst.decision == "annotate" and not request.is_json:
            message["content"] = text_of(message.get("content")) + note(worst)
    return told


class ChatStream:
    """Decides which chunks of a stream go out, and replaces the others."""

    def __init__(self, sluice: Sluice, request: ModelRequest) -> None:
        self._sluice = sluice
        self._is_json = request.is_json
        self._wanted = request.body.get("n") or 1
        self._calls: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(lambda: ["", ""]))
        self._ended: dict[int, GateJudgement | None] = {}
        """Choices that ended, and how."""
        self._outgoing = Outgoing(sluice, self._goes_out)
        self._like: Mapping[str, Any] = {}
        self.is_complete = False
        """Whether the upstream said that it ended."""

    @property
    def is_over(self) -> bool:
        """Whether nothing that comes later can go out."""
        return sum(not self._goes_out(index) for index in self._ended) >= self._wanted

    async def take(self, event: Event) -> bytes:
        """Returns the bytes that may go out after this event."""
        if event.data is None or not isinstance(choices := event.data.get("choices"), list):
            if event.is_end:
                self.is_complete = True
                return await self.end() + event.raw
            self._outgoing.put(event.raw)
            return self._outgoing.released()
        self._like = {key: value for key, value in event.data.items() if key not in {"choices", "usage"}}
        live = [item for item in choices if isinstance(item, dict) and _index(item) not in self._ended]
        if choices and not live:
            return b""
        needs: dict[Key, int] = {}
        for choice in live:
            needs |= await self._read(choice)
        tools = frozenset(_index(item) for item in live if self._gather(_index(item), item.get("delta") or {}))
        stopped = {index for index, name in needs if self._sluice.channel((index, name)).stopped}
        ends = {
            _index(item): item.get("finish_reason")
            for item in live
            if item.get("finish_reason") or _index(item) in stopped
        }
        raw = event.raw
        if ends or live != choices:
            # What the last piece says goes out by itself, so that the end can follow what the end is found to be.
            raw = event_of({**event.data, "choices": [{**item, "finish_reason": None} for item in live]})
        self._outgoing.put(raw, needs, tools)
        return b"".join([await self._finish(*end) for end in ends.items()]) or self._outgoing.released()

    async def _read(self, choice: Mapping[str, Any]) -> dict[Key, int]:
        """Returns how many characters of each text must be cleared before this chunk may go out."""
        found: dict[Key, int] = {}
        delta = choice.get("delta") or {}
        for name in TEXTS:
            if isinstance(piece := delta.get(name), str) and piece:
                found[_index(choice), name] = len((await self._sluice.add((_index(choice), name), piece)).text)
        return found

    async def end(self) -> bytes:
        """Returns the bytes at the end of the stream, also for choices that were never ended."""
        open_ = {index for index, _ in self._sluice.channels} | set(self._calls)
        out = b""
        for index in sorted(open_ - self._ended.keys()):
            out += await self._finish(index, None)
        return out + self._outgoing.released()

    def _gather(self, index: int, delta: Mapping[str, Any]) -> bool:
        """Whether a piece belongs to a tool call; it is then added to the call."""
        old = delta.get("function_call")
        pieces = [*(delta.get("tool_calls") or ()), *([{"index": -1, "function": old}] if old else [])]
        for piece in pieces:
            call = self._calls[index][piece.get("index", 0)]
            one = piece.get("function") or piece.get("custom") or {}
            call[0] += one.get("name") or ""
            call[1] += one.get("arguments") or one.get("input") or ""
        return bool(pieces)

    async def _finish(self, index: int, reason: str | None) -> bytes:
        """Returns the end of one choice, as its judgement decides."""
        channels = [
            await self._sluice.finish((index, name)) for name in TEXTS if (index, name) in self._sluice.channels
        ]
        judged = [item.judged for item in channels if item.judged is not None]
        if not any(channel.stopped for channel in channels):
            judged += await self._sluice.judge("", [(name, words) for name, words in self._calls[index].values()])
        worst = gravest_of(judged)
        self._ended[index] = worst
        out = self._outgoing.released()
        if worst is not None and withheld(worst.decision):
            self._outgoing.drop(index)
            rest = "".join(channel.rest for channel in channels)
            between = "\n\n" if any(channel.cleared for channel in channels) else ""
            out += self._outgoing.released() + self._chunk(index, {"content": f"{rest}{between}{notice(worst)}"}, None)
            return out + self._chunk(index, {}, _FILTERED, worst) + (DONE if self.is_over else b"")
        if worst is not None and worst.decision == "annotate" and not self._is_json:
            out += self._chunk(index, {"content": note(worst)}, None)
        return out + (self._chunk(index, {}, reason, worst) if reason or worst else b"")

    def _goes_out(self, index: int) -> bool:
        worst = self._ended.get(index)
        return index in self._ended and (worst is None or not withheld(worst.decision))

    def _chunk(self, index: int, delta: Body, reason: str | None, judged: GateJudgement | None = None) -> bytes:
        choice = {"index": index, "delta": delta, "finish_reason": reason}
        return event_of({**self._like, "choices": [{**choice, **({"r_memory": judged.data} if judged else {})}]})
