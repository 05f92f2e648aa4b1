"""A real language model over its real wire: it guesses, and nothing certain comes of it."""

from collections.abc import Iterator

import pytest

from r_memory.domain.facts import Route, Status
from r_memory.providers import ModelEndpoint
from r_memory.providers.openai import OpenAIChat, Rung
from r_memory.testing.clock import FixedClock
from scripts.smollm2 import NAME, smollm2
from tests.model_world import Practice, model_route
from tests.real_model import skip_or_fail

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1_500)]
# The small model takes two minutes of a core to read all relations, and with two threads twice that on a busy machine.
RELATIONS = ("HAS_ALLERGY_TO", "HAS_FAMILY_HISTORY")
TEXT = "My aunt is allergic to latex. Am I allergic to codeine?"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    skip_or_fail()
    with smollm2(threads=1) as url:
        yield url


@pytest.mark.proves("Z24")
async def test_a_model_that_guesses_keeps_to_the_form_and_leaves_nothing_certain_behind(address: str) -> None:
    chat = OpenAIChat(ModelEndpoint(url=address, model=NAME, limit_s=600), clock=FixedClock())
    alone, helped = Practice(None), Practice(chat, relations=RELATIONS)
    await alone.hear(TEXT)
    answered = not model_route(await helped.hear(TEXT)).failed
    without = {(fact.fact_id, fact.status) for fact in await alone.facts()}
    added = [fact for fact in await helped.facts() if (fact.fact_id, fact.status) not in without]
    assert {fact.status for fact in added} <= {Status.UNCONFIRMED}
    events = await helped.store.events(helped.john.uid)
    assert {event.status for event in events if event.route is Route.MODEL} <= {Status.UNCONFIRMED}
    assert {event.evidence in TEXT for event in events} <= {True}
    await chat.close()
    assert (answered, chat.rung) == (True, Rung.SCHEMA)
