"""Half-open periods."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.instants import Period
from r_memory.errors import InvalidInput

INSTANTS = st.integers(min_value=-(2**45), max_value=2**45)
ENDS = st.none() | INSTANTS


@given(ENDS, ENDS)
def test_a_period_is_refused_exactly_where_it_would_end_before_it_has_begun(start: int | None, end: int | None) -> None:
    if start is not None and end is not None and end <= start:
        with pytest.raises(InvalidInput, match="swap"):
            Period(start=start, end=end)
    else:
        assert (Period(start=start, end=end).start, Period(start=start, end=end).end) == (start, end)
