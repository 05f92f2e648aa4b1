"""Consolidation with the shipped embedder and the shipped writer, on labelled pairs (T-19).

The bounds are what was measured with wordllama 0.4: a change for the worse is a finding, one for the better too.
"""

from collections.abc import Sequence

import pytest

from r_memory.domain.memories import Layer, Tier
from r_memory.protocols import Memorable
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.stream.scoring import SCORINGS
from r_memory_talk.stream.stream import Stream
from r_memory_talk.tiers.local_writer import LocalMemoryWriter
from r_memory_talk.tiers.tiers import Band, Tiers, TierSettings
from tests.unit.talk.tiers.pairs import CLASSES, CONTRADICTIONS, GONE, QUESTIONS
from tests.unit.talk.tiers.world import ANN, MINUTE, NOW, TALK, a_stream, say

pytestmark = pytest.mark.anyio

EMBEDDER = WordLlamaEmbedder()
APART = Band(low=1.0, high=1.0)


class PreparedWriter:
    """Gives one prepared memory for each window; joins two as the shipped writer does."""

    name = "told"

    def __init__(self, *summaries: str) -> None:
        self._summaries = iter(summaries)
        self._local = LocalMemoryWriter(ExtractiveShortener())

    async def memorable(self, turns: Sequence[str]) -> Memorable:
        assert turns
        return Memorable(summary=next(self._summaries), importance=3)

    async def joined(self, older: str, newer: str) -> Memorable:
        return await self._local.joined(older, newer)


async def remembered(*summaries: str, band: Band | None = None) -> Stream:
    """A conversation whose windows of one turn were remembered in these words."""
    stream = a_stream(embedder=EMBEDDER)
    settings = TierSettings(last=1, full=1, band=band)
    tiers = Tiers(stream, PreparedWriter(*summaries), settings)
    for number in range(len(summaries)):
        await say(stream, "Well.", start=NOW + MINUTE * number)
        await tiers.after_turn(TALK, subject_uid=ANN)
    return stream


async def standing(stream: Stream) -> list[str]:
    """Memories that were not consolidated into another."""
    return [item.summary for item in await stream.standing(TALK, subject_uid=ANN) if item.tier is not Tier.TURN]


@pytest.mark.proves("T-19", "A-7", "MIM-4")
@pytest.mark.parametrize(
    ("kind", "merged"), [("duplicate", 16), ("contradiction", 15), ("near miss", 0), ("unrelated", 0)]
)
async def test_merge_rate_by_class_is_what_was_measured(kind: str, merged: int) -> None:
    pairs = CLASSES[kind]
    assert len(pairs) == 16
    assert sum([len(await standing(await remembered(*pair))) == 1 for pair in pairs]) == merged


@pytest.mark.proves("T-19")
async def test_of_contradictions_that_were_merged_the_latest_value_stands_and_both_sources_are_kept() -> None:
    for (older, newer), gone in zip(CONTRADICTIONS, GONE, strict=True):
        stream = await remembered(older, newer)
        [*left] = await standing(stream)
        if len(left) == 1:
            assert newer.split(". ")[0].rstrip(".") in left[0]
            assert gone not in left[0]
            kept = {item.summary for item in await stream.items(TALK, subject_uid=ANN)}
            assert {older, newer} <= kept


async def found(stream: Stream, question: str) -> list[str]:
    """The first five memories for a question."""
    search = await stream.search(
        question, conversation=TALK, subject_uid=ANN, layer=Layer.MEMORIES, k=5, scoring=SCORINGS["mimir"]
    )
    return [hit.item.gist for hit in search.chosen]


@pytest.mark.proves("T-19")
async def test_consolidating_never_costs_recall() -> None:
    """Every memory of every class in one conversation, and a question for each value that changed."""
    told = [older for pairs in CLASSES.values() for older, _ in pairs]
    told += [newer for pairs in CLASSES.values() for _, newer in pairs]
    before, after = await remembered(*told, band=APART), await remembered(*told)
    hits = [
        sum([any(value in memory for memory in await found(stream, question)) for question, value in QUESTIONS])
        for stream in (before, after)
    ]
    assert len(await standing(after)) < len(await standing(before))
    assert hits[0] >= 13
    assert hits[1] >= hits[0]
