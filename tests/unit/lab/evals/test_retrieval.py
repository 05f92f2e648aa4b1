"""Scores of the suites `locomo` and `scm`, on conversations of our own."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory_lab.evals import locomo, scm
from r_memory_lab.evals.measures import average, share
from r_memory_lab.evals.retrieval import PROFILES, Ranking
from r_memory_lab.evals.rows import as_lines
from tests.unit.lab.evals.lines import written
from tests.unit.talk.stream.world import a_stream

TURNS = (
    {
        "conv": "a",
        "id": "D1:1",
        "speaker": "Ann",
        "text": "Where did you leave the kite?",
        "date": "1:56 pm on 8 May, 2023",
    },
    {"conv": "a", "id": "D1:2", "speaker": "Ben", "text": "In the attic.", "date": "1:56 pm on 8 May, 2023"},
    {"conv": "a", "id": "D1:3", "speaker": "Ann", "text": "I baked bread.", "date": "not a date"},
    {"conv": "b", "id": "D1:1", "speaker": "Cora", "text": "My boat is green.", "date": ""},
    {"conv": "b", "id": "D1:2", "speaker": "Cora", "text": " ", "date": ""},
)
QUESTIONS = (
    {
        "qid": "a/0",
        "conv": "a",
        "category": "one",
        "question": "What did Ann bake?",
        "answerable": True,
        "evidence": ["D1:3"],
    },
    {
        "qid": "a/1",
        "conv": "a",
        "category": "two",
        "question": "Where is the kite?",
        "answerable": True,
        "evidence": ["D1:2", "D9:9"],
    },
    {
        "qid": "b/0",
        "conv": "b",
        "category": "one",
        "question": "Is the boat blue?",
        "answerable": False,
        "evidence": ["D1:1"],
    },
    {"qid": "b/1", "conv": "b", "category": "one", "question": "No evidence?", "answerable": True, "evidence": []},
)
DIALOGUES = (
    {
        "id": "en",
        "turns": [{"turn": 1, "user": "I sail.", "assistant": "Nice."}, {"turn": 2, "user": "Hi", "assistant": ""}],
    },
    {
        "id": "zh",
        "turns": [
            {"turn": 1, "user": "我养了一只猫", "assistant": "好"},
            {"turn": 2, "user": "今天下雨", "assistant": "嗯"},
        ],
    },
)
PROBES = (
    {"qid": "1", "dialogue": "en", "lang": "en", "question": "Do I sail?", "silver_evidence": [1]},
    {"qid": "2", "dialogue": "zh", "lang": "zh", "question": "还记得我养的猫吗", "silver_evidence": [1]},
    {"qid": "3", "dialogue": "zh", "lang": "zh", "question": "?", "silver_evidence": []},
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    files = {locomo.TURNS: TURNS, locomo.QUESTIONS: QUESTIONS, scm.DIALOGUES: DIALOGUES, scm.QUESTIONS: PROBES}
    return written(tmp_path, files)


def a_memory() -> Memory:
    """Only its stream is asked for."""
    return cast("Memory", SimpleNamespace(talk=SimpleNamespace(stream=a_stream(words_only=True))))


def nothing() -> None:
    """No progress is shown."""


@pytest.mark.anyio
async def test_questions_are_asked_of_their_own_conversation_under_every_profile(data: Path) -> None:
    probes = locomo.rows(data)
    found = await locomo.run(a_memory(), probes, nothing)
    assert [row.id for row in found] == ["a/0", "a/1", "b/0", "b/1"]
    assert found[0].ranked[0] == "D1:3"
    assert set(found[1].ranked[:2]) == {"D1:1", "D1:2"}
    assert found[2].ranked == ("D1:1",)
    assert set(found[0].others) == set(PROFILES)
    assert json.loads(as_lines(found[:1])) == {"qid": "a/0", "ranked": list(found[0].ranked)}


def test_recall_is_the_share_of_the_evidence_and_questions_without_any_do_not_count(data: Path) -> None:
    probes = locomo.rows(data)
    ranked = [
        Ranking(qid="a/0", ranked=("D1:1", "D1:3")),
        Ranking(qid="a/1", ranked=("D1:2",)),
        Ranking(qid="b/0", ranked=()),
    ]
    result = locomo.outcome(probes, ranked)
    assert result.figures == (
        average("answerable: recall@5", [1.0, 0.5], aim=">= .60"),
        average("answerable: recall@10", [1.0, 0.5], aim=">= .68"),
        average("answerable: MRR", [0.5, 1.0]),
    )
    assert result.groups["All questions"][0] == average("all: recall@5", [1.0, 0.5, 0.0])
    assert [figure.name for figure in result.groups["By category"]][::3] == ["one: recall@5", "two: recall@5"]
    halves = result.groups["Halves of the conversations, answerable"]
    assert (halves[0].n, halves[3].n) == (2, 0)
    assert result.details == {"No evidence among the first 10": []}


@pytest.mark.proves("SCM-32")
@pytest.mark.anyio
async def test_probes_are_asked_one_by_one_in_both_languages(data: Path) -> None:
    probes = scm.rows(data)
    memory = a_memory()
    found = await scm.run(memory, probes, nothing)
    assert [row.ranked[0] for row in found[:2]] == [1, 1]
    assert scm.outcome(probes, found).figures[:1] == (share("English: recall@1", 1, 1),)
    assert scm.outcome(probes, found).figures[4] == share("Chinese: recall@3", 1, 1, aim=">= .85")
    assert len(await memory.talk.stream.conversation("zh")) == 2


def test_rows_of_another_form_are_refused(data: Path) -> None:
    (data / locomo.QUESTIONS).write_text('{"qid": "x"}\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"questions.jsonl:1"):
        locomo.rows(data)
    (data / locomo.TURNS).write_text('["x"]\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"turns.jsonl:1"):
        locomo.rows(data)


@pytest.mark.parametrize(("values", "interval"), [([], (0.0, 1.0)), ([0.3], (0.0, 1.0)), ([1.0, 1.0], (1.0, 1.0))])
def test_an_average_of_next_to_nothing_has_the_widest_interval(
    values: list[float], interval: tuple[float, float]
) -> None:
    figure = average("x", values)
    assert (figure.low, figure.high) == interval


def a_probe(question: str, answer: str, *turns: str) -> scm.ScmProbe:
    exchanges = [{"turn": number, "user": text, "assistant": ""} for number, text in enumerate(turns, start=1)]
    probe = {"qid": "1", "dialogue": "en", "lang": "en", "question": question, "answer": answer, "turns": exchanges}
    return scm.ScmProbe.model_validate(probe)


@pytest.mark.parametrize(
    ("answer", "turns", "evidence"),
    [
        ("Ann keeps bees, goats and geese.", ["We have bees, goats and geese.", "Ann keeps asking."], (1,)),
        ("Ann keeps bees, goats and geese.", ["Bees, goats, geese.", "Goats, geese and bees.", "Bees."], (1, 2)),
        ("Ann keeps bees, goats and geese.", ["Bees are fine.", "What does Ann keep?"], ()),
        ("Ann keeps bees.", ["We have bees."], ()),
    ],
)
def test_evidence_is_derived_from_what_the_answer_says_and_the_question_does_not(
    answer: str, turns: list[str], evidence: tuple[int, ...]
) -> None:
    assert scm.evidence_of(a_probe("What does Ann keep?", answer, *turns)) == evidence
