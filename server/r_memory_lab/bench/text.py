"""Part `text`: how the time to read a text grows with it, over texts made to be hard to read.

A reader that takes time in proportion to its text has the exponent 1; what one call may hold up follows from it.
"""

import asyncio
import gc
import itertools
import math
import random
import statistics
import string
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from r_memory.memory import Memory
from r_memory.serving.server import TURN_S
from r_memory_lab.bench.parts import Begin
from r_memory_lab.evals.measures import Figure, percentile
from r_memory_lab.evals.outcomes import CaseOutcome

SIZES = (1_000, 2_000, 4_000, 8_000)
AIM_MS = "<= 250 ms"
OPENING = "I am allergic to "
_SHOWN = 10
"""Slowest texts among the first figures."""
_TOLD = (
    "I took {} for years and it never did me any harm.",
    "They gave me {} in hospital and my face swelled up within the hour.",
    "My sister cannot have {}, but I am fine with it.",
    "Is it safe to have {} with my blood pressure?",
    "The last time I had {} was in March, when we were at the coast.",
)
_DRAWN = 20_000
"""Characters of the texts without repetition."""


def _drawn(draw: Callable[[random.Random], str]) -> str:
    """Returns a text without repetition, the same in every run."""
    chance, parts, drawn = random.Random(7), list[str](), 0
    while drawn < _DRAWN:
        parts.append(draw(chance))
        drawn += len(parts[-1])
    return "".join(parts)


def _letters(chance: random.Random, most: int) -> str:
    return "".join(chance.choices(string.ascii_lowercase, k=chance.randint(1, most)))


PATTERNS: Mapping[str, str] = {
    "prose, no sentence twice": _drawn(lambda chance: f"{chance.choice(_TOLD).format(_letters(chance, 12))} "),
    "words drawn by chance": _drawn(lambda chance: f"{_letters(chance, 9)} "),
    "letters drawn by chance": _drawn(lambda chance: _letters(chance, 99)),
    "lines drawn by chance": _drawn(lambda chance: f"{_letters(chance, 3)}\n"),
    "hyphened": "non-",
    "hyphened letters": "a-",
    "slashes": "x/",
    "brackets": "(",
    "closing brackets": ")",
    "words in brackets": "(a) ",
    "empty boxes": "[ ] ",
    "square brackets": "[",
    "exclamation marks": "!",
    "question marks": "?",
    "short questions": "why? ",
    "commas": ",",
    "full stops": ".",
    "pauses": "... ",
    "letters and stops": "a.",
    "colons": ": ",
    "semicolons": "; ",
    "double quotes": '"',
    "single quotes": "'",
    "quoted letters": "\u201ca\u201d ",
    "backticks": "`",
    "equals signs": "=",
    "per cent": "%",
    "underscores": "_",
    "hashes": "#",
    "stars": "*",
    "arrows": "->",
    "pipes": "| a ",
    "digits": "1",
    "short numbers": "12 ",
    "numbered": "1.",
    "doses": "500mg ",
    "amounts": "$1 ",
    "dates": "2020-01-01 ",
    "addresses": "https://a.b/c?d=e ",
    "mail": "a@b",
    "emoji": "\N{GRINNING FACE}",
    "joined emoji": "\N{MAN}\N{ZERO WIDTH JOINER}",
    "combining marks": "\N{COMBINING ACUTE ACCENT}",
    "accented letters": "e\N{COMBINING ACUTE ACCENT}",
    "mixed scripts": "a\u044f\u4e2d ",
    "Chinese": "\u4e2d",
    "one long word": "a",
    "single letters": "a ",
    "blanks": " ",
    "lines": "a\n",
    "empty lines": "\n",
    "items": "- a\n",
    "speakers": "user: a\n",
    "and": "and ",
    "or": "or ",
    "but she": "but she ",
    "no": "no ",
    "not": "not ",
    "contractions": "n't",
    "if": "if ",
    "fillers": "um, ",
    "okay": "okay ",
    "allergic to": "allergic to ",
    "headings": "allergies: ",
    "reactions": "rash from ",
    "terms": "penicillin, ",
    "terms joined": "penicillin and ",
    "terms without a blank": "penicillin,",
    "misspelt": "amoxicilin ",
    "sentences": "I am allergic to penicillin. ",
    "orders": "can you prescribe ",
    "our own markers": "[R-MEMORY CONTEXT]",
}
"""Name to the text that is repeated; the first four have any length and repeat nothing."""
SUBJECT = "bench-text"
_CONVERSATION = "bench-text"
_OTHER = "bench-text-other"
"""Subject of another caller."""
DRAFT = 20_000
"""Characters of the longest checked draft."""
_AIM_DRAFT = "<= 600 ms"
_AIM_HELD = "<= 300 ms"
_BEAT_S = 0.005
_REQUEST = "Recommend an antibiotic for a sore throat."
_NOTES = (
    f"Texts, but for four that repeat nothing, repeat one pattern behind '{OPENING.strip()}'; one run each.",
    f"A draft has {DRAFT} characters.",
    "Milliseconds are of the processor, all threads.",
    "Of how long the event loop was held, and of what another caller waited, only what this process computed counts.",
)

Read = Callable[[str], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTaken:
    """The cost of one reading."""

    cpu_ms: float
    """Processor milliseconds of all threads, which do not depend on other load."""
    held_ms: float
    """Longest time for which another caller's work could not run on the event loop, as `_Wait` counts."""


class _Wait:
    """A running wait, by the clock and by this process's processor time."""

    def __init__(self) -> None:
        self._began, self._cpu = time.perf_counter(), time.process_time()

    def ms(self) -> float:
        """Returns the milliseconds by the clock."""
        return (time.perf_counter() - self._began) * 1000

    def own_ms(self) -> float:
        """Returns the milliseconds, limited to this process's processor time, so that other load adds little."""
        return min(self.ms(), (time.process_time() - self._cpu) * 1000)


async def text(memory: Memory, *, begin: Begin, sizes: Sequence[int] = SIZES, draft: int = DRAFT) -> CaseOutcome:
    """Measures the milliseconds at the largest size and the fitted exponent, for each pattern and five readings."""
    for subject, name in ((SUBJECT, "Bench Text"), (_OTHER, "Bench Other")):
        await memory.remember("I am well.", subject=subject, subject_name=name)
    readings = _readings(memory)
    for read in readings.values():
        await read(OPENING)  # loads what is loaded once
        await read("Zxqv wplk mnbt qwrt, zzkp plok mnbv.")
    gc.freeze()  # as a server does
    sys.setswitchinterval(TURN_S)  # so does this
    groups: dict[str, Sequence[Figure]] = {}
    held: list[tuple[float, str]] = []
    with begin("reading hostile texts", len(PATTERNS) * (len(readings) + 1)) as step:
        for name, read in readings.items():
            figures: list[Figure] = []
            for pattern, repeated in PATTERNS.items():
                taken = [await _taken(read, _text(repeated, size)) for size in sizes]
                figures += _grown(f"{name}, {pattern}", sizes, taken)
                held.append((max(item.held_ms for item in taken), f"{name}, {pattern}"))
                step()
            groups[name] = figures
        drafts: list[Figure] = []
        for pattern, repeated in PATTERNS.items():
            one = await _taken(readings["check_text"], _text(repeated, draft))
            held.append((one.held_ms, f"draft, {pattern}"))
            drafts.append(_figure(f"draft, {pattern}: {draft} characters", one.cpu_ms, _AIM_DRAFT))
            step()
        groups["draft"] = drafts
    waited = await _other_caller(memory, readings, sizes[-1], draft)
    return CaseOutcome(figures=(*_worst(groups, held), *waited), groups=groups, notes=_NOTES)


async def _other_caller(memory: Memory, readings: Mapping[str, Read], size: int, draft: int) -> tuple[Figure, ...]:
    """Measures another caller's waits for a context and a write, while a sixth of the texts are read in turn."""
    waits: dict[str, list[tuple[float, float]]] = {"context": [], "statement": []}

    async def waited(name: str, call: Awaitable[object]) -> None:
        wait = _Wait()
        await call
        waits[name].append((wait.own_ms(), wait.ms()))

    async def calls() -> None:
        for number in itertools.count():
            await waited("context", memory.build_context(_REQUEST, subject=_OTHER))
            await waited("statement", memory.remember(f"I have been well for {number} days.", subject=_OTHER))
            await asyncio.sleep(_BEAT_S)

    other = asyncio.create_task(calls())
    for repeated in list(PATTERNS.values())[::6]:
        await readings["remember"](_text(repeated, size))
        await readings["check_text"](_text(repeated, draft))
    other.cancel()
    await asyncio.gather(other, return_exceptions=True)
    return tuple(
        Figure(
            name=f"another caller's {name} meanwhile, p99{how}",
            value=percentile(ms, 0.99),
            n=len(ms),
            unit="ms",
            aim=aim,
        )
        for name, both in waits.items()
        for how, ms, aim in zip(("", " by the clock"), zip(*both, strict=True), (_AIM_HELD, ""), strict=True)
    )


def _readings(memory: Memory) -> Mapping[str, Read]:
    """Returns five calls that read; the conversation's two store what they read."""

    async def remember(said: str) -> object:
        return await memory.remember(said, subject=SUBJECT, dry_run=True)

    async def check(draft: str) -> object:
        return await memory.check_text(draft, subject=SUBJECT)

    async def build_turn(query: str) -> object:
        return await memory.build_turn(query, subject=SUBJECT, conversation_id=_CONVERSATION)

    async def finish_turn(said: str) -> object:
        return await memory.finish_turn(said, said, subject=SUBJECT, conversation_id=_CONVERSATION)

    return {
        "remember": remember,
        "build_context": memory.opens,
        "build_turn": build_turn,
        "finish_turn": finish_turn,
        "check_text": check,
    }


def _text(repeated: str, size: int) -> str:
    return (OPENING + repeated * (size // len(repeated) + 1))[:size]


async def _taken(read: Read, said: str) -> TimeTaken:
    beats = asyncio.create_task(_longest_pause())
    await asyncio.sleep(0)  # it begins: reading a short text never gives way
    began = time.process_time()
    await read(said)
    cpu_ms = (time.process_time() - began) * 1000
    beats.cancel()
    return TimeTaken(cpu_ms=cpu_ms, held_ms=await beats)


async def _longest_pause() -> float:
    """Returns the longest delay of this task on the event loop in milliseconds, until it is cancelled."""
    longest, wait = 0.0, _Wait()
    try:
        while True:
            await asyncio.sleep(_BEAT_S)
            longest, wait = max(longest, wait.own_ms()), _Wait()
    except asyncio.CancelledError:
        return max(0.0, max(longest, wait.own_ms()) - _BEAT_S * 1000)


def _grown(name: str, sizes: Sequence[int], taken: Sequence[TimeTaken]) -> tuple[Figure, Figure]:
    times = [item.cpu_ms for item in taken]
    return (
        _figure(f"{name}: {sizes[-1]} characters", times[-1], AIM_MS),
        Figure(name=f"{name}: exponent", value=exponent(sizes, times), n=len(sizes)),
    )


def _figure(name: str, value: float, aim: str) -> Figure:
    return Figure(name=name, value=value, n=1, unit="ms", aim=aim)


def _worst(groups: Mapping[str, Sequence[Figure]], held: Sequence[tuple[float, str]]) -> tuple[Figure, ...]:
    """Returns the slowest and the steepest texts, and the longest blocking of the event loop."""
    every = [figure for figures in groups.values() for figure in figures]
    slowest = sorted((item for item in every if item.unit), key=lambda figure: -figure.value)[:_SHOWN]
    steepest = max((item for item in every if not item.unit), key=lambda figure: figure.value)
    longest, where = max(held)
    return (
        *slowest,
        replace(steepest, name=f"steepest: {steepest.name}", aim="<= 1.2"),
        _figure(f"event loop held longest: {where}", longest, _AIM_HELD),
    )


def exponent(sizes: Sequence[int], taken: Sequence[float]) -> float:
    """Returns the slope of time over size, both in logarithms; 0 for constant times.

    >>> round(exponent((1, 2, 4), (3.0, 12.0, 48.0)), 6)
    2.0
    """
    across, up = list(map(math.log, sizes)), [math.log(max(value, 1e-3)) for value in taken]
    return statistics.linear_regression(across, up).slope
