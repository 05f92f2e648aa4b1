"""What an action type does not read: no block says that nothing is recorded while days and preparations are."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def assistant(standing: Installation) -> AsyncIterator[Assistant]:
    """A client of a personal memory that knows a day of its owner, and a dog with a day and a preparation."""
    personal = standing.with_settings(schema="personal", data_dir=str(standing.folder / "beside-the-action"))
    async with in_a_task_of_its_own(personal.client()) as client:
        for about, words, facts in (
            (
                {"subject": "dog", "subject_name": "Mostyn"},
                "The dog has the vet on 17 March 2027, no breakfast.",
                [
                    ("HAS_DATE", "the vet", "the vet on 17 March 2027", {"date": "17 March 2027"}),
                    ("REQUIRES_PREP", "no breakfast", "the vet on 17 March 2027, no breakfast", {"before": "vet"}),
                ],
            ),
            (
                {},
                "Our wedding is on 18 April 2027.",
                [("HAS_DATE", "wedding", "wedding is on 18 April 2027", {"date": "18 April 2027"})],
            ),
        ):
            given = [
                {"relation": relation, "object": thing, "evidence": said, "attrs": attrs}
                for relation, thing, said, attrs in facts
            ]
            stored = await client.call("memory_remember", text=words, facts=given, **about)
            assert {each["verdict"] for each in stored["results"]} == {"stored"}
        yield client


@pytest.mark.parametrize("query", ["Order new lightbulbs.", "Buy a birthday card for Ann."])
async def test_a_household_of_whom_only_days_are_known_is_not_said_to_be_unknown(
    assistant: Assistant, query: str
) -> None:
    context = await assistant.call("memory_build_context", query=query, subjects=["user", "dog"])

    assert "Nothing recorded" not in context["block"]
    assert "Wedding" in context["block"]


@pytest.mark.parametrize(
    "query",
    [
        "List everything with a date on it for the fridge.",
        "Which dates do I have to keep in mind?",
        "What's in the diary?",
        "Write out the family calendar.",
    ],
)
async def test_a_request_for_dates_reads_them(assistant: Assistant, query: str) -> None:
    context = await assistant.call("memory_build_context", query=query)

    assert "2027-04-18" in context["block"]


@pytest.mark.parametrize(
    "query",
    [
        "Breakfast for Mostyn on 17 March?",
        "What must I do before the vet?",
        "Remind me what he needs for his appointment.",
        "What do you know about Mostyn?",
    ],
)
async def test_what_is_to_be_done_before_an_appointment_is_shown(assistant: Assistant, query: str) -> None:
    context = await assistant.call("memory_build_context", query=query, subject="dog")

    assert "no breakfast" in context["block"].casefold()
