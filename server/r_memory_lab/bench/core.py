"""`bench core`: the parts over stores of their own, put together into one report.

Knows which part needs what: an opened memory, a bare store, the environment of a process.
"""

import os
import platform
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from r_memory.config.settings import PREFIX, Settings
from r_memory.memory import Memory
from r_memory.protocols import Store
from r_memory.talk.stream.stream import Stream
from r_memory.wiring import open_memory, open_store
from r_memory_lab.bench.charts import charts, patient_id
from r_memory_lab.bench.context import context
from r_memory_lab.bench.filling import fill
from r_memory_lab.bench.kills import kill_hosts, losses, outcome
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.remembering import remember
from r_memory_lab.bench.serving import by_hook, greeting, over_http, over_stdio
from r_memory_lab.bench.starting import start
from r_memory_lab.bench.streaming import stream
from r_memory_lab.bench.text import text
from r_memory_lab.bench.trials import trials
from r_memory_lab.bench.where import where
from r_memory_lab.evals.outcomes import Outcome

SPACE = "bench"
_START_FACTS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure, and with what."""

    settings: Settings
    """Of this installation: its files, and the Neo4j to measure if `neo4j` is set."""
    folder: Path
    """Empty, for the embedded stores and the logs."""
    parts: Sequence[str]
    sizes: Sequence[int]
    trials: int
    seed: int
    neo4j_space: str
    """New space of that Neo4j; empty leaves Neo4j out."""
    begin: Begin

    @property
    def installations(self) -> tuple[Settings, ...]:
        """The embedded store, then Neo4j."""
        embedded = self.embedded("shared")
        if not self.neo4j_space:
            return (embedded,)
        return (embedded, replace(self.settings, space=self.neo4j_space, single_subject=""))

    def embedded(self, part: str) -> Settings:
        """An installation on an embedded store of its own."""
        return replace(
            self.settings,
            data_dir=self.folder / part,
            store_uri="",
            store_password="",
            space=SPACE,
            single_subject="",
        )


async def measured_context(plan: Plan) -> Outcome:
    """On the embedded store, and on Neo4j if asked for."""

    async def on(settings: Settings) -> Outcome:
        async with _opened(settings) as (memory, store):
            name = await _name(memory)
            return await context(memory, store, store_name=name, sizes=plan.sizes, seed=plan.seed, begin=plan.begin)

    return joined([await on(settings) for settings in plan.installations])


async def measured_remember(plan: Plan) -> Outcome:
    """On the embedded store, and on Neo4j if asked for."""

    async def on(settings: Settings) -> Outcome:
        async with open_memory(settings) as memory:
            return await remember(memory, store_name=await _name(memory), seed=plan.seed, begin=plan.begin)

    return joined([await on(settings) for settings in plan.installations])


async def measured_start(plan: Plan) -> Outcome:
    """On an embedded store that holds something."""
    settings = plan.embedded("start")
    async with _opened(settings) as (memory, store):
        made = charts(memory.schema, space=SPACE, first=0, count=_START_FACTS // 20, facts=20, seed=plan.seed)
        with plan.begin("filling", _START_FACTS // 20) as step:
            await fill(store, made, step)
    log = plan.folder / "start.log"
    return await start(environment(settings, os.environ), subject=patient_id(0), log=log, begin=plan.begin)


async def measured_trials(plan: Plan) -> Outcome:
    """On an embedded store that is closed and opened again and again."""
    settings = plan.embedded("trials")
    async with open_memory(settings) as memory:
        name = await _name(memory)
    return await trials(
        lambda: open_memory(settings), store_name=name, seed=plan.seed, number=plan.trials, begin=plan.begin
    )


async def measured_kills(plan: Plan) -> Outcome:
    """On an embedded store that several processes share."""
    settings = plan.embedded("kills")
    async with open_memory(settings):
        pass  # trains the model once, so that the writers need not
    heard, waits = await kill_hosts(
        environment(settings, os.environ),
        store_dir=settings.store_dir,
        log=plan.folder / "kills.log",
        begin=plan.begin,
    )
    async with _opened(settings) as (memory, store):
        return outcome(await losses(memory, store, heard), waits)


async def measured_stream(plan: Plan) -> Outcome:
    """The conversational memory at the sizes of the plan, on the embedded store, and on Neo4j if asked for."""

    async def on(settings: Settings) -> Outcome:
        @asynccontextmanager
        async def opened() -> AsyncIterator[tuple[Memory, Stream]]:
            async with open_memory(settings) as memory:
                yield memory, memory.talk.stream

        async with open_memory(settings) as memory:
            name = await _name(memory)
        return await stream(
            opened,
            store_name=name,
            sizes=plan.sizes,
            seed=plan.seed,
            begin=plan.begin,
            folder=settings.store_dir if settings.embedded else None,
        )

    busy = _load()
    outcomes = [await on(settings) for settings in plan.installations]
    where = f"{platform.system()} {platform.machine()} with {os.cpu_count()} cores"
    notes = (
        f"All figures are of one run, seed {plan.seed}, embedder {plan.settings.embedder}, on {where}.",
        "Intervals of percentiles are those of order statistics. Embedding the question is not counted.",
        f"{busy} before, {_load()} after.",
    )
    return joined([*outcomes, Outcome(figures=(), notes=notes)])


async def measured_http(plan: Plan) -> Outcome:
    """On an embedded store, over servers of its own."""
    environment_, log = await _served(plan, _START_FACTS)
    return await over_http(environment_, subject=patient_id(0), log=log, begin=plan.begin)


async def measured_stdio(plan: Plan) -> Outcome:
    """On an embedded store of the largest size asked for, over a server of its own."""
    facts = max(plan.sizes)
    environment_, log = await _served(plan, facts)
    return await over_stdio(environment_, subject=patient_id(0), log=log, facts=facts, begin=plan.begin)


async def measured_hook(plan: Plan) -> Outcome:
    """On embedded stores of a small size and of the largest asked for, over servers of their own."""

    async def at(facts: int) -> Outcome:
        environment_, log = await _served(plan, facts)
        return await by_hook(environment_, subject=patient_id(0), log=log, facts=facts, begin=plan.begin)

    note = "The hook looks for everybody who is known, 20 facts each: its time grows with their number."
    asked = [await at(facts) for facts in dict.fromkeys((_START_FACTS, max(plan.sizes)))]
    return joined([*asked, Outcome(figures=(), notes=(note,))])


async def measured_greeting(plan: Plan) -> Outcome:
    """On an embedded store that holds something."""
    environment_, log = await _served(plan, _START_FACTS)
    return await greeting(environment_, log=log, begin=plan.begin)


async def measured_where(plan: Plan) -> Outcome:
    """On the embedded store, and on Neo4j if asked for."""

    async def on(settings: Settings) -> Outcome:
        async with _opened(settings) as (memory, store):
            return await where(memory, store, store_name=await _name(memory), seed=plan.seed, begin=plan.begin)

    return joined([await on(settings) for settings in plan.installations])


async def measured_text(plan: Plan) -> Outcome:
    """On an embedded store that holds next to nothing."""
    async with open_memory(plan.embedded("text")) as memory:
        return await text(memory, begin=plan.begin)


async def _served(plan: Plan, facts: int) -> tuple[Mapping[str, str], Path]:
    """A store with so many facts, filled once for all parts, as a server's environment; and a log."""
    settings = plan.embedded(f"served-{facts}")
    if not settings.data_dir.exists():
        async with _opened(settings) as (memory, store):
            made = charts(memory.schema, space=SPACE, first=0, count=facts // 20, facts=20, seed=plan.seed)
            with plan.begin("filling", facts // 20) as step:
                await fill(store, made, step)
    return environment(settings, os.environ), plan.folder / f"served-{facts}.log"


PARTS: Mapping[str, Callable[[Plan], Awaitable[Outcome]]] = {
    "context": measured_context,
    "remember": measured_remember,
    "start": measured_start,
    "trials": measured_trials,
    "kills": measured_kills,
    "http": measured_http,
    "stdio": measured_stdio,
    "hook": measured_hook,
    "greeting": measured_greeting,
    "text": measured_text,
    "where": measured_where,
}
"""By name, in the order in which they run."""
SUITES: Mapping[str, Sequence[str]] = {
    "core": ("context", "remember", "start", "trials", "kills"),
    "stream": (),
    "http": ("http", "stdio", "hook", "greeting"),
    "text": ("text",),
    "where": ("where",),
}
"""The parts of each suite; `stream` has none, and sizes of its own."""


async def run(plan: Plan) -> Outcome:
    """The parts of the plan, one after the other."""
    busy = _load()
    outcomes = [await part(plan) for name, part in PARTS.items() if name in plan.parts]
    return joined([*outcomes, Outcome(figures=(), notes=(*_notes(plan), f"{busy} before, {_load()} after."))])


async def store_names(plan: Plan) -> tuple[str, ...]:
    """What the stores call themselves."""
    names = []
    for settings in plan.installations:
        async with open_memory(settings) as memory:
            names.append(await _name(memory))
    return tuple(names)


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """Everything that the outcomes hold, in order."""
    return Outcome(
        figures=tuple(chain.from_iterable(item.figures for item in outcomes)),
        groups={title: figures for item in outcomes for title, figures in item.groups.items()},
        details={title: ids for item in outcomes for title, ids in item.details.items()},
        notes=tuple(chain.from_iterable(item.notes for item in outcomes)),
    )


def environment(settings: Settings, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process with these settings, and none of the surrounding ones."""
    own = {"DATA_DIR": str(settings.data_dir), "SPACE": settings.space, "SCHEMA": settings.schema}
    home = {} if settings.home is None else {"HOME": str(settings.home)}
    others = {name: value for name, value in environ.items() if not name.startswith(PREFIX)}
    return others | {PREFIX + name: value for name, value in (own | home).items()}


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[tuple[Memory, Store]]:
    """The memory, and beside it the bare store."""
    async with open_memory(settings) as memory, open_store(settings) as store:
        await store.prepare(memory.schema)
        yield memory, store


async def _name(memory: Memory) -> str:
    health = (await memory.describe()).health
    return "an unreachable store" if health is None else health.name


def _notes(plan: Plan) -> tuple[str, ...]:
    where = f"{platform.system()} {platform.machine()} with {os.cpu_count()} cores"
    before = "the stores that `context` had filled" if "context" in plan.parts else "empty stores"
    return (
        f"All figures are of one run, seed {plan.seed}, on {where}.",
        "Intervals of percentiles are those of order statistics.",
        *([f"`remember` ran on {before}."] if "remember" in plan.parts else []),
    )


def _load() -> str:
    """How busy the machine is, all of its processes; Windows does not count it."""
    load = getattr(os, "getloadavg", None)
    return "Load not known" if load is None else f"Load {load()[0]:.1f}"
