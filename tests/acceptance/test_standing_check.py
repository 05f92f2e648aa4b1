"""What a write is held against: everything recorded about that person comes back where it does not go together."""

from collections.abc import AsyncIterator
from itertools import count

import pytest

from r_memory import Memory, Settings, open_memory
from tests.acceptance.conftest import begin

pytestmark = pytest.mark.anyio

NUMBERS = count(1)


@pytest.fixture(scope="module")
async def memory(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memory]:
    folder = tmp_path_factory.mktemp("standing")
    begin(folder)
    async with open_memory(Settings(data_dir=folder)) as opened:
        yield opened


async def told(memory: Memory, *sentences: str) -> list[tuple[str, ...]]:
    """What each sentence about a new person comes back with."""
    number = next(NUMBERS)
    return [
        (await memory.remember(words, subject=f"S{number}", subject_name=f"Person Number{number}")).not_together
        for words in sentences
    ]


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        ("She takes warfarin.", "She takes co-trimoxazole.", "ulfamethoxazole"),
        ("She takes Marcumar.", "The GP prescribed co-trimoxazole today.", "ulfamethoxazole"),
        ("She is allergic to penicillin.", "She takes amoxicillin.", "Amoxicillin"),
        ("She takes amoxicillin.", "She is allergic to penicillin.", "Amoxicillin"),
        ("She takes sildenafil.", "She was started on isosorbide mononitrate.", "Sildenafil"),
    ],
)
async def test_a_write_comes_back_with_what_it_does_not_go_together_with(
    memory: Memory, first: str, second: str, named: str
) -> None:
    alone, found = await told(memory, first, second)

    assert alone == ()
    assert any(named.casefold() in text.casefold() for text in found), found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("She takes warfarin.", "She takes paracetamol."),
        ("She is allergic to penicillin.", "She takes metformin."),
        ("She is allergic to penicillin.", "She is allergic to amoxicillin."),
        ("She is not allergic to penicillin.", "She takes amoxicillin."),
        ("She takes amlodipine.", "She has asthma."),
    ],
)
async def test_what_goes_together_comes_back_with_nothing(memory: Memory, first: str, second: str) -> None:
    assert await told(memory, first, second) == [(), ()]
