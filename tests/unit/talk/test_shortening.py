"""Shortening without a model: whole sentences, never more than asked for, never nothing, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.protocols import Shortening
from r_memory.text.sentences import CUT, cut, language_of, sentences, words_in
from r_memory_talk.shortening import (
    THEME_LIMIT,
    ExtractiveShortener,
    fitted,
    key_phrases,
    shortened,
    theme_of,
)

pytestmark = pytest.mark.anyio

TALK = """Ann: Hi there! How are you today?
Ben: I am fine, thanks. My father died last week, and the funeral is on Saturday.
Ann: Oh no, I am so sorry. Do you want to talk about it?
Ben: Not now. He had been ill with pneumonia for three months. My sister Clara flew in from Oslo.
Ann: What will happen with his boat?
Ben: We will sell the boat. It costs 400 euros a year in the harbour.
Ann: Good idea. Nice weather today, by the way.
Ben: Yes, the weather is nice."""
CHINESE = "我叫小明，今年十岁。我对花生过敏，医生说不能吃花生酱。昨天我们去了北京动物园。今天天气很好。"  # noqa: RUF001 - Chinese
KINDS = ("turn", "window", "block", "group", "theme")
LINES = [*TALK.splitlines(), *sentences(CHINESE), "!?", "x" * 90, ""]
texts = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(LINES), max_size=30).map("\n".join))


def a_task(words: int, kind: str = "window", **more: str) -> Shortening:
    return Shortening(kind=kind, words=words, **more)  # type: ignore[arg-type]  # kinds from KINDS, texts by name


# --- sentences and words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        (" \n ", ()),
        ("No stop", ("No stop",)),
        ("Dr. Lee came. J. Smith left.", ("Dr. Lee came.", "J. Smith left.")),
        ("It is 3.5 mg. Twice a day!", ("It is 3.5 mg.", "Twice a day!")),
        ("She asked (twice). Why?! He laughed…  Then", ("She asked (twice).", "Why?!", "He laughed…", "Then")),
        ("approx. five litres", ("approx. five litres",)),
        ("Ann: Hello\nBen: Good day", ("Ann: Hello", "Ben: Good day")),
        ("Milk:\n- one litre\n- fresh", ("Milk:", "- one litre", "- fresh")),
        ("我不吃鱼。你呢\uff1f「好。」他说", ("我不吃鱼。", "你呢\uff1f", "「好。」", "他说")),
        ("A title\n\nand its text", ("A title", "and its text")),
        ("A line that a printer broke at the end of its column, not\nwhere it ends.", None),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, parts: tuple[str, ...] | None) -> None:
    assert sentences(text) == ((" ".join(text.split()),) if parts is None else parts)


@given(texts)
def test_nothing_but_blanks_is_lost_between_sentences(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(texts, st.integers(-1, 40))
def test_a_cut_text_is_as_short_as_asked_and_begins_as_it_did(text: str, words: int) -> None:
    short = cut(text, words)
    assert words_in(short) <= max(words, 1)
    assert text.startswith(short.removesuffix(CUT))
    assert bool(short.strip()) == bool(text.strip()) or not words_in(text)


@pytest.mark.proves("SCM-26")
@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I like apples.", "en"),
        ("J'ai déjà mangé.", "en"),
        ("我喜欢苹果", "zh"),
        ("abcdef苹果苹果", "zh"),  # exactly 60 % are not more than 60 %
        ("abcdefg苹果苹果", "en"),
        ("リンゴが好きです", "zh"),
        ("", "en"),
        ("12:30", "en"),
        ("Я люблю яблоки", "en"),
    ],
)
def test_the_language_of_a_prompt_follows_the_letters_of_the_text(text: str, language: str) -> None:
    """Scripts that the paper's system never met, and no text at all, get English instead of a division by zero."""
    assert language_of(text) == language


# --- the extractive method -------------------------------------------------------------------------------------------


async def test_a_text_that_is_short_enough_stays_as_it_is() -> None:
    assert await ExtractiveShortener().shorten(" My boat is red. ", a_task(4)) == "My boat is red."


async def test_what_happened_is_kept_before_greetings_and_the_weather() -> None:
    short = await ExtractiveShortener().shorten(TALK, a_task(40))
    assert "My father died last week" in short
    assert "How are you" not in short


@pytest.mark.proves("SCM-37")
def test_a_question_decides_what_is_kept() -> None:
    assert "boat" in shortened(TALK, a_task(12, question="What becomes of the boat?"))
    assert "Oslo" in shortened(TALK, a_task(12, question="Where does the sister Clara live?"))
    assert shortened(CHINESE, a_task(20, question="花生过敏")).startswith("我对花生过敏")


def test_what_the_background_says_is_not_said_again() -> None:
    known = "My father died last week, and the funeral is on Saturday."
    assert "father died" in shortened(TALK, a_task(30))
    short = shortened(TALK, a_task(30, background=known))
    assert short
    assert "father died" not in short


def test_a_text_that_only_repeats_the_background_is_short_and_not_empty() -> None:
    assert 0 < words_in(shortened(TALK, a_task(20, background=TALK))) <= 20


def test_the_same_sentence_is_chosen_once() -> None:
    assert shortened("The boat was sold in Oslo. " * 9, a_task(30)) == "The boat was sold in Oslo."


def test_chosen_sentences_keep_their_order() -> None:
    short = sentences(shortened(TALK, a_task(45)))
    places = [TALK.replace("\n", " ").index(part) for part in short]
    assert len(places) > 2
    assert places == sorted(places)


def test_a_single_sentence_that_is_too_long_is_cut_with_a_mark() -> None:
    endless = "and then " * 500
    assert shortened(endless, a_task(4)) == "and then and then…"
    assert words_in(shortened("x" * 10_000, a_task(3))) == 3
    assert shortened("鱼" * 90, a_task(5)) == "鱼鱼鱼鱼鱼…"


@given(texts, st.integers(-1, 60), st.sampled_from(KINDS), st.sampled_from(["", "boat", TALK, "鱼"]))
def test_any_text_becomes_no_longer_than_asked_and_never_nothing(text: str, words: int, kind: str, other: str) -> None:
    for task in (a_task(words, kind, question=other), a_task(words, kind, background=other, theme=other)):
        short = shortened(text, task)
        assert words_in(short) <= max(words, 1)
        assert bool(short) == bool(words_in(text))
        assert short == shortened(text, task)


async def test_a_large_text_is_shortened_too() -> None:
    assert 0 < words_in(await ExtractiveShortener().shorten(f"{TALK}\n" * 200, a_task(50, "block"))) <= 50


@given(texts, st.integers(-1, 60))
def test_a_beginning_in_whole_sentences_fits(text: str, words: int) -> None:
    assert words_in(fitted(text, words)) <= max(words, 1)


# --- themes ----------------------------------------------------------------------------------------------------------


@pytest.mark.proves("SCM-35")
def test_a_theme_is_one_line_of_at_most_a_hundred_characters_with_what_the_text_comes_back_to() -> None:
    opening = (
        "Chair: Welcome to the board.\nWe meet about the harbour bridge. The harbour bridge needs a new budget.\n"
        "Ms Okoye: The budget for the harbour bridge was cut last year, and repairs wait.\nChair: Thank you."
    )
    theme = theme_of(opening)
    assert len(theme) <= THEME_LIMIT
    assert "\n" not in theme
    assert "harbour bridge" in theme
    assert "Chair" not in theme


def test_a_short_opening_is_its_own_theme() -> None:
    assert theme_of("Budget of the\nharbour bridge") == "Budget of the harbour bridge"


def test_chinese_key_phrases_stand_between_function_characters() -> None:
    assert "北京动物园" in key_phrases(CHINESE)


def test_a_theme_of_function_words_alone_is_their_beginning() -> None:
    theme = theme_of("of the and to it " * 40)
    assert theme.startswith("of the")
    assert len(theme) <= THEME_LIMIT
