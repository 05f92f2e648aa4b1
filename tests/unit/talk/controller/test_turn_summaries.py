"""A long turn gets a sentence for each side; a short one is its own summary."""

import pytest

from r_memory.errors import ModelError, ModelUnavailable
from r_memory.protocols import Shortening
from r_memory_talk.shortening import LIMIT_TOKENS, SENTENCE_WORDS, ExtractiveShortener, turn_summary
from tests.scripted import ScriptedShortener
from tests.unit.talk.controller.world import words
from tests.unit.talk.world import said

pytestmark = pytest.mark.anyio
LONG_ZH = "我昨天去了医院，医生说我的血压有点高。" * 30  # noqa: RUF001 - Chinese


@pytest.mark.proves("SCM-24")
async def test_a_long_turn_gets_one_paragraph_for_each_side_under_its_speaker() -> None:
    shortener = ScriptedShortener(lambda text, _task: f"{text.split()[0]} in short")
    summary = await turn_summary(
        shortener, said(words(200, "question"), words(200, "answer"), speaker="Ann", responder="Guide")
    )
    assert summary == "Ann: question in short\n\nGuide: answer in short"
    assert [task.kind for _, task in shortener.asked] == ["turn", "turn"]


@pytest.mark.proves("SCM-25")
@pytest.mark.parametrize(("tokens", "asked"), [(LIMIT_TOKENS, 0), (LIMIT_TOKENS + 1, 2)])
async def test_up_to_300_tokens_a_turn_is_its_own_summary_and_nobody_is_asked(tokens: int, asked: int) -> None:
    shortener = ScriptedShortener()
    await turn_summary(shortener, said(words(tokens - 2), "so"))
    assert len(shortener.asked) == asked


@pytest.mark.proves("SCM-26")
async def test_sides_without_a_name_are_called_in_the_language_of_the_turn() -> None:
    english = await turn_summary(ScriptedShortener(), said(words(300), words(20)))
    chinese = await turn_summary(ScriptedShortener(), said(LONG_ZH, LONG_ZH))
    assert [line.split(":")[0] for line in english.split("\n\n")] == ["User", "Assistant"]
    assert [line[:2] for line in chinese.split("\n\n")] == ["用户", "助手"]


@pytest.mark.proves("SCM-26")
async def test_an_empty_turn_has_no_language_and_no_summary() -> None:
    """The published code divides by zero here (memory-systems 9)."""
    assert await turn_summary(ScriptedShortener(), said("", "")) == ""
    assert await turn_summary(ScriptedShortener(), said("\n" * 2_000, "   ")) == ""


@pytest.mark.proves("SCM-24")
async def test_a_side_that_said_nothing_has_no_paragraph() -> None:
    summary = await turn_summary(ScriptedShortener(), said(words(400), "", speaker="Ann"))
    assert summary.startswith("Ann: ")
    assert "\n" not in summary


async def test_a_chinese_side_may_be_twice_as_many_characters_as_an_english_one_has_words() -> None:
    shortener = ScriptedShortener()
    await turn_summary(shortener, said(LONG_ZH, ""))
    assert shortener.asked[0][1] == Shortening(kind="turn", words=SENTENCE_WORDS["zh"])


async def test_with_the_local_shortener_a_summary_is_shorter_than_the_turn_and_in_its_words() -> None:
    long = " ".join(f"The {colour} boat needs a new sail before spring." for colour in ("red", "blue", "green")) * 20
    summary = await turn_summary(ExtractiveShortener(), said(long, "All right.", speaker="Ann", responder="Guide"))
    first, second = summary.split("\n\n")
    assert len(first) < len(long)
    assert first.removeprefix("Ann: ").split(".")[0] in long
    assert second == "Guide: All right."


async def test_a_shortener_that_fails_is_reported_to_whoever_stores_the_turn() -> None:
    def failing(_text: str, _task: Shortening) -> str:
        raise ModelUnavailable("the model did not answer; try again")

    with pytest.raises(ModelError):
        await turn_summary(ScriptedShortener(failing), said(words(400), words(400)))
