"""Part `trials`: is John Doe's allergy found, first and alone, whatever else is said and however often all restarts?

Every John Doe has an id of his own and shares his name with all the others, and with some of the other patients. What
else is said of him is no risk of the same weight: the order among equals is not what is measured here.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from r_memory.domain.blocks import Recall
from r_memory.errors import SubjectTaken
from r_memory.memory import Memory
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.talk import FACTS, HARMLESS, INTAKES, REQUESTS, SMALL_TALK, SUBSTANCES
from r_memory_lab.evals.measures import count, share
from r_memory_lab.evals.names import hits
from r_memory_lab.evals.outcomes import CaseOutcome

TRIALS = 300
BLOCK = 20
"""Trials whose turns are mixed before the store is closed and opened again."""
NAME = "John Doe"
ALLERGY = "HAS_ALLERGY_TO"
FIRST = "CRITICAL ALLERGY"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedUtterance:
    """One utterance about one patient."""

    patient: str
    name: str
    text: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JohnDoeTrial:
    """One John Doe: what is told about him and others, and what is asked."""

    number: int
    patient: str
    substance: str
    request: str
    told: tuple[PlannedUtterance, ...]
    """Utterances in any order."""

    @property
    def own_words(self) -> frozenset[str]:
        """The words said about him."""
        return frozenset(told.text for told in self.told if told.patient == self.patient)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialAnswer:
    """The result of one trial."""

    number: int
    found: bool
    first: bool
    foreign: int
    """Lines and statements from words about another person."""


async def trials(
    opened: Callable[[], AbstractAsyncContextManager[Memory]], *, store_name: str, seed: int, number: int, begin: Begin
) -> CaseOutcome:
    """Returns how many allergies were found, how many as the first line, and what was shown of others.

    `opened` opens the same store; it is called repeatedly.
    """
    plan = planned(seed, number)
    answers: list[TrialAnswer] = []
    with begin(f"John Doe on {store_name}", number) as step:
        for start in range(0, number, BLOCK):
            block = plan[start : start + BLOCK]
            async with opened() as memory:
                await tell(memory, block, seed)
            async with opened() as memory:
                for trial in block:
                    answers.append(await asked(memory, trial))
                    step()
    return _outcome(store_name, plan, answers)


def planned(seed: int, number: int) -> tuple[JohnDoeTrial, ...]:
    """Returns the trials of a seed; deterministic."""
    return tuple(_trial(index, random.Random(f"{seed}/trial/{index}")) for index in range(number))


def _trial(number: int, chance: random.Random) -> JohnDoeTrial:
    patient, substance = f"JD{number:03}", chance.choice(SUBSTANCES)
    intake = chance.choice(INTAKES).format(substance)
    own = [intake, *chance.sample(SMALL_TALK, chance.randrange(4)), *chance.sample(HARMLESS, chance.randrange(4))]
    told = [PlannedUtterance(patient=patient, name=NAME, text=text, key=f"{patient}/{n}") for n, text in enumerate(own)]
    return JohnDoeTrial(
        number=number,
        patient=patient,
        substance=substance,
        request=chance.choice(REQUESTS),
        told=(*told, *_others(number, chance)),
    )


def _others(number: int, chance: random.Random) -> Iterator[PlannedUtterance]:
    for index in range(chance.randrange(1, 4)):
        patient = f"P{number:03}-{index}"
        name = chance.choice((NAME, f"Patient {patient}"))
        said = [*chance.sample(FACTS, 2), chance.choice(INTAKES).format(chance.choice(SUBSTANCES))]
        for n, text in enumerate(said[chance.randrange(3) :]):
            yield PlannedUtterance(
                patient=patient, name=name, text=f"{text} It is {index + number} years ago.", key=f"{patient}/{n}"
            )


async def tell(memory: Memory, block: Sequence[JohnDoeTrial], seed: int) -> None:
    """Stores all utterances of these trials in mixed order."""
    jumble = [told for trial in block for told in trial.told]
    random.Random(f"{seed}/jumble/{block[0].number}").shuffle(jumble)
    for told in jumble:
        try:
            await _remember(memory, told)
        except SubjectTaken as namesakes:
            await _remember(memory, told, another_than=namesakes.candidates)


async def _remember(memory: Memory, told: PlannedUtterance, *, another_than: Sequence[str] = ()) -> None:
    await memory.remember(
        told.text,
        subject=told.patient,
        subject_name=told.name,
        another_than=another_than,
        speaker="patient",
        conversation_id=told.patient,
        idempotency_key=told.key,
    )


async def asked(memory: Memory, trial: JohnDoeTrial) -> TrialAnswer:
    """Returns the result of a trial that was told."""
    recall = await memory.build_context(trial.request, subject=trial.patient)
    return judged(trial, recall)


def judged(trial: JohnDoeTrial, recall: Recall) -> TrialAnswer:
    """Returns the result of a recall, by the words behind each line."""
    wanted = [line.fact.relation == ALLERGY and hits(line.fact.object.name, [trial.substance]) for line in recall.lines]
    words = [*(line.fact.evidence for line in recall.lines), *(episode.text for episode in recall.pending)]
    return TrialAnswer(
        number=trial.number,
        found=any(wanted),
        first=wanted[:1] == [True] and recall.lines[0].text.startswith(FIRST),
        foreign=sum(not any(word in own for own in trial.own_words) for word in words),
    )


def _outcome(store_name: str, plan: Sequence[JohnDoeTrial], answers: Sequence[TrialAnswer]) -> CaseOutcome:
    told = sum(len(trial.told) for trial in plan)
    restarts = 2 * -(-len(plan) // BLOCK) - 1
    figures = (
        share(f"John Doe found, {store_name}", sum(a.found for a in answers), len(answers), aim="all"),
        share(
            f"John Doe's allergy is the first line, {store_name}",
            sum(a.first for a in answers),
            len(answers),
            aim="all",
        ),
        count(f"foreign edges, {store_name}", sum(a.foreign for a in answers), len(answers), aim="0"),
    )
    return CaseOutcome(
        figures=figures,
        details={
            f"Trials not found, {store_name}": [f"{a.number}" for a in answers if not a.found],
            f"Trials not first, {store_name}": [f"{a.number}" for a in answers if not a.first],
            f"Trials with foreign edges, {store_name}": [f"{a.number}" for a in answers if a.foreign],
        },
        notes=(f"Trials on {store_name}: {told} utterances, {restarts} restarts.",),
    )
