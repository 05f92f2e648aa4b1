"""A household, a ward, a list of clients: one call about several people, who is known, and who could not be read."""

from collections.abc import AsyncIterator

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.errors import InvalidInput, StoreUnavailable, SubjectUnknown
from r_memory.facts.recall.household import Household
from r_memory.facts.recall.rendering import render
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio
DINNER = "I want to make satay with peanut sauce for everybody."
FAMILY = {
    "T1": ("Mia Falk", "I'm allergic to peanuts, my throat closes."),
    "T2": ("Leo Falk", "I take metformin."),
    "T3": ("Ada Falk", "No known allergies."),
    "T4": ("Jon Falk", "Hello there."),
}


@pytest.fixture(scope="module")
async def memory(standing: Installation) -> AsyncIterator[Memory]:
    async with open_memory(load_settings(standing.environment)) as opened:
        for id_, (name, words) in FAMILY.items():
            await opened.remember(words, subject=id_, subject_name=name)
        yield opened


def parts(together: Household) -> list[str]:
    """What the block says of each person."""
    return together.block.split("\nSubject: ")[1:]


async def test_one_block_has_everybody_of_a_household_each_under_their_own_name(memory: Memory) -> None:
    together = await memory.build_contexts(DINNER, subjects=["Mia Falk", "T2", "T3", "T4"])
    block = together.block
    first, *others = parts(together)
    assert (together.complete, [person.id for person in together.people]) == (True, ["T1", "T2", "T3", "T4"])
    assert first.startswith("Mia Falk (Patient T1).\nCRITICAL ALLERGY: Mia Falk is allergic to Peanut")
    assert all("CRITICAL ALLERGY" not in other for other in others)
    assert "none asserted" in next(other for other in others if other.startswith("Ada Falk"))
    assert "Jon Falk (T4)" in block
    assert block.count("[R-MEMORY CONTEXT]") == 1
    alone = [(await memory.build_context(DINNER, subject=id_)) for id_ in FAMILY]
    assert len(block) < sum(len(render(item, with_query=False)) for item in alone)


async def test_who_cannot_be_read_is_named_and_nothing_is_complete(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = await memory.build_contexts(DINNER, subjects=["T1", "Nobody Here"])
    recalling = memory.facts.recalling
    read = recalling.unrecorded

    async def failing(query: str, *, subject: object = "", **more: object) -> object:
        if getattr(subject, "id", "") == "T2":
            raise StoreUnavailable("the database does not answer")
        return await read(query, subject=subject, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(recalling, "unrecorded", failing)
    broken = await memory.build_contexts(DINNER, subjects=["T1", "T2"])
    assert (unknown.complete, broken.complete) == (False, False)
    assert "NOT READ: Nobody Here: no Patient has the id or name 'Nobody Here'" in unknown.block
    assert "NOT READ: T2: the database does not answer. Ask about allergies" in broken.block
    for together in (unknown, broken):
        assert "CRITICAL ALLERGY: Mia Falk is allergic to Peanut" in together.block
    with pytest.raises(SubjectUnknown, match="Nobody Here"):
        await memory.build_contexts(DINNER, subjects=["Nobody Here"])


@pytest.mark.parametrize("number", [0, 51])
async def test_a_call_takes_one_to_fifty_people(memory: Memory, number: int) -> None:
    with pytest.raises(InvalidInput, match="give 1 to 50"):
        await memory.build_contexts(DINNER, subjects=["T1"] * number)


async def test_a_household_of_thirty_fits_a_result_and_no_critical_line_goes_silently(memory: Memory) -> None:
    known = [item.id for item in await memory.subjects()]
    ward = [f"W{number}" for number in range(30)]
    things = ("peanuts", "latex", "penicillin", "iodine", "aspirin", "shellfish")
    for number, id_ in enumerate(ward):
        if id_ in known:
            continue
        await memory.remember("Good morning.", subject=id_, subject_name=f"Ward Patient{chr(65 + number % 26)}{number}")
        for thing in things:
            await memory.remember(f"I am severely allergic to {thing}.", subject=id_)
    together = await memory.build_contexts(DINNER, subjects=ward)
    assert len(together.block) <= 17_000
    assert all(f"(Patient {id_})" in together.block for id_ in ward)
    for recall, part in zip(together.recalls, parts(together), strict=True):
        assert recall.complete == ("FIRST PAGE ONLY" not in part)
        assert "Peanut" in part
    few = await memory.build_contexts(DINNER, subjects=ward[:3])
    assert (few.complete, few.block.count("CRITICAL ALLERGY")) == (True, 18)


async def test_a_request_for_several_that_reads_one_says_so_and_how_to_ask_for_all(memory: Memory) -> None:
    told = "THIS REQUEST SPEAKS OF SEVERAL PEOPLE; these facts are Leo Falk's. Ask with the ids of all as subjects."
    for query in (DINNER, "Can everybody at the table have this?"):
        assert told in render(await memory.build_context(query, subject="T2"))
    assert told in (await memory.check_text("Satay with peanut sauce for everybody.", subject="T2")).gaps
    together = await memory.build_contexts(DINNER, subjects=["T1", "T2"])
    assert "SPEAKS OF SEVERAL" not in together.block
    assert told not in render(await memory.build_context("Tell the family at four.", subject="T2"))


async def test_a_draft_is_held_against_everybody_it_is_for(memory: Memory) -> None:
    checked = await memory.check_texts("Satay with peanut sauce.", subjects=["T2", "T1"])
    calm = await memory.check_texts("Satay with peanut sauce.", subjects=["T2", "Nobody Here"])
    assert checked.verdict == "conflict"
    assert "Mia Falk is allergic to Peanut" in checked.findings[0].message
    assert (calm.verdict, calm.unread) == ("not_checkable", ("Nobody Here",))
    assert calm.gaps[0].startswith("Nobody Here was not read: no Patient has the id or name")


async def test_a_draft_for_several_may_name_each_of_them_and_is_wary_of_a_further_one(memory: Memory) -> None:
    draft = "Satay for Mia Falk, and plain rice for Leo Falk."
    both = await memory.check_texts(draft, subjects=["T2", "T1"])
    third = await memory.check_texts(f"{draft} Ada Falk may have either.", subjects=["T2", "T1"])
    assert not both.recall.addressed.is_mismatch
    assert not any("THIS REQUEST NAMES" in gap for gap in both.gaps)
    assert [other.id for other in third.recall.addressed.others] == ["T3"]
    assert any("THIS REQUEST NAMES Ada Falk (T3)" in gap for gap in third.gaps)


async def test_known_people_are_found_by_id_name_alias_and_what_waits(memory: Memory) -> None:
    await memory.remember("Granny is Ada Falk.", subject="T3", speaker="Mia")
    await memory.remember("The tablets made me come out in hives.", subject="T4")
    found = {
        query: [person.subject.id for person in (await memory.known(query)).people][:1]
        for query in ("T1", "mia falk", "falk, leo", "Leo", "grandma", "Fallk")
    }
    [ada] = (await memory.known("grandma")).people
    waiting = await memory.known(waiting=True)
    everyone = await memory.known(limit=2)
    rest = await memory.known(limit=2, start=everyone.following)
    assert found == {
        "T1": ["T1"],
        "mia falk": ["T1"],
        "falk, leo": [],
        "Leo": ["T2"],
        "grandma": ["T3"],
        "Fallk": ["T1"],
    }
    assert ada.aliases == (("Granny", "Mia"),)
    assert "T4" in [person.subject.id for person in waiting.people]
    assert all(person.waits for person in waiting.people)
    assert [len(everyone.people), len(rest.people)] == [2, 2]
    assert everyone.people[-1].subject.id < rest.people[0].subject.id


async def test_the_tools_take_several_and_list_people(installation: Installation) -> None:
    async with installation.client() as assistant:
        for id_, (name, words) in FAMILY.items():
            await assistant.call("memory_remember", text=words, subject=id_, subject_name=name)
        people = await assistant.call("memory_subjects")
        context = await assistant.call("memory_build_context", query=DINNER, subjects=["T1", "Leo Falk"])
        short = await assistant.call("memory_build_context", query=DINNER, subjects=["T1", "Lio Falk"])
        checked = await assistant.call("memory_check_text", text="Peanut sauce.", subjects=["T2", "T1"])
        talked = await assistant.call(
            "memory_build_context", query=DINNER, subjects=["T1", "T2"], conversation_id="dinner"
        )
        alone = await assistant.call("memory_build_context", query=DINNER, subjects=["T1"], conversation_id="dinner")
        cursor = await assistant.refused("memory_subjects", cursor="1")
    assert [(person["id"], person["name"]) for person in people["people"]] == [(id_, FAMILY[id_][0]) for id_ in FAMILY]
    assert (context["complete"], [item["subject_id"] for item in context["people"]]) == (True, ["T1", "T2"])
    assert context["block"].endswith(f"[QUERY]:\n{DINNER}")
    assert (short["complete"], short["state"]) == (False, "COULD-NOT-CHECK")
    assert short["people"][-1] == {"subject_name": "Lio Falk", "state": "COULD-NOT-CHECK", "complete": False}
    assert (checked["verdict"], checked["complete"], checked["people"]) == ("conflict", True, ["T1"])
    assert "call again with that subject and this conversation_id" in talked["failed"]["conversation"]
    assert [item["subject_id"] for item in talked["people"]] == ["T1", "T2"]
    assert (alone["subject_id"], alone.get("failed", {})) == ("T1", {})
    assert "not one of this list" in cursor


PHARMACY = {
    "pharmacy-1": ("Corwin Pell", "He takes methadone 45 ml."),
    "pharmacy-2": ("Nerys Pell", "She is allergic to penicillin, her face swelled. She is 11 months old."),
    "pharmacy-3": ("Hob Tranter", "He is allergic to latex."),
}
OF_ONE = (
    ("Corwin: amoxicillin 500 mg.", False),
    ("All well today. Corwin Pell gets his amoxicillin at noon. Ring the wholesaler.", False),
    ("Amoxicillin 500 mg for Corwin.", False),
    ("Nerys: amoxicillin 125 mg.", True),
    ("Corwin and Nerys: amoxicillin.", True),
    ("Amoxicillin 125 mg at noon.", True),
    ("Corwin is home. Give amoxicillin 125 mg.", True),
    ("Corwin's baby gets amoxicillin.", True),
    ("Tell Corwin to give her amoxicillin.", True),
    ("Corwin says the twins may have amoxicillin.", True),
    ("Pell: amoxicillin 125 mg.", True),
    ("Corwin: amoxicillin for everyone.", True),
    ("Ask corwin for amoxicillin.", True),
)


@pytest.fixture(scope="module")
async def pharmacy(memory: Memory) -> Memory:
    for id_, (name, words) in PHARMACY.items():
        await memory.remember(words, subject=id_, subject_name=name)
    return memory


@pytest.mark.parametrize(("draft", "meets"), OF_ONE, ids=[row[0] for row in OF_ONE])
async def test_what_a_draft_says_of_one_is_held_against_that_one_alone(
    pharmacy: Memory, draft: str, meets: bool
) -> None:
    checked = await pharmacy.check_texts(draft, subjects=list(PHARMACY))
    assert (checked.verdict == "conflict") == meets, checked.findings
    assert not any("THIS REQUEST NAMES" in gap for gap in checked.gaps)
