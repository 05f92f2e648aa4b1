"""The offline summary on a hundred turns of our own: what is certain is found, and nothing made up.

They were written beside the rules: the best case, not an estimate.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from r_memory.domain.summaries import ConversationSummary
from r_memory_talk.summary.local import proposed

TURNS = Path(__file__).parents[4] / "evals" / "sets" / "summaries" / "turns.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TURNS.read_text(encoding="utf-8").splitlines()]
LISTS = {"constraints": 0.7, "excluded_options": 0.2, "current_conclusion": 0.5, "pending_questions": 0.9}
"""Fields with the recall that they keep: what is not certain is left out, as are needs, topics and most refusals."""
OLD = "lighthouse lens grinding"


def proposal(row: dict[str, Any]) -> dict[str, Any]:
    return dict(proposed(ConversationSummary(core_discussion=OLD), row["question"], row["answer"]))


@pytest.mark.parametrize(("field", "at_least"), LISTS.items())
def test_what_belongs_into_a_field_stands_there_and_hardly_anything_else(field: str, at_least: float) -> None:
    counted: Counter[str] = Counter()
    for row in ROWS:
        wanted, got = row["fields"].get(field, []), proposal(row)[field]
        counted["right"] += sum(any(item.casefold() in entry.casefold() for entry in got) for item in wanted)
        counted["wanted"] += len(wanted)
        counted["wrong"] += sum(not any(item.casefold() in entry.casefold() for item in wanted) for entry in got)
    assert counted["right"] >= at_least * counted["wanted"]
    assert counted["wrong"] <= 0.1 * counted["right"]
