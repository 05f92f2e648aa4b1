"""Judgements of the suite `corrections`, on sentences of our own."""

import pytest

from r_memory_lab.evals.corrections import CorrectionCase, ExpectedStanding, Landing, outcome
from r_memory_lab.evals.measures import count, share

STANDING = {"relation": "TAKES", "object": "Metformin", "status": "refuted"}


def correction(**more: object) -> CorrectionCase:
    said = {"text": "Not me, my brother.", "given": None}
    return CorrectionCase.model_validate(
        {"id": "c", "kind": "another person", "before": [], "said": said, "stands": [STANDING], **more}
    )


def landing(status: str = "refuted", *, waits: bool = False, strengthened: tuple[str, ...] = ()) -> Landing:
    stands = (ExpectedStanding(relation="TAKES", object="metformin", status=status),)
    return Landing(id="c", stands=stands, waits=waits, strengthened=strengthened)


@pytest.mark.parametrize(
    ("made", "lands"),
    [
        (landing(), True),
        (landing("active"), False),
        (landing(waits=True), False),
        (Landing(id="c", stands=(), waits=False), False),
        (landing().model_copy(update={"stands": landing().stands * 2}), False),
    ],
)
def test_a_correction_lands_where_exactly_what_must_stand_does(made: Landing, lands: bool) -> None:
    figures = outcome([correction()], [made]).figures

    assert figures == (
        share("corrections that land", int(lands), 1, aim=">= 38 of 40"),
        count("facts made stronger", 0, 1, aim="0"),
    )


def test_a_fact_that_was_told_again_is_counted_and_named_by_the_row() -> None:
    found = outcome([correction()], [landing(strengthened=("TAKES",))])

    assert found.figures[1].value == 1
    assert found.details == {"Made stronger": ["c"]}


def test_details_that_must_stand_are_compared() -> None:
    wanted = correction(stands=[{**STANDING, "attrs": {"dose": "850 mg"}}])

    assert outcome([wanted], [landing()]).details == {"Did not land": ["c"]}
