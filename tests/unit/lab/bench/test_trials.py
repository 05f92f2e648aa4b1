"""The part `trials`: the same John Does for the same seed, and what counts as found, first and foreign."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

import pytest
from typing_extensions import override

from r_memory.domain.blocks import Recall
from r_memory.domain.facts import Extraction
from r_memory.errors import SubjectUnknown
from r_memory.memory import Memory
from r_memory.protocols import Utterance
from r_memory.testing.dict_store import DictStore
from r_memory_lab.bench.talk import INTAKES, SUBSTANCES
from r_memory_lab.bench.trials import NAME, JohnDoeTrial, PlannedUtterance, judged, planned, trials
from r_memory_lab.evals.measures import count, share
from tests.scripted import ScriptedExtractor
from tests.unit.memory_world import ALLERGY, a_world, read

JOHN = PlannedUtterance(patient="JD000", name=NAME, text=ALLERGY, key="1")
OTHER = PlannedUtterance(patient="P000-0", name=NAME, text="I am allergic to penicillin too.", key="1")
TRIAL = JohnDoeTrial(number=0, patient="JD000", substance="Penicillin", request="Prescribe one.", told=(JOHN, OTHER))


async def answered() -> Recall:
    memory = a_world().memory
    await memory.remember(JOHN.text, subject=JOHN.patient, subject_name=JOHN.name)
    return await memory.build_context(TRIAL.request, subject=JOHN.patient)


@pytest.mark.anyio
async def test_the_told_allergy_on_the_first_line_is_found_and_first() -> None:
    answer = judged(TRIAL, await answered())
    assert (answer.found, answer.first, answer.foreign) == (True, True, 0)


@pytest.mark.anyio
async def test_the_allergy_below_another_line_is_found_but_not_first() -> None:
    recall = await answered()
    other = replace(recall.lines[0], fact=replace(recall.lines[0].fact, relation="TAKES"))
    answer = judged(TRIAL, replace(recall, lines=(other, *recall.lines)))
    assert (answer.found, answer.first, answer.foreign) == (True, False, 0)


@pytest.mark.anyio
async def test_a_line_that_rests_on_words_about_somebody_else_is_foreign() -> None:
    recall = await answered()
    strange = replace(recall.lines[0], fact=replace(recall.lines[0].fact, evidence="allergic to penicillin too"))
    assert judged(TRIAL, replace(recall, lines=(*recall.lines, strange))).foreign == 1


@pytest.mark.anyio
async def test_an_empty_answer_found_nothing() -> None:
    answer = judged(TRIAL, replace(await answered(), lines=()))
    assert (answer.found, answer.first, answer.foreign) == (False, False, 0)


def test_a_seed_plans_the_same_trials_every_time() -> None:
    assert planned(7, 30) == planned(7, 30)
    assert planned(7, 30) != planned(8, 30)


def test_every_trial_tells_one_intake_of_john_and_something_of_others() -> None:
    intakes = {intake.format(substance) for intake in INTAKES for substance in SUBSTANCES}
    for trial in planned(7, 50):
        own = [told.text for told in trial.told if told.patient == trial.patient]
        assert sum(text in intakes for text in own) == 1
        assert len(trial.told) > len(own)


def test_words_about_others_are_never_words_about_john() -> None:
    for trial in planned(7, 50):
        assert not any(
            told.text in own for own in trial.own_words for told in trial.told if told.patient != trial.patient
        )


def test_some_other_patients_have_the_same_name() -> None:
    others = [told for trial in planned(7, 50) for told in trial.told if told.patient != trial.patient]
    assert 0 < sum(told.name == NAME for told in others) < len(others)


class Intakes(ScriptedExtractor):
    """Reads the intakes of trials."""

    @override
    def extract(self, utterance: Utterance) -> Extraction:
        for substance in SUBSTANCES:
            if any(utterance.text.startswith(intake.format(substance)) for intake in INTAKES):
                return read("HAS_ALLERGY_TO", substance.lower(), "Drug", substance)
        return Extraction()


@contextmanager
def quietly(_what: str, _total: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


@pytest.mark.anyio
async def test_all_trials_are_told_then_asked_after_a_restart() -> None:
    store, opened = DictStore(), list[int]()

    @asynccontextmanager
    async def reopened() -> AsyncIterator[Memory]:
        opened.append(1)
        yield a_world(store=store, extractor=Intakes({})).memory

    outcome = await trials(reopened, store_name="dict", seed=7, number=45, begin=quietly)
    assert outcome.figures == (
        share("John Doe found, dict", 45, 45, aim="all"),
        share("John Doe's allergy is the first line, dict", 45, 45, aim="all"),
        count("foreign edges, dict", 0, 45, aim="0"),
    )
    assert len(opened) == 6
    assert "5 restarts" in outcome.notes[0]


@pytest.mark.anyio
async def test_a_memory_that_forgets_with_each_restart_finds_nobody() -> None:
    @asynccontextmanager
    async def forgetful() -> AsyncIterator[Memory]:
        yield a_world().memory

    with pytest.raises(SubjectUnknown):
        await trials(forgetful, store_name="dict", seed=7, number=2, begin=quietly)
