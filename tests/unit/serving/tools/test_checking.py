"""Checking a draft: conflicts are told, repeating what is known is none, and nothing found is never called safe."""

import pytest

from r_memory.errors import StoreUnavailable
from tests.unit.serving.tools.practice import ALLERGIC, Practice, called, client_of, refused

pytestmark = [pytest.mark.anyio, pytest.mark.proves("Z39")]
ANN = {"subject": "P1", "subject_name": "Ann Lee"}


async def verdict(practice: Practice, draft: str) -> tuple[str, list[str]]:
    """Verdict, and the quote of each finding, for somebody who is allergic to penicillin."""
    async with client_of(practice) as client:
        await called(client, "memory_remember", text=ALLERGIC, **ANN)
        checked = await called(client, "memory_check_text", text=draft, subject="P1")
    return checked["verdict"], [finding["quote"] for finding in checked["findings"]]


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("Rest well. Take penicillin twice a day. Drink.", ("conflict", ["Take penicillin twice a day."])),
        ("Take penicillin, and avoid alcohol.", ("conflict", ["Take penicillin, and avoid alcohol."])),
        ("Avoid penicillin, it is not for you.", ("warning", ["Avoid penicillin, it is not for you."])),
        ("Rest well.", ("nothing_found", [])),
    ],
)
async def test_a_draft_is_held_against_what_is_recorded(
    practice: Practice, draft: str, expected: tuple[str, list[str]]
) -> None:
    assert await verdict(practice, draft) == expected


async def test_repeating_what_is_known_is_no_conflict(practice: Practice) -> None:
    assert await verdict(practice, ALLERGIC) == ("warning", [ALLERGIC])


async def test_somebody_unknown_is_an_error_with_the_way_out(practice: Practice) -> None:
    async with client_of(practice) as client:
        told = await refused(client, "memory_check_text", text="Take penicillin.", subject="P9")
    assert "P9" in told


async def test_a_check_that_could_not_read_is_an_error_and_never_nothing_found(practice: Practice) -> None:
    practice.fails = StoreUnavailable("the store does not answer")
    async with client_of(practice) as client:
        told = await refused(client, "memory_check_text", text="Take penicillin.", subject="P1")
    assert "SAFETY MEMORY UNAVAILABLE: " in told
