"""What a write is held against: everything recorded about that person comes back where it does not go together."""

from collections.abc import AsyncIterator, Sequence
from itertools import count

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

pytestmark = pytest.mark.anyio

NUMBERS = count(1)


@pytest.fixture(scope="module")
async def caller(standing: Installation) -> AsyncIterator[Assistant]:
    """One client on each store; each test takes a subject of its own."""
    async with in_a_task_of_its_own(standing.client()) as connected:
        yield connected


async def told(caller: Assistant, *sentences: str) -> list[Sequence[str]]:
    """What each sentence about a new person comes back with."""
    who = {"subject": f"S{next(NUMBERS)}", "subject_name": "Person Number"}
    who["subject_name"] += f" {who['subject']}"
    return [(await caller.call("memory_remember", text=words, **who)).get("not_together", []) for words in sentences]


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        ("She takes warfarin.", "She takes co-trimoxazole.", ("Warfarin", "Sulfamethoxazole")),
        ("She takes Marcumar.", "The GP prescribed co-trimoxazole today.", ("Marcumar", "Sulfamethoxazole")),
        ("She is allergic to penicillin.", "She takes amoxicillin.", ("Penicillin", "Amoxicillin")),
        ("She takes amoxicillin.", "She is allergic to penicillin.", ("Penicillin", "Amoxicillin")),
        ("She might be allergic to penicillin.", "She takes amoxicillin.", ("Penicillin", "Amoxicillin")),
        ("She takes sildenafil.", "She was started on isosorbide mononitrate.", ("Sildenafil", "Isosorbide")),
        ("She has asthma.", "She takes propranolol.", ("Propranolol", "Asthma")),
    ],
)
async def test_a_write_comes_back_with_what_it_does_not_go_together_with(
    caller: Assistant, first: str, second: str, named: Sequence[str]
) -> None:
    alone, found = await told(caller, first, second)

    assert not alone
    assert any(all(name in text for name in named) for text in found), found


async def test_one_text_that_tells_of_both_comes_back_with_what_does_not_go_together(caller: Assistant) -> None:
    (found,) = await told(caller, "She takes Marcumar. The GP prescribed co-trimoxazole today.")

    assert len(found) == 1
    assert "Marcumar" in found[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("She takes warfarin.", "She takes amlodipine."),
        ("She is allergic to penicillin.", "She takes metformin."),
        ("She is allergic to penicillin.", "She is allergic to amoxicillin."),
        ("She is not allergic to penicillin.", "She takes amoxicillin."),
        ("She takes amlodipine.", "She has asthma."),
        ("Her mother is allergic to penicillin.", "She takes amoxicillin."),
        ("She tolerates amoxicillin.", "She is allergic to penicillin."),
    ],
)
async def test_what_goes_together_comes_back_with_nothing(caller: Assistant, first: str, second: str) -> None:
    assert await told(caller, first, second) == [[], []]
