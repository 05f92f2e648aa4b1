"""T-21: the measures of the multi-turn paper, held against its own table, and its settings with a scripted model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from r_memory.protocols import ChatMessage, ChatReply, ReplyForm
from r_memory_lab.evals.multiturn import (
    SETS,
    Aptitude,
    Setting,
    Sharded,
    aptitude,
    attempt,
    averaged,
    recovered,
)
from r_memory_lab.evals.rows import read_rows
from tests.unit.talk.world import World

TASKS = read_rows(Path(__file__).parents[4] / "evals" / "sets" / SETS, Sharded)


class Adder:
    """Answers 27 once everything of the first task stands before it, else 0; keeps what it was shown."""

    name = "adder"

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        del form  # words are asked for
        self.shown.append(messages[-1].text)
        known = all(word in messages[-1].text for word in ("14 pens", "3 boxes of 6", "5 pens"))
        return ChatReply(text="That makes 27." if known else "I need more; say 0.")


@pytest.mark.proves("A-15")
@pytest.mark.parametrize(
    ("full", "sharded", "recap", "snowball", "shares"),
    [(86.8, 50.4, 66.5, 61.8, (44.2, 31.3)), (93.0, 59.1, 76.6, 65.3, (51.6, 18.3))],
    ids=["gpt-4o-mini", "gpt-4o"],
)
def test_the_recovered_shares_are_those_of_the_papers_table(
    full: float, sharded: float, recap: float, snowball: float, shares: tuple[float, float]
) -> None:
    found = [recovered(full=full, sharded=sharded, other=other) for other in (recap, snowball)]
    assert [round(100 * share, 1) for share in found if share is not None] == list(shares)


def test_nothing_is_recovered_where_nothing_was_lost() -> None:
    assert recovered(full=50, sharded=50, other=80) is None


def test_unreliability_is_the_way_from_the_tenth_percentile_to_the_ninetieth() -> None:
    assert aptitude([float(n) for n in range(0, 101, 10)]) == Aptitude(
        performance=50.0, aptitude=90.0, unreliability=80.0
    )
    assert aptitude([70.0] * 10) == Aptitude(performance=70.0, aptitude=70.0, unreliability=0.0)
    assert aptitude([]) == Aptitude(performance=0.0, aptitude=0.0, unreliability=0.0)


def test_instructions_are_averaged() -> None:
    steady, shaky = aptitude([80.0] * 10), aptitude([0.0] * 5 + [100.0] * 5)
    both = averaged([steady, shaky])
    assert (both.performance, both.unreliability) == (65.0, 50.0)


@pytest.mark.proves("T-21")
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("setting", "requests"),
    [
        (Setting.FULL, 1),
        (Setting.CONCAT, 1),
        (Setting.SHARDED, 4),
        (Setting.RECAP, 5),
        (Setting.SNOWBALL, 4),
        (Setting.OURS, 4),
    ],
)
async def test_each_setting_asks_as_often_as_it_has_turns(setting: Setting, requests: int) -> None:
    chat = Adder()
    assert await attempt(chat, TASKS[0], setting, World().conversations, name="s01") == 100.0
    assert len(chat.shown) == requests


@pytest.mark.anyio
async def test_a_remembered_turn_replays_no_transcript() -> None:
    chat = Adder()
    await attempt(chat, TASKS[0], Setting.OURS, World().conversations, name="s01")
    assert "User:" not in chat.shown[-1]
    assert chat.shown[-1].endswith(f"[QUERY]:\n{TASKS[0].shards[-1]}")
    assert TASKS[0].shards[1] in chat.shown[-1]


def test_every_task_says_the_same_in_pieces_as_whole() -> None:
    for task in TASKS:
        figures = {word.strip(".,?") for word in task.full.split() if word[0].isdigit()}
        assert figures <= {word.strip(".,?") for shard in task.shards for word in shard.split()}
