"""A draft is held against the day by which something is due, and against a limit that a client sets, on both stores."""

from collections.abc import AsyncIterator

import pytest

from r_memory import Memory, Settings, open_memory
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio
DUE = "HAS_DEADLINE"


@pytest.fixture
async def law(installation: Installation) -> AsyncIterator[Memory]:
    settings = {**installation.settings, "schema": "law"}
    async with open_memory(Settings(**settings)) as memory:  # type: ignore[arg-type]  # texts, all of them
        yield memory


def due(thing: str, words: str, day: str, corrects: str = "") -> Claim:
    return Claim(relation=DUE, object=thing, evidence=words, attrs={"due": day}, corrects=corrects)


async def test_a_day_after_the_day_is_a_conflict_one_before_keeps_it_and_none_is_shown_it(law: Memory) -> None:
    words = "The defence must be served by 9 March 2027"
    await law.remember(
        f"{words}.",
        subject="L1",
        subject_name="Ida Falk",
        speaker="partner",
        claims=[due("Defence", words, "9 March 2027")],
    )

    late = await law.check_text("Serve the defence on 11 March 2027.", subject="L1")
    early = await law.check_text("Serve the defence on 2 March 2027.", subject="L1")
    undated = await law.check_text("Serve the defence.", subject="L1")
    two = await law.check_text("Serve the defence on 2 March 2027 or on 11 March 2027.", subject="L1")

    assert late.verdict == "conflict"
    assert early.verdict == "nothing_found", early
    assert any("2027-03-09" in note for note in early.notes)
    assert (undated.verdict, two.verdict) == ("warning", "warning")


async def test_the_day_that_was_taken_back_is_held_against_nothing_where_the_right_one_stands(law: Memory) -> None:
    old, new = "The last day to appeal is 14 May 2027", "14 May is wrong, the last day to appeal is 11 May 2027"
    await law.remember(
        f"{old}.",
        subject="L2",
        subject_name="Ove Lund",
        speaker="paralegal",
        claims=[due("Appeal", old, "14 May 2027")],
    )
    await law.remember(f"{new}.", subject="L2", speaker="partner", claims=[due("Appeal", new, "11 May 2027", old)])

    between = await law.check_text("File the appeal on 13 May 2027.", subject="L2")
    before = await law.check_text("File the appeal on 4 May 2027.", subject="L2")

    assert between.verdict == "conflict"
    assert before.verdict == "nothing_found", before


async def test_a_client_replaces_their_own_limit_and_the_new_one_is_compared_as_the_caller_gives_it(
    law: Memory,
) -> None:
    old, new = "I won't let it go under 64,000", "Drop the 64,000. From 58,000 upwards I'm happy"
    first = Claim(
        relation="HAS_INSTRUCTION", object="not under 64,000", evidence=old, attrs={"limit": "not less than 64,000"}
    )
    second = Claim(
        relation="HAS_INSTRUCTION",
        object="from 58,000 upwards",
        evidence=new,
        attrs={"limit": "not less than 58,000"},
        corrects=old,
    )
    await law.remember(f"{old}.", subject="L3", subject_name="Una Reid", speaker="client", claims=[first])
    await law.remember(f"{new}.", subject="L3", speaker="client", claims=[second])

    between = await law.check_text("Accept the offer of 61,000.", subject="L3")
    below = await law.check_text("Accept the offer of 55,000.", subject="L3")

    assert between.findings == ()
    assert "58,000" in "\n".join(between.notes)
    assert below.verdict == "conflict"


async def test_nobody_else_ends_a_clients_limit_by_words(law: Memory) -> None:
    old = "I won't let it go under 64,000"
    given = Claim(
        relation="HAS_INSTRUCTION", object="not under 64,000", evidence=old, attrs={"limit": "not less than 64,000"}
    )
    gone = Claim(
        relation="HAS_INSTRUCTION",
        object="not under 64,000",
        evidence="The 64,000 is off",
        status="resolved",
        corrects=old,
    )
    await law.remember(f"{old}.", subject="L4", subject_name="Una Reid", speaker="client", claims=[given])
    await law.remember("The 64,000 is off.", subject="L4", speaker="trainee", claims=[gone])

    assert "64,000" in str((await law.check_text("Accept the offer of 61,000.", subject="L4")).findings)
