"""Who is in a store of some size: numbered on as it grows, and found by the size of the chart."""

from itertools import islice

from r_memory_lab.bench.population import CHART_SIZES, Population
from tests.unit.facts.recall.world import SCHEMA


def a_population() -> Population:
    return Population(SCHEMA, space="bench", seed=1)


def test_a_population_that_grew_in_steps_is_as_large_as_one_that_was_made_at_once() -> None:
    grown, made = a_population(), a_population()
    numbers = [number for size in (1_000, 5_000) for number in (grown.grown(size)[0],)]
    assert (sum(numbers), grown.patients) == (made.grown(5_000)[0], made.patients)


def test_nobody_is_made_twice_and_whoever_is_asked_about_was_made_with_such_a_chart() -> None:
    population = a_population()
    charts = [chart for size in (200, 1_000) for chart in population.grown(size)[1]]
    of_size = {size: {chart.subject.id for chart in charts if len(chart.batch.facts) == size} for size in CHART_SIZES}
    assert len({chart.subject.id for chart in charts}) == len(charts) == population.patients
    assert set(islice(population.anyone(5), 50)) <= of_size[5]
    assert set(islice(population.anyone(20), 50)) <= of_size[20]


def test_a_million_facts_are_those_of_nearly_two_hundred_thousand_subjects() -> None:
    population = a_population()
    assert population.grown(1_000_000)[0] == population.patients == 195_600
