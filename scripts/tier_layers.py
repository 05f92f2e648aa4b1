"""What the tiers make of real conversations, without a model: how alike memories are, and what searching them costs.

`--data` is the folder of `r-memory eval locomo`. The report holds numbers only.
"""

import argparse
import asyncio
import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from r_memory.domain.memories import Layer, Tier
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictStream
from r_memory_chat.tiering import Tiered, tiered
from r_memory_lab.evals.locomo import LocomoProbe, rows, talk_of
from r_memory_lab.evals.retrieval import tell
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.stream.scoring import SCORINGS
from r_memory_talk.stream.stream import Stream
from r_memory_talk.tiers.local_writer import LocalMemoryWriter
from r_memory_talk.tiers.tiers import Tiers

LAYERS = (Layer.TURNS, Layer.LATEST, Layer.MEMORIES)
PROFILES = ("default", "mimir")
DEPTHS = (5, 10)
BOUNDS = (0.78, 0.80, 0.82, 0.84, 0.86)


class Figures:
    """Sums over all conversations."""

    def __init__(self) -> None:
        self.asked = 0
        self.hits: defaultdict[tuple[str, str, int, str], float] = defaultdict(float)
        self.counts: Counter[str] = Counter()
        self.nearest: list[float] = []


async def measured(probes: Sequence[LocomoProbe], figures: Figures) -> None:
    """One conversation: told, tiered, and asked under each layer."""
    numbers = itertools.count()
    talk = talk_of(probes[0])
    stream = Stream(
        space="tiers",
        store=DictStream(),
        embedder=WordLlamaEmbedder(),
        clock=FixedClock(talk.asked_at),
        new_id=lambda: f"item-{next(numbers)}",
    )
    await tell(stream, talk)
    tiers = Tiers(stream, LocalMemoryWriter(ExtractiveShortener()))
    await tiers.consolidate(talk.name)
    found = await tiered(stream, tiers, talk.name)
    await _count(stream, found, figures, len(talk.turns))
    covering = _covering(found)
    for probe in probes:
        if probe.answerable and probe.evidence:
            await _ask(stream, probe, talk.name, covering, figures)


async def _count(stream: Stream, found: Tiered, figures: Figures, turns: int) -> None:
    figures.counts.update(
        turns=turns, medium=len(found.medium), long=len(found.long), consolidated=len(found.consolidated)
    )
    cosines = await stream.likeness([item.id for item in found.medium])
    np.fill_diagonal(cosines, -1)
    figures.nearest += cosines.max(axis=1).tolist() if len(cosines) > 1 else []


def _covering(seen: Tiered) -> Mapping[str, set[str]]:
    """Name of a turn to the memories that it is part of, at any remove."""
    found: dict[str, set[str]] = {}
    for memory in (*reversed(seen.long), *seen.medium):
        for source in memory.sources:
            found.setdefault(source, set()).update({memory.id, *found.get(memory.id, ())})
    return found


async def _ask(
    stream: Stream, probe: LocomoProbe, name: str, covering: Mapping[str, set[str]], figures: Figures
) -> None:
    evidence = {f"{name}/{turn}" for turn in probe.evidence} | set(probe.evidence)
    figures.asked += 1
    for layer, profile in itertools.product(LAYERS, PROFILES):
        found = await stream.search(
            probe.question, conversation=name, layer=layer, scoring=SCORINGS[profile], k=max(DEPTHS)
        )
        for depth in DEPTHS:
            first = found.chosen[:depth]
            ids = {hit.item.id for hit in first}
            key = layer.value, profile, depth
            figures.hits[(*key, "turn")] += len(evidence & ids) / len(probe.evidence)
            near = sum(bool(turn in ids or covering.get(turn, set()) & ids) for turn in evidence)
            figures.hits[(*key, "covered")] += near / len(probe.evidence)
            figures.hits[(*key, "memories")] += sum(hit.item.tier is not Tier.TURN for hit in first) / depth


def report(figures: Figures) -> str:
    """The figures as Markdown."""
    counts, nearest = figures.counts, np.asarray(figures.nearest)
    made = f"{counts['medium']} medium memories, {counts['long']} long ones of {counts['consolidated']} memories"
    lines = [
        f"{counts['turns']} turns, {made}; {figures.asked} questions.",
        "",
        "| at least | " + " | ".join(f"{bound:.2f}" for bound in BOUNDS) + " |",
        "|---" * (len(BOUNDS) + 1) + "|",
        "| windows with another this near | "
        + " | ".join(f"{float((nearest >= bound).mean()):.3f}" for bound in BOUNDS)
        + " |",
        "",
        "| layer | profile | first | evidence turns | or a memory of them | share of memories |",
        "|---|---|---|---|---|---|",
    ]
    for layer, profile, depth in itertools.product(LAYERS, PROFILES, DEPTHS):
        parts = (figures.hits[layer.value, profile, depth, name] for name in ("turn", "covered", "memories"))
        values = " | ".join(f"{float(part) / figures.asked:.3f}" for part in parts)
        lines.append(f"| `{layer.value}` | `{profile}` | {depth} | {values} |")
    return "\n".join(lines)


async def main() -> None:
    """Prints the report."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, required=True, help="the folder of evaluation data")
    asked.add_argument("--conversations", type=int, default=100, help="the first so many")
    given = asked.parse_args()
    by_talk: dict[str, list[LocomoProbe]] = {}
    for probe in rows(given.data):
        by_talk.setdefault(probe.conv, []).append(probe)
    figures = Figures()
    for probes in list(by_talk.values())[: given.conversations]:
        await measured(probes, figures)
    print(report(figures))


if __name__ == "__main__":
    asyncio.run(main())
