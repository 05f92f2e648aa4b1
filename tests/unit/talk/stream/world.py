"""Small streams for tests: a clock, an embedder that fails on demand, and a stream over the oracle."""

import itertools
from collections.abc import Sequence

import numpy as np

from r_memory.errors import ModelUnavailable
from r_memory.protocols import Embedder, Floats, StreamStore
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictStream
from r_memory.testing.hash_embedder import HashEmbedder
from r_memory_talk.stream.scoring import StreamCandidate, StreamQuestion
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.stream.words import search_query

NOW = 1_795_256_102_000
HOUR = 3_600_000
SPACE = "clinic"


class Rows:
    """An embedder that gives the same row for every text; `None` is a model that does not answer."""

    def __init__(self, row: Sequence[float] | None, *, model: str = "rows/1", dimensions: int = 2) -> None:
        self.row = row
        self.model = model
        self.dimensions = dimensions

    async def embed(self, texts: Sequence[str]) -> Floats:
        if self.row is None:
            raise ModelUnavailable("the embedder did not answer; try again")
        return np.asarray([self.row] * len(texts), dtype=np.float32)


def a_stream(
    store: StreamStore | None = None,
    *,
    embedder: Embedder | None = None,
    words_only: bool = False,
    now: int = NOW,
) -> Stream:
    numbers = itertools.count(1)
    return Stream(
        space=SPACE,
        store=store or DictStream(),
        embedder=None if words_only else embedder or HashEmbedder(),
        clock=FixedClock(now),
        new_id=lambda: f"item-{next(numbers)}",
    )


async def tell(stream: Stream, *texts: str, conversation: str = "c", said_at: int = NOW) -> None:
    """One turn for each text, a minute apart."""
    for number, text in enumerate(texts):
        await stream.append(NewTurn(conversation=conversation, observation=text, said_at=said_at + 60_000 * number))


def a_candidate(id_: str = "a", **changes: object) -> StreamCandidate:
    fields: dict[str, object] = {"id": id_, "order": 1, "created_at": NOW, "accessed_at": NOW}
    return StreamCandidate(**{**fields, **changes})  # type: ignore[arg-type]  # a mapping of keyword arguments


def a_question(
    text: str = "",
    *,
    now: int = NOW,
    first: int = NOW,
    words: bool = True,
    meaning: bool = True,
    asked: tuple[tuple[str, ...], ...] = (),
    whole: float = 1.0,
) -> StreamQuestion:
    told = asked or search_query(text).terms
    return StreamQuestion(text=text, now=now, first=first, words=words, meaning=meaning, asked=tuple(told), whole=whole)
