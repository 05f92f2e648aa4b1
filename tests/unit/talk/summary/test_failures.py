"""What did not work becomes an option that is not proposed again, and nothing else does (issue 15.6, CIM)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from r_memory_talk.summary.exclusions import failures, raised_again, rejections

HERE = Path(__file__).parent
ANSWERS = {"en": "Try restarting the router. It takes a minute.", "zh": "可以试试重启路由器。大概一分钟。"}


def rows(name: str, part: str) -> Sequence[dict[str, Any]]:
    loaded: dict[str, Sequence[dict[str, Any]]] = yaml.safe_load((HERE / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded[part]


def right(row: dict[str, Any], language: str) -> bool:
    """An article more or less."""
    return [failure.option for failure in failures(row["text"], ANSWERS[language])] == [
        item for item in [row.get("option")] if item
    ]


@pytest.mark.parametrize("language", ANSWERS)
@pytest.mark.parametrize(("name", "least"), [("failures", 1.0), ("failures_second", 0.9)])
def test_what_failed_is_named_by_the_words_or_by_the_last_answer(name: str, least: float, language: str) -> None:
    found = rows(name, language)
    wrong = [row["text"] for row in found if not right(row, language)]
    assert len(wrong) <= (1 - least) * len(found), wrong


@pytest.mark.parametrize("row", rows("failures", "lifted"), ids=lambda row: row["text"])
def test_an_option_that_failed_is_lifted_when_it_is_raised_again(row: dict[str, Any]) -> None:
    assert raised_again([row["option"]], row["text"]) == (row["option"],)


@pytest.mark.parametrize("row", rows("failures", "still_out"), ids=lambda row: row["text"])
def test_naming_an_option_that_stays_out_lifts_nothing(row: dict[str, Any]) -> None:
    assert raised_again([row["option"]], row["text"]) == ()


def test_without_an_answer_before_there_is_nothing_that_failed_but_what_is_named() -> None:
    assert failures("That didn't work.", "") == ()
    assert failures("It still fails.", "") == ()
    assert [failure.option for failure in failures("Mint tea did not help.", "")] == ["Mint tea"]


def test_still_not_working_is_no_option_by_itself() -> None:
    assert rejections("清洁了，还是不行。") == ()  # noqa: RUF001 - full-width as people type it
