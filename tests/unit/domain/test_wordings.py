"""The notation of phrases, over words that one space follows each."""

import re

import pytest

from r_memory.domain.wordings import expression, one_of


def found(phrase: str, text: str) -> str | None:
    match = re.search(expression(phrase, numbers=("two", "ten")), text)
    return None if match is None else match.group()


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("come back", "please come back soon ", "come back "),
        ("come (back)? in", "come in ", "come in "),
        ("come (back)? in", "come back in ", "come back in "),
        ("see (you|him again) in", "see him again in may ", "see him again in "),
        ("see ..2 in", "see you back in may ", "see you back in "),
        ("see ..1 in", "see you back in may ", None),
        ("see ..9 in", "see you . in ", None),
        ("# tablets", "take two tablets ", "two tablets "),
        ("# tablets", "take 1.5 tablets ", "1.5 tablets "),
        ("# tablets", "take some tablets ", None),
        ("prescri* it", "prescribing it ", "prescribing it "),
        ("*scopy", "a colonoscopy ", "colonoscopy "),
        ("the scan", "bathe scan ", None),
        ("Scan", "scan ", "scan "),
        ("a.c", "abc ", None),
    ],
)
def test_a_phrase_finds_what_it_says_and_whole_words_only(phrase: str, text: str, expected: str | None) -> None:
    assert found(phrase, text) == expected


@pytest.mark.parametrize(
    ("phrase", "complaint"),
    [
        ("", "holds no word"),
        ("..3 #", "holds no word"),
        ("see (you", "is not closed"),
        ("see you)", "closes that was not opened"),
        ("see you?", "'you\\?' is no word"),
        ("a ..x", "'..x' is no word"),
    ],
)
def test_what_is_no_phrase_is_refused_with_a_reason(phrase: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        expression(phrase)


def test_no_phrases_find_nothing() -> None:
    assert one_of(()) is None
