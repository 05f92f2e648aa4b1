"""Figures and their intervals, against numbers worked out by hand or published."""

import pytest

from r_memory_lab.evals.measures import Figure, at_percentile, count, f1, of_class, percentile, share, wilson


def test_wilson_interval_is_the_published_one() -> None:
    """Newcombe 1998, Statist Med 17:857, table I, method 3: 81 of 263 and 15 of 148."""
    assert [round(bound, 4) for bound in wilson(81, 263)] == [0.2553, 0.3662]
    assert [round(bound, 4) for bound in wilson(15, 148)] == [0.0624, 0.1605]


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (0, 5), (5, 5)])
def test_interval_stays_within_zero_and_one(hits: int, n: int) -> None:
    low, high = wilson(hits, n)
    assert 0.0 <= low <= high <= 1.0


def test_nothing_to_count_gives_zero_and_the_widest_interval() -> None:
    assert share("recall", 0, 0) == Figure(name="recall", value=0.0, n=0, low=0.0, high=1.0)
    assert f1("F1", right=0, wrong=0, missed=0) == Figure(name="F1", value=0.0, n=0, low=0.0, high=1.0)


def test_f1_is_the_harmonic_mean_and_lies_in_its_interval() -> None:
    figure = f1("F1", right=60, wrong=20, missed=30)
    precision, recall = 60 / 80, 60 / 90
    assert figure.value == pytest.approx(2 * precision * recall / (precision + recall))
    assert figure.low is not None
    assert figure.high is not None
    assert figure.low < figure.value < figure.high


def test_one_class_counts_right_wrong_and_missed() -> None:
    cases = [(True, True)] * 3 + [(True, False)] + [(False, True)] * 2 + [(False, False)] * 10
    figures = of_class("negated", cases, aim=">= .93")
    assert [(figure.name, figure.value, figure.aim) for figure in figures] == [
        ("negated: precision", 0.6, ""),
        ("negated: recall", 0.75, ""),
        ("negated: F1", pytest.approx(2 / 3), ">= .93"),
    ]


def test_a_count_has_no_interval() -> None:
    assert not count("violations", 3, 10).is_share
    assert share("recall", 3, 10).is_share


def test_percentile_is_the_nearest_rank() -> None:
    assert [percentile(range(1, 11), fraction) for fraction in (0.5, 0.95, 1.0)] == [5, 10, 10]
    assert percentile([], 0.5) == 0.0


def test_interval_of_a_percentile_never_leaves_the_values() -> None:
    figure = at_percentile("p95", [1.0, 2.0, 3.0], 0.95, unit="ms")
    assert (figure.value, figure.low, figure.high) == (3.0, 2.0, 3.0)
    assert at_percentile("p95", [], 0.95, unit="ms") == Figure(name="p95", value=0.0, n=0, unit="ms")
