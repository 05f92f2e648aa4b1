import pytest
from pydantic import BaseModel

from r_memory.errors import InvalidInput
from r_memory.serving.tools.calls import HISTORY, LIST, page_of


class Number(BaseModel):
    it: int


def page(cursor: str, *, limit: int = 2, room: int = 1_000) -> tuple[list[int], str]:
    found, following = page_of(range(5), lambda it: Number(it=it), cursor, HISTORY, limit=limit, room=room)
    return [item.it for item in found], following


def test_cursors_lead_through_a_list_to_its_end() -> None:
    first, following = page("")
    second, then = page(following)
    assert [first, second, page(then)] == [[0, 1], [2, 3], ([4], "")]


def test_a_page_has_one_item_even_where_there_is_no_room() -> None:
    assert page("", room=1) == ([0], f"{HISTORY}-1")


@pytest.mark.proves("M-31")
@pytest.mark.parametrize("cursor", ["x", "????", "eyJmcm9tIjogNTB9", f"{HISTORY}--1", f"{LIST}-2", "aGlzdG9yeTrCsg=="])
def test_a_cursor_of_another_list_is_refused_with_the_way_out(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="start again without cursor"):
        page(cursor)
