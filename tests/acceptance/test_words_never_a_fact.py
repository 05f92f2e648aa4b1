"""Forgetting by words over MCP: only what holds the words is changed, and words that never were a fact go as well.

Nothing is deleted: the ledger keeps the words, and the history of what hid them says who wished it.
"""

import json
from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Person, fact
from tests.acceptance.test_withdrawn_words import TALK, everything

pytestmark = pytest.mark.anyio
KNOWS, NOTE, ALLERGY = "KNOWS", "HAS_NOTE", "HAS_ALLERGY_TO"
TRUE = "My neighbour Edda keeps our spare key"
SAID = f"{TRUE}. Edda's as nosy as a magpie."
REMARK = "Edda's as nosy as a magpie"


@pytest.fixture(scope="module")
async def connected(standing: Installation) -> AsyncIterator[tuple[Assistant, Iterator[int]]]:
    one = standing.with_settings(schema="personal", data_dir=str(standing.folder / "never"))
    async with in_a_task_of_its_own(one.client()) as assistant:
        yield assistant, count()


@pytest.fixture
def person(connected: tuple[Assistant, Iterator[int]]) -> Person:
    assistant, numbers = connected
    return Person(assistant, f"V{next(numbers)}")


async def tells(person: Person) -> None:
    given = [fact(KNOWS, "Edda", TRUE, attrs={"who": "neighbour"})]
    await person.tells(SAID, given, conversation_id=TALK, reply="Noted, Edda has a key.")


async def forgets(person: Person, words: str, **more: object) -> dict[str, object]:
    given = {"change": "entered_in_error", "reason": "asks to forget it", "confirm": True, **more}
    return dict(await person.assistant.call("memory_change_fact", subject=person.id, fact_id=words, **given))


@pytest.mark.parametrize("words", [REMARK, "as nosy as a magpie", "the nosy magpie", "EDDA'S AS NOSY AS A MAGPIE!"])
async def test_words_that_no_fact_holds_are_withdrawn_and_no_fact_is_touched(person: Person, words: str) -> None:
    await tells(person)
    out = await forgets(person, words)
    shown = await everything(person, "What is there of Edda and the key?")

    assert (out["outcome"], "magpie" in str(out["quote"]).casefold()) == ("changed", True)
    assert "magpie" not in shown
    assert "spare key" in shown
    assert (KNOWS, "edda") in await person.facts()
    assert (await forgets(person, words))["outcome"] == "already"


async def test_a_statement_that_was_never_a_fact_goes_by_its_id(person: Person) -> None:
    words = "The Hallorans next door are always rowing about money."
    await person.tells(words, [], conversation_id=TALK, reply="I see.")
    out = await person.tells("The Hallorans owe us for the fence.", [])
    id_ = out["episode_id"]

    changed = await forgets(person, id_)

    assert changed["outcome"] == "changed"
    assert "fence" not in await everything(person, "What about the Hallorans?")
    assert "rowing" in await everything(person, "Hallorans rowing")


@pytest.mark.parametrize("words", ["the magpie's wings", "that we owe him for the boat", "her birthday in April"])
async def test_words_that_nothing_holds_change_nothing_and_the_nearest_is_named(person: Person, words: str) -> None:
    await tells(person)
    refused = await person.assistant.refused(
        "memory_change_fact",
        subject=person.id,
        fact_id=f"Edda: {words}",
        change="entered_in_error",
        reason="asks to forget it",
        confirm=True,
    )
    assert "nothing was changed" in refused
    assert "nearest: KNOWS Edda (fact " in refused
    assert (KNOWS, "edda") in await person.facts()


async def test_the_fact_that_was_changed_is_named(person: Person) -> None:
    await tells(person)
    out = await forgets(person, "spare key")
    again = await forgets(person, "spare key", change="reinstate") if out["outcome"] != "changed" else out

    assert (again["relation"], again["object"], again["quote"]) == (KNOWS, "Edda", TRUE)


@pytest.mark.parametrize(
    ("said", "wish", "gone", "about"),
    [
        (
            "Uncle Piet is tight with money, he grudges us every cent.",
            "forget what I said about Piet being tight",
            "grudges",
            "What of Uncle Piet?",
        ),
        (
            "She's fallen out with Jonas over the allotment.",
            "please forget what I said about Sofie and Jonas and the allotment. that was gossip",
            "allotment",
            "What of Jonas?",
        ),
        ("The new vicar is a terrible bore.", "Delete the bit about the vicar.", "vicar", "Who is new here?"),
        (
            "I think Maud copies her poems from a book.",
            "don't keep the thing about Maud and her poems",
            "copies",
            "What of Maud?",
        ),
    ],
)
async def test_a_wish_to_forget_words_that_were_never_a_fact_is_granted_and_leaves_nothing(
    person: Person, said: str, wish: str, gone: str, about: str
) -> None:
    await person.tells(said, [], conversation_id=TALK, reply="I see.")
    out = await person.tells(wish, [], conversation_id=TALK, reply="Gone.")
    shown = await everything(person, about)
    found = await person.assistant.call("memory_search", query=f"{gone} {wish}", subject=person.id)
    checked = await person.assistant.call("memory_check_text", text="A line to everybody.", subject=person.id)

    assert any("withdrawn" in str(each.get("reason", "")) for each in out["results"])
    assert await person.waiting() == []
    assert gone not in f"{shown} {json.dumps(found['hits'])} {json.dumps(checked)}"


async def test_a_wish_that_is_granted_by_a_change_is_not_told_again(person: Person) -> None:
    words = "She's fallen out with Rik over the boat"
    await person.tells(f"{words}.", [fact(NOTE, words, words)], conversation_id=TALK, reply="I see.")
    wish = "forget what I said about Fien and Rik and the boat. that was gossip"
    await person.tells(
        "Fien is the contact for parcels.",
        [fact(NOTE, "Fien is the contact for parcels", "Fien is the contact for parcels")],
    )
    await person.tells(wish, [], conversation_id=TALK, reply="All right.")

    out = await forgets(person, "fallen out with Rik")
    found = await person.assistant.call("memory_search", query="Fien Rik boat", subject=person.id)

    assert out["outcome"] == "changed"
    assert await person.waiting() == []
    assert "boat" not in json.dumps(found["hits"])


@pytest.mark.parametrize(
    ("words", "wish", "part"),
    [
        (
            "I react to the glue of those plasters, says Rosalind.",
            "Forget the plasters and Rosalind.",
            "glue of those plasters",
        ),
        (
            "Something at the dentist's once made my throat close, I forget what.",
            "Forget what I said about the dentist and my throat.",
            "made my throat close",
        ),
    ],
)
async def test_words_that_may_hold_a_risk_stay(person: Person, words: str, wish: str, part: str) -> None:
    await person.tells(words, [])
    await person.tells(wish, [])
    out = await forgets(person, part)
    found = await person.assistant.call("memory_search", query=part, subject=person.id, kinds=["statement"])

    assert out["outcome"] == "requested"
    assert part in json.dumps(found)


async def test_a_critical_fact_is_requested_as_ever(person: Person) -> None:
    words = "I'm allergic to sesame"
    await person.tells(f"{words}.", [fact(ALLERGY, "sesame", words)])
    out = await forgets(person, "allergic to sesame")

    assert (out["outcome"], out["object"]) == ("requested", "Sesame")
    assert (ALLERGY, "sesame") in await person.facts()
