"""Part `remember`: how long it takes until an utterance and its facts are on the disk, offline."""

import random

from r_memory.memory import Memory
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.talk import FACTS, SMALL_TALK
from r_memory_lab.bench.timing import spread, timed
from r_memory_lab.evals.outcomes import CaseOutcome

CALLS = 600
AIM_MS = "<= 30 ms"
_PATIENTS = 30
_WARM_UP = 30


async def remember(memory: Memory, *, store_name: str, seed: int, begin: Begin, calls: int = CALLS) -> CaseOutcome:
    """Returns percentiles over utterances of several patients, each its own conversation; half of them state facts."""
    chance = random.Random(f"{seed}/remember")
    with_facts: list[float] = []
    without: list[float] = []
    with begin(f"telling {store_name}", calls) as step:
        for number in range(-_WARM_UP, calls):
            words = chance.choice(FACTS if number % 2 else SMALL_TALK)
            stored, milliseconds = await _remember_once(
                memory, f"R{chance.randrange(_PATIENTS):03}", words, str(number)
            )
            if number >= 0:
                (with_facts if stored else without).append(milliseconds)
                step()
    figures = (
        *spread(f"remember, {store_name}:", [*with_facts, *without], aim=AIM_MS),
        *spread(f"remember with facts, {store_name}:", with_facts),
        *spread(f"remember without facts, {store_name}:", without),
    )
    return CaseOutcome(figures=figures[1:2], groups={f"Remember, {store_name}": figures})


async def _remember_once(memory: Memory, patient: str, text: str, key: str) -> tuple[bool, float]:
    """Returns whether facts were stored, and the milliseconds."""
    heard, milliseconds = await timed(
        lambda: memory.remember(
            text,
            subject=patient,
            subject_name=f"Patient {patient}",
            speaker="patient",
            conversation_id=patient,
            idempotency_key=key,
        )
    )
    return bool(heard.facts), milliseconds
