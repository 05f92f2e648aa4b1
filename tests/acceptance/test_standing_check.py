"""What a write is held against: everything recorded about that person comes back where it does not go together."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import count
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.shell import Shell

pytestmark = pytest.mark.anyio

APART = "RECORDED, DOES NOT GO TOGETHER: "
NUMBERS = count(1)


@pytest.fixture(scope="module")
async def caller(standing: Installation) -> AsyncIterator[Assistant]:
    """One client on each store; each test takes a subject of its own."""
    async with in_a_task_of_its_own(standing.client()) as connected:
        yield connected


def somebody() -> dict[str, str]:
    """A new person, as a call names one."""
    number = next(NUMBERS)
    return {"subject": f"S{number}", "subject_name": f"Person Number S{number}"}


async def told(caller: Assistant, *sentences: str) -> list[Sequence[str]]:
    """What each sentence about a new person comes back with."""
    who = somebody()
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


async def block(caller: Assistant, who: dict[str, str], query: str) -> str:
    """The block of a request."""
    return str((await caller.call("memory_build_context", query=query, subject=who["subject"]))["block"])


async def fact_of(caller: Assistant, who: dict[str, str], name: str) -> Mapping[str, Any]:
    """The recorded fact whose object is called so."""
    facts = (await caller.call("memory_list_facts", subject=who["subject"]))["facts"]
    (found,) = [fact for fact in facts if fact["object"] == name]
    return dict(found)


async def change(caller: Assistant, fact: Mapping[str, Any], to: str) -> str:
    """What becomes of a change that a caller asks for."""
    told = {"fact_id": fact["fact_id"], "version": fact["version"], "reason": "weighed by Dr Ada", "confirm": True}
    return str((await caller.call("memory_change_fact", change=to, **told))["outcome"])


@pytest.mark.parametrize("query", ["Thank you, bye.", "May she have an MRI?", "Anything for her headache?"])
async def test_every_block_names_both_of_what_does_not_go_together_until_one_is_over(
    caller: Assistant, query: str
) -> None:
    who = somebody()
    await caller.call("memory_remember", text="She takes Marcumar. She takes co-trimoxazole.", **who)
    (line,) = [each for each in (await block(caller, who, query)).splitlines() if each.startswith(APART)]
    assert "Marcumar" in line
    assert "Sulfamethoxazole" in line

    assert await change(caller, await fact_of(caller, who, "Sulfamethoxazole-trimethoprim"), "resolve") == "changed"
    assert APART not in await block(caller, who, query)


async def test_only_a_person_settles_that_both_stand_and_what_comes_later_is_told_again(
    caller: Assistant, standing: Installation
) -> None:
    who = somebody()
    await caller.call("memory_remember", text="She takes Marcumar. She takes amiodarone.", **who)
    assert await change(caller, await fact_of(caller, who, "Amiodarone"), "accept") == "requested"
    assert APART in await block(caller, who, "Anything for her headache?")

    shell = Shell(installation=standing)
    found = (await caller.call("memory_list_facts", subject=who["subject"]))["pending"]
    await asyncio.to_thread(shell.run, "review", "--approve", found[0]["episode_id"], "--actor", "Dr Ada")
    assert APART not in await block(caller, who, "Anything for her headache?")

    await caller.call("memory_remember", text="She takes co-trimoxazole.", **who)
    lines = [each for each in (await block(caller, who, "Hello.")).splitlines() if each.startswith(APART)]
    assert len(lines) == 1
    assert "Sulfamethoxazole" in lines[0]


async def test_a_block_of_what_goes_together_says_nothing_of_it(caller: Assistant) -> None:
    who = somebody()
    await caller.call("memory_remember", text="She takes amlodipine. She takes metformin.", **who)
    assert "GO TOGETHER" not in await block(caller, who, "Anything for her headache?")


async def test_a_letter_is_held_against_the_record_and_against_itself(caller: Assistant) -> None:
    who = somebody()
    await caller.call("memory_remember", text="She is allergic to penicillin.", **who)
    letter = "She takes Marcumar. The GP prescribed co-trimoxazole. She takes amoxicillin."
    read = await caller.call("memory_ingest_document", name="letter", text=letter, subject=who["subject"])
    assert len(read["not_together"]) == 2
    assert any("Penicillin" in told and "Amoxicillin" in told for told in read["not_together"])
    assert any("Marcumar" in told for told in read["not_together"])
    again = await caller.call("memory_ingest_document", name="letter", text=letter, subject=who["subject"])
    assert "not_together" not in again


async def test_a_transcript_tells_with_its_last_words_what_does_not_go_together(standing: Installation) -> None:
    number = f"S{next(NUMBERS)}"
    talk = "patient: I take Marcumar.\ndoctor: And the infection?\npatient: I take co-trimoxazole.\npatient: Thanks!"
    arguments = ("remember", talk, "--dialogue", "--subject", number, "--subject-name", f"Person Number {number}")
    done = await asyncio.to_thread(Shell(installation=standing).run, *arguments, "--json")
    told = [statement["not_together"] for statement in done.json["statements"]]
    assert told[:-1] == [[]] * (len(told) - 1)
    (finding,) = told[-1]
    assert "Marcumar" in finding
