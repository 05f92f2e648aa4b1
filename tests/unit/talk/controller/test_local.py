"""The judge without a model: what it learns, what it is good for, and that nothing makes it fail."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r_memory.config.conversation_file import load_lesson
from r_memory.config.files import Files
from r_memory.domain.turns import GateExample, GateLesson, Judgement
from r_memory.errors import ConfigurationError
from r_memory.protocols import Floats
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.testing.hash_embedder import HashEmbedder
from r_memory_talk.controller.gate import activates
from r_memory_talk.controller.learning import features_of
from r_memory_talk.controller.local import NAME, LocalJudge, coverage

pytestmark = pytest.mark.anyio
OWN = Path(__file__).parents[3] / "sentences" / "controller" / "items.jsonl"
"""Labelled sentences of our own that nothing was learnt or chosen from."""
LESSON = GateLesson(
    examples=(
        *(GateExample(text=text, needed=False) for text in ("What is a whale?", "Play a song.", "Write a poem.")),
        *(GateExample(text=text, needed=True) for text in ("Shorter, please.", "And in French?", "Why?")),
        *(GateExample(text=text, needed=True) for text in ("What did I say?", "What is my dog called?")),
    ),
    given_names=frozenset({"anna", "mark"}),
)


class Broken:
    """An embedder whose package is not as it should be."""

    model = "broken/1"
    dimensions = 4

    async def embed(self, texts: Sequence[str]) -> Floats:
        raise ConfigurationError(f"no weights for {len(texts)} texts; install it again")


@pytest.fixture(scope="module")
def shipped() -> LocalJudge:
    return LocalJudge(load_lesson(Files()), WordLlamaEmbedder())


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def own_sentences() -> list[dict[str, Any]]:
    return [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.proves("T-1")
async def test_on_sentences_it_never_saw_the_gate_misses_little_and_is_mostly_right(shipped: LocalJudge) -> None:
    said = [(row, activates(await shipped.needs_memory(row["text"]))) for row in own_sentences()]
    needed = [activated for row, activated in said if row["needed"]]
    right = sum(needed)

    assert right / len(needed) >= 0.95
    assert right / sum(activated for _, activated in said) >= 0.80


@pytest.mark.proves("T-1")
@pytest.mark.parametrize(("kind", "least"), [("none", 0.5), ("previous", 0.85), ("recent", 0.9), ("deep", 0.9)])
async def test_each_class_of_questions_is_told_apart(shipped: LocalJudge, kind: str, least: float) -> None:
    rows = [row for row in own_sentences() if row["kind"] == kind]
    right = [activates(await shipped.needs_memory(row["text"])) == row["needed"] for row in rows]
    assert len(rows) >= 20
    assert sum(right) / len(right) >= least


async def test_no_sentence_that_it_is_measured_by_is_one_that_it_learns_from() -> None:
    learnt = {example.text.casefold() for example in load_lesson(Files()).examples}
    assert [row["text"] for row in own_sentences() if row["text"].casefold() in learnt] == []


async def test_nothing_said_needs_nothing(shipped: LocalJudge) -> None:
    assert await shipped.needs_memory("  \n") == Judgement(yes=False, by=NAME, score=0.0)


async def test_what_is_learnt_is_the_same_every_time_and_is_kept(tmp_path: Path) -> None:
    first = await LocalJudge(LESSON, HashEmbedder(), folder=tmp_path).needs_memory("What did Anna say?")
    (kept,) = files_in(tmp_path)
    again = await LocalJudge(LESSON, HashEmbedder(), folder=tmp_path).needs_memory("What did Anna say?")
    anew = await LocalJudge(LESSON, HashEmbedder()).needs_memory("What did Anna say?")
    assert first == again == anew
    assert kept.name.startswith("gate-")


async def test_another_lesson_is_learnt_anew_and_kept_beside_the_first(tmp_path: Path) -> None:
    more = GateLesson(
        examples=(*LESSON.examples, GateExample(text="Where do I live?", needed=True)),
        given_names=LESSON.given_names,
    )
    for lesson in (LESSON, more):
        await LocalJudge(lesson, HashEmbedder(), folder=tmp_path).needs_memory("Why?")
    assert len(files_in(tmp_path)) == 2


async def test_a_damaged_file_of_weights_is_replaced(tmp_path: Path) -> None:
    right = await LocalJudge(LESSON, HashEmbedder(), folder=tmp_path).needs_memory("Why?")
    (kept,) = files_in(tmp_path)
    kept.write_bytes(b"PK\x03\x04 not weights")
    assert await LocalJudge(LESSON, HashEmbedder(), folder=tmp_path).needs_memory("Why?") == right


async def test_an_embedder_that_fails_costs_certainty_and_no_answer(tmp_path: Path) -> None:
    judge = LocalJudge(load_lesson(Files()), Broken(), folder=tmp_path)
    assert activates(await judge.needs_memory("What did I tell you about my sister?"))
    assert not activates(await judge.needs_memory("What is the capital of Portugal?"))
    assert (await judge.suffices("Which boat?", "Nothing of the kind.")).yes is None


def test_names_are_masked_so_that_one_person_stands_for_all() -> None:
    names = frozenset({"anna", "bert", "mark"})
    said = [
        features_of(f"When did {name} move to {place}?", names) for name, place in (("Anna", "Rome"), ("Bert", "Oslo"))
    ]
    assert said[0] == said[1]
    assert "given name" in said[0].cues
    assert features_of("please mark the page", names).cues.isdisjoint({"given name", "given name alone"})


@pytest.mark.proves("SCM-13")
async def test_material_that_holds_the_words_of_a_question_suffices_and_foreign_material_does_not(
    shipped: LocalJudge,
) -> None:
    question = "Which colour is the kitchen?"
    told = await shipped.suffices(question, "Lena painted the kitchen in a light green colour.")
    foreign = await shipped.suffices(question, "The invoice for the tax adviser was paid on Monday.")
    assert (told.yes, foreign.yes) == (True, False)


@pytest.mark.proves("SCM-13")
async def test_a_question_for_a_time_is_not_answered_by_material_without_one(shipped: LocalJudge) -> None:
    question = "When is the kitchen painted?"
    assert (await shipped.suffices(question, "They want to have the kitchen painted.")).yes is None
    assert (await shipped.suffices(question, "The kitchen is painted on Friday.")).yes is True


async def test_a_question_without_a_word_to_look_for_is_in_doubt(shipped: LocalJudge) -> None:
    assert (await shipped.suffices("And that?", "Anything at all.")).yes is None
    assert coverage("And that?", "Anything at all.") is None


def test_coverage_knows_stems_and_chinese() -> None:
    assert coverage("Where do the painters live?", "The painter lives in Rome.") == 1.0
    assert coverage("花生过敏", "他对花生过敏。") == 1.0
    assert coverage("Where is the harbour?", "It rained.") == 0.0


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.text(max_size=80), material=st.text(max_size=200))
async def test_no_words_make_it_fail(shipped: LocalJudge, question: str, material: str) -> None:
    gate = await shipped.needs_memory(question)
    enough = await shipped.suffices(question, material)
    assert (gate.by, enough.by, gate.trouble, enough.trouble) == (NAME, NAME, "", "")
