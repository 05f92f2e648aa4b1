"""Scores of the suite `allergy`, on dialogues of our own."""

import pytest

from r_memory_lab.evals.allergy import AllergyDialogue, AllergyPrediction, Gold, outcome, run, score
from r_memory_lab.evals.measures import count, share
from tests.unit.memory_world import ALLERGY, a_world


def talk(id_: str, *turns: tuple[str, str], source: str = "", **gold: object) -> AllergyDialogue:
    return AllergyDialogue(id=id_, turns=turns, source=source, gold=Gold.model_validate({"allergies": (), **gold}))


ASKED = talk(
    "asked",
    ("doctor", "Are you allergic to anything?"),
    ("patient", "Walnuts, and also kiwi."),
    source="A",
    allergies=[["walnut", "walnuts"], ["kiwi", "kiwi fruit"]],
)
TOLD = talk(
    "told",
    ("patient", "My allergy to ducks is awful."),
    ("neighbour", "It is."),
    source="A",
    allergies=[["ducks"], ["eider down"]],
    optional=[["feathers"]],
    must_not=["geese"],
)
FREE = talk("free", ("patient", "I eat walnuts."), source="B", must_not=["walnut"])
TALKS = (ASKED, TOLD, FREE)


def predictions(**names: tuple[str, ...]) -> list[AllergyPrediction]:
    return [AllergyPrediction(id=id_, allergies=allergies) for id_, allergies in names.items()]


def test_an_alias_counts_with_other_case_punctuation_and_more_words() -> None:
    (row,) = score([ASKED], predictions(asked=("WALNUTS!", "Kiwi fruit juice")))
    assert (len(row.found), row.missed, row.wrong) == (2, (), 0)


def test_a_part_of_a_word_counts_for_nothing() -> None:
    (row,) = score([ASKED], predictions(asked=("nut", "kiwis")))
    assert (row.found, len(row.missed), row.wrong) == ((), 2, 2)


def test_two_names_for_one_entry_find_it_once() -> None:
    (row,) = score([ASKED], predictions(asked=("walnut", "walnuts")))
    assert (len(row.found), len(row.missed), row.wrong) == (1, 1, 0)


def test_what_is_optional_is_neither_right_nor_wrong() -> None:
    (row,) = score([TOLD], predictions(told=("feathers",)))
    assert (row.found, row.wrong) == ((), 0)


def test_what_must_not_be_stored_is_wrong_and_a_violation() -> None:
    (row,) = score([TOLD], predictions(told=("geese", "swans")))
    assert (row.wrong, row.violations) == (2, 1)


def test_a_dialogue_without_a_prediction_found_nothing() -> None:
    assert [len(row.missed) for row in score(TALKS, [])] == [2, 2, 0]


def test_the_totals() -> None:
    figures = outcome(TALKS, predictions(asked=("walnut", "cat"), told=("ducks",), free=("walnut",))).figures
    assert figures == (
        share("recall", 2, 4, aim=">= .85"),
        share("precision", 2, 4),
        count("violations", 1, 3, aim="0"),
        share("alarms on allergy-free dialogues", 1, 1, aim="<= .005"),
    )


def test_recall_is_told_apart_by_where_the_name_stands_who_speaks_and_the_source() -> None:
    groups = outcome(TALKS, predictions(asked=("walnut",), told=("ducks",), free=())).groups
    assert groups == {
        "Recall by where the name stands": [
            share("in another turn: the answer to a question", 1, 2),
            share("in a turn that speaks of an allergy", 1, 1),
            share("nowhere as written: misspelt or in pieces", 0, 1),
        ],
        "Recall by who speaks": [share("doctor and patient alone", 1, 2), share("others present", 1, 2)],
        "By source": [
            share("A: recall", 2, 4),
            share("A: alarms on allergy-free dialogues", 0, 0),
            share("B: recall", 0, 0),
            share("B: alarms on allergy-free dialogues", 0, 1),
        ],
    }


def test_details_hold_ids_only() -> None:
    details = outcome(TALKS, predictions(asked=("cat",), told=("geese",))).details
    assert details == {
        "Dialogues with a missed allergy": ["asked", "told"],
        "Dialogues with a false alarm": ["asked", "told"],
        "Dialogues with a violation": ["told"],
    }


@pytest.mark.anyio
async def test_a_prediction_is_what_the_memory_believes_after_the_dialogue() -> None:
    talks = (talk("a", ("patient", ALLERGY)), talk("b", ("patient", "Good morning.")))
    found = await run(a_world().memory, talks, lambda: None)
    assert found == (AllergyPrediction(id="a", allergies=("Penicillin",)), AllergyPrediction(id="b", allergies=()))
