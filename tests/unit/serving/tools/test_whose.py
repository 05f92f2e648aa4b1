"""A request that names somebody else than the call: the person at the host is asked for whom it is (Z10), both eras."""

from typing import Any

import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.types import ElicitRequestParams, ElicitResult

from tests.unit.serving.tools.practice import ALLERGIC, Era, Practice, called, refused

pytestmark = [pytest.mark.anyio, pytest.mark.proves("Z10")]
ORDER = "Which antibiotic for Jane Roe?"


class Person:
    """Whoever answers the host's form: with an id, or not at all."""

    def __init__(self, subject: str = "") -> None:
        self._subject = subject
        self.asked: list[str] = []

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG002 - the name is the SDK's
        self.asked.append(params.message)
        if not self._subject:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"subject": self._subject})


async def two_people(client: Client) -> None:
    await called(client, "memory_remember", text="Hello.", subject="JD001", subject_name="John Doe")
    await called(client, "memory_remember", text=ALLERGIC, subject="JR002", subject_name="Jane Roe")


async def asked_by(practice: Practice, era: Era, person: Person | None, **more: str) -> dict[str, Any]:
    """The context of a request for Jane, asked about John."""
    async with Client(practice.server(), mode=era, elicitation_callback=person) as client:
        await two_people(client)
        arguments = {"query": ORDER, "subject": "JD001"} | more
        return dict(await called(client, "memory_build_context", detail=True, **arguments))


async def test_a_person_is_asked_and_the_facts_are_of_whom_they_chose(practice: Practice, era: Era) -> None:
    person = Person("JR002")
    context = await asked_by(practice, era, person)

    assert person.asked == ["The words name Jane Roe (JR002), and the call is about John Doe (JD001). For whom is it?"]
    assert (context["subject_id"], context["outcome"]) == ("JR002", "SUBJECT-CHOSEN")
    assert "A PERSON SAID that this is about Jane Roe (JR002), not about John Doe (JD001)" in context["block"]
    assert "CRITICAL ALLERGY: Jane Roe is allergic to Penicillin" in context["block"]


@pytest.mark.parametrize("person", [Person(), Person("JD001"), None])
async def test_without_another_choice_the_block_opens_with_the_mismatch(
    practice: Practice, era: Era, person: Person | None
) -> None:
    context = await asked_by(practice, era, person)

    assert (context["subject_id"], context["outcome"]) == ("JD001", "SUBJECT-MISMATCH")
    assert context["block"].splitlines()[1].startswith("THIS REQUEST NAMES Jane Roe (JR002)")
    assert "ask with subject 'JR002'" in context["block"]
    assert "Penicillin" not in context["block"]


async def test_nobody_is_asked_where_the_words_name_nobody_else(practice: Practice, era: Era) -> None:
    person = Person("JR002")
    context = await asked_by(practice, era, person, query="Which antibiotic for John Doe?")

    assert (person.asked, context["subject_id"]) == ([], "JD001")


async def test_without_a_subject_a_person_says_which_of_two_it_is(practice: Practice, era: Era) -> None:
    person = Person("JR002")
    context = await asked_by(practice, era, person, query="Jane Roe or John Doe: an antibiotic?", subject="")

    assert person.asked == ["This may be about John Doe (JD001) or Jane Roe (JR002). For whom is it?"]
    assert context["subject_id"] == "JR002"


async def test_where_nobody_answers_two_names_stay_an_error_that_names_both(practice: Practice, era: Era) -> None:
    async with Client(practice.server(), mode=era, elicitation_callback=Person()) as client:
        await two_people(client)
        told = await refused(client, "memory_build_context", query="Jane Roe or John Doe: an antibiotic?")

    assert "'JD001', 'JR002'" in told


async def test_a_draft_for_somebody_else_is_held_against_whom_a_person_chose(practice: Practice, era: Era) -> None:
    person = Person("JR002")
    async with Client(practice.server(), mode=era, elicitation_callback=person) as client:
        await two_people(client)
        checked = await called(client, "memory_check_text", text="Jane Roe can take penicillin.", subject="JD001")

    assert len(person.asked) == 1
    assert (checked["verdict"], checked["outcome"], checked["subject_id"]) == ("conflict", "SUBJECT-CHOSEN", "JR002")
