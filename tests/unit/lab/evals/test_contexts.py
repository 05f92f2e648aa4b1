"""T-5, T-22: whole contexts by every profile, over conversations of our own."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from r_memory.memory import Memory
from r_memory_lab.evals import contexts, locomo, scm
from r_memory_lab.evals.contexts import Length, ProbeContext, ToldTurn
from r_memory_lab.profiles import COMPARED
from tests.unit.lab.evals.lines import written
from tests.unit.talk.world import World

TURNS = tuple(
    {"conv": "a", "id": f"D1:{n}", "speaker": "Ann" if n % 2 else "Ben", "text": text}
    for n, text in enumerate(
        [
            "Where is the kite?",
            "In the attic.",
            "I baked rye bread.",
            "Lovely.",
            "My boat is green.",
            "Oh.",
            "",
            "Left over.",
        ]
    )
)
QUESTIONS = (
    {"qid": "a/0", "conv": "a", "category": "x", "question": "Where is the kite?", "answerable": True,
     "evidence": ["D1:1"]},
    {"qid": "a/1", "conv": "a", "category": "x", "question": "Is it?", "answerable": False, "evidence": ["D1:1"]},
)  # fmt: skip
DIALOGUES = (
    {
        "id": "en",
        "turns": [{"turn": 1, "user": "I sail.", "assistant": "Nice."}, {"turn": 2, "user": "Hi", "assistant": ""}],
    },
)
PROBES = ({"qid": "1", "dialogue": "en", "lang": "en", "question": "Do I sail?", "silver_evidence": [1]},)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    files = {locomo.TURNS: TURNS, locomo.QUESTIONS: QUESTIONS, scm.DIALOGUES: DIALOGUES, scm.QUESTIONS: PROBES}
    return written(tmp_path, files)


def a_memory() -> Memory:
    return cast("Memory", SimpleNamespace(talk=SimpleNamespace(conversations=World(profiles=COMPARED).conversations)))


@pytest.mark.proves("T-5")
@pytest.mark.anyio
async def test_every_way_to_remember_is_asked_and_leaves_nothing_behind(data: Path) -> None:
    probes = contexts.probes(data)
    assert [(probe.id, len(probe.turns)) for probe in probes] == [("locomo/a/0", 3), ("scm/1", 1)]
    memory = a_memory()
    found = await contexts.ask(memory, probes, lambda: None)
    assert set(found[0].tokens) == set(COMPARED)
    assert found[0].recall["full_history"] == 1.0
    assert found[0].recall["summary_only"] == 0.0
    assert found[0].words["full_history"] == 1.0
    assert await memory.talk.conversations.decisions("locomo/a") == ()
    assert len(await memory.talk.conversations.turns("locomo/a")) == 3


@pytest.mark.proves("T-5")
def test_the_report_has_evidence_words_and_tokens_of_each_way_by_source() -> None:
    rows = [
        ProbeContext(
            id=f"locomo/{n}",
            source="locomo",
            recall={"rag": float(n)},
            words={"rag": 1.0},
            tokens={"rag": 100 * n},
            forms={"rag": {"raw": 3, "summary": 1, "dropped": 0}},
        )
        for n in range(2)
    ]
    result = contexts.of_baselines((), rows)
    assert {figure.name: figure.value for figure in result.figures} == {
        "rag: evidence": 0.5,
        "rag: words": 1.0,
        "rag: tokens, mean (5-95 %)": 50.0,
    }
    assert [figure.value for figure in result.groups["locomo: forms of the chosen items"]] == [0.75, 0.25, 0.0]


@pytest.mark.proves("T-22")
@pytest.mark.anyio
async def test_a_context_stays_bounded_while_the_whole_conversation_grows() -> None:
    turns = [
        ToldTurn(id=f"t{n}", asked=f"What of heron {n} at the pond?", answered=f"Heron {n} flew to the weir at dusk.")
        for n in range(120)
    ]
    found = await contexts.measure(a_memory(), turns, lambda: None)
    assert [row.turn for row in found] == list(range(1, 121))
    slopes = {
        figure.name: figure.value for figure in contexts.of_tokens(turns, found).groups["Growth per turn after warm-up"]
    }
    assert slopes["full_history"] > 10
    assert abs(slopes["rag"]) < 1
    assert max(row.tokens["default"] for row in found) <= COMPARED["default"].max_tokens


@pytest.mark.proves("T-22")
def test_growth_is_the_slope_after_the_first_fifty_turns() -> None:
    rows = [Length(id=str(n), turn=n, full=7 * n, tokens={"default": 300}) for n in range(1, 101)]
    figures = {figure.name: figure.value for figure in contexts.of_tokens((), rows).figures}
    assert figures["growth per turn after warm-up, default"] == 0.0
    assert figures["growth per turn after warm-up, whole conversation"] == pytest.approx(7.0)
    assert figures["turn 100: whole conversation"] == 700


def test_two_utterances_make_a_turn_and_made_up_talk_takes_the_place_of_missing_data(
    data: Path, tmp_path: Path
) -> None:
    (turn, *_) = contexts.conversation(data)
    assert (turn.asked, turn.answered, turn.parts) == ("Where is the kite?", "In the attic.", ("D1:0", "D1:1"))
    assert len(contexts.conversation(tmp_path / "nowhere")) == contexts.TURNS
