"""Speech acts of English: where something is ordered, planned or asked for, and where it is only told."""

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.schema import Language
from r_memory.reading.actions.requests import Requests


@pytest.fixture(scope="module")
def english() -> Requests:
    return Requests(load_domain(Files(), "clinical").schema.language)


def reached(requests: Requests, text: str) -> list[str]:
    return [
        sentence.text[start:end].strip()
        for sentence in requests.sentences(text, ())
        for start, end in requests.reaches(sentence)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Order the thing.",
        "We're gonna get you the thing.",
        "I 'd like to go ahead and , uh , start the thing .",
        "Well, let's try the thing.",
        "I'll have you use the thing.",
        "Can you send me the thing?",
        "Could she have the thing?",
        "She needs the thing.",
        "I'm putting you on the thing.",
        "The thing should be repeated on Friday.",
        "Why don't we do the thing?",
        "How much of the thing can he take?",
        "Is the thing safe for her?",
        "The tooth hurts, give me the thing.",
        "The thing, please.",
        "Two of the thing for the morning, please.",
        "I would recommend the thing.",
        "Okay, so I want you to stop the thing.",
    ],
)
def test_what_is_ordered_planned_or_asked_for_is_reached(english: Requests, text: str) -> None:
    assert any("thing" in stretch for stretch in reached(english, text))


@pytest.mark.parametrize(
    "text",
    [
        "I take the thing every morning.",
        "Did you get the thing?",
        "I used to take the thing.",
        "Please do come in.",
        "We do not give the thing.",
        "She was told to stop the thing.",
        "He had the thing last year.",
        "You have been using the thing.",
        "Let me take a look at the thing.",
        "The thing was started in May.",
        "The thing makes me cough.",
        "I forgot to take the thing.",
        "Thank you for the thing.",
        "The thing makes me cough, please write that down.",
    ],
)
def test_habits_the_past_and_what_is_forbidden_reach_nothing(english: Requests, text: str) -> None:
    assert not any("thing" in stretch for stretch in reached(english, text))


def test_an_act_reaches_twelve_words_and_no_further_sentence(english: Requests) -> None:
    words = "order a b c d e f g h i j k thing"

    assert reached(english, words) == ["order a b c d e f g h i j k"]
    assert reached(english, "Order it. The thing is here.") == ["order it"]


def test_short_forms_and_fillers_in_transcripts_are_read_like_written_words(english: Requests) -> None:
    (sentence,) = english.sentences("i 'm gon na , um , have you do n't worry , let 's see", ())

    assert sentence.text == "i am going to have you do not worry let us see "
    assert [sentence.text[start:].split()[0] for start in sentence.clauses] == ["i", "have", "let"]


@pytest.mark.parametrize("text", ["", "...", "?!", "\x00\ud800", "日本語", "a" * 5000, "((((", "n't n't"])
def test_no_text_is_too_odd(english: Requests, text: str) -> None:
    assert isinstance(reached(english, text), list)


def test_a_language_without_requests_says_so() -> None:
    requests = Requests(Language(code="xx", sections={}))

    assert not requests.known
    assert reached(requests, "Order the thing.") == []


def test_a_long_talk_without_full_stops_is_read_to_its_end(english: Requests) -> None:
    """Transcripts come so; what a word costs must not grow with what stands before it."""
    talk = "and then we walked along the lake and " * 3000

    assert reached(english, f"{talk} i want you to take the thing")[-1].endswith("take the thing")
