"""Suite `forgetting` (T-15): one allergy among many other statements; summaries, retrieval and facts look for it.

The other statements are LoCoMo's turns and the allergy dialogues where the data hold them, otherwise made-up talk. They
name none of the hidden substances. A miss is counted where the substance is not in what a system puts before a model:
the summary, the items found, or the lines of the safety block. Nobody is asked for an answer.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from r_memory.domain.facts import Status
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory_lab.bench.gossip import gossip
from r_memory_lab.evals.hidden import ASKED, SUBSTANCES, TOLD
from r_memory_lab.evals.locomo import TURNS, LocomoTurn
from r_memory_lab.evals.measures import Figure, share
from r_memory_lab.evals.names import hits, plain
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.retrieval import ToldConversation, tell
from r_memory_lab.evals.rolling import Rolling, rollings
from r_memory_lab.evals.rows import DataRow, read_rows
from r_memory_lab.scorings import COMPARED
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn

DIALOGUES = "allergy/dialogues.jsonl"
RUNS: Mapping[int, tuple[int, int]] = {10: (15, 10), 50: (10, 15), 100: (5, 30), 1_000: (2, 75), 10_000: (1, 100)}
"""Number of other statements to the number of runs, and of hidden allergies in each."""
ALLERGIES = frozenset({"HAS_ALLERGY_TO", "HAS_INTOLERANCE_TO", "HAS_CONTRAST_ALLERGY"})
SEARCHES = {
    "RAG top-5": ("rag", 5),
    "similarity top-10": ("naive", 10),
    "words (BM25) top-10": ("words", 10),
    "profile default top-6": ("default", 6),
    "last 20 statements": ("last_window", 20),
}
"""Name to scoring and number of items."""
OURS = "r-memory"
_MINUTE = 60_000
_HOW = (
    "Allergies of one run share the same other statements. A search leaves out the other hidden ones, each summary is "
    "made with one of them, and r-memory has all of a run in one patient."
)


class Speakers(DataRow):
    """Who says what."""

    turns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidStatement:
    """Something that is said, and by whom."""

    speaker: str
    text: str


class ForgettingTrial(DataRow):
    """One hidden allergy."""

    size: int
    """Number of other statements."""
    run: int
    """Trials of a run are hidden among the same statements."""
    substance: str
    told: str
    asked: str
    place: int
    """Number of other statements that are told before it."""
    others: tuple[SaidStatement, ...] = Field(exclude=True, repr=False)


class SystemFinding(DataRow):
    """The systems that found a trial's allergy."""

    size: int
    found: Mapping[str, bool]


def rows(data: Path) -> tuple[ForgettingTrial, ...]:
    """Returns the trials; deterministic for the same data.

    Raises:
        InvalidInput: the data have another form, or hold too few statements.
    """
    pool = statements(data)
    if len(pool) < min(RUNS):
        raise InvalidInput(f"{data} holds {len(pool)} statements; give {min(RUNS)} or more, or none for made-up talk")
    return trials(pool, RUNS)


def trials(pool: Sequence[SaidStatement], runs: Mapping[int, tuple[int, int]]) -> tuple[ForgettingTrial, ...]:
    """Returns trials over a pool of statements; sizes beyond the pool are left out."""
    said = f" {' '.join(plain(statement.text) for statement in pool)} "
    free = [name for name in SUBSTANCES if plain(name) not in said]
    return tuple(
        trial
        for size, (times, hidden) in runs.items()
        if size <= len(pool)
        for run in range(times)
        for trial in _run(pool, free, size, run, hidden)
    )


def statements(data: Path) -> tuple[SaidStatement, ...]:
    """Returns the other statements: of the data, else made up."""
    found: list[SaidStatement] = []
    if (data / TURNS).exists():
        turns = read_rows(data / TURNS, LocomoTurn)
        found += [SaidStatement(speaker=turn.speaker, text=turn.text) for turn in turns if turn.text.strip()]
    if (data / DIALOGUES).exists():
        talks = read_rows(data / DIALOGUES, Speakers)
        found += [SaidStatement(speaker=who, text=text) for talk in talks for who, text in talk.turns if text.strip()]
    return tuple(found) or _made_up()


async def run(
    memory: Memory, all_trials: Sequence[ForgettingTrial], done: Callable[[], None]
) -> tuple[SystemFinding, ...]:
    """Runs every trial on every system."""
    found: list[SystemFinding] = []
    for (size, number), group in itertools.groupby(all_trials, key=lambda trial: (trial.size, trial.run)):
        hidden = list(group)
        by_system = {
            **await _by_search(memory.talk.stream, hidden),
            **await _by_summaries(rollings(), hidden),
            OURS: await _by_facts(memory, f"{size}-{number}", hidden),
        }
        for place, trial in enumerate(hidden):
            found.append(
                SystemFinding(id=trial.id, size=size, found={name: hits_[place] for name, hits_ in by_system.items()})
            )
            done()
    return tuple(found)


def outcome(all_trials: Sequence[ForgettingTrial], findings: Sequence[SystemFinding]) -> CaseOutcome:
    """Returns the miss rate of every system at every size."""
    del all_trials  # findings hold what is counted
    sizes = sorted({row.size for row in findings})
    systems = list(dict.fromkeys(name for row in findings for name in row.found))
    missed = [row.id for row in findings if not row.found.get(OURS)]
    return CaseOutcome(
        figures=tuple(_missed(findings, OURS, size, aim="0") for size in sizes),
        groups={name: [_missed(findings, name, size) for size in sizes] for name in systems if name != OURS},
        details={f"Missed by {OURS}": missed},
        notes=(_HOW,),
    )


def _missed(findings: Sequence[SystemFinding], name: str, size: int, *, aim: str = "") -> Figure:
    of_size = [row.found[name] for row in findings if row.size == size]
    return share(f"{name}: missed among {size:,}", of_size.count(False), len(of_size), aim=aim)


def _run(
    pool: Sequence[SaidStatement], free: Sequence[str], size: int, run: int, hidden: int
) -> Iterator[ForgettingTrial]:
    chance = random.Random(f"forgetting/{size}/{run}")
    start = chance.randrange(len(pool) - size + 1)
    others = tuple(pool[start : start + size])
    for number, substance in enumerate(chance.sample(free, min(hidden, len(free)))):
        yield ForgettingTrial(
            id=f"{size}/{run}/{number}",
            size=size,
            run=run,
            substance=substance,
            told=chance.choice(TOLD).format(substance),
            asked=chance.choice(ASKED),
            place=chance.randrange(size + 1),
            others=others,
        )


def _made_up() -> tuple[SaidStatement, ...]:
    return tuple(SaidStatement(speaker=who, text=text) for who, text in itertools.islice(gossip(1), max(RUNS)))


def in_order(hidden: Sequence[ForgettingTrial]) -> Iterator[tuple[SaidStatement, ForgettingTrial | None]]:
    """Yields all statements of a run, with each hidden allergy at the place of its trial."""
    by_place: dict[int, list[ForgettingTrial]] = {}
    for trial in hidden:
        by_place.setdefault(trial.place, []).append(trial)
    others = hidden[0].others
    for place in range(len(others) + 1):
        for trial in by_place.get(place, ()):
            yield SaidStatement(speaker="patient", text=trial.told), trial
        if place < len(others):
            yield others[place], None


async def _by_search(stream: Stream, hidden: Sequence[ForgettingTrial]) -> dict[str, list[bool]]:
    name = f"{hidden[0].size}/{hidden[0].run}"
    turns = tuple(
        NewTurn(
            conversation=name,
            observation=item.text,
            speaker=item.speaker,
            said_at=number * _MINUTE,
            key=f"hidden/{trial.id}" if trial else f"other/{name}/{number}",
        )
        for number, (item, trial) in enumerate(in_order(hidden))
    )
    await tell(stream, ToldConversation(name=name, turns=turns))
    keys, now = {f"hidden/{trial.id}" for trial in hidden}, len(turns) * _MINUTE
    return {
        system: [await _found(stream, name, trial, keys, scoring, k, now) for trial in hidden]
        for system, (scoring, k) in SEARCHES.items()
    }


async def _found(
    stream: Stream, conversation: str, trial: ForgettingTrial, keys: set[str], scoring: str, k: int, now: int
) -> bool:
    own = f"hidden/{trial.id}"
    found = await stream.search(
        trial.asked, conversation=conversation, scoring=COMPARED[scoring], k=k, without=keys - {own}, now=now
    )
    return own in {hit.item.id for hit in found.chosen}


async def _by_summaries(kinds: Mapping[str, Rolling], hidden: Sequence[ForgettingTrial]) -> dict[str, list[bool]]:
    return {name: await _kept(rolling, hidden) for name, rolling in kinds.items()}


async def _kept(rolling: Rolling, hidden: Sequence[ForgettingTrial]) -> list[bool]:
    """Returns whether each summary still names its substance at the end.

    A summary that lost it never regains it, so it is followed only until then, from the hidden statement on.
    """
    others = hidden[0].others
    starts = {0: rolling}
    state = rolling
    for place in range(0, len(others), rolling.batch):
        starts[place] = state
        state = await state.heard([other.text for other in others[place : place + rolling.batch]])
    return [await _still_named(starts, rolling.batch, trial) for trial in hidden]


async def _still_named(starts: Mapping[int, Rolling], batch: int, trial: ForgettingTrial) -> bool:
    first = min(trial.place // batch * batch, max(starts))
    state, words = starts[first], [other.text for other in trial.others]
    words.insert(trial.place, trial.told)
    for place in range(first, len(words), batch):
        state = await state.heard(words[place : place + batch])
        if not hits(state.text, [trial.substance]):
            return False
    return True


async def _by_facts(memory: Memory, patient: str, hidden: Sequence[ForgettingTrial]) -> list[bool]:
    for number, (item, _) in enumerate(in_order(hidden)):
        await memory.remember(
            item.text,
            subject=patient,
            subject_name=f"Patient {patient}",
            speaker=item.speaker,
            conversation_id=patient,
            idempotency_key=f"{patient}/{number}",
        )
    return [await _shown(memory, patient, trial) for trial in hidden]


async def _shown(memory: Memory, patient: str, trial: ForgettingTrial) -> bool:
    recall = await memory.build_context(trial.asked, subject=patient)
    return any(
        line.fact.relation in ALLERGIES
        and line.fact.status in {Status.ACTIVE, Status.UNCONFIRMED}
        and hits(line.fact.object.name, [trial.substance])
        for line in recall.lines
    )
