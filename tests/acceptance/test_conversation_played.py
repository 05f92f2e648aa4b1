"""What a blind player found in conversations of a household and a ward, over MCP: the offline summary, days, wishes to
forget, and corrections that were told under another person."""

import json
from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Person, fact

pytestmark = pytest.mark.anyio
DATE, NOTE = "HAS_DATE", "HAS_NOTE"
QUERY = "When does she come, when is the clinic, the deposit, the chess final?"
FIRST, SECOND = "2026-03-02T09:00:00Z", "2026-03-04T09:00:00Z"


@pytest.fixture(scope="module")
async def connected(standing: Installation) -> AsyncIterator[tuple[Assistant, Iterator[int]]]:
    one = standing.with_settings(schema="personal", data_dir=str(standing.folder / "played-talk"))
    async with in_a_task_of_its_own(one.client()) as assistant:
        yield assistant, count()


@pytest.fixture
def people(connected: tuple[Assistant, Iterator[int]]) -> tuple[Person, Person]:
    assistant, numbers = connected
    return Person(assistant, f"K{next(numbers)}"), Person(assistant, f"K{next(numbers)}")


@pytest.fixture
def talk(people: tuple[Person, Person]) -> str:
    return f"kitchen {people[0].id}"


async def summary(person: Person, talk: str) -> dict[str, list[str]]:
    got = await person.assistant.call("memory_get_summary", conversation_id=talk, subject=person.id)
    sections: dict[str, list[str]] = got["sections"]
    return sections


async def context(person: Person, talk: str, query: str) -> str:
    got = await person.assistant.call("memory_build_context", query=query, subject=person.id, conversation_id=talk)
    return str(got["block"]).split("[END R-MEMORY CONTEXT]")[1]


@pytest.mark.parametrize(
    "words",
    [
        "Bay 4 is Percy, no relatives listed. MRSA, peg feed, dalteparin 5000 at night, for everything incl ITU",
        "no wait, the porridge was for Sid. and not mashed, he said",
        "scrap Tuesday, the ferry is full. he comes on Friday the 13th",
        "The doctor was clear that nothing goes to his ex, not even that he came.",
        "My hearing aid is out so please ring the landline 01792 555 010.",
        "We tried the cream, it still itches. And no tablets since May.",
    ],
)
async def test_what_people_tell_with_a_no_is_no_excluded_option(
    people: tuple[Person, Person], talk: str, words: str
) -> None:
    """Kind 8: "no relation. c diff, ... for everything incl resus" read as resuscitation excluded."""
    await people[0].tells(words, [], conversation_id=talk, reply="Noted.")
    assert summary_of(await summary(people[0], talk), "excluded_options") == []


async def test_an_order_to_leave_something_out_is_an_excluded_option(people: tuple[Person, Person], talk: str) -> None:
    await people[0].tells("Please don't suggest liver again.", [], conversation_id=talk, reply="I will not.")
    assert summary_of(await summary(people[0], talk), "excluded_options") == ["liver"]


def summary_of(sections: dict[str, list[str]], name: str) -> list[str]:
    return list(sections.get(name, []))


async def test_a_turn_has_the_day_on_which_it_was_said(people: tuple[Person, Person], talk: str) -> None:
    said = "The boiler is serviced by Pauline from Gowerton."
    await people[0].tells(said, [], conversation_id=talk, reply="Noted.", said_at=FIRST)
    await people[0].tells("And the roof?", [], conversation_id=talk, reply="Not yet.", said_at=SECOND)
    shown = await context(people[0], talk, "Who services the boiler?")
    found = await people[0].assistant.call("memory_search", query="boiler", subject=people[0].id, kinds=["turn"])
    assert "(Turn 1, 2026-03-02)" in shown
    assert "(Turn 2, 2026-03-04)" in shown
    assert found["hits"][0]["said_at"].startswith("2026-03-02")


async def test_a_turn_that_is_sent_again_with_its_day_is_stored_once(people: tuple[Person, Person], talk: str) -> None:
    for _ in range(2):
        out = await people[0].tells("Bins go out on Mondays.", [], conversation_id=talk, reply="Ok.", said_at=FIRST)
        assert out["turn"] == 1


@pytest.mark.parametrize(
    ("told", "wish", "gone"),
    [
        (
            "By the way Gwilym counts every one of his 40 pennies.",
            "forget what I said about Gwilym counting pennies",
            "pennies",
        ),
        (
            "Rhoda sold the caravan to Vinny for 900 pounds.",
            "And forget what I said about Rhoda and the caravan.",
            "caravan",
        ),
        ("My cousin Idris was fined 200 pounds.", "Please disregard the bit about Idris being fined.", "Idris"),
        ("Between us, Nerys has 3 bottles in the shed.", "Delete that about Nerys and the bottles, please.", "bottles"),
    ],
)
async def test_what_was_to_be_forgotten_stands_in_no_summary(
    people: tuple[Person, Person], talk: str, told: str, wish: str, gone: str
) -> None:
    await people[0].tells(f"{told} The piano tuner comes on 3 May.", None, conversation_id=talk, reply="Noted.")
    before = json.dumps(await summary(people[0], talk))
    await people[0].tells(f"{wish} I was wrong.", [], conversation_id=talk, reply="Forgotten.")
    after = json.dumps(await summary(people[0], talk))
    assert gone in before
    assert gone not in after
    assert "3 May" in after


@pytest.mark.parametrize(
    ("told", "old", "new", "day"),
    [
        ("Aunt Peg comes thu 12th to sun 15th.", "Aunt Peg comes thu 12th", "Peg is on the friday boat", "13"),
        ("Dot's eye clinic, that's 19 March.", "clinic, that's 19 March", "the eye clinic moved to the 26th", "26"),
        ("The deposit is due Monday 16th.", "deposit is due Monday 16th", "the deposit is due Friday now", "20"),
        ("Chess final is on the 9th.", "Chess final is on the 9th", "the chess final is put off to the 11th", "11"),
    ],
)
async def test_a_correction_told_under_one_person_marks_the_turn_told_under_another(
    people: tuple[Person, Person], talk: str, told: str, old: str, new: str, day: str
) -> None:
    one, another = people
    given = fact(DATE, old, old, attrs={"date": "2026-03-12"})
    for person, facts in ((one, [given]), (another, [])):
        await person.tells(told, facts, conversation_id=talk, reply="Noted.", said_at=FIRST)
    await another.tells("Lovely weather.", [], conversation_id=talk, reply="It is.", said_at=FIRST)
    before = await context(another, talk, QUERY)
    known = await one.facts()
    [id_] = [each["fact_id"] for (relation, _), each in known.items() if relation == DATE]
    changed = fact(DATE, new, new, attrs={"date": f"2026-03-{day}"}, corrects=id_)
    await one.tells(f"Change of plan, {new}.", [changed], conversation_id=talk, reply="Changed.", said_at=SECOND)
    for person in people:
        shown = await context(person, talk, QUERY)
        assert f"{old} (no longer so)" in shown
        assert shown.count(old) == shown.count(f"{old} (no longer so)")
    assert "(no longer so)" not in before
    assert "(no longer so)" in json.dumps(await summary(one, talk))
    assert new in await context(one, talk, QUERY)
