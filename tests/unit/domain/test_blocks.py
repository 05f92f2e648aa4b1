"""When a recall is complete."""

from dataclasses import replace

import pytest

from r_memory.domain.blocks import MatchLevel, Outcome, Recall, State
from tests.unit.domain.histories import JOHN

RECALL = Recall(
    subject=JOHN,
    checked_at=0,
    query="",
    intents=(),
    recognised=True,
    lines=(),
    outcomes=(),
    pending=(),
    receipt_id="",
    watermark=0,
    schema_version="",
    pack_version="",
    traversal="",
)


@pytest.mark.proves("Z14", "Z15", "Z16")
@pytest.mark.parametrize(
    ("states", "unavailable", "complete"),
    [
        ([State.FOUND, State.NONE_ASSERTED, State.NOT_ASKED], "", True),
        ([State.FOUND, State.COULD_NOT_CHECK], "", False),
        ([State.COULD_NOT_CHECK], "down", False),
        ([State.FOUND], "down", False),
    ],
)
def test_recall_is_complete_only_if_every_edge_was_read(states: list[State], unavailable: str, complete: bool) -> None:
    outcomes = tuple(Outcome(relation="R", state=state) for state in states)

    assert replace(RECALL, outcomes=outcomes, unavailable=unavailable).complete == complete


def test_there_are_four_outcomes_and_six_levels_strongest_first() -> None:
    assert list(State) == ["FOUND", "NONE-ASSERTED", "NOT-ASKED", "COULD-NOT-CHECK"]
    assert list(MatchLevel) == ["exact", "ingredient", "class", "meant", "day", "name_only"]
