"""Part `text`: how the time to read a text grows with it, over texts made to be hard to read.

A reader that takes time in proportion to its text has the exponent 1; what one call may hold up follows from it.
"""

import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from r_memory.memory import Memory
from r_memory_lab.bench.parts import Begin
from r_memory_lab.evals.measures import Figure
from r_memory_lab.evals.outcomes import Outcome

SIZES = (1_000, 2_000, 4_000, 8_000)
AIM_MS = "<= 250 ms"
OPENING = "I am allergic to "
_SHOWN = 10
"""Of the slowest texts, those among the first figures."""
PATTERNS: Mapping[str, str] = {
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
"""What a text repeats, by a name for it."""
SUBJECT = "bench-text"

Read = Callable[[str], Awaitable[object]]


async def text(memory: Memory, *, begin: Begin, sizes: Sequence[int] = SIZES) -> Outcome:
    """Milliseconds at the largest size and the fitted exponent, for each pattern and each of three readings."""
    await memory.remember("I am well.", subject=SUBJECT, subject_name="Bench Text")
    readings = _readings(memory)
    groups: dict[str, Sequence[Figure]] = {}
    with begin("reading hostile texts", len(PATTERNS) * len(readings)) as step:
        for name, read in readings.items():
            figures: list[Figure] = []
            for pattern, repeated in PATTERNS.items():
                figures += await _grown(f"{name}, {pattern}", repeated, read, sizes)
                step()
            groups[name] = figures
    times = (figure for figures in groups.values() for figure in figures if figure.unit)
    slowest = sorted(times, key=lambda figure: -figure.value)[:_SHOWN]
    notes = (f"Texts repeat one pattern behind '{OPENING.strip()}' up to {sizes[-1]} characters; one run each.",)
    return Outcome(figures=tuple(slowest), groups=groups, notes=notes)


def _readings(memory: Memory) -> Mapping[str, Read]:
    """What reads in three calls; nothing is stored."""

    async def remember(said: str) -> object:
        return await memory.remember(said, subject=SUBJECT, dry_run=True)

    async def check(draft: str) -> object:
        return await memory.check_text(draft, subject=SUBJECT)

    return {"remember": remember, "build_context": memory.opens, "check_text": check}


async def _grown(name: str, repeated: str, read: Read, sizes: Sequence[int]) -> tuple[Figure, Figure]:
    taken = [await _milliseconds(read, (OPENING + repeated * size)[:size]) for size in sizes]
    return (
        Figure(name=f"{name}: {sizes[-1]} characters", value=taken[-1], n=1, unit="ms", aim=AIM_MS),
        Figure(name=f"{name}: exponent", value=exponent(sizes, taken), n=len(sizes)),
    )


async def _milliseconds(read: Read, said: str) -> float:
    """Of the processor, all threads: a busy machine says nothing of a text."""
    began = time.process_time()
    await read(said)
    return (time.process_time() - began) * 1000


def exponent(sizes: Sequence[int], taken: Sequence[float]) -> float:
    """The slope of time over size, both in logarithms; 0 for times that do not grow.

    >>> round(exponent((1, 2, 4), (3.0, 12.0, 48.0)), 6)
    2.0
    """
    across = [math.log(size) for size in sizes]
    up = [math.log(max(value, 1e-3)) for value in taken]
    middle, height = sum(across) / len(across), sum(up) / len(up)
    slope = sum((x - middle) * (y - height) for x, y in zip(across, up, strict=True))
    return slope / sum((x - middle) ** 2 for x in across)
