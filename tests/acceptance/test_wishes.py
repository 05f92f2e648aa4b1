"""A request to forget is settled when what it names is withdrawn, and waits while anything of that name stands.

Issue "In a model's hands", point 6.
"""

from collections.abc import AsyncIterator

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.changes import Change
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def home(standing: Installation) -> AsyncIterator[Memory]:
    one = standing.with_settings(schema="personal", space="wishes", data_dir=str(standing.folder / "wishes"))
    async with open_memory(load_settings(one.environment)) as opened:
        yield opened


async def states(memory: Memory, who: str, relation: str, thing: str, words: str) -> str:
    """The id of the fact that these words state."""
    claim = Claim(relation=relation, object=thing, evidence=words)
    made = await memory.remember(f"{words}.", subject=who, subject_name=who, claims=[claim])
    return made.facts[0].fact_id


async def wishes(memory: Memory, who: str) -> list[str]:
    items = (await memory.review(subject=who)).items
    return [item.episode.text for item in items if item.episode is not None]


@pytest.mark.parametrize(
    ("relation", "thing", "words", "wish"),
    [
        ("TAKES", "sertraline", "I take sertraline", "Please forget the sertraline."),
        ("HAS_PLACE", "Elm Road 3", "I live at Elm Road 3", "Forget Elm Road."),
        ("HAS_CONDITION", "depression", "I have depression", "Can you delete the depression?"),
    ],
)
async def test_a_request_to_forget_is_settled_by_the_withdrawal(
    home: Memory, relation: str, thing: str, words: str, wish: str
) -> None:
    id_ = await states(home, thing, relation, thing, words)
    await home.remember(wish, subject=thing, claims=[])
    assert await wishes(home, thing) == [wish]

    await home.change_fact(id_, Change.ENTERED_IN_ERROR, reason="asked to forget it", actor="Ann Reviewer")

    assert await wishes(home, thing) == []


async def test_a_request_that_another_fact_answers_to_as_well_goes_on_waiting(home: Memory) -> None:
    first = await states(home, "two", "LIKES", "green tea", "I like green tea")
    await states(home, "two", "LIKES", "black tea", "I like black tea")
    await home.remember("Forget the tea.", subject="two", claims=[])

    await home.change_fact(first, Change.ENTERED_IN_ERROR, reason="asked to forget it", actor="Ann Reviewer")

    assert await wishes(home, "two") == ["Forget the tea."]


async def test_forgetting_one_sum_for_another_ends_the_first_and_the_second_is_the_bound(
    standing: Installation,
) -> None:
    one = standing.with_settings(schema="law", space="sums", data_dir=str(standing.folder / "sums"))
    async with open_memory(load_settings(one.environment)) as firm:
        first = "I won't take less than 55,000"
        second = "Forget the 55,000"
        third = "You may say yes to anything from 41,000"
        told = Claim(relation="HAS_INSTRUCTION", object=first, evidence=first)
        await firm.remember(f"{first}.", subject="M1", subject_name="Ines Roth", speaker="client", claims=[told])
        ended = Claim(
            relation="HAS_INSTRUCTION", object="the 55,000", evidence=second, status="resolved", corrects=first
        )
        bound = Claim(relation="HAS_INSTRUCTION", object=third, evidence=third)
        made = await firm.remember(f"{second}. {third}.", subject="M1", speaker="client", claims=[ended, bound])

        assert made.pending == 0, made.results
        below = await firm.check_text("We settle: our client accepts 39,000.", subject="M1")
        within = await firm.check_text("We settle: our client accepts 44,000.", subject="M1")
        assert (below.verdict, "41,000" in below.findings[0].message) == ("conflict", True)
        assert not within.findings, within.findings
