"""Part `gates`: what the proxy computes of its own, paired with a bare hop through the same proxy in the same run; and
what passes as checked when the memory goes away between a request and its answer.

No socket is in between: the client speaks to the application, and the application to a scripted upstream, within one
process, so that processor time is that of both hops and of nothing else.
"""

import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

import httpx2

from r_memory.domain.gates import GatePolicy
from r_memory.errors import StoreUnavailable
from r_memory.gates.gates import Gates
from r_memory.gates.proxy.app import ProxyPlan, application
from r_memory.memory import Memory
from r_memory_lab.bench.charts import charts
from r_memory_lab.bench.context import QUERIES
from r_memory_lab.bench.filling import Fill
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.timing import spread
from r_memory_lab.evals.measures import Figure, at_percentile, share
from r_memory_lab.evals.outcomes import CaseOutcome

CALLS = 100
GONE = 1_000
_WARM_UP = 20
_FIRST = 950_000
"""Number of the first patient, after those of other parts."""
_FACTS_EACH = 20
_SENTENCES = (
    "Please drink enough water during the day. ",
    "A walk of half an hour does most people good. ",
    "Paracetamol 500 mg helps against the pain. ",
    "Come back in two days if it is not better. ",
)


@dataclass(slots=True)
class Upstream:
    """Answers at once, and records when it was asked."""

    asked_at: float = 0.0
    """Processor seconds of this process."""
    read_at: float = 0.0
    """The same when its answer was first read."""
    gone: Callable[[], None] = field(default=lambda: None)

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        """Returns a stream if requested, else one answer."""
        self.asked_at = time.process_time()
        self.gone()
        if json.loads(request.content).get("stream"):
            headers = {"content-type": "text/event-stream"}
            return httpx2.Response(200, headers=headers, content=self._read(_stream()))
        choice = {"index": 0, "message": {"role": "assistant", "content": "Rest well."}, "finish_reason": "stop"}
        answer = json.dumps({"id": "c", "object": "chat.completion", "choices": [choice]}).encode()
        headers = {"content-type": "application/json"}
        return httpx2.Response(200, headers=headers, content=self._read(answer))

    async def _read(self, content: bytes) -> AsyncIterator[bytes]:
        self.read_at = time.process_time()
        yield content


def _stream() -> bytes:
    texts = [sentence for _ in range(5) for sentence in _SENTENCES]
    pieces = [text[at : at + 6] for text in texts for at in range(0, len(text), 6)]
    choices: list[dict[str, object]] = [
        {"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in pieces
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    told = (json.dumps({"id": "c", "object": "chat.completion.chunk", "choices": [choice]}) for choice in choices)
    return "".join(f"data: {item}\n\n" for item in [*told, "[DONE]"]).encode()


class _Memory:
    """Returns the memory until `leave`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.gone = False

    async def __call__(self) -> Memory:
        if self.gone:
            raise StoreUnavailable("the store does not answer")
        return self._memory

    def leave(self) -> None:
        """Makes the memory unreadable."""
        self.gone = True


async def gates(
    memory: Memory, fill: Fill, policy: GatePolicy, *, store_name: str, seed: int, begin: Begin, calls: int = CALLS
) -> CaseOutcome:
    """Measures the processor time of both gates, and how many of 1,000 answers pass as checked without a memory."""
    made = list(charts(memory.schema, space=memory.facts.space, first=_FIRST, count=20, facts=_FACTS_EACH, seed=seed))
    with begin(f"filling {store_name}", len(made)) as step:
        await fill(made, step)
    ids = [chart.subject.id for chart in made]
    opened, upstream = _Memory(memory), Upstream()
    behind = httpx2.MockTransport(upstream)
    app = application(Gates(opened, policy), ProxyPlan(upstream="http://upstream/v1"), transport=behind)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://proxy/v1", timeout=120) as client:
        with begin(f"gates on {store_name}", calls + GONE) as step:
            figures = await _computing(client, upstream, ids, calls, step)
            upstream.gone = opened.leave
            figures += (await _unchecked(client, opened, ids[0], step),)
    notes = (
        "Computing is the process's own, threads included; a bare hop is an endpoint that the proxy passes on.",
        "Between the two the words of the request are stored and read, and the receipt of its block is written.",
    )
    return CaseOutcome(figures=(), groups={f"Gates, {store_name}": figures}, notes=notes)


async def _computing(
    client: httpx2.AsyncClient, upstream: Upstream, ids: Sequence[str], calls: int, step: Callable[[], None]
) -> tuple[Figure, ...]:
    before, hops, beside, sentences = [], [], [], []
    for number in range(_WARM_UP + calls):
        words = f"{QUERIES[number % len(QUERIES)]} Visit {number}."
        body: dict[str, object] = {"model": "m", "messages": [{"role": "user", "content": words}]}
        subject = {"x-r-memory-subject": ids[number % len(ids)]}
        hop, _ = await _hop(client, upstream, body)
        began = time.process_time()
        (await client.post("/chat/completions", json=body, headers=subject)).raise_for_status()
        asked, settled = upstream.asked_at - began, upstream.read_at - upstream.asked_at
        bare_stream = (await _hop(client, upstream, {**body, "stream": True}))[1]
        (await client.post("/chat/completions", json={**body, "stream": True}, headers=subject)).raise_for_status()
        streamed = time.process_time() - upstream.read_at
        if number >= _WARM_UP:
            before.append((asked - hop) * 1000)
            hops.append(hop * 1000)
            beside.append(settled * 1000)
            sentences.append((streamed - bare_stream) * 1000 / (5 * len(_SENTENCES)))
            step()
    return (
        *spread("computed before the upstream, beyond a bare hop,", before, aim="≤ 12"),
        at_percentile("computed by a bare hop before the upstream p50", hops, 0.5, unit="ms"),
        *spread("computed between the request to the upstream and its answer", beside),
        *spread("computed for a sentence of a stream, beyond a bare hop,", sentences, aim="≤ 5"),
    )


async def _hop(client: httpx2.AsyncClient, upstream: Upstream, body: dict[str, object]) -> tuple[float, float]:
    """Returns the processor seconds of a bare hop, before the upstream was asked and since its answer was read."""
    began = time.process_time()
    (await client.post("/embeddings", json=body)).raise_for_status()
    return upstream.asked_at - began, time.process_time() - upstream.read_at


async def _unchecked(client: httpx2.AsyncClient, opened: _Memory, subject: str, step: Callable[[], None]) -> Figure:
    """Returns the share of answers that passed as checked, with the memory removed after each request."""
    passed = 0
    for _ in range(GONE):
        opened.gone = False
        body = {"model": "m", "messages": [{"role": "user", "content": "Thanks!"}]}
        answer = await client.post("/chat/completions", json=body, headers={"x-r-memory-subject": subject})
        [choice] = answer.json()["choices"]
        passed += bool(choice["r_memory"]["checked"]) or "Rest well." in str(choice["message"]["content"])
        step()
    return share("passed as checked with the memory gone in between", passed, GONE, aim="0")
