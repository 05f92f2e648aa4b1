"""`bench core`: the parts over stores of their own, put together into one report.

Knows which part needs what: an opened memory, a bare store, the environment of a process.
"""

import asyncio
import os
import platform
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from r_memory.config.gates_file import load_gates
from r_memory.config.schema_file import load_schema
from r_memory.config.settings import PREFIX, Settings
from r_memory.domain.schema import Schema
from r_memory.memory import Memory
from r_memory.wiring import open_memory, open_store
from r_memory_lab.bench.beside import beside
from r_memory_lab.bench.bulk import bulk
from r_memory_lab.bench.charts import BenchChart, charts, patient_id
from r_memory_lab.bench.clients import Patients
from r_memory_lab.bench.context import context
from r_memory_lab.bench.gates import gates
from r_memory_lab.bench.killed import KILLS, killed
from r_memory_lab.bench.kills import kill_hosts, losses, outcome
from r_memory_lab.bench.load import BESIDE, SENTENCES, load, sentences_of
from r_memory_lab.bench.others import OTHERS, Missing, Other
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.population import CHART_SIZES, Population
from r_memory_lab.bench.records import records
from r_memory_lab.bench.remembering import remember
from r_memory_lab.bench.serving import by_hook, greeting, over_http
from r_memory_lab.bench.starting import start
from r_memory_lab.bench.stdio import over_stdio
from r_memory_lab.bench.steps import STEPS
from r_memory_lab.bench.streaming import stream
from r_memory_lab.bench.text import text
from r_memory_lab.bench.trials import trials
from r_memory_lab.bench.where import where
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_talk.stream.stream import Stream

SPACE = "bench"
_SERVED_FACTS = 2_000
_EACH = 20
"""Facts of each patient in a served store."""
_ASKED = 200
"""Patients of each chart size that are asked about after a start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPlan:
    """What to measure, and with what."""

    settings: Settings
    """This installation's settings: its files, and the Neo4j to measure if `neo4j` is set."""
    folder: Path
    """Empty folder for the embedded stores and the logs."""
    parts: Sequence[str]
    sizes: Sequence[int]
    trials: int
    seed: int
    neo4j_space: str
    """New space in that Neo4j; empty: Neo4j is not measured."""
    begin: Begin
    kills: int = KILLS
    steps: Sequence[str] = tuple(STEPS)
    corpus: Path = Path("corpus")
    sentences: int = SENTENCES
    beside: int = BESIDE
    """Busy processes."""

    @property
    def installations(self) -> tuple[Settings, ...]:
        """The embedded store, and Neo4j if it is measured."""
        embedded = self.embedded("shared")
        if not self.neo4j_space:
            return (embedded,)
        return (embedded, replace(self.settings, space=self.neo4j_space, single_subject=""))

    def embedded(self, part: str) -> Settings:
        """Returns an installation with its own embedded store."""
        return replace(
            self.settings,
            data_dir=self.folder / part,
            store_uri="",
            store_password="",
            space=SPACE,
            single_subject="",
        )


Part: TypeAlias = Callable[[BenchPlan], Awaitable[CaseOutcome]]


def _on_each_store(part: Callable[[BenchPlan, Settings], Awaitable[CaseOutcome]]) -> Part:
    """Runs the part on the embedded store, and on Neo4j if requested."""

    async def measured(plan: BenchPlan) -> CaseOutcome:
        return joined([await part(plan, settings) for settings in plan.installations])

    return measured


@_on_each_store
async def measured_context(plan: BenchPlan, settings: Settings) -> CaseOutcome:
    """Measures `context` on growing stores."""
    async with open_memory(settings) as memory, bulk(settings, memory.schema) as fill:
        population = Population(memory.schema, space=settings.space, seed=plan.seed)
        name = await _name(memory)
        return await context(memory, fill, population, store_name=name, sizes=plan.sizes, begin=plan.begin)


@_on_each_store
async def measured_remember(plan: BenchPlan, settings: Settings) -> CaseOutcome:
    """Measures `remember` on the stores that `context` left."""
    async with open_memory(settings) as memory:
        return await remember(memory, store_name=await _name(memory), seed=plan.seed, begin=plan.begin)


@_on_each_store
async def measured_start(plan: BenchPlan, settings: Settings) -> CaseOutcome:
    """Measures `start` on stores of the largest requested size, reusing those of `context`."""
    facts = max(plan.sizes)
    async with open_memory(settings) as memory, bulk(settings, memory.schema) as fill:
        name = await _name(memory)
        population = Population(memory.schema, space=settings.space, seed=plan.seed)
        if "context" in plan.parts:
            for size in sorted(plan.sizes):
                population.grown(size)
        else:
            waiting, made = population.grown(facts)
            with plan.begin(f"filling {name} to {facts:,} facts", waiting) as step:
                await fill(made, step)
    anyone = [population.anyone(size) for size in CHART_SIZES]
    patients = Patients([next(some) for _ in range(_ASKED) for some in anyone])
    where, log = f"at {facts:,} facts, {name}", plan.folder / "start.log"
    return await start(environment(settings, os.environ), patients=patients, log=log, where=where, begin=plan.begin)


async def measured_trials(plan: BenchPlan) -> CaseOutcome:
    """Measures `trials` on an embedded store that is closed and opened repeatedly."""
    settings = plan.embedded("trials")
    async with open_memory(settings) as memory:
        name = await _name(memory)
    return await trials(
        lambda: open_memory(settings), store_name=name, seed=plan.seed, number=plan.trials, begin=plan.begin
    )


async def measured_kills(plan: BenchPlan) -> CaseOutcome:
    """Measures `kills` on an embedded store shared by several processes."""
    settings = plan.embedded("kills")
    async with open_memory(settings):
        pass  # trains the model once, so that the writers need not
    heard, waits = await kill_hosts(
        environment(settings, os.environ),
        store_dir=settings.store_dir,
        log=plan.folder / "kills.log",
        begin=plan.begin,
    )
    async with open_memory(settings) as memory, open_store(settings) as store:
        await store.prepare(memory.schema)
        return outcome(await losses(memory, store, heard), waits)


@_on_each_store
async def measured_killed(plan: BenchPlan, settings: Settings) -> CaseOutcome:
    """Measures `killed` in a space of its own; each store gets an equal part of the kills."""
    async with open_memory(settings) as memory:
        name = await _name(memory)
    own = replace(settings, space=f"{settings.space}-killed")
    return await killed(
        own,
        environment(own, os.environ),
        steps=plan.steps,
        kills=plan.kills // len(plan.installations),
        store_name=name,
        folder=plan.folder,
        seed=plan.seed,
        begin=plan.begin,
    )


async def measured_load(plan: BenchPlan) -> CaseOutcome:
    """Measures `load` on embedded stores of its own."""
    schema = load_schema(plan.settings.files, plan.settings.schema)
    told = sentences_of(plan.corpus, schema.name, plan.sentences, seed=plan.seed)
    return await load(told, lambda name: open_memory(plan.embedded(name)), beside=plan.beside, begin=plan.begin)


async def measured_stream(plan: BenchPlan) -> CaseOutcome:
    """Measures the conversational memory at the sizes of the plan, on each store."""

    busy = _load()
    outcome = await _stream(plan)
    where = f"{platform.system()} {platform.machine()} with {os.cpu_count()} cores"
    notes = (
        f"All figures are of one run, seed {plan.seed}, embedder {plan.settings.embedder}, on {where}.",
        "Intervals of percentiles are those of order statistics. Embedding the question is not counted.",
        f"{busy} before, {_load()} after.",
    )
    return joined([outcome, CaseOutcome(figures=(), notes=notes)])


@_on_each_store
async def _stream(plan: BenchPlan, settings: Settings) -> CaseOutcome:
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


async def measured_http(plan: BenchPlan) -> CaseOutcome:
    """Measures `http` on an embedded store, with its own servers."""
    environment_, log = await _served(plan, _SERVED_FACTS)
    return await over_http(environment_, subject=patient_id(0), log=log, begin=plan.begin)


async def measured_stdio(plan: BenchPlan) -> CaseOutcome:
    """Measures `stdio` on an embedded store of the largest requested size, with its own server."""
    facts = max(plan.sizes)
    environment_, log = await _served(plan, facts)
    patients = _patients(facts, plan.seed)
    return await over_stdio(environment_, patients=patients, log=log, facts=facts, begin=plan.begin)


async def measured_beside(plan: BenchPlan) -> CaseOutcome:
    """Measures `beside` on embedded stores of each requested size, with other servers and the same patients."""
    others, notes = await asyncio.to_thread(_had, plan.settings.cache_dir / "bench")
    schema = load_schema(plan.settings.files, plan.settings.schema)

    async def at(facts: int) -> CaseOutcome:
        environment_, _ = await _served(plan, facts)
        return await beside(
            environment_,
            others,
            tuple(_charts(schema, facts, plan.seed)),
            patients=_patients(facts, plan.seed),
            facts=facts,
            folder=plan.folder,
            begin=plan.begin,
        )

    return joined([*[await at(facts) for facts in sorted(plan.sizes)], CaseOutcome(figures=(), notes=notes)])


def _had(cache: Path) -> tuple[tuple[Other, ...], tuple[str, ...]]:
    """Returns the available other servers, and a remark on each."""
    others: list[Other] = []
    notes: list[str] = []
    for find in OTHERS:
        try:
            others.append(find(cache))
            notes.append(f"Beside: {others[-1].package}, {others[-1].said}.")
        except Missing as error:
            notes.append(f"Left out: {error}.")
    return tuple(others), tuple(notes)


async def measured_hook(plan: BenchPlan) -> CaseOutcome:
    """Measures `hook` on a small embedded store and on one of the largest requested size, with their own servers."""

    async def at(facts: int) -> CaseOutcome:
        environment_, log = await _served(plan, facts)
        return await by_hook(environment_, subject=patient_id(0), log=log, facts=facts, begin=plan.begin)

    return joined([await at(facts) for facts in dict.fromkeys((_SERVED_FACTS, max(plan.sizes)))])


async def measured_greeting(plan: BenchPlan) -> CaseOutcome:
    """Measures `greeting` on an embedded store that is not empty."""
    environment_, log = await _served(plan, _SERVED_FACTS)
    return await greeting(environment_, log=log, begin=plan.begin)


@_on_each_store
async def measured_where(plan: BenchPlan, settings: Settings) -> CaseOutcome:
    """Measures `where` on its own patients."""
    async with open_memory(settings) as memory, bulk(settings, memory.schema) as fill:
        return await where(memory, fill, store_name=await _name(memory), seed=plan.seed, begin=plan.begin)


@_on_each_store
async def measured_gates(plan: BenchPlan, settings: Settings) -> CaseOutcome:
    """Measures `gates` on its own patients."""
    async with open_memory(settings) as memory, bulk(settings, memory.schema) as fill:
        policy = load_gates(settings.files, memory.schema)
        name = await _name(memory)
        return await gates(memory, fill, policy, store_name=name, seed=plan.seed, begin=plan.begin)


@_on_each_store
async def measured_pages(plan: BenchPlan, settings: Settings) -> CaseOutcome:
    """Measures `pages` on growing stores."""
    # Imported late: the templates are of the extra `web`, which whoever measures the rest need not have.
    from r_memory_lab.bench.pages import pages  # noqa: PLC0415 - as said

    async with open_memory(settings) as memory, bulk(settings, memory.schema) as fill:
        population = Population(memory.schema, space=settings.space, seed=plan.seed)
        name = await _name(memory)
        return await pages(memory, fill, population, settings, store_name=name, sizes=plan.sizes, begin=plan.begin)


@_on_each_store
async def measured_records(plan: BenchPlan, settings: Settings) -> CaseOutcome:
    """Measures `records` on people of its own."""
    async with open_memory(settings) as memory:
        return await records(memory, store_name=await _name(memory), seed=plan.seed, begin=plan.begin)


async def measured_text(plan: BenchPlan) -> CaseOutcome:
    """Measures `text` on a nearly empty embedded store."""
    async with open_memory(plan.embedded("text")) as memory:
        return await text(memory, begin=plan.begin)


async def _served(plan: BenchPlan, facts: int) -> tuple[Mapping[str, str], Path]:
    """Returns the environment of a store with this many facts, filled once for all parts, and a log file."""
    settings = plan.embedded(f"served-{facts}")
    if not settings.data_dir.exists():
        async with open_memory(settings) as memory, bulk(settings, memory.schema) as fill:
            with plan.begin(f"filling to {facts:,} facts", facts // _EACH) as step:
                await fill(_charts(memory.schema, facts, plan.seed), step)
    return environment(settings, os.environ), plan.folder / f"served-{facts}.log"


def _charts(schema: Schema, facts: int, seed: int) -> Iterator[BenchChart]:
    """Yields the charts that `_served` writes."""
    return charts(schema, space=SPACE, first=0, count=facts // _EACH, facts=_EACH, seed=seed)


def _patients(facts: int, seed: int) -> Patients:
    """Returns these patients in an order without locality."""
    known = [patient_id(number) for number in range(facts // _EACH)]
    random.Random(seed).shuffle(known)
    return Patients(known)


PARTS: Mapping[str, Part] = {
    "context": measured_context,
    "remember": measured_remember,
    "start": measured_start,
    "trials": measured_trials,
    "kills": measured_kills,
    "http": measured_http,
    "stdio": measured_stdio,
    "hook": measured_hook,
    "greeting": measured_greeting,
    "beside": measured_beside,
    "text": measured_text,
    "where": measured_where,
    "gates": measured_gates,
    "pages": measured_pages,
    "records": measured_records,
    "killed": measured_killed,
    "load": measured_load,
}
"""Parts by name, in the order in which they run."""
SUITES: Mapping[str, Sequence[str]] = {
    "core": ("context", "remember", "start", "trials", "kills"),
    "stream": (),
    "http": ("http", "stdio", "hook", "greeting"),
    "beside": ("beside",),
    "text": ("text",),
    "where": ("where",),
    "gates": ("gates",),
    "pages": ("pages",),
    "records": ("records",),
    "kills": ("killed",),
    "load": ("load",),
}
"""Parts of each suite; `stream` has no parts and its own sizes."""


async def run(plan: BenchPlan) -> CaseOutcome:
    """Runs the parts of the plan in order and returns their joined outcome."""
    busy = _load()
    outcomes = [await part(plan) for name, part in PARTS.items() if name in plan.parts]
    return joined([*outcomes, CaseOutcome(figures=(), notes=(*_notes(plan), f"{busy} before, {_load()} after."))])


async def store_names(plan: BenchPlan) -> tuple[str, ...]:
    """Returns the stores' own names."""
    names = []
    for settings in plan.installations:
        async with open_memory(settings) as memory:
            names.append(await _name(memory))
    return tuple(names)


def joined(outcomes: Sequence[CaseOutcome]) -> CaseOutcome:
    """Returns all content of the outcomes, in order."""
    return CaseOutcome(
        figures=tuple(chain.from_iterable(item.figures for item in outcomes)),
        groups={title: figures for item in outcomes for title, figures in item.groups.items()},
        details={title: ids for item in outcomes for title, ids in item.details.items()},
        notes=tuple(dict.fromkeys(chain.from_iterable(item.notes for item in outcomes))),
    )


def environment(settings: Settings, environ: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment of a process with these settings, without our variables of the present one."""
    own = {
        "DATA_DIR": str(settings.data_dir),
        "SPACE": settings.space,
        "SCHEMA": settings.schema,
        "HOME": "" if settings.home is None else str(settings.home),
        "STORE_URI": settings.store_uri,
        "STORE_USER": settings.store_user if settings.store_uri else "",
        "STORE_PASSWORD": settings.store_password,
        "STORE_DATABASE": settings.store_database,
    }
    others = {name: value for name, value in environ.items() if not name.startswith(PREFIX)}
    return others | {PREFIX + name: value for name, value in own.items() if value}


async def _name(memory: Memory) -> str:
    health = (await memory.describe()).health
    return "an unreachable store" if health is None else health.name


def _notes(plan: BenchPlan) -> tuple[str, ...]:
    where = f"{platform.system()} {platform.machine()} with {os.cpu_count()} cores"
    before = "the stores that `context` had filled" if "context" in plan.parts else "empty stores"
    return (
        f"All figures are of one run, seed {plan.seed}, on {where}.",
        "Intervals of percentiles are those of order statistics.",
        *([f"`remember` ran on {before}."] if "remember" in plan.parts else []),
    )


def _load() -> str:
    """Returns the machine's load as text; Windows does not measure it."""
    load = getattr(os, "getloadavg", None)
    return "Load not known" if load is None else f"Load {load()[0]:.1f}"
