"""T-18 and T-6 in small: weights and thresholds over one conversation of our own."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from r_memory.memory import Memory
from r_memory_lab.evals import locomo, sweeps
from r_memory_lab.evals.sweeps import Returned, Weighted
from r_memory_lab.scorings import COMPARED, CimVariant
from r_memory_talk.stream.scoring import Cim
from tests.unit.lab.evals.lines import written
from tests.unit.talk.stream.world import a_stream

SAID = ("I baked rye bread.", "The kite is in the attic.", "My boat is green.", "I sold the piano.")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    turns = [
        {"conv": "a", "id": f"D1:{n}", "speaker": "Ann", "text": SAID[n % 4] if n < 4 else f"Heron {n} flew by."}
        for n in range(60)
    ]
    questions = [
        {"qid": f"a/{n}", "conv": "a", "category": "one", "question": text, "answerable": answerable, "evidence": [ev]}
        for n, (text, ev, answerable) in enumerate(
            [("What did Ann bake?", "D1:0", True), ("Where is the kite?", "D1:1", True), ("No?", "D1:2", False)]
        )
    ]
    return written(tmp_path, {locomo.TURNS: turns, locomo.QUESTIONS: questions})


def a_memory() -> Memory:
    return cast("Memory", SimpleNamespace(talk=SimpleNamespace(stream=a_stream())))


@pytest.mark.proves("T-18")
@pytest.mark.anyio
async def test_each_weight_orders_the_same_candidates_anew(data: Path) -> None:
    probes = sweeps.answerable(data)
    found = await sweeps.try_weights(a_memory(), probes, lambda: None)
    assert [row.id for row in found] == ["a/0", "a/1"]
    assert {frozenset(row.ranked) for row in found} == {frozenset({"0", "0.25", "0.5", "0.75", "1"})}
    assert found[0].ranked["1"][0] == "D1:0"
    assert found[0].ranked["0"] != found[0].ranked["1"]


@pytest.mark.proves("T-18")
def test_the_hybrid_is_held_against_the_better_single_side(data: Path) -> None:
    probes = sweeps.answerable(data)
    worst, best = ("D1:9",), ("D1:0", "D1:1")
    ranked = {"0": worst, "0.25": worst, "0.5": best, "0.75": worst, "1": worst}
    result = sweeps.of_weights(probes, [Weighted(id=probe.id, conv="a", ranked=ranked) for probe in probes])
    assert (result.figures[0].value, result.figures[0].unit) == (100.0, "points")


@pytest.mark.proves("T-6", "CIM-27")
@pytest.mark.anyio
async def test_sizes_are_the_first_turns_and_hold_all_the_evidence(data: Path) -> None:
    probes = sweeps.sized(data)
    assert {(probe.size, len(probe.turns)) for probe in probes} == {(50, 50), (100, 60)}
    found = await sweeps.try_thresholds(a_memory(), probes, lambda: None)
    assert all(row.right["cim"] <= row.returned["cim"] <= 5 for row in found)
    assert all(row.threshold >= 0.3 for row in found)


@pytest.mark.proves("T-6")
def test_the_report_compares_both_thresholds_at_each_size() -> None:
    row = Returned(
        id="x",
        conv="a",
        size=50,
        right={"cim": 1, "cim_dynamic": 1},
        returned={"cim": 3, "cim_dynamic": 1},
        evidence=1,
        threshold=0.4,
    )
    result = sweeps.of_thresholds((), [row])
    values = {figure.name: figure.value for figure in result.figures}
    assert values["cim_dynamic, 50 records: F1"] == 1.0
    assert values["cim, 50 records: F1"] == 0.5
    assert values["F1, dynamic minus fixed"] == 50.0
    assert result.groups["Dynamic threshold, mean"][0].value == 0.4


@pytest.mark.proves("T-6")
def test_a_dynamic_threshold_follows_the_scores_and_never_falls_below_the_fixed_one() -> None:
    dynamic = COMPARED["cim_dynamic"]
    assert isinstance(dynamic, CimVariant)
    assert dynamic.base.threshold == Cim().threshold == 0.3
    assert dynamic.least(()) == 0.3
