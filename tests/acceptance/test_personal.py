"""A person's own assistant, end to end, with files alone: the owner without a word about whom, and those around them as
people of their own, over MCP and in the shell."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.shell import Shell

pytestmark = pytest.mark.anyio

OWNER = (
    "I don't eat pork, I'm Muslim. My brother is Ben, my sister is Mia. Always answer in German. I love window seats."
)
OF_OWNER: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("AVOIDS", "pork", "I don't eat pork, I'm Muslim.", {"reason": "Muslim"}),
    ("KNOWS", "Ben", "My brother is Ben", {"who": "brother"}),
    ("KNOWS", "Mia", "my sister is Mia", {"who": "sister"}),
    ("INSTRUCTS", "answer in German", "Always answer in German.", {}),
    ("LIKES", "window seats", "I love window seats.", {"for": "flights"}),
)
OTHERS: tuple[tuple[str, str, str, tuple[str, str, dict[str, str]]], ...] = (
    (
        "ben",
        "Ben",
        "Ben is allergic to milk, he had anaphylaxis.",
        ("HAS_ALLERGY_TO", "milk", {"reaction": "anaphylaxis"}),
    ),
    ("miso", "Miso", "Miso the cat takes methimazole.", ("TAKES", "methimazole", {})),
)


def facts(*given: tuple[str, str, str, dict[str, str]]) -> list[dict[str, object]]:
    return [
        {"relation": relation, "object": thing, "evidence": evidence, "attrs": attrs}
        for relation, thing, evidence, attrs in given
    ]


@pytest.fixture(scope="module")
def personal(standing: Installation) -> Installation:
    """The setting of the schema is all that distinguishes it: who the owner is stands in the file."""
    return standing.with_settings(schema="personal", data_dir=str(standing.folder / "personal"))


@pytest.fixture(scope="module")
async def assistant(personal: Installation) -> AsyncIterator[Assistant]:
    async with in_a_task_of_its_own(personal.client()) as assistant:
        await assistant.call("memory_remember", text=OWNER, facts=facts(*OF_OWNER))
        for id_, name, words, (relation, thing, attrs) in OTHERS:
            given = facts((relation, thing, words, attrs))
            await assistant.call("memory_remember", text=words, subject=id_, subject_name=name, facts=given)
        yield assistant


async def test_what_is_told_is_stored_of_the_owner_and_of_others_as_theirs(assistant: Assistant) -> None:
    async def known(**about: str) -> set[tuple[str, str]]:
        listed = await assistant.call("memory_list_facts", **about)
        return {(each["relation"], each["object"].casefold()) for each in listed["facts"]}

    # "What do you know about me?" is this one call.
    assert await known() == {(relation, thing.casefold()) for relation, thing, *_ in OF_OWNER}
    assert await known(subject="Ben") == {("HAS_ALLERGY_TO", "milk")}
    assert await known(subject="miso") == {("TAKES", "methimazole")}


async def test_a_request_reads_the_owner_and_whoever_is_named(assistant: Assistant) -> None:
    context = await assistant.call(
        "memory_build_context", query="Plan a dinner with bacon for Ben and me.", detail=True
    )

    assert context["also_read"] == ["ben"]
    assert "outcome" not in context
    assert "AVOIDS: user does not have Pork (reason: Muslim)." in context["block"]
    assert "Ben is allergic to Milk (Severity: Anaphylaxis)." in context["block"]
    assert "Methimazole" not in context["block"]


async def test_a_relative_is_known_by_what_they_are_and_an_unknown_one_is_said_to_be_unknown(
    assistant: Assistant,
) -> None:
    known = await assistant.call(
        "memory_build_context", query="A present for my brother, chocolate perhaps.", detail=True
    )
    unknown = await assistant.call("memory_build_context", query="A birthday cake for my aunt.", detail=True)

    assert known["also_read"] == ["ben"]
    assert 'WHO: "Ben": brother (of user).' in known["block"]
    assert (unknown.get("also_read"), unknown["named"]) == (None, ["my aunt"])
    assert "THIS REQUEST NAMES my aunt" in unknown["block"]


async def test_a_draft_is_held_against_everybody_whom_it_names(assistant: Assistant) -> None:
    theirs = await assistant.call("memory_check_text", text="I ordered a milk pudding for my brother.")
    own = await assistant.call("memory_check_text", text="I ordered pork ribs for you.")
    free = await assistant.call("memory_check_text", text="I ordered pork ribs for Mia.", subject="ben")

    assert theirs["verdict"] == "conflict"
    assert theirs["findings"][0]["message"].startswith("CRITICAL ALLERGY: Ben is allergic to Milk")
    assert own["verdict"] == "conflict"
    assert free["verdict"] != "conflict"


async def test_how_the_assistant_is_to_work_stands_before_every_answer(assistant: Assistant) -> None:
    for query in ("Write a letter to my landlord.", "Fix the failing test.", "Why is the sky blue?"):
        context = await assistant.call("memory_build_context", query=query)
        assert 'INSTRUCTION of user: "Answer in German".' in context["block"], query


async def test_a_server_without_a_setting_asks_for_no_subject(assistant: Assistant) -> None:
    told = await assistant.call("memory_describe")

    assert (told["domain"], told["subject_type"], told["single_subject"]) == ("personal", "Person", True)


async def test_forget_that_is_one_call(assistant: Assistant) -> None:
    text = "I like olives."
    await assistant.call("memory_remember", text=text, facts=facts(("LIKES", "olives", text, {})))
    listed = await assistant.call("memory_list_facts")
    (given,) = [each for each in listed["facts"] if each["object"] == "Olive"]

    await assistant.call(
        "memory_change_fact",
        fact_id=given["fact_id"],
        version=given["version"],
        change="entered_in_error",
        reason="she asked",
        confirm=True,
    )

    listed = await assistant.call("memory_list_facts")
    assert "Olive" not in {each["object"] for each in listed["facts"]}


def test_the_shell_does_the_same_without_a_subject(personal: Installation) -> None:
    shell = Shell(installation=personal.with_settings(space="shell", data_dir=f"{personal.folder / 'shell'}"))

    assert shell.run("remember", "I am vegetarian.").returncode == 0
    recalled = shell.run("recall", "Cook a steak for dinner.")

    assert "DIET: user keeps to Vegetarian." in recalled.stdout
    assert "Steak (usually holds Meat): not with Vegetarian" in recalled.stdout
    assert "KEEPS_DIET" in shell.run("facts").stdout


@pytest.mark.parametrize(
    ("words", "thing", "attrs", "query", "shown"),
    [
        ("The insulin is in the door of the fridge.", "insulin", {"what": "door of the fridge"}, "insulin", "fridge"),
        ("Our passports are in the blue tin.", "blue tin", {"what": "passports"}, "passports", "blue tin"),
        ("Der Ersatzschlüssel liegt bei Frau Brandt.", "bei Frau Brandt", {"what": "Ersatzschlüssel"}, "", "Brandt"),
    ],
)
async def test_a_request_that_asks_where_something_is_shows_its_place(
    assistant: Assistant, words: str, thing: str, attrs: dict[str, str], query: str, shown: str
) -> None:
    await assistant.call("memory_remember", text=words, facts=facts(("HAS_PLACE", thing, words[:-1], attrs)))
    told = "The tent is in the attic."
    await assistant.call("memory_remember", text=told, facts=facts(("HAS_PLACE", "attic", told, {"what": "tent"})))

    asked = f"Where did we put the {query}?" if query else "Wo ist der Ersatzschlüssel?"
    context = await assistant.call("memory_build_context", query=asked)

    places = [line for line in context["block"].splitlines() if line.startswith("PLACE:")]
    assert any(shown.casefold() in place.casefold() for place in places), context["block"]
