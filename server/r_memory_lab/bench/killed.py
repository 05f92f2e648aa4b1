"""Part `killed`: processes are killed at random moments of each step, and what they left is looked at.

A process is killed (SIGKILL) after a random share of the time that the step takes. On the embedded store every tenth
hosts the store itself. Then everybody is asked about, `verify` looks, the same call is made again, and both look again.
"""

import asyncio
import itertools
import json
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TextIO, TypeAlias

from r_memory.config.settings import Settings
from r_memory.domain.changes import requested
from r_memory.domain.knowledge import Knowledge
from r_memory.errors import StoreError, StoreUnavailable, SubjectUnknown
from r_memory.reading.reader import Reader
from r_memory.space.integrity import verify_space
from r_memory.space.space import Space
from r_memory.store.cypher_store import CypherStore
from r_memory.store.queries import parse_query
from r_memory.wiring import open_bolt
from r_memory.wiring.language import open_reader
from r_memory_lab.bench.kills import Acknowledged, doubled, lost
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.steps import ALONE, ERASED, KEPT, STEPS, WRITERS, opened, told
from r_memory_lab.evals.measures import Figure, count
from r_memory_lab.evals.outcomes import CaseOutcome

KILLS = 120
HOSTED_EVERY = 10
_ANEW = 50
"""One of so many is not killed, for the time that the step takes now."""
_REQUEST = "Recommend the standard first-line antibiotic for strep throat."
_TELLING = {"remember": (ALONE,), "together": WRITERS}
"""Steps that write one statement after another, with their patients."""
_BEYOND = 1.1
"""The latest kill, as a share of the time of the step."""
_LIMIT_S = 120.0
_WAITS = "waits"
_NO_PACK = Knowledge(name="none", version="none")
"""Of the knowledge pack, which no step writes, `verify` compares only its own version."""
_QUERIES = Path(__file__).parent / "cypher"
Answer: TypeAlias = "Counter[tuple[str, ...]] | None"
"""What is told of somebody: facts and waiting words; `None` if the read says that it could not check."""
NOBODY: Answer = Counter([("nobody",)])


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftBehind:
    """What reads and `verify` say of the space."""

    answers: Mapping[tuple[str, str], Answer]
    """By patient and kind of read."""
    whole: bool
    """Whether `verify` found no difference."""
    records: int
    waits: bool
    """Whether an unfinished decision waits for a person."""


@dataclass(slots=True, kw_only=True)
class Harm:
    """What was found after the kills of one step."""

    kills: int = 0
    hosts: int = 0
    """Kills of a process that hosted the store."""
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    half: int = 0
    """States that were refused, or named by `verify` or by what waits."""
    unnamed: list[str] = field(default_factory=list)
    unended: list[str] = field(default_factory=list)
    """Kills after which the same call did not end what was begun."""


def is_named(look: LeftBehind, before: LeftBehind, after: LeftBehind) -> bool:
    """Whether nobody who reads can take what was left for whole, unless it is as before the step or as after it."""
    told = {whom: answer for whom, answer in look.answers.items() if answer is not None}
    same = any(all(answer == end.answers[whom] for whom, answer in told.items()) for end in (before, after))
    return look.waits or same


def _is_told(look: LeftBehind, step: str, before: LeftBehind, after: LeftBehind) -> bool:
    if step in _TELLING:
        return is_part(look, after)
    hidden = step == "import" and look.whole and look.records not in {before.records, after.records}
    return is_named(look, before, after) and not hidden


def is_half(look: LeftBehind, after: LeftBehind) -> bool:
    """Whether it is named that something has not ended; words that wait after the whole step too are no such sign."""
    unread = any(
        row[0] == _WAITS and number > (after.answers.get(whom) or Counter())[row]
        for whom, answer in look.answers.items()
        for row, number in (answer or Counter()).items()
    )
    return look.waits or unread or not look.whole or None in look.answers.values()


def is_part(look: LeftBehind, after: LeftBehind) -> bool:
    """Whether every answer holds nothing but what will be told once all is written, and words that wait to be read."""
    return all(
        row[0] == _WAITS or number <= (after.answers[whom] or Counter())[row]
        for whom, answer in look.answers.items()
        if answer != NOBODY
        for row, number in (answer or Counter()).items()
    )


def missing(look: LeftBehind, after: LeftBehind) -> int:
    """Returns how many facts and waiting words lack that must be there."""
    return sum(((after.answers[whom] or Counter()) - (answer or Counter())).total() for whom, answer in _rows(look))


def beyond(look: LeftBehind, after: LeftBehind) -> int:
    """Returns how many facts and waiting words are there too often."""
    return sum(((answer or Counter()) - (after.answers[whom] or Counter())).total() for whom, answer in _rows(look))


def _rows(look: LeftBehind) -> Sequence[tuple[tuple[str, str], Answer]]:
    return list(look.answers.items())


class Forker:
    """The process that forks those which are killed."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def died(self, step: str, file: Path, after_s: float | None) -> Mapping[str, Any]:
        """Runs a step in a process and kills it after so many seconds, if it has not ended; `None` lets it end.

        Raises:
            StoreUnavailable: the step failed by itself, or nothing can be forked here.
        """
        order = {"step": step, "file": str(file), "after_s": after_s}
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.write(f"{json.dumps(order)}\n".encode())
        await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        death: Mapping[str, Any] = json.loads(line) if line else {"status": 1}
        if death["status"] > 0:
            raise StoreUnavailable(f"a process ended by itself in the step '{step}'; killed.log says why")
        return death


@asynccontextmanager
async def dying(environment: Mapping[str, str], log: TextIO) -> AsyncIterator[Forker]:
    """Yields the process that forks, which ends with the context."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "r_memory_lab.bench.dying",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
        env=dict(environment),
    )
    try:
        yield Forker(process)
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


class Killing:
    """One space of one store, in which processes are killed."""

    def __init__(self, settings: Settings, reader: Reader, deaths: Forker, file: Path, chance: random.Random) -> None:
        """`file` is where an export of the space goes."""
        self._settings = settings
        self._reader = reader
        self._deaths = deaths
        self._file = file
        self._chance = chance
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def seed(self) -> None:
        """Records something about two patients and exports it, for the steps that need it."""
        await self._query("empty_space")
        for patient in (ERASED, KEPT):
            await told(self._space(), patient, lambda _: None)
            recall = self._space().facts.recalling
            await recall.recorded(await recall.unrecorded(_REQUEST, subject=patient), "")
        await self._space().export(self._file)

    async def kill(self, step: str, kills: int, done: Callable[[], None]) -> Harm:
        """Kills processes in one step, and returns what was found."""
        harm = Harm()
        before, after, lasted = await self._whole(step)
        numbers = itertools.count()
        while harm.kills < kills:
            number = next(numbers)
            hosted = self._settings.embedded and number % HOSTED_EVERY == HOSTED_EVERY - 1
            await self._begun(step)
            if hosted:
                await self._stack.aclose()
            after_s = None if number % _ANEW == _ANEW - 2 else self._chance.uniform(0, _BEYOND * lasted)
            death = await self._deaths.died(step, self._file, after_s)
            if hosted:
                await self._open()
            if death["status"] < 0:
                harm.kills += 1
                harm.hosts += hosted
                done()
            else:
                lasted = death["lasted_s"]
            name = f"{step} {number} after {death['lasted_s'] * 1000:.1f} ms"
            await self._judge(harm, name, step, death["done"], before, after)
        return harm

    async def _judge(
        self, harm: Harm, name: str, step: str, acks: Sequence[Mapping[str, Any]], before: LeftBehind, after: LeftBehind
    ) -> None:
        """Looks at what is there, makes the same call again, and looks again."""
        heard = [Acknowledged(at=0.0, **{**ack, "facts": tuple(ack["facts"])}) for ack in acks if ack]
        look = await self._look(step)
        if not _is_told(look, step, before, after):  # what was sent may be committed a moment after its sender died
            look = await self._look(step)
        harm.unnamed += [name] * (not _is_told(look, step, before, after))
        harm.half += is_half(look, after)
        gone, _ = await self._compared(heard)
        harm.lost += [f"{name}: {episode}" for episode in gone]
        if step not in _TELLING and acks and look.answers != after.answers:
            harm.lost.append(f"{name}: the step itself")
        await STEPS[step](self._space(), self._file, lambda _: None)
        end = await self._look(step)
        _, twice = await self._compared(heard)
        kept = [answer for (_, kind), answer in _rows(after) if kind == "list" and answer and answer != NOBODY]
        harm.acknowledged += len(acks) + (0 if step in _TELLING else sum(answer.total() for answer in kept))
        harm.lost += [f"{name}: after the same call"] * (missing(end, after) > 0)
        harm.doubled += [f"{name}: {what}" for what in twice or ["facts"] * (beyond(end, after) > 0)]
        if not end.whole or end.waits or end.answers != after.answers:
            harm.unended.append(name)

    async def _compared(self, heard: Sequence[Acknowledged]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns what was acknowledged and is lost, and what is there twice."""
        subjects = sorted({item.subject_uid for item in heard})
        episodes = [item for uid in subjects for item in await self._store.episodes(self._settings.space, uid)]
        events = [event for uid in subjects for event in await self._store.events(uid)]
        return lost(heard, episodes, events), doubled(episodes, events)

    async def _whole(self, step: str) -> tuple[LeftBehind, LeftBehind, float]:
        """Returns what is there before and after a step that nobody kills, and its seconds.

        Raises:
            StoreUnavailable: even then it is not whole.
        """
        await self._begun(step)
        before = await self._look(step)
        lasted: float = (await self._deaths.died(step, self._file, None))["lasted_s"]
        after = await self._look(step)
        if is_half(after, after):
            raise StoreUnavailable(f"the step '{step}' leaves differences though nobody is killed; run its tests")
        return before, after, lasted

    async def _begun(self, step: str) -> None:
        """Prepares the space for a step."""
        await self._query("empty_space")
        if step in {"rebuild", "forget", "reconcile"}:
            await self._space().import_(self._file)
        if step == "rebuild":
            await self._query("drop_state")

    async def _look(self, step: str) -> LeftBehind:
        people, space = _TELLING.get(step, (ERASED, KEPT)), self._space()
        answers: dict[tuple[str, str], Answer] = {}
        waits = False
        for patient in people:
            answers[patient, "context"] = await _context(space, patient)
            answers[patient, "list"], wishes = await _listed(space, patient)
            waits |= wishes
        schema, kinds = self._reader.schema, self._reader.with_kinds
        found = await verify_space(self._store, schema, _NO_PACK, self._settings.space, named=kinds)
        return LeftBehind(answers=answers, whole=found.whole, records=found.records, waits=waits)

    async def _query(self, name: str) -> None:
        path = _QUERIES / f"{name}.cypher"
        query = parse_query(f"bench/{name}", path.read_text(encoding="utf-8"))
        async with open_bolt(self._settings, limit_s=_LIMIT_S) as bolt:
            await bolt.run(query, {"space": self._settings.space})

    async def _open(self) -> None:
        self._store: CypherStore
        self._space: Callable[[], Space]
        self._store, self._space = await self._stack.enter_async_context(opened(self._settings, self._reader))


async def _context(space: Space, patient: str) -> Answer:
    """What a request about somebody is told."""
    try:
        recall = await space.facts.recalling.unrecorded(_REQUEST, subject=patient)
    except SubjectUnknown:
        return NOBODY
    except StoreError:
        return None
    if not recall.complete:
        return None
    waiting = [(_WAITS, episode.text) for episode in recall.pending if requested(episode) is None]
    lines = [(line.fact.relation, line.fact.object.name, line.fact.status.value) for line in recall.lines]
    return Counter([*lines, *waiting])


async def _listed(space: Space, patient: str) -> tuple[Answer, bool]:
    """What is listed of somebody, and whether an unfinished decision waits."""
    try:
        page = await space.facts.lists.list_facts(subject=patient)
    except SubjectUnknown:
        return NOBODY, False
    except StoreError:
        return None, False
    wishes = [episode for episode in page.pending if requested(episode) is not None]
    if page.failed:
        return None, bool(wishes)
    waiting = [(_WAITS, episode.text) for episode in page.pending if episode not in wishes]
    facts = [(fact.relation, fact.object.name, fact.status.value) for fact in page.facts]
    return Counter([*facts, *waiting]), bool(wishes)


async def killed(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    steps: Sequence[str],
    kills: int,
    store_name: str,
    folder: Path,
    seed: int,
    begin: Begin,
) -> CaseOutcome:
    """Kills processes in the steps, as many in each, in the prepared store of these settings.

    Raises:
        StoreUnavailable: a step failed by itself; `killed.log` in the folder says why.
    """
    reader = await asyncio.to_thread(open_reader, settings)
    found: dict[str, Harm] = {}
    chance = random.Random(seed)
    file = folder / f"killed-{'embedded' if settings.embedded else 'server'}.jsonl"
    with (folder / "killed.log").open("a", encoding="utf-8") as log:
        async with dying(environment, log) as deaths, Killing(settings, reader, deaths, file, chance) as killing:
            await killing.seed()
            for place, step in enumerate(steps):
                own = kills // len(steps) + (place < kills % len(steps))
                with begin(f"killing in {step}, {store_name}", own) as done:
                    found[step] = await killing.kill(step, own, done)
    return outcome(found, store_name)


def outcome(found: Mapping[str, Harm], store_name: str) -> CaseOutcome:
    """Returns the figures of all steps together, and of each."""
    together = Harm()
    for harm in found.values():
        for name in Harm.__dataclass_fields__:
            setattr(together, name, getattr(together, name) + getattr(harm, name))
    details = {
        f"{title}, {store_name}": names
        for title, names in (
            ("Lost", together.lost),
            ("Doubled", together.doubled),
            ("Half and unnamed", together.unnamed),
            ("Not ended", together.unended),
        )
    }
    return CaseOutcome(
        figures=_figures(together, store_name),
        groups={f"{step}, {store_name}": _figures(harm, store_name) for step, harm in found.items()},
        details=details,
    )


def _figures(harm: Harm, store_name: str) -> tuple[Figure, ...]:
    kills = harm.kills
    return (
        count(f"kills, {store_name}", kills, kills),
        count("of these, of a process that hosted the store", harm.hosts, kills),
        count(f"acknowledged facts and steps lost, {store_name}", len(harm.lost), harm.acknowledged, aim="0"),
        count(f"doubled, {store_name}", len(harm.doubled), harm.acknowledged, aim="0"),
        count("half states that reads, `verify` or `review` name", harm.half, kills),
        count(f"half states unnamed, {store_name}", len(harm.unnamed), kills, aim="0"),
        count(f"not ended by the same call, {store_name}", len(harm.unended), kills, aim="0"),
    )
