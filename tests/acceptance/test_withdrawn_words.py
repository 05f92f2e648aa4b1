"""What was withdrawn is handed out no more, over MCP: in search, in the turns of a conversation and in its summary.

Nothing is deleted: the ledger keeps the words, and the reply says where and which command erases them.
"""

import json
from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Person, fact, fates

pytestmark = pytest.mark.anyio
NOTE, ALLERGY, DATE = "HAS_DETAIL", "HAS_ALLERGY_TO", "HAS_DATE"
SAID = "I'm allergic to celery, and the combination of the office safe is 83-61-07."
SECRET = "the combination of the office safe is 83-61-07"
TALK = "at the desk"


@pytest.fixture(scope="module")
async def connected(standing: Installation) -> AsyncIterator[tuple[Assistant, Iterator[int]]]:
    one = standing.with_settings(schema="personal", data_dir=str(standing.folder / "withdrawn"))
    async with in_a_task_of_its_own(one.client()) as assistant:
        yield assistant, count()


@pytest.fixture
def person(connected: tuple[Assistant, Iterator[int]]) -> Person:
    assistant, numbers = connected
    return Person(assistant, f"W{next(numbers)}")


async def told(person: Person, **more: object) -> None:
    given = [
        fact(ALLERGY, "celery", "I'm allergic to celery"),
        fact(NOTE, "combination of the office safe", SECRET),
    ]
    out = await person.tells(SAID, given, **more)
    assert [fate["verdict"] for fate in fates(out)] == ["stored", "stored"]


async def forgets(person: Person, words: str) -> str:
    out = await person.assistant.call(
        "memory_change_fact",
        subject=person.id,
        fact_id=words,
        change="entered_in_error",
        reason="asks to forget it",
        confirm=True,
    )
    assert out["outcome"] == "changed"
    return str(out["note"])


async def everything(person: Person, query: str) -> str:
    """All that a client is handed: search, context with its conversation, and the summary."""
    call, who = person.assistant.call, {"subject": person.id}
    found = [
        await call("memory_search", query=query, **who),
        await call("memory_search", query=query, kinds=["turn", "statement"], **who),
    ]
    found.append(await call("memory_build_context", query=query, conversation_id=TALK, **who))
    found.append(await call("memory_get_summary", conversation_id=TALK, **who))
    return json.dumps(found, ensure_ascii=False)


async def test_a_secret_that_was_to_be_forgotten_is_handed_out_nowhere_and_the_rest_of_its_sentence_stays(
    person: Person,
) -> None:
    await told(person, conversation_id=TALK, reply="Noted: no celery, and the office safe is 83-61-07.")
    await person.tells("The plumber comes at nine.", [], conversation_id=TALK, reply="All right.")
    before = await everything(person, "combination of the office safe")
    note = await forgets(person, "combination of the office safe")
    shown = await everything(person, "combination of the office safe celery")
    assert "83-61-07" in before
    assert "61-07" not in shown
    assert "allergic to celery, and (withdrawn)." in shown
    assert "CRITICAL ALLERGY" in shown or "Celery" in shown
    assert "r-memory forget" in note
    assert "ledger" in note


async def test_a_confidence_that_the_summary_keeps_goes_from_it_too(person: Person) -> None:
    words = "My cousin Vincent is being made redundant in March"
    await person.tells(
        f"{words}, that stays between us.", [fact(NOTE, "redundant", words)], conversation_id=TALK, reply="I keep it."
    )
    await person.tells("The printer needs toner.", [], conversation_id=TALK, reply="Noted.")
    await forgets(person, "redundant")
    shown = await everything(person, "What about cousin Vincent?")
    assert "redundant" not in shown


async def test_what_stands_of_the_same_words_is_told_as_before(person: Person) -> None:
    """A fact that was filed twice, once wrongly: the words of the one that stands stay."""
    said = "I'm allergic to mustard."
    given = [fact(ALLERGY, "mustard", said[:-1]), fact(NOTE, "allergic to mustard", said[:-1])]
    await person.tells(said, given, conversation_id=TALK, reply="Noted.")
    facts = await person.facts()
    detail = [each["fact_id"] for (relation, _), each in facts.items() if relation == NOTE]
    for id_ in detail:
        await forgets(person, id_)
    shown = await everything(person, "mustard")
    assert said in shown


async def test_what_the_person_states_again_is_shown_again(person: Person) -> None:
    words = "The locker has number 5512"
    given = [fact(NOTE, "locker has number 5512", words)]
    await person.tells(f"{words}.", given, conversation_id=TALK, reply="Noted.")
    await forgets(person, "locker")
    assert "5512" not in await everything(person, "locker number")
    await person.tells(f"On second thoughts, keep it. {words}.", given, conversation_id=TALK, reply="Kept.")
    assert "5512" in await everything(person, "locker number")


async def test_the_reply_names_the_facts_that_are_still_quoted_with_the_same_words(person: Person) -> None:
    said = "Nothing to Ines about the boat, she used to row with Alder."
    facts = [fact("INSTRUCTS", "Nothing to Ines about the boat", said[:-1]), fact("KNOWS", "Alder", "row with Alder")]
    await person.tells(said, facts)

    note = await forgets(person, "Alder")

    assert "still shown of" in note
    assert "INSTRUCTS" in note


async def test_the_reply_names_no_fact_where_none_is_quoted_with_them(person: Person) -> None:
    await told(person)

    assert "still shown" not in await forgets(person, "the combination of the office safe")
