"""Part `pages`: how long the page takes to answer, for a person with a large chart, as the store grows.

No socket is in between: what is timed is the application with its store. Of each page the processor time of this
process is told beside the time that passed, which other work on the machine makes longer.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import httpx2

from r_memory.config.settings import Settings
from r_memory.errors import StoreUnavailable
from r_memory.memory import Memory
from r_memory.serving.http.app import page_door
from r_memory.serving.http.plan import Address, HttpPlan
from r_memory.web.app import Site
from r_memory.web.visits import own_token
from r_memory_lab.bench.context import QUERIES
from r_memory_lab.bench.filling import Fill
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.population import Population
from r_memory_lab.bench.timing import spread, timed
from r_memory_lab.evals.measures import Figure, at_percentile
from r_memory_lab.evals.outcomes import CaseOutcome

AIM = "<= 100 ms"
VISITS = 20
"""Of each page, at each size."""
_WARM_UP = 5
_CHART = 100
_WAITING = 60
"""People of whom words wait and something is in doubt."""
_UNREAD = "My mother said the penicillin business was bad for one of us."
_MAYBE = "I might be allergic to penicillin, I am not sure."
_HOST = "http://127.0.0.1:8765"
_SIGN = re.compile(r'name="sign" value="([0-9a-f]{64})"')


async def pages(
    memory: Memory,
    fill: Fill,
    population: Population,
    settings: Settings,
    *,
    store_name: str,
    sizes: Sequence[int],
    begin: Begin,
    visits: int = VISITS,
) -> CaseOutcome:
    """Time and computing of each page, at each size of the store.

    Raises:
        StoreUnavailable: a page did not come.
    """
    plan = HttpPlan(settings=replace(settings, http_token=""), address=Address(host="127.0.0.1", port=8765))
    app = page_door(Site(who="bench", decides=True)(lambda: _given(memory), plan), plan)
    figures: list[Figure] = []
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url=_HOST, timeout=600) as http:
        await http.get("/enter", params={"token": own_token(plan)})
        for size in sorted(sizes):
            waiting, charts = population.grown(size)
            with begin(f"filling {store_name} to {size:,} facts", waiting) as step:
                await fill(charts, step)
            asked = population.anyone(_CHART)
            await _made_to_wait(memory, asked)
            with begin(f"visiting {store_name} at {size:,}", visits * len(_paths("", "", ""))) as step:
                figures += await _visited(http, memory, asked, size=size, store=store_name, visits=visits, done=step)
    note = f"At {max(sizes):,} facts there were {population.patients:,} subjects; who is visited has {_CHART} facts."
    return CaseOutcome(figures=(), groups={f"Pages, {store_name}": figures}, notes=(note,))


async def _given(memory: Memory) -> Memory:
    return memory


async def _made_to_wait(memory: Memory, asked: Iterator[str]) -> None:
    for _ in range(_WAITING):
        subject = next(asked)
        for text in (_UNREAD, _MAYBE):
            await memory.remember(text, subject=subject, speaker="patient")


def _paths(subject: str, fact: str, receipt: str) -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Name of each page to its path and what it is asked."""
    own = {"id": subject}
    return {
        "subjects": ("/", {}),
        "subjects, searched": ("/", {"q": subject[-3:]}),
        "person": ("/person", own),
        "said and recorded": ("/reconcile", own),
        "timeline": ("/timeline", own),
        "graph": ("/graph", own),
        "fact": ("/fact", {"id": fact}),
        "waiting of one": ("/review", own),
        "review": ("/review", {}),
        "receipts": ("/receipts", own),
        "receipt": ("/receipt", {"id": receipt}),
        "what if": ("/ask", {**own, "query": QUERIES[0]}),
        "audits": ("/audits", {}),
        "health": ("/health", {}),
    }


async def _visited(
    http: httpx2.AsyncClient,
    memory: Memory,
    asked: Iterator[str],
    *,
    size: int,
    store: str,
    visits: int,
    done: Callable[[], None],
) -> list[Figure]:
    took: dict[str, list[float]] = {}
    computed: dict[str, list[float]] = {}
    for number in range(_WARM_UP + visits):
        subject = next(asked)
        shown = await memory.build_context(QUERIES[number % len(QUERIES)], subject=subject)
        paths = _paths(subject, shown.lines[0].fact.fact_id, shown.receipt_id)
        for name, (path, given) in paths.items():
            began = time.process_time()
            answer, milliseconds = await timed(partial(_page, http, path, given))
            if answer.status_code != 200:
                raise StoreUnavailable(f"the page {path} answered {answer.status_code}; look at the log")
            if number >= _WARM_UP:
                took.setdefault(name, []).append(milliseconds)
                computed.setdefault(name, []).append((time.process_time() - began) * 1000)
                done()
    return [
        figure
        for name in took
        for figure in (
            *spread(f"{name}, {size:,} facts, {store}:", took[name], median_aim=AIM),
            at_percentile(f"{name}, {size:,} facts, {store}: computed here p50", computed[name], 0.5, unit="ms"),
        )
    ]


async def _page(http: httpx2.AsyncClient, path: str, given: Mapping[str, str]) -> httpx2.Response:
    if "query" not in given:
        return await http.get(path, params=dict(given))
    sign = _SIGN.search((await http.get("/ask")).text)
    fields = {"sign": "" if sign is None else sign[1], "subject": given["id"], "query": given["query"]}
    return await http.post(path, data=fields, headers={"origin": _HOST})
