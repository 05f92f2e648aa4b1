"""Corrections land and nothing is strengthened by them: over MCP, as a model calls.

Issue "In a model's hands", points 5 (corrections) and 6 (forget, retract, read).
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

pytestmark = pytest.mark.anyio
ALLERGY, TAKES, FAMILY, CONDITION = "HAS_ALLERGY_TO", "TAKES", "HAS_FAMILY_HISTORY", "HAS_CONDITION"
Given = Mapping[str, object]


def fact(relation: str, thing: str, evidence: str, status: str = "active", **more: object) -> dict[str, object]:
    """A fact as a caller gives it."""
    return {"relation": relation, "object": thing, "evidence": evidence, "status": status, **more}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of whom a client tells."""

    assistant: Assistant
    id: str

    async def tells(self, text: str, facts: Sequence[Given] | None, **more: object) -> Mapping[str, Any]:
        """What came of a statement about them."""
        given = {} if facts is None else {"facts": facts}
        named = {"subject": self.id, "subject_name": f"Person {self.id}"}
        return await self.assistant.call("memory_remember", text=text, **named, **given, **more)

    async def facts(self) -> dict[tuple[str, str], Mapping[str, Any]]:
        """What is recorded of them, by relation and object."""
        listed = await self.assistant.call("memory_list_facts", subject=self.id)
        return {(each["relation"], each["object"].casefold()): each for each in listed["facts"]}

    async def block(self, query: str = "Anything to look out for today?") -> str:
        text: str = (await self.assistant.call("memory_build_context", query=query, subject=self.id))["block"]
        return text


def fates(out: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What became of the given facts, in their order."""
    return sorted((each for each in out["results"] if each.get("given")), key=lambda each: each["given"])


@pytest.fixture(scope="module")
async def connected(standing: Installation) -> AsyncIterator[tuple[Assistant, Iterator[int]]]:
    async with in_a_task_of_its_own(standing.client()) as assistant:
        yield assistant, count()


@pytest.fixture
def person(connected: tuple[Assistant, Iterator[int]]) -> Person:
    assistant, numbers = connected
    return Person(assistant, f"P{next(numbers)}")


@pytest.fixture
def other(connected: tuple[Assistant, Iterator[int]]) -> Person:
    assistant, numbers = connected
    return Person(assistant, f"P{next(numbers)}")


async def test_a_medicine_that_the_same_person_takes_back_ends_at_once_and_shows_the_correction(
    person: Person,
) -> None:
    told = await person.tells("I take metformin.", [fact(TAKES, "metformin", "I take metformin")])
    id_ = fates(told)[0]["fact_id"]

    out = await person.tells(
        "Sorry, not me, my brother.", [fact(TAKES, "metformin", "not me, my brother", "negated", corrects=id_)]
    )

    [fate] = fates(out)
    assert (fate["verdict"], fate["status"], fate["fact_id"]) == ("stored", "refuted", id_)
    assert (await person.facts())[TAKES, "metformin"]["status"] == "refuted"
    history = (await person.assistant.call("memory_list_facts", subject=person.id, fact_id=id_))["history"]
    assert "not me, my brother" in [event["evidence"] for event in history]
    assert "Takes: Metformin" not in await person.block()


async def test_a_critical_fact_that_is_corrected_stays_in_view_as_disputed(person: Person) -> None:
    await person.tells("I am allergic to peanuts.", [fact(ALLERGY, "peanuts", "allergic to peanuts")])
    said = "Sorry, not me, my brother has the peanut allergy."

    out = await person.tells(
        said,
        [fact(FAMILY, "peanut allergy", said[:-1], attrs={"relative": "brother"}, corrects="I am allergic to peanuts")],
    )

    known = await person.facts()
    block = await person.block("Peanut butter biscuits for tea?")
    assert [fate["verdict"] for fate in fates(out)] == ["stored"]
    assert "disputed" in fates(out)[0]["reason"]
    assert known[ALLERGY, "peanut"]["status"] == "active"
    assert known[ALLERGY, "peanut"]["contradicted"] is True
    assert (FAMILY, "peanut allergy") in known
    assert "CRITICAL ALLERGY" in block
    assert 'CONTRADICTED: also said "Sorry, not me' in block
