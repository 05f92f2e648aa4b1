"""Tiers over the oracle store: a writer that says what it is told, and an embedder whose cosines a test chooses."""

import itertools
import math
import re
from collections.abc import Sequence

import numpy as np

from r_memory.domain.memories import MemoryItem
from r_memory.errors import ModelError
from r_memory.protocols import Embedder, Floats, Memorable, StreamStore
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictStream
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.tiers.tiers import Tiers, TierSettings

NOW = 1_795_256_102_000
MINUTE = 60_000
SPACE = "stage"
TALK = "evening"
ANN, BEN = "stage/Person/ann", "stage/Person/ben"
SMALL = TierSettings(last=2, full=4)
"""Windows of two turns."""
_NEAR = re.compile(r"near (-?\d\.\d+)")


class Angles:
    """An embedder: a text with `near 0.90` lies at this cosine to `near 1.00`; any other is like itself only."""

    model = "angles/1"
    dimensions = 400

    def __init__(self) -> None:
        self.calls = 0
        self._others: dict[str, int] = {}

    async def embed(self, texts: Sequence[str]) -> Floats:
        self.calls += 1
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            found = _NEAR.search(text)
            if found:
                cosine = float(found[1])
                row[:2] = cosine, math.sqrt(max(0.0, 1 - cosine * cosine))
            else:
                row[2 + self._others.setdefault(text, len(self._others))] = 1.0
        return rows


class Writer:
    """A `MemoryWriter` that gives the prepared memories in order, and `window n` when they are used up."""

    name = "scripted"

    def __init__(self, *memorables: Memorable | ModelError, joined: Memorable | ModelError | None = None) -> None:
        self._memorables = iter(memorables)
        self._numbers = itertools.count(1)
        self.joining = joined
        self.windows: list[tuple[str, ...]] = []
        self.pairs: list[tuple[str, str]] = []

    async def memorable(self, turns: Sequence[str]) -> Memorable:
        self.windows.append(tuple(turns))
        made = next(self._memorables, None) or Memorable(summary=f"window {next(self._numbers)}", importance=3)
        if isinstance(made, ModelError):
            raise made
        return made

    async def joined(self, older: str, newer: str) -> Memorable:
        self.pairs.append((older, newer))
        if isinstance(self.joining, ModelError):
            raise self.joining
        return self.joining or Memorable(summary=f"{newer} | {older}", importance=1)


def near(cosine: float, words: str, importance: object = 3) -> Memorable:
    return Memorable(summary=f"near {cosine:.3f} {words}", importance=importance)


def a_stream(
    store: StreamStore | None = None, embedder: Embedder | None = None, clock: FixedClock | None = None
) -> Stream:
    numbers = itertools.count(1)
    return Stream(
        space=SPACE,
        store=store or DictStream(),
        embedder=embedder or Angles(),
        clock=clock or FixedClock(NOW),
        new_id=lambda: f"turn-{next(numbers)}",
    )


async def say(
    stream: Stream, *texts: str, subject_uid: str = ANN, talk: str = TALK, start: int = NOW
) -> list[MemoryItem]:
    """One turn for each text, a minute apart."""
    return [
        await stream.append(
            NewTurn(
                conversation=talk,
                subject_uid=subject_uid,
                observation=text,
                response="I see.",
                speaker="Ann",
                responder="Kim",
                said_at=start + MINUTE * number,
            )
        )
        for number, text in enumerate(texts)
    ]


async def talked(stream: Stream, tiers: Tiers, turns: int, *, first: int = 1, subject_uid: str = ANN) -> list[str]:
    """So many turns, each followed by the tiers; ids of what they made."""
    made: list[str] = []
    for number in range(first, first + turns):
        await say(stream, f"Line {number}.", subject_uid=subject_uid, start=NOW + MINUTE * number)
        made += (await tiers.after_turn(TALK, subject_uid=subject_uid)).made
    return made


async def memories(stream: Stream, subject_uid: str = ANN) -> dict[str, MemoryItem]:
    """Everything made of turns, by its words."""
    items = await stream.items(TALK, subject_uid=subject_uid)
    return {item.summary: item for item in items if item.tier != "turn"}
