import pytest

from r_memory.errors import InvalidInput
from r_memory.serving.tools.calls import cursor_at, position_of


def test_a_cursor_leads_back_to_its_position() -> None:
    assert position_of(cursor_at(50)) == 50


def test_no_cursor_is_the_beginning() -> None:
    assert position_of("") == 0


@pytest.mark.proves("M-31")
@pytest.mark.parametrize("cursor", ["x", "????", "eyJmcm9tIjogNTB9", cursor_at(-1), "aGlzdG9yeTrCsg=="])
def test_a_cursor_of_another_list_is_refused_with_the_way_out(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="start again without cursor"):
        position_of(cursor)
