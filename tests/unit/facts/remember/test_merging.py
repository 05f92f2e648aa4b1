"""Several routes on one utterance: nobody lowers what the rules read, and nothing is recorded twice."""

import pytest

from r_memory.domain.facts import Route, Status
from r_memory.facts.remember.results import Claim
from r_memory.testing.scripted_chat import ScriptedChat
from tests.model_world import Practice, answer, fact

pytestmark = pytest.mark.anyio
TEXT = "I am severely allergic to penicillin."


def claim(status: str = "active", **attrs: str) -> Claim:
    return Claim(relation="HAS_ALLERGY_TO", object="penicillin", evidence=TEXT, status=status, attrs=attrs)


async def test_a_client_that_denies_what_the_rules_read_leaves_it_active_and_flagged() -> None:
    practice = Practice(None)
    await practice.hear(TEXT, claims=(claim("negated"),))
    assert await practice.shown() == {"HAS_ALLERGY_TO penicillin active disagree"}


async def test_a_client_that_agrees_is_the_one_recorded_with_its_details() -> None:
    practice = Practice(None)
    await practice.hear(TEXT, claims=(claim(onset="2011"),))
    (known,) = await practice.facts()
    assert (known.status, known.route, known.attrs.get("onset"), known.observations) == (
        Status.ACTIVE,
        Route.CLIENT,
        2011,
        1,
    )


async def test_client_rules_and_model_agreeing_make_one_observation() -> None:
    practice = Practice(ScriptedChat(answer(fact("HAS_ALLERGY_TO", "penicillin", TEXT))))
    await practice.hear(TEXT, claims=(claim(),))
    assert [known.observations for known in await practice.facts()] == [1]


async def test_a_client_that_is_less_sure_than_the_rules_lowers_nothing() -> None:
    practice = Practice(None)
    await practice.hear(TEXT, claims=(claim("unconfirmed"),))
    assert {known.status for known in await practice.facts()} == {Status.ACTIVE}


async def test_other_details_from_a_model_make_no_second_fact() -> None:
    text = "My mother had diabetes."
    practice = Practice(ScriptedChat(answer(fact("HAS_FAMILY_HISTORY", "diabetes", text, relative="father"))))
    await practice.hear(text)
    assert [(known.object.id, known.attrs.get("relative")) for known in await practice.facts()] == [
        ("diabetes", "mother")
    ]
