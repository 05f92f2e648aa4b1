"""Half-open periods."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.periods import ALWAYS, Period
from r_memory.errors import InvalidInput

INSTANTS = st.integers(min_value=-(2**45), max_value=2**45)
ENDS = st.none() | INSTANTS


@pytest.mark.parametrize(("instant", "holds"), [(9, False), (10, True), (19, True), (20, False)])
def test_start_belongs_to_the_period_and_the_end_does_not(instant: int, holds: bool) -> None:
    assert Period(start=10, end=20).holds_at(instant) == holds


@given(INSTANTS)
def test_open_period_always_holds(instant: int) -> None:
    assert ALWAYS.holds_at(instant)


@given(ENDS, ENDS, INSTANTS)
def test_period_is_refused_or_holds_exactly_between_its_ends(start: int | None, end: int | None, instant: int) -> None:
    if start is not None and end is not None and end <= start:
        with pytest.raises(InvalidInput, match="swap"):
            Period(start=start, end=end)
    else:
        within = (start is None or instant >= start) and (end is None or instant < end)
        assert Period(start=start, end=end).holds_at(instant) == within
