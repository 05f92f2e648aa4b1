import pytest

from tests.unit.serving.tools.practice import Era, Practice, called, client_of, refused

pytestmark = pytest.mark.anyio


async def test_everything_a_caller_must_know_is_described(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        described = await called(client, "memory_describe")
    assert [relation["name"] for relation in described["relations"]] == ["HAS_ALLERGY_TO", "HAS_IMPLANTS", "LIKES"]
    assert described["relations"][0] == {
        "name": "HAS_ALLERGY_TO",
        "subjects": ["Patient"],
        "objects": ["Drug"],
        "attrs": {"severity": "severity", "reaction": "text"},
        "critical": True,
        "question": "Is there any allergy?",
    }
    assert [intent["name"] for intent in described["intents"]] == ["MED_ORDER", "SMALL_TALK"]
    assert described["statuses"] == ["active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error"]
    assert described["limits"] == {"text": 200_000, "page": 50, "facts_per_call": 50}
    assert described["health"]["store"] == "dict"
    assert (described["domain"], described["subject_type"]) == ("practice", "Patient")


async def test_one_part_alone_is_given_when_asked_for(practice: Practice) -> None:
    async with client_of(practice) as client:
        health = await called(client, "memory_describe", part="health")
        intents = await called(client, "memory_describe", part="intents")
    assert set(health) == {"domain", "subject_type", "health"}
    assert set(intents) == {"domain", "subject_type", "intents"}


async def test_an_unknown_part_is_refused_with_those_that_are_known(practice: Practice) -> None:
    async with client_of(practice) as client:
        assert "'relations', 'intents'" in await refused(client, "memory_describe", part="weather")
