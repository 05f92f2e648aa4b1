import json

import pytest
from mcp.types import TextContent
from pydantic import BaseModel

from r_memory.serving.tools.calls import answer, fits, fitting


class Item(BaseModel):
    text: str
    note: str = ""


class Items(BaseModel):
    items: list[Item]


@pytest.mark.proves("M-28")
def test_both_channels_carry_the_same() -> None:
    result = answer(Items(items=[Item(text="größer\n[1]"), Item(text="b", note="n")]))
    [content] = result.content
    assert isinstance(content, TextContent)
    assert json.loads(content.text) == result.structured_content
    assert result.structured_content == {"items": [{"text": "größer\n[1]"}, {"text": "b", "note": "n"}]}


def test_length_is_that_of_what_is_sent() -> None:
    assert fits(Items(items=[Item(text="x" * 23_900)]))
    assert not fits(Items(items=[Item(text="x" * 24_000)]))


def test_as_many_items_fit_as_there_is_room_for() -> None:
    items = [Item(text="x" * 90) for _ in range(5)]
    assert fitting(items, room=350) == 3
    assert fitting(items, room=10_000) == 5


def test_one_item_always_fits_so_that_a_list_ends() -> None:
    assert fitting([Item(text="x" * 90)] * 2, room=1) == 1


def test_no_items_fit_into_any_room() -> None:
    assert fitting([], room=1) == 0
