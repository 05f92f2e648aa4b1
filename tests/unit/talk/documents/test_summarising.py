"""Summaries of blocks and of summaries: with their background, within their bounds, whatever a shortener answers."""

import pytest

from r_memory.domain.documents import Plan
from r_memory.protocols import Shortening
from r_memory.text.sentences import words_in
from r_memory.text.tokens import count
from r_memory_talk.documents.summarising import (
    GROUP_TOKENS,
    LONGEST_TOKENS,
    ShortText,
    background_of,
    block_summary,
    group_budget,
    group_summary,
    grouped,
    theme_of,
)
from tests.scripted import ScriptedShortener

pytestmark = pytest.mark.anyio
SENTENCE = "The bridge over the river was opened in May by the mayor. "
LONG = SENTENCE * 200


def no_answer(_: str, __: Shortening) -> str:
    return " \x00 "


def all_of_it(text: str, _: Shortening) -> str:
    return text


def more_than_that(text: str, _: Shortening) -> str:
    return text + text


def hostile(_: str, __: Shortening) -> str:
    return "x" * 100_000


@pytest.mark.proves("SCM-34")
async def test_a_block_is_summarised_with_the_one_before_as_background_in_at_most_500_words() -> None:
    shortener = ScriptedShortener()
    short = await block_summary(shortener, LONG, plan=Plan(), theme="", background="What came before.")
    assert words_in(short.text) == 500
    assert shortener.asked == [(LONG, Shortening(kind="block", words=500, background="What came before."))]


@pytest.mark.proves("SCM-34")
@pytest.mark.parametrize(("tokens", "is_raw"), [(499, True), (500, False), (501, False)])
def test_the_background_is_the_block_itself_only_below_500_tokens(
    tokens: int, monkeypatch: pytest.MonkeyPatch, *, is_raw: bool
) -> None:
    monkeypatch.setattr("r_memory_talk.documents.summarising.count", lambda text: len(text.split()))
    block = "word " * tokens
    assert background_of(block, "its summary") == (block if is_raw else "its summary")


@pytest.mark.proves("SCM-35")
async def test_a_theme_is_one_line_of_100_characters_from_1200_of_the_opening() -> None:
    shortener = ScriptedShortener(lambda text, _: f"About\n {text}")
    theme = await theme_of(shortener, "word " * 1000)
    ((opening, task),) = shortener.asked
    assert (len(opening), task.kind) == (1200, "theme")
    assert len(theme) <= 100
    assert theme.startswith("About word word")
    assert "\n" not in theme


@pytest.mark.proves("SCM-36")
@pytest.mark.parametrize(
    ("tokens", "only", "budget"),
    [
        (100, False, 1000),
        (2300, False, 1000),
        (2600, False, 1000),
        (2700, False, 900),
        (2300, True, 1300),
        (2100, True, 1300),
        (3000, True, 600),
        (9000, True, 50),
    ],
)
def test_a_group_gets_what_the_window_leaves_up_to_its_cap(tokens: int, budget: int, *, only: bool) -> None:
    assert group_budget(tokens, only=only) == budget


@pytest.mark.proves("SCM-36")
def test_groups_are_neighbours_of_up_to_2300_tokens() -> None:
    summaries = ["word " * 700] * 7
    assert grouped(summaries) == ((0, 1, 2), (3, 4, 5), (6,))
    assert GROUP_TOKENS == 2300
    assert grouped(["word " * 3000, "word"]) == ((0,), (1,))
    assert grouped([]) == ()


@pytest.mark.proves("SCM-36")
async def test_a_group_keeps_the_most_compact_third_of_its_words() -> None:
    shortener = ScriptedShortener()
    texts = ["word " * 700] * 3
    short = await group_summary(shortener, texts, plan=Plan(), theme="", only=False)
    ((_, task),) = shortener.asked
    assert task.kind == "group"
    assert 0.28 <= task.words / 2100 <= 0.31
    assert not short.cut


@pytest.mark.proves("SCM-37")
async def test_a_question_is_asked_of_every_block_and_group() -> None:
    shortener = ScriptedShortener()
    plan = Plan(question="Who opened the bridge?")
    await block_summary(shortener, LONG, plan=plan, theme="", background="")
    await group_summary(shortener, [LONG, LONG], plan=plan, theme="", only=True)
    assert [task.question for _, task in shortener.asked] == ["Who opened the bridge?"] * 2


@pytest.mark.proves("SCM-35")
async def test_the_theme_stands_in_every_prompt() -> None:
    shortener = ScriptedShortener()
    plan = Plan(meeting=True)
    await block_summary(shortener, LONG, plan=plan, theme="The bridge", background="")
    await group_summary(shortener, [LONG, LONG], plan=plan, theme="The bridge", only=True)
    assert [task.theme for _, task in shortener.asked] == ["The bridge"] * 2


@pytest.mark.parametrize("answer", [no_answer, all_of_it, more_than_that, hostile])
async def test_what_does_not_shrink_is_cut_and_said_to_be(answer: object) -> None:
    shortener = ScriptedShortener(answer)  # type: ignore[arg-type]  # one of the functions above
    block = await block_summary(shortener, LONG, plan=Plan(), theme="", background="")
    group = await group_summary(shortener, [LONG[:4000]] * 3, plan=Plan(), theme="", only=False)
    for short in (block, group):
        assert short.cut
        assert short.text.strip()
        assert count(short.text) <= LONGEST_TOKENS
    assert words_in(block.text) <= 500


async def test_what_is_cut_ends_with_a_sentence_where_one_fits() -> None:
    short = await block_summary(ScriptedShortener(all_of_it), LONG, plan=Plan(), theme="", background="")
    assert short.text.endswith("by the mayor.")


async def test_a_short_block_is_its_own_summary() -> None:
    short = await block_summary(ScriptedShortener(all_of_it), SENTENCE, plan=Plan(), theme="", background="")
    assert short == ShortText(text=SENTENCE.strip())
