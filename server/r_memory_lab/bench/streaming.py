"""`bench stream`: how long the conversational memory takes to append and search as it grows, and what it finds (T-2).

Everything is one conversation of one space, the worst case of exact search. A search is everything but the question's
embedding: the look whether other servers wrote, candidates, scores. Needles are told first, so that whatever is told
later stands between them and the question. Facts of patients are told once, and asked for at every size.
"""

import itertools
import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from r_memory.memory import Memory
from r_memory_lab.bench.gossip import gossip, gossip_questions, needles
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.timing import MS, spread, timed
from r_memory_lab.bench.trials import asked, planned, tell
from r_memory_lab.evals.measures import Figure, percentile, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_talk.stream.scoring import DEFAULT, SCORINGS, Scoring
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn

CALLS = 200
"""Searches at each size; appends are half as many."""
CONVERSATION = "bench"
K = 6
_SEARCH_AIMS = {10_000: "<= 8 ms", 100_000: "<= 50 ms"}
_APPEND_AIM = "<= 15 ms"
_BATCH = 500
_WARM_UP = 20

PATIENTS = 50
"""Patients with one allergy each, stored before the first turn."""
ASKED = 4
"""Requests about each of them at every size."""
_RECALL_AIM = "<= 10 ms"
_POINTS = 0.02
"""Largest loss of recall between 100 and 10,000 items (T-2)."""
_MEGABYTE = 1_000_000

Open = Callable[[], AbstractAsyncContextManager[tuple[Memory, Stream]]]
"""Opens the same installation; may be called repeatedly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTimes:
    """The measurements at one size."""

    items: int
    """Turns beside the needles."""
    appends: tuple[float, ...]
    searches: dict[str, tuple[float, ...]]
    """Milliseconds by profile."""
    found: int
    """Needles among the first six results."""
    first: float
    """Milliseconds of the first search after a start."""
    recalls: tuple[float, ...]
    """Milliseconds of each block of facts."""
    facts_found: int
    resident_mb: float | None
    """Megabytes of this process, which includes an embedded store; `None` if the system does not tell."""
    stored_mb: float | None
    """Megabytes of the embedded store's files."""


async def stream(
    opened: Open,
    *,
    store_name: str,
    sizes: Sequence[int],
    seed: int,
    begin: Begin,
    folder: Path | None = None,
    calls: int = CALLS,
) -> CaseOutcome:
    """Returns percentiles of appending and searching at each size, their growth, and the needles and facts found.

    `folder` holds the files of an embedded store.

    Raises:
        StoreUnavailable: the store failed, so that figures would mean nothing.
    """
    talk = _Talk(seed)
    measured = []
    async with opened() as (memory, _):
        await tell(memory, planned(seed, PATIENTS), seed)
    for size in sorted(sizes):
        async with opened() as (_, one):
            with begin(f"filling {store_name} to {size:,} items", max(0, size - talk.told)) as step:
                await talk.fill(one, size, step)
            with begin(f"appending at {size:,}", calls // 2) as step:
                appends = [await _appended(one, talk, step) for _ in range(calls // 2)]
        async with opened() as (memory, one):
            measured.append(await _search_once(memory, one, size, appends, seed, begin, folder, calls))
    return _outcome(store_name, measured)


class _Talk:
    """The conversation so far."""

    def __init__(self, seed: int) -> None:
        self._lines = gossip(seed)
        self._keys = itertools.count(1)
        self._hidden = False
        self.told = 0

    def next(self) -> NewTurn:
        """Returns the next turn."""
        speaker, words = next(self._lines)
        self.told += 1
        return NewTurn(conversation=CONVERSATION, speaker=speaker, observation=words, key=f"line/{next(self._keys)}")

    async def fill(self, one: Stream, size: int, done: Callable[[], None]) -> None:
        """Appends turns up to `size`, beside the needles, which come first."""
        if not self._hidden:
            hidden = [
                NewTurn(conversation=CONVERSATION, speaker="Ann", observation=needle.text, key=needle.key)
                for needle in needles()
            ]
            await one.append_all(hidden)
            self._hidden = True
        while self.told < size:
            batch = [self.next() for _ in range(min(_BATCH, size - self.told))]
            await one.append_all(batch)
            for _ in batch:
                done()


async def _appended(one: Stream, talk: _Talk, done: Callable[[], None]) -> float:
    _, milliseconds = await timed(lambda: one.append(talk.next()))
    done()
    return milliseconds


async def _search_once(
    memory: Memory,
    one: Stream,
    size: int,
    appends: Sequence[float],
    seed: int,
    begin: Begin,
    folder: Path | None,
    calls: int,
) -> StreamTimes:
    _, first = await timed(lambda: one.search("Who is there?", conversation=CONVERSATION))
    questions = gossip_questions(seed)
    with begin(f"searching {size:,}", calls * len(SCORINGS)) as step:
        searches = {name: await _searched(one, scoring, questions, calls, step) for name, scoring in SCORINGS.items()}
    with begin(f"asking for facts at {size:,}", PATIENTS * ASKED) as step:
        recalls, facts_found = await _recalled(memory, seed, step)
    return StreamTimes(
        items=size,
        appends=tuple(appends),
        searches=searches,
        found=await _needles_found(one),
        first=first,
        recalls=recalls,
        facts_found=facts_found,
        resident_mb=_resident_mb(),
        stored_mb=None if folder is None else _stored_mb(folder),
    )


async def _searched(
    one: Stream, scoring: Scoring, questions: Iterator[str], calls: int, done: Callable[[], None]
) -> tuple[float, ...]:
    times = []
    for number in range(-_WARM_UP, calls):
        found = await one.search(next(questions), conversation=CONVERSATION, scoring=scoring, k=K)
        if number >= 0:
            times.append(sum(lap for name, lap in found.steps_ms.items() if name != "embed"))
            done()
    return tuple(times)


async def _recalled(memory: Memory, seed: int, done: Callable[[], None]) -> tuple[tuple[float, ...], int]:
    """Returns the milliseconds of each block, and how many blocks named the allergy."""
    times, found = [], 0
    for _, trial in itertools.product(range(ASKED), planned(seed, PATIENTS)):
        answer, milliseconds = await timed(partial(asked, memory, trial))
        times.append(milliseconds)
        found += answer.found
        done()
    return tuple(times), found


def _resident_mb() -> float | None:
    pages = Path("/proc/self/statm")
    if not pages.exists():
        return None
    return int(pages.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / _MEGABYTE


def _stored_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / _MEGABYTE


async def _needles_found(one: Stream) -> int:
    hidden = list(needles())
    random.Random(1).shuffle(hidden)
    hits = 0
    for needle in hidden:
        found = await one.search(needle.question, conversation=CONVERSATION, k=K)
        hits += needle.key in [hit.item.id for hit in found.chosen]
    return hits


def _outcome(store_name: str, measured: Sequence[StreamTimes]) -> CaseOutcome:
    appends = [
        figure
        for item in measured
        for figure in spread(f"append at {item.items:,}, {store_name}:", item.appends, aim=_APPEND_AIM)
    ]
    searches = [
        figure
        for item in measured
        for name, times in item.searches.items()
        for figure in spread(
            f"search at {item.items:,}, {name}, {store_name}:", times, aim=_SEARCH_AIMS.get(item.items, "")
        )
    ]
    recalls = [
        figure
        for item in measured
        for figure in spread(f"facts with {item.items:,} items, {store_name}:", item.recalls, aim=_RECALL_AIM)
    ]
    heads = [figure for figure in (*appends, *searches, *recalls) if figure.aim]
    return CaseOutcome(
        figures=(*heads, *_growth(store_name, measured), *_found(store_name, measured)),
        groups={
            f"Append, {store_name}": appends,
            f"Search, {store_name}": searches,
            f"Blocks of facts, {store_name}": recalls,
            f"Starts and sizes, {store_name}": [figure for item in measured for figure in _sizes(store_name, item)],
        },
    )


def _found(store_name: str, measured: Sequence[StreamTimes]) -> Iterator[Figure]:
    """Yields the shares found: needles nearly as often among 10,000 turns as among 100, facts always."""
    total = len(needles())
    few = next((item.found / total for item in measured if item.items == 100), None)
    for item in measured:
        aim = "" if few is None or item.items != 10_000 else f">= {few - _POINTS:.2f}"
        yield share(f"needles among the first {K} at {item.items:,}, {store_name}", item.found, total, aim=aim)
    for item in measured:
        yield share(
            f"allergies in the block with {item.items:,} items, {store_name}",
            item.facts_found,
            len(item.recalls),
            aim="1.000",
        )


def _sizes(store_name: str, item: StreamTimes) -> Iterator[Figure]:
    at = f"at {item.items:,}, {store_name}"
    yield Figure(name=f"first search after a start {at}", value=item.first, n=1, unit=MS)
    if item.resident_mb is not None:
        yield Figure(name=f"resident memory {at}", value=item.resident_mb, n=1, unit="MB")
    if item.stored_mb is not None:
        yield Figure(name=f"files of the store {at}", value=item.stored_mb, n=1, unit="MB")


def _growth(store_name: str, measured: Sequence[StreamTimes]) -> list[Figure]:
    """Returns the ratio of the largest size to the smallest."""
    least, most = measured[0], measured[-1]
    pairs = (
        ("append", least.appends, most.appends),
        ("search", least.searches[DEFAULT], most.searches[DEFAULT]),
    )
    return [
        Figure(
            name=f"{what}: p95 at {most.items:,} over p95 at {least.items:,}, {store_name}",
            value=percentile(large, 0.95) / max(percentile(small, 0.95), 1e-9),
            n=len(large),
            unit="x",
        )
        for what, small, large in pairs
    ]
