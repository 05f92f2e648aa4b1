"""Raw, summary or dropped: by the paper, by its code, all at once, or forced; it always ends, within the budget."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.memories import MemoryItem
from r_memory.domain.turns import Form
from r_memory_lab.reorganising import Code, Forced, Once
from r_memory_talk.controller.reorganising import Paper, Reorganised, reorganised
from tests.unit.talk.controller.world import Answering, an_item, items, words

pytestmark = pytest.mark.anyio
RAW, SUMMARY, DROPPED = Form.RAW, Form.SUMMARY, Form.DROPPED
NO_LIMIT = 1_000_000
RULES = (Paper(), Code(), Once(), Forced(form=RAW), Forced(form=SUMMARY))


async def made(
    found: Sequence[MemoryItem], judge: Answering, rule: Paper, *, flash: str = "", room: int = NO_LIMIT
) -> Reorganised:
    return await reorganised("why?", found, judge, rule, flash=flash, room=room)


def forms(result: Reorganised) -> list[Form]:
    return [placed.form for placed in result.items]


def tokens(result: Reorganised) -> int:
    return sum(placed.tokens for placed in result.items)


# --- the paper -------------------------------------------------------------------------------------------------------


@pytest.mark.proves("SCM-13", "SCM-14", "A-8")
async def test_the_paper_asks_about_long_items_where_all_together_are_long() -> None:
    found = list(items(("a", 900, 50), ("b", 700, 50), ("c", 900, 50)))
    judge = Answering({words(50, "soo"): False})

    result = await made(found, judge, Paper())

    assert [(placed.form, placed.tokens) for placed in result.items] == [(RAW, 900), (RAW, 700), (SUMMARY, 50)]
    assert judge.asked == [words(50, "soo"), words(900, "go"), words(50, "goo")]
    assert not result.over_budget


@pytest.mark.proves("SCM-14", "A-8")
@pytest.mark.parametrize(("third", "asked"), [(200, 0), (201, 3)])
async def test_exactly_at_the_papers_total_nobody_is_asked(third: int, asked: int) -> None:
    """One rule for a length that is exactly the limit (memory-systems 9)."""
    judge = Answering()
    await made(list(items(("a", 900, 50), ("b", 900, 50), ("c", third, 50))), judge, Paper())
    assert len(judge.asked) == asked


@pytest.mark.proves("SCM-14", "A-8")
async def test_an_item_of_exactly_800_tokens_is_not_long_and_thresholds_can_be_set() -> None:
    found = list(items(("a", 800, 50), ("b", 801, 50), ("c", 800, 50)))
    by_default, lower = Answering(), Answering()
    usual = await made(found, by_default, Paper())
    strict = await made(found, lower, Paper(item_above=799, total_above=100))
    assert (forms(usual), forms(strict)) == ([RAW, SUMMARY, RAW], [SUMMARY, SUMMARY, SUMMARY])


# --- the published code ----------------------------------------------------------------------------------------------


@pytest.mark.proves("SCM-15", "A-8")
async def test_the_code_asks_raw_then_summary_of_all_but_the_best_above_2500_tokens() -> None:
    found = list(items(("best", 1000, 10), ("useless", 600, 10), ("brief", 600, 10), ("needed", 600, 10)))
    judge = Answering({found[1].raw: False, found[3].gist: False})

    result = await made(found, judge, Code())

    assert {placed.item.id: placed.form for placed in result.items} == {
        "best": RAW,
        "useless": DROPPED,
        "brief": SUMMARY,
        "needed": RAW,
    }
    assert not {found[0].raw, found[0].gist} & set(judge.asked)
    assert len(judge.asked) == 5


@pytest.mark.proves("SCM-15", "A-8")
@pytest.mark.parametrize(("flash", "asked"), [(500, 0), (501, 1)])
async def test_the_code_counts_the_previous_turn_and_stays_silent_exactly_at_2500(flash: int, asked: int) -> None:
    judge = Answering(other=False)
    await made(list(items(("a", 1000, 0), ("b", 1000, 0))), judge, Code(), flash=words(flash))
    assert len(judge.asked) == asked


@pytest.mark.proves("SCM-15")
async def test_what_is_still_too_long_becomes_summaries_from_the_least_similar_on() -> None:
    found = list(items(("a", 1000, 10), ("b", 1000, 10), ("c", 1000, 10)))
    judge = Answering({item.gist: False for item in found})
    result = await made(found, judge, Code(), flash=words(400), room=2100)
    assert (forms(result), tokens(result), result.over_budget) == ([RAW, RAW, SUMMARY], 2010, False)


# --- dropping, doubt, budget -----------------------------------------------------------------------------------------


@pytest.mark.proves("A-9")
@pytest.mark.parametrize("rule", [Paper(), Code()])
async def test_what_does_not_help_is_dropped_but_for_the_best(rule: Paper) -> None:
    found = list(items(("best", 1300, 0), ("b", 1300, 0)))
    assert forms(await made(found, Answering(other=False), rule)) == [RAW, DROPPED]


@pytest.mark.proves("SCM-16")
async def test_in_doubt_an_item_stands_raw_and_every_unreadable_answer_is_counted() -> None:
    found = list(items(("a", 1000, 10), ("b", 1000, 10), ("c", 1000, 10)))
    result = await made(found, Answering(other=None), Code())
    assert (forms(result), result.parse_failures) == ([RAW, RAW, RAW], 4)


@pytest.mark.proves("SCM-15", "A-9")
async def test_when_even_summaries_are_too_long_the_least_similar_go_and_it_ends() -> None:
    """The published code goes round for ever here (memory-systems 9)."""
    found = list(items(("a", 2000, 900), ("b", 2000, 900), ("c", 2000, 900), ("d", 2000, 900)))
    result = await made(found, Answering(), Code(), room=2500)
    assert (forms(result), tokens(result)) == ([SUMMARY, SUMMARY, DROPPED, DROPPED], 1800)
    assert result.over_budget


async def test_the_best_item_stays_by_its_summary_though_it_alone_is_too_long() -> None:
    """A turn longer than the window is shortened, never an error (memory-systems 9)."""
    result = await made([an_item("a", 9000, 3000)], Answering(), Paper(), room=2500)
    assert (forms(result), result.over_budget) == ([SUMMARY], True)


@pytest.mark.parametrize("rule", RULES)
async def test_nothing_activated_comes_to_nothing(rule: Paper) -> None:
    assert await made([], Answering(), rule, flash="so", room=0) == Reorganised(items=[])


# --- all at once, and forced modes -----------------------------------------------------------------------------------


@pytest.mark.proves("SCM-17")
@pytest.mark.parametrize(("suffices", "expected"), [(True, SUMMARY), (False, RAW), (None, RAW)])
async def test_memengine_asks_once_with_all_summaries_oldest_first_and_the_previous_turn(
    suffices: bool | None, expected: Form
) -> None:
    newest, oldest = an_item("new", 100, 10, word="so", seq=9), an_item("old", 100, 10, word="we", seq=1)
    judge = Answering({"the last turn": False}, other=suffices)

    result = await made([newest, oldest], judge, Once(), flash="the last turn")

    assert judge.asked == ["the last turn", f"{oldest.gist}\n{newest.gist}\nthe last turn"]
    assert forms(result) == [expected, expected]
    assert result.parse_failures == int(suffices is None)


@pytest.mark.proves("SCM-17")
async def test_memengine_shows_nothing_more_where_the_previous_turn_is_enough() -> None:
    judge = Answering(other=True)
    result = await made([an_item("a", 100, 10), an_item("b", 100, 10)], judge, Once(), flash="the last turn")
    assert (judge.asked, forms(result)) == (["the last turn"], [DROPPED, DROPPED])


@pytest.mark.proves("T-4")
async def test_adaptive_keeps_what_forced_summaries_lose_at_less_than_the_length_of_raw() -> None:
    """Forced raw, forced summary and adaptive on the same items: of three long ones one is needed word for word."""
    found = list(items(("needed", 1000, 50), ("told", 1000, 50), ("idle", 1000, 50)))
    judge = Answering({found[0].gist: False, found[2].raw: False})
    by_rule = {
        "raw": await made(found, judge, Forced(form=RAW)),
        "summary": await made(found, judge, Forced(form=SUMMARY)),
        "adaptive": await made(found, judge, Paper()),
    }

    assert {rule: tokens(result) for rule, result in by_rule.items()} == {
        "raw": 3000, "summary": 150, "adaptive": 1050}  # fmt: skip
    assert tokens(by_rule["adaptive"]) <= 0.6 * tokens(by_rule["raw"])
    assert forms(by_rule["adaptive"]) == [RAW, SUMMARY, DROPPED]


async def test_forced_raw_drops_whole_items_at_the_budget_as_the_naive_way_does() -> None:
    judge = Answering()
    result = await made(list(items(("a", 60, 5), ("b", 60, 5))), judge, Forced(form=RAW), room=100)
    assert (forms(result), result.over_budget, judge.asked) == ([RAW, DROPPED], True, [])


@given(
    sizes=st.lists(st.tuples(st.integers(1, 40), st.integers(0, 40)), max_size=6),
    rule=st.sampled_from([Paper(item_above=5, total_above=20), Code(above=20), *RULES[2:]]),
    room=st.integers(0, 120),
    answer=st.sampled_from([True, False, None]),
)
async def test_every_reorganising_ends_within_the_budget_or_says_so(
    sizes: list[tuple[int, int]], rule: Paper, room: int, answer: bool | None
) -> None:
    found = list(items(*((f"i{place}", raw, summary) for place, (raw, summary) in enumerate(sizes))))

    result = await made(found, Answering(other=answer), rule, room=room)

    assert [placed.item for placed in result.items] == found
    assert tokens(result) <= room or result.over_budget or not found
    assert not found or forms(result)[0] is not DROPPED
