"""What any store accepts, and what none does."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.storable import check_values
from r_memory.errors import InvalidInput


@dataclass(frozen=True)
class Holder:
    value: object


KEPT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
LOST = st.one_of(
    st.tuples(st.text(), st.sampled_from(["\x00", "\ud800", "\udfff"]), st.text()).map("".join),
    st.integers(min_value=2**63),
    st.integers(max_value=-(2**63) - 1),
    st.sampled_from([float("inf"), float("-inf"), float("nan")]),
)


def wrapped(value: object) -> list[object]:
    return [value, [value], (1, value), {"a": value}, frozenset({value}), Holder(value), {"a": [Holder((value,))]}]


@given(KEPT)
def test_what_every_engine_keeps_passes_wherever_it_stands(value: object) -> None:
    for place in wrapped(value):
        check_values(place)


@given(LOST)
def test_what_an_engine_would_change_is_refused_wherever_it_stands(value: object) -> None:
    for place in wrapped(value):
        with pytest.raises(InvalidInput):
            check_values(place)


def test_a_name_of_an_attribute_is_checked_like_a_value() -> None:
    with pytest.raises(InvalidInput):
        check_values({"nul \x00": 1})
