"""Nothing told is unfindable: whatever was stored is found by its own words, in a conversation or not."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r_memory.serving.tools.hits import hits_of
from r_memory.text.inert import inert
from tests.unit.memory_world import a_world

pytestmark = pytest.mark.anyio
WORDS = st.sampled_from(
    ["I", "it", "to", "be", "or", "not", "no", "yes", "egg", "eggs", "penicillin", "allergic", "tabs", "20", "December"]
) | st.sampled_from(["freeze", "Haselnuss", "花生", "过敏", "naïve", "and", "the", "x", "?"])
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join).filter(lambda text: any(map(str.isalnum, text)))
TOLD = st.lists(st.tuples(TEXTS, st.sampled_from(["", "visit 1", "visit 2"])), min_size=1, max_size=8)


async def _told(told: Sequence[tuple[str, str]]) -> None:
    world = a_world()
    for number, (text, conversation) in enumerate(told):
        await world.memory.remember(
            text, subject="P1", subject_name="Ann", conversation_id=conversation, said_at=1_000 * number
        )
    for text in dict.fromkeys(text for text, _ in told):
        hits, trouble = await hits_of(world.memory, text, "P1")
        shown = [hit for hit in hits if inert(text) in hit.text]
        assert (bool(shown), trouble) == (True, ""), (text, [hit.text for hit in hits])
        statements = [hit for hit in hits if hit.kind == "statement" and hit.text == inert(text)]
        # The newest of those that are equal comes first.
        assert [hit.said_at for hit in statements] == sorted((hit.said_at for hit in statements), reverse=True)


@given(told=TOLD)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_every_utterance_is_found_by_its_own_words(told: Sequence[tuple[str, str]]) -> None:
    await _told(told)
