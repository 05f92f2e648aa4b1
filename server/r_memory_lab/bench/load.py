"""Part `load`: the same words give the same facts on a busy machine as on a quiet one.

The sentences are read beside busy processes first, so that nothing is remembered of a quiet reading.
"""

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from r_memory.domain.facts import Fact
from r_memory.errors import InvalidInput
from r_memory.facts.remember.results import Remembered
from r_memory.memory import Memory
from r_memory.protocols import unhurried
from r_memory_lab.bench.parts import Begin
from r_memory_lab.evals.measures import count
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.teaching.corpus import read_file
from r_memory_lab.teaching.splits import HELD_OUT

SENTENCES = 500
BESIDE = 20
_BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
"""Ends with whoever started it."""
Reading: TypeAlias = tuple[tuple[str, ...], ...]
"""What came of a sentence, in order: facts with status and attributes, and what waits or was rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutSentence:
    """One sentence that nothing was taught with."""

    id: str
    text: str
    speaker: str


def sentences_of(corpus: Path, domain: str, number: int, *, seed: int) -> tuple[HeldOutSentence, ...]:
    """Returns as many held-out sentences of a domain, drawn by chance.

    Raises:
        InvalidInput: the corpus has fewer.
    """
    files = [file for name in sorted(HELD_OUT) if (file := corpus / f"{name}.jsonl").parent.name == domain]
    lines = [line for file in files if file.exists() for line in read_file(file)[0]]
    if len(lines) < number:
        raise InvalidInput(
            f"{corpus} has {len(lines)} held-out sentences of {domain}; say with --corpus where they lie"
        )
    drawn = random.Random(seed).sample(lines, number)
    return tuple(
        HeldOutSentence(id=f"{line.file}:{line.number}", text=line.text, speaker=line.speaker) for line in drawn
    )


async def load(
    told: Sequence[HeldOutSentence],
    opened: Callable[[str], AbstractAsyncContextManager[Memory]],
    *,
    beside: int,
    begin: Begin,
) -> CaseOutcome:
    """Reads the sentences beside busy processes and without, each time in another store, and compares.

    `opened` opens an empty memory by a name.
    """
    async with busy(beside):
        loaded = await _readings(told, opened, f"beside {beside} busy processes", begin)
    quiet = await _readings(told, opened, "alone", begin)
    return outcome(told, quiet, loaded, beside)


@asynccontextmanager
async def busy(number: int) -> AsyncIterator[None]:
    """Keeps so many processes computing."""
    processes = [await asyncio.create_subprocess_exec(sys.executable, "-c", _BUSY) for _ in range(number)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            await process.wait()


async def _readings(
    told: Sequence[HeldOutSentence],
    opened: Callable[[str], AbstractAsyncContextManager[Memory]],
    how: str,
    begin: Begin,
) -> list[Reading]:
    readings = []
    async with opened(f"load {how}".replace(" ", "-")) as memory:
        with unhurried(), begin(f"reading {how}", len(told)) as step:  # a slow store is measured elsewhere
            for number, sentence in enumerate(told):
                patient = f"L{number}"
                heard = await memory.remember(
                    sentence.text, subject=patient, subject_name=f"Patient {number}", speaker=sentence.speaker
                )
                readings.append(reading(heard))
                step()
    return readings


def reading(heard: Remembered) -> Reading:
    """Returns what came of a sentence, without what differs each time (ids and times)."""
    results = sorted(
        (result.verdict, result.reason, result.relation, result.object, result.text, *_stated(result.fact))
        for result in heard.results
    )
    routes = [(taken.extractor, taken.failed, taken.alone) for taken in heard.routes]
    return (*results, *routes, ("waiting", str(heard.pending)))


def _stated(fact: Fact | None) -> tuple[str, ...]:
    if fact is None:
        return ()
    attributes = [f"{name}={value}" for name, value in sorted(fact.attrs.items())]
    return (
        fact.relation,
        fact.object.name,
        fact.status.value,
        fact.evidence,
        *map(str, sorted(fact.flags)),
        *attributes,
    )


def outcome(
    told: Sequence[HeldOutSentence], quiet: Sequence[Reading], loaded: Sequence[Reading], beside: int
) -> CaseOutcome:
    """Returns how many sentences gave the same, and the ids of the others."""
    pairs = list(zip(told, quiet, loaded, strict=True))
    others = [sentence.id for sentence, alone, busied in pairs if alone != busied]
    stored = sum(any(part[0] == "stored" for part in alone) for alone in quiet)
    n = len(pairs)
    return CaseOutcome(
        figures=(
            count(
                f"the same facts, statuses and waiting words beside {beside} busy processes",
                n - len(others),
                n,
                aim=f"{n}",
            ),
            count("sentences that gave a fact, alone", stored, n),
        ),
        details={"Read otherwise": others},
    )
