"""The rows of a round with strangers, as `eval readings` takes them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from r_memory_lab.evals.readings import rows
from scripts.strangers import main
from tests.acceptance.play_stories import read_by_a_caller
from tests.acceptance.story_form import stories_of


def _write(file: Path, *written: Mapping[str, Any]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in written), encoding="utf-8")


def test_lines_with_call_and_label_become_rows_and_the_others_are_named(tmp_path: Path) -> None:
    expected = {"r": "HAS_ALLERGY_TO", "o": "egg", "status": "active"}
    called = {"relation": "HAS_ALLERGY_TO", "object": "egg", "evidence": "no egg for me"}
    _write(
        tmp_path / "clinical.lines.jsonl",
        {"id": "C1", "speaker": "patient", "text": "no egg for me"},
        {"id": "C2", "speaker": "nurse", "text": "lovely day"},
    )
    _write(tmp_path / "clinical.calls.jsonl", {"id": "C1", "facts": [called]}, {"id": "C2", "facts": []})
    _write(tmp_path / "clinical.gold.jsonl", {"id": "C1", "expect": [expected], "allow": [], "forbid": []})

    told = main("join", str(tmp_path), "clinical")

    assert told == "1 rows; without call or label: C2"
    assert [(row.id, row.text) for row in rows(tmp_path / "clinical.jsonl")] == [("C1", "no egg for me")]


def test_a_caller_sees_the_steps_of_a_story_and_no_expectation(tmp_path: Path) -> None:
    written = tmp_path / "stories.yaml"
    written.write_text(_STORY, encoding="utf-8")

    main("steps", str(written), str(tmp_path / "steps.jsonl"))

    seen = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(step["step"], step.get("say") or step.get("check")) for step in seen] == [
        (0, "No egg for me."),
        (2, "Omelette"),
    ]
    assert "expect" not in seen[1]


def test_what_a_caller_read_goes_to_its_step_and_a_statement_without_call_is_named(tmp_path: Path) -> None:
    written = tmp_path / "stories.yaml"
    written.write_text(_STORY, encoding="utf-8")
    [story] = stories_of(written)
    fact = {"relation": "HAS_ALLERGY_TO", "object": "egg", "evidence": "No egg for me"}
    calls = [{"story": "egg", "step": 0, "facts": [fact]}, {"story": "egg", "step": 2, "about": ["egg"]}]

    called = read_by_a_caller(story, calls)

    assert [[step.facts for step in life] for life in called.lives] == [[[fact]], [None]]
    assert called.lives[1][0].involves == ["egg"]
    with pytest.raises(ValueError, match=r"no call for 'No egg for me.'"):
        read_by_a_caller(story, calls[1:])
    with pytest.raises(ValueError, match=r"nothing is said or asked in steps \[7\]"):
        read_by_a_caller(story, [*calls, {"story": "egg", "step": 7, "about": []}])


_STORY = """
stories:
- story: egg
  people: {E1: Ann Lee}
  steps:
  - {say: "No egg for me.", by: patient}
  - {restart: true}
  - {check: "Omelette", expect: {verdict: conflict}}
"""
