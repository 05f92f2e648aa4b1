"""How the time to read hostile texts is measured."""

from contextlib import nullcontext

import pytest

from r_memory_lab.bench.text import PATTERNS, exponent, text
from tests.unit.memory_world import a_world


def test_the_exponent_is_that_of_the_law_behind_the_times() -> None:
    assert round(exponent((1_000, 2_000, 4_000), (1.0, 2.0, 4.0)), 6) == 1.0
    assert round(exponent((1_000, 2_000, 4_000), (5.0, 5.0, 5.0)), 6) == 0.0


@pytest.mark.anyio
async def test_every_pattern_has_a_time_and_an_exponent_for_each_reading() -> None:
    outcome = await text(a_world().memory, begin=lambda *_: nullcontext(lambda: None), sizes=(20, 40), draft=60)
    assert len(PATTERNS) >= 40
    grown = dict.fromkeys(("remember", "build_context", "build_turn", "finish_turn", "check_text"), 2 * len(PATTERNS))
    assert {name: len(figures) for name, figures in outcome.groups.items()} == {**grown, "draft": len(PATTERNS)}
    last = [(figure.name.partition(":")[0], figure.aim) for figure in outcome.figures[-6:]]
    assert last == [
        ("steepest", "<= 1.2"),
        ("event loop held longest", "<= 300 ms"),
        ("another caller's context meanwhile, p99", "<= 300 ms"),
        ("another caller's context meanwhile, p99 by the clock", ""),
        ("another caller's statement meanwhile, p99", "<= 300 ms"),
        ("another caller's statement meanwhile, p99 by the clock", ""),
    ]
