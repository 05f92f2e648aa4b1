"""Scores of the suite `summary`, on turns of our own."""

from r_memory_lab.evals.summary import Brought, SummaryTurn, of_fields


def test_a_field_is_scored_by_what_it_lacks_and_by_what_it_adds() -> None:
    turns = [
        SummaryTurn(id="a1", conversation="a", question="?", answer="!", fields={"key_data": ("two cats", "Graz")}),
        SummaryTurn(id="a2", conversation="a", question="?", answer="!", fields={}),
    ]
    empty = dict.fromkeys(("confirmed_needs", "constraints", "excluded_options", "current_conclusion"), ())
    rest = {**empty, "pending_questions": (), "pending_discussion": ()}
    brought = [
        Brought(id="a1", fields={**rest, "core_discussion": ("cats",), "key_data": ("I have two cats.",)}),
        Brought(id="a2", fields={**rest, "core_discussion": ("dogs",), "key_data": ("Nice weather on 3 May.",)}),
    ]
    figures = {figure.name: (figure.value, figure.n) for figure in of_fields(turns, brought).figures}
    assert (figures["key_data: recall"], figures["key_data: precision"]) == ((0.5, 2), (0.5, 2))
    assert figures["core_discussion: precision"][1] == 0
