"""What a write asks of the store: each question is a round trip that somebody waits for."""

from collections.abc import Callable
from typing import Any

import pytest

from r_memory.testing.dict_store import DictStore
from tests.model_world import Practice

pytestmark = pytest.mark.anyio
PENICILLIN = "I am allergic to penicillin."


class Noting:
    """A store that notes what it is asked."""

    def __init__(self, store: DictStore) -> None:
        self._store = store
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        self.asked.append(name)
        method: Callable[..., Any] = getattr(self._store, name)
        return method


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        # Without a key, whether these words are new depends on what a person changed: the end of the chain says.
        ("", ["chain", "add_episode", "chain", "append", "recorded_from"]),
        ("k1", ["add_episode", "chain", "append", "recorded_from"]),
    ],
)
async def test_a_statement_asks_for_the_chain_once_where_a_key_says_which_it_is(key: str, expected: list[str]) -> None:
    practice = Practice(None)
    noting = Noting(practice.store)
    practice.recorder._store = noting  # the same store, listened to
    await practice.hear(PENICILLIN, key=key)
    assert expected == noting.asked
    assert await practice.shown() == {"HAS_ALLERGY_TO penicillin active"}
