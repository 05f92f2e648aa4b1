"""The part `load`: what is read otherwise on a busy machine is counted and named."""

from pathlib import Path

import pytest

from r_memory.errors import InvalidInput
from r_memory_lab.bench.load import HeldOutSentence, outcome, sentences_of

TOLD = tuple(HeldOutSentence(id=f"s{number}", text="I take warfarin.", speaker="patient") for number in range(3))
STORED = (("stored", "TAKES", "Warfarin", "active"), ("waiting", "0"))
WAITS = (("waits", ""), ("waiting", "1"))


def test_a_sentence_that_waits_only_on_a_busy_machine_is_named() -> None:
    found = outcome(TOLD, [STORED, STORED, WAITS], [STORED, WAITS, WAITS], 20)
    assert [(figure.value, figure.n) for figure in found.figures] == [(2, 3), (2, 3)]
    assert found.details == {"Read otherwise": ["s1"]}


def test_held_out_sentences_are_drawn_and_no_taught_one(tmp_path: Path) -> None:
    folder = tmp_path / "clinical"
    folder.mkdir()
    for name, words in (("carers-1", "held out"), ("plain-1", "taught")):
        lines = [f'{{"by": "patient", "t": "These words are {words} {number}.", "m": []}}' for number in range(5)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")

    drawn = sentences_of(tmp_path, "clinical", 5, seed=7)

    assert sorted(item.id for item in drawn) == [f"clinical/carers-1:{number}" for number in range(1, 6)]
    assert all("held out" in item.text for item in drawn)
    with pytest.raises(InvalidInput, match="has 5 held-out sentences"):
        sentences_of(tmp_path, "clinical", 6, seed=7)
