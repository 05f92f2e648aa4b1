"""Part `kills`: several processes write to one embedded store; whichever hosts it is killed, again and again.

Afterwards every acknowledged write must be there, once.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from r_memory.domain.events import Episode, EpisodeStatus, FactEvent
from r_memory.errors import StoreUnavailable
from r_memory.memory import Memory
from r_memory.protocols import Store
from r_memory.store.host_lock import announced
from r_memory_lab.bench.parts import Begin
from r_memory_lab.evals.measures import Figure, count
from r_memory_lab.evals.outcomes import CaseOutcome

WRITERS = 3
KILLS = 4
BETWEEN = 12
"""Writes that every running writer must acknowledge before the next kill."""
_PATIENCE_S = 90.0
_POLL_S = 0.02
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """An acknowledged write."""

    subject_uid: str
    conversation: str
    episode: str
    facts: tuple[str, ...]
    at: float
    """Seconds by this process's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningWriter:
    """A running writer and its acknowledged writes."""

    process: asyncio.subprocess.Process
    heard: list[Acknowledged]
    listening: asyncio.Task[None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """The comparison of acknowledged writes with the store."""

    acknowledged: int
    lost: tuple[str, ...]
    """Ids of incomplete episodes."""
    doubled: tuple[str, ...]
    """Ids of episodes with duplicate parts."""
    differences: int
    """Number of differences that `verify` found."""


class Writers:
    """The writing processes of one folder, running and ended."""

    def __init__(self, *, environment: Mapping[str, str], store_dir: Path, log: TextIO) -> None:
        self._environment = environment
        self._store_dir = store_dir
        self._log = log
        self._writers: list[RunningWriter] = []
        self._killed: set[int] = set()

    @property
    def heard(self) -> tuple[Acknowledged, ...]:
        """Every acknowledgement so far."""
        return tuple(item for writer in self._writers for item in writer.heard)

    async def start(self) -> None:
        """Starts another writer."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "r_memory_lab.bench.writer",
            f"w{len(self._writers)}",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._log,
            env=dict(self._environment),
        )
        heard: list[Acknowledged] = []
        self._writers.append(
            RunningWriter(process=process, heard=heard, listening=asyncio.create_task(_listen(process, heard)))
        )

    def kill_host(self) -> float:
        """Kills the process that hosts the store and returns the moment.

        Raises:
            StoreUnavailable: no process hosts it.
        """
        host = announced(self._store_dir)
        living = {writer.process.pid for writer in self._writers if writer.process.returncode is None}
        if host is None or host.pid not in living:
            raise StoreUnavailable("none of the writers hosts the store; their log says why")
        os.kill(host.pid, _KILL)
        self._killed.add(host.pid)
        return time.monotonic()

    async def all_wrote(self, since: float) -> None:
        """Waits until every running writer has acknowledged `BETWEEN` writes since a moment.

        Raises:
            StoreUnavailable: the writers did not progress.
        """
        living = [writer for writer in self._writers if writer.process.pid not in self._killed]
        await self._until(lambda: all(sum(item.at > since for item in each.heard) >= BETWEEN for each in living))

    async def next_after(self, moment: float) -> float:
        """Returns the seconds until the next acknowledgement.

        Raises:
            StoreUnavailable: the writers did not progress.
        """
        await self._until(lambda: any(item.at > moment for item in self.heard))
        return min(item.at for item in self.heard if item.at > moment) - moment

    async def stop(self) -> None:
        """Lets every writer finish its present write and end."""
        for writer in self._writers:
            if writer.process.stdin is not None:
                writer.process.stdin.close()
        for writer in self._writers:
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    await writer.process.wait()
            except TimeoutError:
                writer.process.kill()
                await writer.process.wait()
            await writer.listening

    async def _until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not holds():
            if any(
                writer.process.returncode is not None and writer.process.pid not in self._killed
                for writer in self._writers
            ):
                raise StoreUnavailable("a writer ended by itself; its log says why")
            if time.monotonic() > deadline:
                raise StoreUnavailable(f"the writers did not get on within {_PATIENCE_S:g} s; their log says why")
            await asyncio.sleep(_POLL_S)


async def kill_hosts(
    environment: Mapping[str, str], *, store_dir: Path, log: Path, begin: Begin
) -> tuple[tuple[Acknowledged, ...], tuple[float, ...]]:
    """Returns all acknowledged writes, and the seconds from each kill to the next acknowledgement.

    Raises:
        StoreUnavailable: the writers did not progress; `log` says why.
    """
    waits = []
    with log.open("a", encoding="utf-8") as errors, begin("killing hosts", KILLS) as step:
        writers = Writers(environment=environment, store_dir=store_dir, log=errors)
        try:
            for _ in range(WRITERS):
                await writers.start()
            for _ in range(KILLS):
                await writers.all_wrote(time.monotonic())
                killed_at = writers.kill_host()
                await writers.start()
                waits.append(await writers.next_after(killed_at))
                step()
            await writers.all_wrote(time.monotonic())
        finally:
            await writers.stop()
    return writers.heard, tuple(waits)


async def losses(memory: Memory, store: Store, heard: Sequence[Acknowledged]) -> Losses:
    """Compares the acknowledged writes with the store."""
    space = (await memory.describe()).space
    subjects = sorted({item.subject_uid for item in heard})
    talks = Counter((item.subject_uid, item.conversation) for item in heard)
    # More than were acknowledged, so that whatever is there twice is among them.
    episodes = [each for talk, n in talks.items() for each in await store.conversation(space, *talk, limit=2 * n + 100)]
    events = [event for uid in subjects for event in await store.events(uid)]
    return Losses(
        acknowledged=len(heard),
        lost=lost(heard, episodes, events),
        doubled=doubled(episodes, events),
        differences=len((await memory.verify()).differences),
    )


def lost(heard: Iterable[Acknowledged], episodes: Iterable[Episode], events: Iterable[FactEvent]) -> tuple[str, ...]:
    """Returns acknowledged episodes that are missing or incomplete."""
    read = {episode.id for episode in episodes if episode.status is not EpisodeStatus.PENDING}
    there = {(event.episode_id, event.fact_id) for event in events}
    return tuple(
        item.episode
        for item in heard
        if item.episode not in read or any((item.episode, fact) not in there for fact in item.facts)
    )


def doubled(episodes: Iterable[Episode], events: Iterable[FactEvent]) -> tuple[str, ...]:
    """Returns episodes with duplicate words or facts; no two writes say the same."""
    said: dict[tuple[str, str], list[str]] = defaultdict(list)
    for episode in episodes:
        said[episode.subject_uid, episode.text].append(episode.id)
    facts = Counter((event.episode_id, event.fact_id) for event in events)
    twice = [id_ for (id_, _), times in facts.items() if times > 1]
    return tuple(sorted({*twice, *(id_ for ids in said.values() if len(ids) > 1 for id_ in ids)}))


def outcome(found: Losses, waits: Sequence[float]) -> CaseOutcome:
    """Returns the figures: lost and doubled writes, and the waits for a new host."""
    n = found.acknowledged
    return CaseOutcome(
        figures=(
            count(f"{WRITERS} writers, host killed {len(waits)} times: acknowledged writes", n, n),
            count("acknowledged writes lost", len(found.lost), n, aim="0"),
            count("writes doubled", len(found.doubled), n, aim="0"),
            count("differences found by verify", found.differences, n, aim="0"),
            Figure(name="longest wait for a write after a kill", value=max(waits), n=len(waits), unit="s"),
        ),
        details={"Lost": found.lost, "Doubled": found.doubled},
    )


async def _listen(process: asyncio.subprocess.Process, heard: list[Acknowledged]) -> None:
    if process.stdout is None:
        return
    async for line in process.stdout:
        told = json.loads(line)
        heard.append(
            Acknowledged(
                subject_uid=told["subject_uid"],
                conversation=told["conversation"],
                episode=told["episode"],
                facts=tuple(told["facts"]),
                at=time.monotonic(),
            )
        )
