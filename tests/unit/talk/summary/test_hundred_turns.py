"""The offline summary on a hundred turns of our own: each of its eight fields, found and not made up.

They were written beside the rules: the best case, not an estimate.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from r_memory.domain.summaries import ConversationSummary
from r_memory_talk.summary.exclusions import failures
from r_memory_talk.summary.local import proposed

TURNS = Path(__file__).parents[4] / "evals" / "sets" / "summaries" / "turns.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TURNS.read_text(encoding="utf-8").splitlines()]
LISTS = (
    "confirmed_needs",
    "constraints",
    "excluded_options",
    "key_data",
    "current_conclusion",
    "pending_questions",
)
OLD = "lighthouse lens grinding"


def proposal(row: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = dict(proposed(ConversationSummary(core_discussion=OLD), row["question"], row["answer"]))
    failed = [one.entry for one in failures(row["question"], "")]
    return {**made, "excluded_options": [*made["excluded_options"], *failed]}


@pytest.mark.parametrize("field", LISTS)
def test_what_belongs_into_a_field_stands_there_and_hardly_anything_else(field: str) -> None:
    counted: Counter[str] = Counter()
    for row in ROWS:
        wanted, got = row["fields"].get(field, []), proposal(row)[field]
        counted["right"] += sum(any(one.casefold() in entry.casefold() for entry in got) for one in wanted)
        counted["wanted"] += len(wanted)
        counted["wrong"] += sum(not any(one.casefold() in entry.casefold() for one in wanted) for entry in got)
    assert counted["right"] >= 0.9 * counted["wanted"]
    assert counted["wrong"] <= 0.1 * counted["right"]


def test_a_topic_has_two_words_of_the_turn_and_the_one_that_was_left_is_noted() -> None:
    assert len(ROWS) == 100
    for row in ROWS:
        made = proposal(row)
        topic = made.get("core_discussion", "")
        assert made["pending_discussion"] == ([OLD] if topic else [])
        if topic and topic.isascii():
            assert len(topic.replace(",", " ").split()) >= 2, topic
            assert all(word.casefold() in row["question"].casefold() for word in topic.replace(",", " ").split())
