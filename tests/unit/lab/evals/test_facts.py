"""Scores of the suite `facts`, on dialogues of our own."""

import pytest

from r_memory_lab.evals.facts import Banned, FactsDialogue, FactsPrediction, GoldFact, StoredFact, outcome, run, score
from r_memory_lab.evals.measures import count, share
from tests.unit.memory_world import ALLERGY, a_world

IMPLANT = GoldFact(kind="HAS_IMPLANTS", object=("hip", "artificial hip"))
GOUT = GoldFact(kind="HAS_FAMILY_HISTORY", object=("gout",), relative=("father", "dad"))
TALK = FactsDialogue(
    id="talk",
    turns=(("patient", "Hello."),),
    facts=(IMPLANT, GOUT),
    must_not=Banned(implants=("plate",), anybody=("lupus",)),
)


def held(relation: str, object_: str, relative: str = "") -> StoredFact:
    return StoredFact(relation=relation, object=object_, relative=relative, status="active")


def scored(*facts: StoredFact) -> list[tuple[bool, bool, bool]]:
    return [(row.found, row.named, row.leaked) for row in score([TALK], [FactsPrediction(id="talk", facts=facts)])]


def test_an_implant_counts_under_its_own_relation_only() -> None:
    assert scored(held("HAS_IMPLANTS", "Artificial hip"))[0][0]
    assert not scored(held("HAS_CONDITION", "Artificial hip"))[0][0]


def test_a_relatives_condition_counts_with_and_without_the_right_relative() -> None:
    assert scored(held("HAS_FAMILY_HISTORY", "Gout", "father"))[1] == (True, True, False)
    assert scored(held("HAS_FAMILY_HISTORY", "Gout", "aunt"))[1] == (True, False, False)
    assert scored(held("HAS_FAMILY_HISTORY", "Gout"))[1] == (True, False, False)


def test_a_relatives_condition_held_by_the_patient_is_a_leak_even_beside_the_right_fact() -> None:
    assert scored(held("HAS_CONDITION", "Gout"))[1] == (False, False, True)
    assert scored(held("HAS_FAMILY_HISTORY", "Gout", "dad"), held("HAS_CONDITION", "gout"))[1] == (True, True, True)


def test_a_patients_own_implant_never_counts_as_a_leak() -> None:
    assert scored(held("HAS_IMPLANTS", "hip"), held("HAS_CONDITION", "hip"))[0] == (True, False, False)


def test_the_totals() -> None:
    facts = (held("HAS_IMPLANTS", "hip"), held("HAS_IMPLANTS", "plate"), held("HAS_FAMILY_HISTORY", "lupus", "dad"))
    result = outcome([TALK], [FactsPrediction(id="talk", facts=facts)])
    assert result.figures == (
        share("implants: recall", 1, 1),
        share("implants: precision", 1, 2),
        share("family history: recall", 0, 1),
        share("family history: recall with the right relative", 0, 1),
        share("family history: precision", 0, 1),
        share("leak: a relative's condition as the patient's own", 0, 1, aim="<= .08"),
        count("violations", 2, 1, aim="0"),
    )
    assert result.details == {
        "Dialogues with a missed implant": [],
        "Dialogues with a missed relative's condition": ["talk"],
        "Dialogues with a leak": [],
        "Dialogues with a violation": ["talk"],
    }


@pytest.mark.anyio
async def test_a_prediction_holds_every_fact_of_the_patient() -> None:
    talk = FactsDialogue(id="a", turns=(("patient", ALLERGY),), facts=())
    (found,) = await run(a_world().memory, [talk], lambda: None)
    assert found == FactsPrediction(id="a", facts=(held("HAS_ALLERGY_TO", "Penicillin"),))
