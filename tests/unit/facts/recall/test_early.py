"""Facts that are read while a request is understood: along the edges that requests opened before."""

from collections.abc import Sequence

import pytest

from r_memory.domain.facts import concept
from r_memory.domain.intents import Classification
from r_memory.errors import StoreUnavailable
from r_memory.protocols import Mention
from tests.scripted import ScriptedClassifier
from tests.unit.facts.recall.world import (
    JOHN,
    MRI,
    PENICILLIN,
    TABLE,
    Ledger,
    recaller,
    texts,
)

pytestmark = pytest.mark.anyio
ASKED = "What may he take?"


class TurningClassifier:
    """Names one action type, another when told so."""

    def __init__(self, name: str) -> None:
        self.name = name

    def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:
        return ScriptedClassifier(self.name).classify(query, mentions)


def allergic() -> Ledger:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe")
    ledger.hear("TAKES", concept("Drug", "warfarin"))
    return ledger


async def test_a_request_like_the_one_before_is_read_once_and_answered_alike() -> None:
    ledger = allergic()
    asks = recaller(ledger)
    first = await asks.build_context(ASKED, subject=JOHN)
    ledger.asked.clear()

    second = await asks.build_context(ASKED, subject=JOHN)

    assert len(ledger.asked) == 1
    assert first == second


async def test_a_request_that_opens_less_than_the_one_before_shows_no_more_than_alone() -> None:
    ledger, wanted = allergic(), TurningClassifier("MED_ORDER")
    asks = recaller(ledger, classifier=wanted)
    await asks.build_context(ASKED, subject=JOHN)
    wanted.name = "PREP"

    after = await asks.build_context("Prepare him.", subject=JOHN)

    alone = await recaller(ledger, classifier=ScriptedClassifier("PREP")).build_context("Prepare him.", subject=JOHN)
    assert (texts(after), after.outcomes) == (texts(alone), alone.outcomes)


async def test_a_request_that_opens_more_than_the_one_before_is_told_of_all_of_it() -> None:
    ledger, wanted = allergic(), TurningClassifier("PREP")
    asks = recaller(ledger, classifier=wanted)
    await asks.build_context("Prepare him.", subject=JOHN)
    wanted.name = "MED_ORDER"

    after = await asks.build_context(ASKED, subject=JOHN)

    assert {*TABLE.intent("MED_ORDER").edges} <= {*ledger.asked[-1][0]}
    assert texts(after) == texts(await recaller(ledger).build_context(ASKED, subject=JOHN))


async def test_an_action_type_with_a_traversal_of_its_own_has_it_followed() -> None:
    ledger, wanted = allergic(), TurningClassifier("MED_ORDER")
    asks = recaller(ledger, classifier=wanted)
    await asks.build_context(ASKED, subject=JOHN)
    wanted.name = "IMAGING_MRI"

    await asks.build_context("Book an MRI.", subject=JOHN)

    assert ledger.asked[-1][1] == (MRI,)


async def test_a_store_that_is_lost_after_the_first_request_is_said_to_be() -> None:
    ledger = allergic()
    asks = recaller(ledger)
    await asks.build_context(ASKED, subject=JOHN)
    ledger.trouble["neighbourhood"] = StoreUnavailable("gone")

    assert (await asks.build_context(ASKED, subject=JOHN)).unavailable == "gone"


async def test_what_was_recorded_since_the_request_before_is_in_the_next() -> None:
    ledger = allergic()
    asks = recaller(ledger)
    before = await asks.build_context(ASKED, subject=JOHN)
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "codeine"), severity="severe")

    after = await asks.build_context(ASKED, subject=JOHN)

    assert len(after.lines) == len(before.lines) + 1
