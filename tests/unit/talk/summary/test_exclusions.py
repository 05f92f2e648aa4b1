"""Rejections are recognised in a person's own words and nowhere else; raising an option again lifts it (CIM 9)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from r_memory_talk.stream.words import normalised
from r_memory_talk.summary.exclusions import (
    LONGEST,
    RefusedOption,
    names_option,
    own_words,
    raised_again,
    rejections,
)

SENTENCES: Mapping[str, Sequence[Mapping[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent / "exclusions.yaml").read_text(encoding="utf-8")
)


def named(entry: Mapping[str, Any]) -> bool:
    """Whether exactly the options that were turned down are found, an article more or less."""
    found = [normalised(rejection.option) for rejection in rejections(entry["text"])]
    meant = [normalised(option).removeprefix("the ").removeprefix("that ") for option in entry["options"]]
    return len(found) == len(meant) and all(any(item in two or two in item for two in found) for item in meant)


def test_the_labelled_sentences_are_many_and_none_comes_twice() -> None:
    orders = [*SENTENCES["orders"], *SENTENCES["held_out"]]
    everything = [entry["text"] for entry in (*orders, *SENTENCES["kept"], *SENTENCES["talk"])]
    assert min(len(orders), len(SENTENCES["kept"])) >= 60
    assert len(everything) == len(set(everything))


@pytest.mark.proves("CIM-9", "T-16")
@pytest.mark.parametrize("part", ["orders", "held_out"])
def test_an_order_to_leave_something_out_is_recognised_and_names_it_as_the_person_did(part: str) -> None:
    wrong = [entry["text"] for entry in SENTENCES[part] if not named(entry)]
    assert len(wrong) <= 0.1 * len(SENTENCES[part]), wrong


@pytest.mark.proves("CIM-9", "T-16")
@pytest.mark.parametrize("part", ["kept", "talk"])
def test_memes_quotations_idioms_and_what_people_tell_of_their_day_turn_nothing_down(part: str) -> None:
    """Of 150 exclusions that wider rules drew from 7,548 turns of real dialogues, hardly ten were any."""
    assert [entry["text"] for entry in SENTENCES[part] if rejections(entry["text"])] == []


@pytest.mark.proves("T-16")
def test_options_are_lifted_when_they_are_raised_again_and_only_then() -> None:
    entries = SENTENCES["raised_again"]
    right = [bool(raised_again([entry["excluded"]], entry["text"])) == entry["again"] for entry in entries]
    assert sum(right) >= 0.9 * len(entries)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Avoid MongoDB, it has no joins.", RefusedOption(option="MongoDB", reason="it has no joins")),
        ("Don't use Redis because the licence changed.", RefusedOption(option="Redis", reason="the licence changed")),
        (
            "The ferry is too slow, so please avoid the ferry.",
            RefusedOption(option="ferry", reason="The ferry is too slow"),
        ),
        ("Avoid `make clean`", None),
        ("排除上海\uff0c那里太贵。", RefusedOption(option="上海", reason="那里太贵")),
        ("Bitte keinen Kuchen.", RefusedOption(option="Kuchen")),
        ("Please avoid it.", None),
        ('Don\'t use "Comic Sans".', RefusedOption(option="Comic Sans")),
        ("Don\u2019t use Java.", RefusedOption(option="Java")),
    ],
)
def test_an_option_comes_with_its_reason(text: str, expected: RefusedOption | None) -> None:
    assert rejections(text) == (() if expected is None else (expected,))


def test_an_entry_is_option_and_reason_or_the_option_alone() -> None:
    assert RefusedOption(option="MongoDB", reason="no joins").entry == "MongoDB: no joins"
    assert RefusedOption(option="MongoDB").entry == "MongoDB"


def test_code_blocks_and_addresses_are_hidden() -> None:
    shown = own_words("Look:\n```\nstop(server)\n```\nand https://example.org/no-more and `avoid()`.")
    assert "stop" not in shown
    assert "no-more" not in shown
    assert "avoid" not in shown


def test_an_option_is_named_by_whole_words_only() -> None:
    assert names_option("the night train", "We took a Night Train.")
    assert names_option("C++", "is C++ fast?")
    assert not names_option("C", "is C++ fast?")
    assert not names_option("Java", "JavaScript")
    assert not names_option("", "anything")


@given(st.text(max_size=400))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for rejection in rejections(text):
        assert rejection.option.strip()
    assert raised_again(["the option", "选项"], text) in {(), ("the option",), ("选项",), ("the option", "选项")}


def test_of_an_endless_text_the_beginning_and_the_end_are_read() -> None:
    filler = "The weather was fine. " * LONGEST
    assert [rejection.option for rejection in rejections(f"Please no MongoDB. {filler} Please avoid Java.")] == [
        "MongoDB",
        "Java",
    ]
