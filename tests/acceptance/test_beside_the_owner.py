"""What the owner of a personal memory tells of others is theirs: guests, friends, a name that only the owner knows.

Issue "In a model's hands", point 1. The caller leaves the subject out, as it is told to, and reads the words well but
for whose they are.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import fact

pytestmark = pytest.mark.anyio
DIET, ALLERGY, NOTE, KNOWS = "KEEPS_DIET", "HAS_ALLERGY_TO", "HAS_NOTE", "KNOWS"


@pytest.fixture(scope="module")
async def owner(standing: Installation) -> AsyncIterator[Assistant]:
    async with AsyncExitStack() as stack:
        one = standing.with_settings(schema="personal", single_subject="me", data_dir=str(standing.folder / "beside"))
        yield await stack.enter_async_context(in_a_task_of_its_own(one.client()))


async def recorded(owner: Assistant, subject: str = "me") -> set[tuple[str, str]]:
    listed = await owner.call("memory_list_facts", subject=subject)
    return {(each["relation"], each["object"].casefold()) for each in listed["facts"]}


OF_OTHERS = (
    (DIET, "vegan", "Rika is coming on Sunday and she is vegan.", "she is vegan"),
    (ALLERGY, "sesame", "Lunch for six, Odile can't have sesame.", "Odile can't have sesame"),
    (ALLERGY, "mustard", "One of the guests is allergic to mustard.", "One of the guests is allergic to mustard"),
    (DIET, "halal", "My friend Tarik keeps halal.", "Tarik keeps halal"),
    (ALLERGY, "celery", "The guests come at seven, one has a celery allergy.", "one has a celery allergy"),
    (ALLERGY, "lupin", "Our neighbour is allergic to lupin.", "Our neighbour is allergic to lupin"),
    (ALLERGY, "crab", "My sister can't eat crab.", "can't eat crab"),
)


@pytest.mark.parametrize(("relation", "thing", "said", "evidence"), OF_OTHERS, ids=[row[1] for row in OF_OTHERS])
async def test_what_is_told_of_somebody_else_waits_and_is_never_the_owners(
    owner: Assistant, relation: str, thing: str, said: str, evidence: str
) -> None:
    out = await owner.call("memory_remember", text=said, facts=[fact(relation, thing, evidence)])

    [fate] = [each for each in out["results"] if each.get("given") == 1]
    waiting = (await owner.call("memory_list_facts"))["pending"]
    assert (fate["verdict"], out["pending"]) == ("waits", 1)
    assert (relation, thing) not in await recorded(owner)
    assert any(evidence.rpartition(" ")[2] in item["text"] for item in waiting)


OWN = (
    (ALLERGY, "walnut", "My friend made a cake, the walnuts gave me hives.", "the walnuts gave me hives"),
    (ALLERGY, "kiwi", "My wife says I'm allergic to kiwi.", "I'm allergic to kiwi"),
    (DIET, "vegetarian", "My sister and I are vegetarian.", "My sister and I are vegetarian"),
    (ALLERGY, "latex", "Latex makes my hands swell.", "Latex makes my hands swell"),
    (DIET, "kosher", "Bo laughs about it, but I keep kosher.", "I keep kosher"),
)


@pytest.mark.parametrize(("relation", "thing", "said", "evidence"), OWN, ids=[row[1] for row in OWN])
async def test_what_the_owner_says_of_themselves_beside_others_stays_theirs(
    owner: Assistant, relation: str, thing: str, said: str, evidence: str
) -> None:
    out = await owner.call("memory_remember", text=said, facts=[fact(relation, thing, evidence)])

    [fate] = [each for each in out["results"] if each.get("given") == 1]
    assert fate["verdict"] == "stored"


async def test_a_note_of_the_owners_that_speaks_of_another_is_kept(owner: Assistant) -> None:
    said = "Odile is bringing the cake on Friday."

    out = await owner.call("memory_remember", text=said, facts=[fact(NOTE, "Odile brings the cake", said[:-1])])

    assert [each["verdict"] for each in out["results"] if each.get("given")] == ["stored"]


async def test_the_same_words_given_for_the_other_person_settle_what_waits_with_the_owner(owner: Assistant) -> None:
    said, evidence = "Jonna is coming to lunch and she is vegan.", "she is vegan"
    await owner.call("memory_remember", text=said, facts=[fact(DIET, "vegan", evidence)])

    given = [fact(DIET, "vegan", evidence)]
    await owner.call("memory_remember", text=said, subject="jonna", subject_name="Jonna", facts=given)

    waiting = (await owner.call("memory_list_facts"))["pending"]
    assert (DIET, "vegan") in await recorded(owner, "jonna")
    assert not any(evidence in item["text"] for item in waiting if "Jonna" in item["text"] or item["text"] == evidence)


async def test_somebody_of_whom_is_told_who_they_are_is_not_unknown(owner: Assistant) -> None:
    said = "My friend Bo is a climber."
    await owner.call("memory_remember", text=said, facts=[fact(KNOWS, "Bo", said[:-1], attrs={"who": "friend"})])

    block = (await owner.call("memory_build_context", query="What shall I cook for Bo?"))["block"]

    assert "unknown here" not in block
    assert "THIS REQUEST NAMES Bo, known here only as told below; these facts are me's." in block
    assert '"Bo" is the friend' in block
