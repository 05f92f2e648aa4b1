"""A draft whose words only look like what is recorded is no conflict with it, on both stores."""

import pytest

from r_memory import Settings, open_memory
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


async def test_the_verb_will_is_no_document(installation: Installation) -> None:
    words = "He'd settle; will go to 30 by June"
    secret = Claim(relation="MUST_NOT_DISCLOSE", object="will go to 30 by June", evidence=words)
    paper = Claim(relation="MUST_NOT_DISCLOSE", object="her new will", evidence="nobody is to hear of her new will")
    settings = {**installation.settings, "schema": "law"}
    async with open_memory(Settings(**settings)) as law:  # type: ignore[arg-type]  # texts, all of them
        await law.remember(f"{words}.", subject="W1", subject_name="Ines Moor", speaker="client", claims=[secret])
        told = "Please, nobody is to hear of her new will."
        await law.remember(told, subject="W2", subject_name="Olga Pell", speaker="client", claims=[paper])

        assert (await law.check_text("We will write to you on Friday.", subject="W1")).verdict != "conflict"
        assert (await law.check_text("We enclose a copy of the will.", subject="W2")).verdict == "conflict"


async def test_an_instruction_that_a_draft_repeats_is_not_against_it_and_one_that_it_breaks_is(
    installation: Installation,
) -> None:
    words = ("Level 6 soft and bite-sized", "Turn her every 3 hours", "No straws")
    claims = [Claim(relation="HAS_PRECAUTION", object=said, evidence=said) for said in words]
    async with open_memory(Settings(**installation.settings)) as memory:  # type: ignore[arg-type]  # as above
        await memory.remember(
            f"{'. '.join(words)}.", subject="W3", subject_name="Rose Tandy", speaker="nurse", claims=claims
        )

        repeated = await memory.check_text(
            "Diet: Level 6 soft and bite-sized.\nR: Turn her every 3 hours.", subject="W3"
        )
        broken = await memory.check_text("Give her the juice with a straw.", subject="W3")

    assert repeated.verdict == "warning"
    assert broken.verdict == "conflict"
