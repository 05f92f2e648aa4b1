"""Which rows of the table a request opens."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.intents import Classification, Intent, IntentScore, IntentTable, Policy, Selection, opened
from r_memory.errors import UnknownName

CRITICAL = ("ALLERGY", "IMPLANT")
TABLE = IntentTable(
    version="t",
    policy=Policy(),
    intents={
        intent.name: intent
        for intent in (
            Intent(name="ORDER", description="", edges=("ALLERGY", "TAKES"), expand={"MEMBER_OF": 2}),
            Intent(name="SCAN", description="", edges=("IMPLANT", "PREP"), expand={"MEMBER_OF": 1, "PART_OF": 3}),
            Intent(name="TRIP", description="", edges=("VACCINE",)),
            Intent(name="CHAT", description="", edges=(), silent=True),
        )
    },
)


def score(name: str, probability: float, *keywords: str) -> IntentScore:
    return IntentScore(name=name, probability=probability, keywords=keywords)


def classified(*scores: IntentScore, recognised: bool = True) -> Classification:
    return Classification(scores=scores, recognised=recognised)


def names(classification: Classification, *, select: Selection = "plausible", named: tuple[str, ...] = ()) -> list[str]:
    table = replace(TABLE, policy=replace(TABLE.policy, select=select))
    return [intent.name for intent in opened(classification, table, critical=CRITICAL, named=named).intents]


SCORES = (score("ORDER", 0.6), score("SCAN", 0.05), score("TRIP", 0.049), score("CHAT", 0.001))


@pytest.mark.proves("RM-7", "RM-19")
@pytest.mark.parametrize(
    ("select", "expected"), [("plausible", ["ORDER", "SCAN"]), ("top1", ["ORDER"]), ("all_critical", [])]
)
def test_policy_selects_the_rows(select: Selection, expected: list[str]) -> None:
    assert names(classified(*SCORES), select=select) == expected


def test_row_that_the_request_names_is_plausible_whatever_its_probability() -> None:
    scores = (score("ORDER", 0.9), score("TRIP", 0.0, "visa"))

    assert names(classified(*scores)) == ["ORDER", "TRIP"]
    assert names(classified(*scores), select="all_critical") == ["TRIP"]


@pytest.mark.proves("RM-18", "Z26")
def test_unrecognised_request_claims_what_it_names_only_and_reads_the_plausible_and_everything_critical() -> None:
    rows = opened(
        classified(score("TRIP", 0.2, "visa"), score("ORDER", 0.2), recognised=False), TABLE, critical=CRITICAL
    )

    assert [intent.name for intent in rows.intents] == ["TRIP"]
    assert rows.edges == ("VACCINE", "ALLERGY", "TAKES", "IMPLANT")
    assert rows.expand == {"MEMBER_OF": 2, "PART_OF": 3}
    assert not rows.recognised


def test_rows_that_the_caller_names_come_first_and_make_the_request_recognised() -> None:
    rows = opened(classified(*SCORES, recognised=False), TABLE, critical=CRITICAL, named=("TRIP", "TRIP"))

    assert [intent.name for intent in rows.intents] == ["TRIP"]
    assert rows.recognised
    assert names(classified(*SCORES), named=("SCAN",)) == ["SCAN", "ORDER"]


def test_unknown_row_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="CHAT, ORDER, SCAN, TRIP"):
        names(classified(*SCORES), named=("SCANN",))


def test_small_talk_opens_no_row_unless_it_is_named() -> None:
    chat = classified(score("CHAT", 0.99))

    assert names(chat) == []
    assert names(chat, named=("CHAT",)) == ["CHAT"]


@pytest.mark.proves("RM-24")
@pytest.mark.parametrize(
    ("scores", "expand"),
    [
        ([score("ORDER", 0.9)], {"MEMBER_OF": 2}),
        ([score("SCAN", 0.9)], {"MEMBER_OF": 1, "PART_OF": 3}),
        ([score("ORDER", 0.5), score("SCAN", 0.5)], {"MEMBER_OF": 2, "PART_OF": 3}),
        ([score("TRIP", 0.9)], {}),
        ([score("CHAT", 0.9)], {"MEMBER_OF": 2, "PART_OF": 3}),
        ([], {"MEMBER_OF": 2, "PART_OF": 3}),
    ],
)
def test_closure_takes_the_most_steps_of_the_opened_rows_or_of_all_where_none_is_opened(
    scores: list[IntentScore], expand: dict[str, int]
) -> None:
    assert opened(classified(*scores), TABLE, critical=CRITICAL).expand == expand


@pytest.mark.proves("RM-8", "RM-9", "Z25", "Z26")
@given(
    scores=st.lists(
        st.builds(
            score,
            st.sampled_from(sorted(TABLE.intents)),
            st.floats(min_value=0, max_value=1),
            st.sampled_from(["", "word"]),
        ),
        unique_by=lambda one: one.name,
    ),
    recognised=st.booleans(),
    select=st.sampled_from(("plausible", "top1", "all_critical")),
    named=st.lists(st.sampled_from(sorted(TABLE.intents)), unique=True),
)
def test_no_classification_closes_a_critical_edge_or_an_edge_of_an_opened_row(
    scores: list[IntentScore], recognised: bool, select: Selection, named: list[str]
) -> None:
    table = replace(TABLE, policy=replace(TABLE.policy, select=select))
    rows = opened(classified(*scores, recognised=recognised), table, critical=CRITICAL, named=tuple(named))

    wanted = {*CRITICAL, *(edge for intent in rows.intents for edge in intent.edges)}
    assert wanted <= set(rows.edges)
    assert len(rows.edges) == len(set(rows.edges))
    assert set(named) <= {intent.name for intent in rows.intents}
