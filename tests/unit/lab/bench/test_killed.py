"""The part `killed`: what counts as half, as named and as lost."""

from collections import Counter
from dataclasses import replace

from r_memory_lab.bench.killed import (
    NOBODY,
    Answer,
    Harm,
    LeftBehind,
    beyond,
    is_half,
    is_named,
    is_part,
    missing,
    outcome,
)

ASTHMA, LATEX = ("HAS_CONDITION", "Asthma", "active"), ("HAS_ALLERGY_TO", "Latex", "active")
BOTH = Counter[tuple[str, ...]]([ASTHMA, LATEX])


def look(*answers: Answer, whole: bool = True, waits: bool = False) -> LeftBehind:
    return LeftBehind(
        answers={(f"K{number}", "list"): answer for number, answer in enumerate(answers)},
        whole=whole,
        records=0,
        waits=waits,
    )


BEFORE, AFTER = look(NOBODY, NOBODY), look(BOTH, Counter[tuple[str, ...]]([LATEX]))


def test_what_is_as_before_or_as_after_the_step_is_no_half_state() -> None:
    assert [is_half(item, AFTER) for item in (BEFORE, AFTER)] == [False, False]
    assert is_named(BEFORE, BEFORE, AFTER)
    assert is_named(AFTER, BEFORE, AFTER)


def test_an_answer_of_which_a_part_is_missing_is_a_half_state_that_nobody_names() -> None:
    assert not is_named(look(Counter[tuple[str, ...]]([ASTHMA]), Counter[tuple[str, ...]]([LATEX])), BEFORE, AFTER)
    assert not is_named(look(BOTH, NOBODY), BEFORE, AFTER)


def test_a_difference_that_verify_finds_does_not_excuse_a_wrong_answer() -> None:
    assert not is_named(
        look(Counter[tuple[str, ...]]([ASTHMA]), Counter[tuple[str, ...]]([LATEX]), whole=False), BEFORE, AFTER
    )


def test_a_read_that_is_refused_names_the_half_state() -> None:
    half = look(None, Counter[tuple[str, ...]]([LATEX]))
    assert is_half(half, AFTER)
    assert is_named(half, BEFORE, AFTER)


def test_a_decision_that_waits_names_the_half_state() -> None:
    half = look(BOTH, NOBODY, waits=True)
    assert is_half(half, AFTER)
    assert is_named(half, BEFORE, AFTER)


def test_some_of_several_statements_are_a_part_and_another_fact_is_not() -> None:
    assert is_part(look(Counter[tuple[str, ...]]([ASTHMA]), NOBODY), AFTER)
    assert not is_part(look(Counter[tuple[str, ...]]([ASTHMA]), Counter[tuple[str, ...]]([ASTHMA])), AFTER)


def test_words_that_wait_to_be_read_name_the_half_state() -> None:
    half = look(Counter[tuple[str, ...]]([ASTHMA, ("waits", "I react to latex.")]), NOBODY)
    assert is_half(half, AFTER)
    assert is_part(half, AFTER)


def test_what_is_lost_and_what_is_doubled_is_counted() -> None:
    assert (missing(AFTER, AFTER), beyond(AFTER, AFTER)) == (0, 0)
    assert missing(look(Counter[tuple[str, ...]]([ASTHMA]), None), AFTER) == 2
    assert beyond(look(BOTH + BOTH, Counter[tuple[str, ...]]([LATEX])), AFTER) == 2


def test_the_figures_of_all_steps_are_added() -> None:
    harm = Harm(kills=3, hosts=1, acknowledged=10, lost=["a"], half=2, unnamed=["b"])
    found = outcome({"import": harm, "forget": replace(harm, lost=[], doubled=["c", "d"])}, "a store")
    assert [(figure.value, figure.n) for figure in found.figures] == [
        (6, 6),
        (2, 6),
        (1, 20),
        (2, 20),
        (4, 6),
        (2, 6),
        (0, 6),
    ]
    assert list(found.groups) == ["import, a store", "forget, a store"]
    assert found.details["Half and unnamed, a store"] == ["b", "b"]
