"""Scores of the suite `controller`, on sentences of our own."""

import pytest

from r_memory_lab.evals import controller
from r_memory_lab.evals.controller import GatePrediction, UserLine
from r_memory_lab.evals.measures import f1, share

ITEMS = (
    UserLine(id="1", text="What did I say?", needed=True, source="own", kind="deep"),
    UserLine(id="2", text="And in French?", needed=True, source="own", kind="previous"),
    UserLine(id="3", text="What is a whale?", needed=False, source="own", kind="none"),
    UserLine(id="4", text="Play a song.", needed=False, source="other", kind="none"),
)
PREDICTIONS = (
    GatePrediction(id="1", needed=True, score=0.9),
    GatePrediction(id="2", needed=False, score=0.1),
    GatePrediction(id="3", needed=True, unsure=True, score=0.4),
    GatePrediction(id="4", needed=True, unsure=True, failed=True),
)


@pytest.mark.proves("T-1")
def test_the_report_says_recall_precision_doubt_and_what_could_not_be_read() -> None:
    result = controller.outcome(ITEMS, PREDICTIONS)
    assert result.figures == (
        share("recall", 1, 2, aim=">= .95"),
        share("precision", 1, 3, aim=">= .90"),
        f1("F1", right=1, wrong=2, missed=1),
        share("unsure, so activated", 2, 4),
        share("answers that could not be read", 1, 4, aim="< .01"),
    )
    assert result.details == {"Needed and not activated": ["2"], "Activated and not needed": ["3", "4"]}


@pytest.mark.proves("T-1")
def test_each_class_and_each_source_has_its_share_with_an_interval() -> None:
    groups = controller.outcome(ITEMS, PREDICTIONS).groups
    assert groups["By class, share right"] == [
        share("deep (needed)", 1, 1),
        share("none (not needed)", 0, 2),
        share("previous (needed)", 0, 1),
    ]
    assert groups["By source, share right"] == [
        share("other (not needed)", 0, 1),
        share("own (needed or not)", 1, 3),
    ]
    assert sum(figure.n for figure in groups["By half"] if figure.name.startswith("recall")) == 2


def test_rows_without_classes_have_no_table_of_classes() -> None:
    bare = [item.model_copy(update={"kind": ""}) for item in ITEMS]
    assert "By class, share right" not in controller.outcome(bare, PREDICTIONS).groups
