"""Suite `lives` (T-15): allergies told once in an ordinary life, then asked for as an assistant asks, over MCP.

A life is one person with so many other statements: a diary, a ward chart, letters, or all three. They are told through
the product's Python; each request goes to a server process over standard input and output. Delivered is an allergy that
stands as a critical line in the block of a request that does not name it. All statements here are made up.
"""

import itertools
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from mcp import Client
from mcp.types import TextContent
from pydantic import Field

from r_memory.memory import Memory
from r_memory_lab.bench.timing import MS
from r_memory_lab.evals.forgetting import SaidStatement
from r_memory_lab.evals.hidden import ASKED, SUBSTANCES, TOLD
from r_memory_lab.evals.measures import Figure, percentile, share
from r_memory_lab.evals.names import hits
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow

SIZES: Mapping[int, Sequence[str]] = {
    300: ("diary", "ward chart", "letters"),
    1_000: ("diary", "ward chart", "letters"),
    10_000: ("all three",),
}
"""Number of other statements to the kinds of lives."""
HIDDEN = 10
"""Allergies of a life."""
LONGEST = 6_000
"""Most characters of a result."""
_REPEATS = 5
"""Repetitions of each request."""
_AGAIN = " Entry {}."
"""Makes equal statements of a day different, as a repetition on the same day is not stored."""
_DIARY = (
    "Blood pressure this morning {a} over {b}.", "Porridge for breakfast, then the garden.",
    "The wound on my hip looks a bit low today.", "Slept {c} hours, woke once for the bathroom.",
    "Took the tablets with breakfast as usual.", "Daughter rang, the baby has a cold.", "Weight {w} kilos.",
    "Walked to the shop and back, knees not too bad.", "A letter from the council about the bins.",
    "Lunch was soup and a bit of cheese.", "Sugar was {s} before supper.", "Rain all day, did the crossword.",
    "The physio came at {c} and we did the stairs.", "Neighbour brought eggs from his hens.",
    "Felt dizzy getting up, sat down again.", "Watched the news, then bed at {c}.", "The cat was sick on the carpet.",
)  # fmt: skip
_WARD = (
    "{t}: BP {a}/{b}, pulse {p}, temp {f}, sats {o}% on air.", "{t}: turned to the left side, skin intact.",
    "{t}: paracetamol 1 g given as charted.", "{t}: urine output {u} ml.", "{t}: settled, no pain reported.",
    "{t}: drank {u} ml of water, ate half of lunch.", "{t}: cannula site clean, flushed.", "{t}: walked with help.",
    "{t}: blood glucose {s} mmol/L.", "{t}: enoxaparin 40 mg given.", "{t}: dressing changed, small amount of ooze.",
    "{t}: refused supper, had a yoghurt.", "{t}: family visited.", "{t}: nausea after tea, settled by itself.",
)  # fmt: skip
_LETTERS = (
    "Thank you for seeing this patient again. The wound has healed and the clips are out. We meet in {c} weeks.",
    "Seen on day {n}. Blood pressure {a}/{b}, weight {w} kg. The echo is good. Please go on with bisoprolol 2.5 mg.",
    "The X-ray of day {n} shows no fracture. Physiotherapy was arranged. The patient is discharged to your care.",
    "Blood results of day {n}: haemoglobin {h}, creatinine {u}. Please repeat them in {c} weeks.",
    "The appointment of day {n} was missed. A new one has been sent.",
    "Thank you for your referral. There is no sign of infection. I suggest ibuprofen gel and rest for {c} days.",
)
_KINDS: Mapping[str, Sequence[str]] = {
    "diary": _DIARY,
    "ward chart": _WARD,
    "letters": _LETTERS,
    "all three": (*_DIARY, *_WARD, *_LETTERS),
}


class Life(DataRow):
    """One person, what is said about them, and what is asked."""

    kind: str
    size: int
    substances: tuple[str, ...]
    requests: tuple[str, ...]
    """One request for each substance."""
    said: tuple[SaidStatement, ...] = Field(exclude=True, repr=False)


class LifeRequests(DataRow):
    """The results of a life's requests."""

    kind: str
    size: int
    delivered: Mapping[str, bool]
    """Substance to whether it was in the block of its request."""
    longest: int
    """Characters of the longest result."""
    errors: int
    first_ms: float
    """Milliseconds of the first request about the subject, which compares all statements."""
    times_ms: tuple[float, ...]
    """Milliseconds of all later requests."""
    unread: int
    """Number of waiting statements."""


def rows(data: Path) -> tuple[Life, ...]:
    """Returns the lives; deterministic, the folder is not read."""
    del data
    return lives(SIZES)


def lives(sizes: Mapping[int, Sequence[str]]) -> tuple[Life, ...]:
    """Returns a life of each kind and size."""
    return tuple(_life(kind, size) for size, kinds in sizes.items() for kind in kinds)


async def run(
    memory: Memory, all_lives: Sequence[Life], done: Callable[[], None], *, client: Client
) -> tuple[LifeRequests, ...]:
    """Stores each life and sends its requests over MCP."""
    heard = []
    for life in all_lives:
        for number, statement in enumerate(life.said):
            await memory.remember(
                statement.text,
                subject=life.id,
                subject_name=f"Person {life.id}",
                speaker=statement.speaker,
                idempotency_key=f"{life.id}/{number}",
            )
        heard.append(await _asked(client, life))
        done()
    return tuple(heard)


def outcome(all_lives: Sequence[Life], findings: Sequence[LifeRequests]) -> CaseOutcome:
    """Returns delivered allergies, the longest result and the times, by life."""
    del all_lives  # findings hold what is counted
    figures: list[Figure] = []
    groups: dict[str, list[Figure]] = {}
    for finding in findings:
        name = f"{finding.kind}, {finding.size:,}"
        whole, calls = list(finding.delivered.values()), len(finding.times_ms) + 1
        figures += [
            share(f"{name}: allergies delivered", whole.count(True), len(whole), aim="1"),
            Figure(
                name=f"{name}: longest result, characters",
                value=finding.longest,
                n=len(finding.times_ms) + 1,
                aim=f"<= {LONGEST}",
            ),
        ]
        groups[name] = [
            Figure(name="calls that failed", value=finding.errors, n=calls, aim="0"),
            Figure(name="statements that wait", value=finding.unread, n=finding.size),
            Figure(name="the first context", value=finding.first_ms, n=1, unit=MS),
            Figure(name="a context, p50", value=percentile(finding.times_ms, 0.5), n=len(finding.times_ms), unit=MS),
            Figure(name="a context, p95", value=percentile(finding.times_ms, 0.95), n=len(finding.times_ms), unit=MS),
        ]
    missed = [f"{finding.id}: {name}" for finding in findings for name, found in finding.delivered.items() if not found]
    return CaseOutcome(figures=tuple(figures), groups=groups, details={"Not delivered": missed})


def _life(kind: str, size: int) -> Life:
    chance = random.Random(f"lives/{kind}/{size}")
    said = [
        SaidStatement(speaker="patient" if kind == "diary" else "nurse", text=text)
        for text in _others(kind, size, chance)
    ]
    hidden = [
        name
        for name in chance.sample(SUBSTANCES, len(SUBSTANCES))
        if not any(name in statement.text for statement in said)
    ]
    substances = tuple(hidden[:HIDDEN])
    for name in substances:
        # In the first half: what was told yesterday is no feat.
        said.insert(
            chance.randrange(size // 2), SaidStatement(speaker="patient", text=chance.choice(TOLD).format(name))
        )
    return Life(
        id=f"{kind.replace(' ', '-')}-{size}",
        kind=kind,
        size=size,
        substances=substances,
        requests=tuple(chance.choice(ASKED) for _ in substances),
        said=tuple(said),
    )


def _others(kind: str, size: int, chance: random.Random) -> Iterator[str]:
    for number, text in enumerate(itertools.islice(itertools.cycle(_KINDS[kind]), size)):
        filled = text.format(
            a=chance.randrange(105, 165), b=chance.randrange(60, 95), c=chance.randrange(2, 12), n=number,
            w=chance.randrange(60, 90), s=chance.randrange(4, 12), p=chance.randrange(58, 100),
            f=f"36.{chance.randrange(10)}", o=chance.randrange(93, 100), u=chance.randrange(50, 400),
            h=chance.randrange(95, 150), t=f"{chance.randrange(24):02}:{chance.randrange(60):02}",
        )  # fmt: skip
        yield filled + _AGAIN.format(number)


async def _asked(client: Client, life: Life) -> LifeRequests:
    delivered: dict[str, bool] = {}
    times: list[float] = []
    longest = errors = unread = 0
    for request, substance in (*zip(life.requests, life.substances, strict=True),) * _REPEATS:
        began = time.perf_counter()
        answer = await client.call_tool("memory_build_context", {"query": request, "subject": life.id})
        times.append((time.perf_counter() - began) * 1_000)
        text = "".join(part.text for part in answer.content if isinstance(part, TextContent))
        longest, errors = max(longest, len(text)), errors + bool(answer.is_error)
        content = answer.structured_content or {}
        unread = content.get("unread", 0)
        delivered[substance] = delivered.get(substance, True) and _stands(substance, content.get("block", ""))
    return LifeRequests(
        id=life.id,
        kind=life.kind,
        size=life.size,
        delivered=delivered,
        longest=longest,
        errors=errors,
        first_ms=times[0],
        times_ms=tuple(times[1:]),
        unread=unread,
    )


_RISK = re.compile(r"^(?:UNCONFIRMED: |DISPUTED[^:]*: )?CRITICAL|^(?:UNCONFIRMED: )?INTOLERANCE")


def _stands(substance: str, block: str) -> bool:
    """Whether a line of the block states the risk; quoted waiting words do not count."""
    lines = (line.partition(" said ")[0] for line in block.splitlines() if _RISK.match(line))
    return any(hits(line, [substance]) for line in lines)
