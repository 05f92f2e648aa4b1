"""The order of events: told, talked over, killed, started again, asked. Gives everything that was seen."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from r_memory.cli.printing import progress
from r_memory.config.settings import Settings
from r_memory.domain.instants import Instant
from r_memory.serving.tools.models import RememberedOut
from r_memory_lab.demo.claims import Evidence
from r_memory_lab.demo.stage import Stage, kill, served
from r_memory_lab.demo.story import Story, StoryTurn

DAYS = 2
"""Days between the intake and the request."""
_DAY_MS = 86_400_000
AT_ONCE = 6
"""Patients in parallel; the turns of each patient stay in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstHalf:
    """The first half, up to the kill."""

    intake: RememberedOut
    rest: tuple[RememberedOut, ...]
    seconds: float
    """Seconds for everything else."""
    killed: int
    """Process id of the server."""

    @property
    def acknowledged(self) -> Mapping[str, frozenset[str]]:
        """Patient's id to the acknowledged facts."""
        facts: dict[str, set[str]] = defaultdict(set)
        for outcome in (self.intake, *self.rest):
            facts[outcome.subject_id] |= {result.fact_id for result in outcome.results if result.fact_id}
        return {person: frozenset(ids) for person, ids in facts.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondHalf:
    """The second half, after the kill."""

    evidence: Evidence
    start_seconds: float
    """Seconds from the start of the second server to its first answer."""


async def tell(story: Story, settings: Settings, home: Path, log: TextIO, now: Instant) -> FirstHalf:
    """Sends all turns to one server and kills it."""
    intake_at = now - DAYS * _DAY_MS
    step_ms = DAYS * _DAY_MS // (len(story.turns) + 1)
    dated = [(turn, intake_at + place * step_ms) for place, turn in enumerate(story.turns, start=1)]
    async with served(home, log) as stage:
        intake = await stage.tell(story.intake, said_at=intake_at)
        began = time.perf_counter()
        rest = await _tell_all(stage, dated)
        seconds = time.perf_counter() - began
        killed = kill(settings.store_dir)
    return FirstHalf(intake=intake, rest=rest, seconds=seconds, killed=killed)


async def ask(story: Story, told: FirstHalf, home: Path, log: TextIO) -> SecondHalf:
    """Starts another server on the same folder, sends the request, and reads all facts."""
    everybody = (story.subject, *story.others)
    began = time.perf_counter()
    async with served(home, log) as stage:
        context = await stage.ask(story.request, story.subject)
        seconds = time.perf_counter() - began
        facts = await asyncio.gather(*(stage.facts(person) for person in everybody))
    found = dict(zip((person.id for person in everybody), facts, strict=True))
    evidence = Evidence(story=story, context=context, acknowledged=told.acknowledged, found=found)
    return SecondHalf(evidence=evidence, start_seconds=seconds)


async def _tell_all(stage: Stage, dated: Sequence[tuple[StoryTurn, Instant]]) -> tuple[RememberedOut, ...]:
    """Sends the turns of several patients in parallel; those of one patient in order."""
    rooms = asyncio.Semaphore(AT_ONCE)
    by_patient: dict[str, list[tuple[StoryTurn, Instant]]] = defaultdict(list)
    for turn, said_at in dated:
        by_patient[turn.about.id].append((turn, said_at))

    async def visit(turns: Sequence[tuple[StoryTurn, Instant]], step: Callable[[], None]) -> list[RememberedOut]:
        outcomes = []
        async with rooms:
            for turn, said_at in turns:
                outcomes.append(await stage.tell(turn, said_at=said_at))
                step()
        return outcomes

    with progress("telling", len(dated)) as step:
        visits = await asyncio.gather(*(visit(turns, step) for turns in by_patient.values()))
    return tuple(outcome for visited in visits for outcome in visited)
