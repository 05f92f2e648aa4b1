"""Scores of the suites `orders` and `clinc150`, on sentences of our own."""

import pytest

from r_memory_lab.evals import clinc150, orders
from r_memory_lab.evals.actions import ActionPrediction, seeing
from r_memory_lab.evals.clinc150 import Request
from r_memory_lab.evals.measures import count, share
from r_memory_lab.evals.orders import OrderSentence
from tests.unit.memory_world import a_world

SENTENCES = (
    OrderSentence(id="1", text="Start a diuretic.", speaker="doctor", short=True, intents=("MED_ORDER",)),
    OrderSentence(id="2", text="Scan it and start one.", speaker="doctor", intents=("DIAG_ORDER", "MED_ORDER")),
    OrderSentence(id="3", text="Hello.", speaker="doctor", short=True, intents=("OTHER",)),
    OrderSentence(id="4", text="It rains.", speaker="patient", short=True, intents=("OTHER",)),
)


def predictions(*intents: tuple[str, ...], covered: tuple[str, ...] = ()) -> list[ActionPrediction]:
    return [
        ActionPrediction(id=str(number), intents=seen, covered=covered) for number, seen in enumerate(intents, start=1)
    ]


def test_any_order_counts_whichever_it_is_and_other_talk_is_a_false_trigger() -> None:
    result = orders.outcome(SENTENCES, predictions(("DIAG_ORDER",), (), ("MED_ORDER",), ()))
    assert result.figures == (
        share("any order: recall", 1, 2, aim=">= .82"),
        share("any order: precision", 1, 2),
        share("false triggers on OTHER", 1, 2, aim="<= .05"),
        share("any order: recall, short sentences", 1, 1),
        share("any order: precision, short sentences", 1, 2),
        share("false triggers on OTHER, short sentences", 1, 2),
        share("orders of which every needed edge is read", 0, 2, aim="1.00"),
    )
    assert result.details == {"Edges not read": ["1", "2"], "Orders not seen": ["2"], "False triggers": ["3"]}


def test_an_order_counts_as_read_when_every_true_action_type_is_covered() -> None:
    result = orders.outcome(SENTENCES, predictions((), (), (), (), covered=("MED_ORDER",)))

    assert result.figures[-1] == share("orders of which every needed edge is read", 1, 2, aim="1.00")
    assert result.details["Edges not read"] == ["2"]


def test_sentences_of_one_encounter_are_in_the_same_half() -> None:
    rows = [sentence.model_copy(update={"id": f"E1#{sentence.id}"}) for sentence in SENTENCES]
    halves = orders.outcome(rows, []).groups["By half of the encounters"]

    assert sorted(figure.n for figure in halves if figure.name.startswith("any order: recall")) == [0, 2]


def test_action_types_of_short_sentences_are_told_apart() -> None:
    groups = orders.outcome(SENTENCES, predictions((), ("MED_ORDER",))).groups
    long, short = groups["By action type"], groups["By action type, short sentences"]

    assert [figure.value for figure in long if figure.name == "MED_ORDER: recall"] == [0.5]
    assert [figure.value for figure in short if figure.name == "MED_ORDER: recall"] == [0.0]


def test_each_action_type_has_its_own_precision_and_recall() -> None:
    groups = orders.outcome(SENTENCES, predictions(("MED_ORDER",), ("DIAG_ORDER",), ("MED_ORDER",))).groups
    shown = [(figure.name, figure.value) for figure in groups["By action type"]]
    assert shown == [
        ("DIAG_ORDER: precision", 1.0),
        ("DIAG_ORDER: recall", 1.0),
        ("DIAG_ORDER: F1", 1.0),
        ("MED_ORDER: precision", 0.5),
        ("MED_ORDER: recall", 0.5),
        ("MED_ORDER: F1", 0.5),
    ]


def test_figures_are_told_apart_by_speaker() -> None:
    groups = orders.outcome(SENTENCES, predictions((), (), (), ("MED_ORDER",))).groups
    false = [figure for figure in groups["By speaker"] if figure.name.startswith("false")]
    assert false == [share("false triggers on OTHER, doctor", 0, 1), share("false triggers on OTHER, patient", 1, 1)]


REQUESTS = (
    Request(id="1", text="Book a table.", domain="food"),
    Request(id="2", text="Play a song.", domain="home"),
    Request(id="3", text="How many calories?", domain="food", medical_words=True),
)


def test_everyday_requests_taken_for_clinical_ones_are_counted_by_domain_and_type() -> None:
    result = clinc150.outcome(REQUESTS, predictions((), (), ("MED_ORDER",)))
    assert result.figures == (share("false triggers", 1, 3, aim="<= .003"),)
    assert result.groups == {
        "By words": [share("with words that a clinic uses", 1, 1), share("without", 0, 2)],
        "By half": [share("half that was looked at", 1, 1), share("other half", 0, 2)],
        "By domain": [share("food", 1, 2), share("home", 0, 1)],
        "Taken for": [count("MED_ORDER", 1, 3)],
    }
    assert result.details == {"False triggers": ["3"]}


@pytest.mark.anyio
async def test_predictions_are_the_action_types_that_the_memory_recognises() -> None:
    memory = a_world().memory
    expected = (ActionPrediction(id="1", intents=("MED_ORDER",), covered=("MED_ORDER",)),)
    assert await orders.run(memory, SENTENCES[:1], lambda: None) == expected
    assert await clinc150.run(memory, REQUESTS[:1], lambda: None) == expected


@pytest.mark.anyio
async def test_blank_words_ask_for_nothing() -> None:
    memory = a_world().memory
    assert await (await seeing(memory)).predicted("1", "  ") == ActionPrediction(id="1", intents=())
