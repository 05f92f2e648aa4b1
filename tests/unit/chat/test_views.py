"""What the panels say, as text."""

from dataclasses import replace

import pytest

from r_memory.domain.facts import Entity
from r_memory_chat import views
from r_memory_chat.events import Front
from r_memory_chat.people import matching, suggested_id
from tests.unit.facts.recall.world import JANE, JOHN, NAMESAKE

FRONT = Front(question="?", block="block", before="", recall=None, prepared=None, sent=(), tokens=250, full_tokens=1000)


@pytest.mark.parametrize(("tokens", "share"), [(0, 0), (250, 0.25), (1000, 1), (4000, 1)])
def test_the_bar_is_filled_by_the_share_of_full_history_and_never_overflows(tokens: int, share: float) -> None:
    text = views.bar(replace(FRONT, tokens=tokens), 120).plain
    full, empty = text.count("█"), text.count("░")
    assert full / (full + empty) == pytest.approx(share, abs=0.02)
    assert f"{tokens:,} · full history 1,000" in text


@pytest.mark.parametrize("width", [1, 5, 10, 20, 40, 80, 300])
def test_the_bar_is_never_wider_than_its_place(width: int) -> None:
    assert len(views.bar(FRONT, width).plain) <= width
    assert len(views.bar(None, width).plain) <= max(width, 40)


def test_a_prompt_longer_than_full_history_is_not_called_a_saving() -> None:
    assert "less" not in views.bar(replace(FRONT, tokens=2000), 80).plain


@pytest.mark.parametrize(
    ("typed", "found"),
    [("", [JOHN, JANE, NAMESAKE]), ("doe", [JOHN, NAMESAKE]), ("DOE jd009", [NAMESAKE]), ("jr002", [JANE]), ("x", [])],
)
def test_people_are_found_by_every_word_of_id_or_name(typed: str, found: list[Entity]) -> None:
    assert matching([JOHN, JANE, NAMESAKE], typed) == found


@pytest.mark.parametrize(
    ("name", "id_"), [("Jane Roe", "jane-roe"), ("  ", "new"), ("Zoë O'Neill", "zoë-o-neill"), ("张伟", "张伟")]
)
def test_an_id_is_suggested_from_any_name(name: str, id_: str) -> None:
    assert suggested_id(name, []) == id_


@pytest.mark.parametrize("evil", ["\x1b[2J", "a\x07", "\u202eabc", "\x9b1m", "\u2066x", "\x00", "\x7f"])
def test_nothing_printable_is_left_that_steers_a_terminal(evil: str) -> None:
    shown = views.printable(f"{evil}\nfamily: \U0001f468\u200d\U0001f469")
    assert not {"\x1b", "\x07", "\u202e", "\x9b", "\u2066", "\x00", "\x7f"} & set(shown)
    assert shown.endswith("\nfamily: \U0001f468\u200d\U0001f469")
