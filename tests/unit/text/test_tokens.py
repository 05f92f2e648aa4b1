"""Lengths in tokens are estimated without a vocabulary: near enough everywhere, not too short where it would hurt."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.text.tokens import count, fits

SAMPLES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "token_texts.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Texts of our own with the true count of o200k_base (`scripts/token_estimate.py`)."""
WORST = -0.12
NEVER_SHORT = ("zh", "zh-hant", "mixed-zh-en", "code", "yaml", "markdown")


def error(sample: dict[str, Any]) -> float:
    return count(sample["text"]) / int(sample["o200k"]) - 1


def test_an_empty_text_takes_nothing_and_any_other_something() -> None:
    assert [count(text) for text in ("", " ", "a", "\n", "我", "\u200b", "\ud800")] == [0, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample['kind']}-{sample['o200k']}")
def test_no_text_comes_out_much_too_short(sample: dict[str, Any]) -> None:
    assert error(sample) > (-0.03 if sample["kind"] in NEVER_SHORT else WORST)


def test_on_average_a_text_is_a_tenth_off_at_most() -> None:
    for half in ("seen", "unseen"):
        errors = [abs(error(sample)) for sample in SAMPLES if sample["half"] == half]
        assert sum(errors) / len(errors) < 0.1


@given(st.text(max_size=200))
def test_any_text_has_a_length_that_its_bytes_bound(text: str) -> None:
    assert 0 <= count(text) <= 2 * len(text.encode("utf-8", "surrogatepass")) + 1


def test_exactly_at_a_limit_is_within_it() -> None:
    """One rule everywhere (memory-systems 9)."""
    assert (fits(499, 500), fits(500, 500), fits(501, 500)) == (True, True, False)
