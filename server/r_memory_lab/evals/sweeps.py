"""Suites `weights` (T-18) and `thresholds` (T-6) over LoCoMo: settings of a profile, compared on the same candidates.

Both use the questions of the suite `locomo` that have an answer and evidence.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from r_memory.domain.memories import Scored
from r_memory.memory import Memory
from r_memory_lab.evals.locomo import LocomoProbe, answerable, first_half, talk_of
from r_memory_lab.evals.measures import Figure, average, f1
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.retrieval import DEPTH, ToldConversation, each_told, recall_at, reciprocal_rank
from r_memory_lab.evals.rows import DataRow
from r_memory_lab.scorings import COMPARED, CimVariant
from r_memory_talk.stream.scoring import SCORINGS

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Weights of words; meaning has the rest."""
SIZES = (50, 100, 200, 400, 700)
"""Numbers of first turns of each conversation."""
FIXED, DYNAMIC = "cim", "cim_dynamic"
_NEARLY = 50
"""Missing turns up to which a conversation still counts for a size."""

__all__ = ["answerable", "of_thresholds", "of_weights", "sized", "try_thresholds", "try_weights"]


class Weighted(DataRow):
    """The turns for one question, best first, by the weight of words."""

    conv: str
    ranked: Mapping[str, tuple[str, ...]]


class Sized(LocomoProbe):
    """A question about the first turns of its conversation."""

    size: int


class Returned(DataRow):
    """The results under each threshold."""

    conv: str
    size: int
    right: Mapping[str, int]
    """Profile to the number of its results that are evidence."""
    returned: Mapping[str, int]
    evidence: int
    threshold: float
    """The threshold of the dynamic profile."""


def sized(data: Path) -> tuple[Sized, ...]:
    """Returns the questions for each size that includes all their evidence.

    Raises:
        InvalidInput: a file is missing or has another form.
    """
    return tuple(found for size in SIZES for probe in answerable(data) for found in _of_size(probe, size))


async def try_weights(memory: Memory, probes: Sequence[LocomoProbe], done: Callable[[], None]) -> tuple[Weighted, ...]:
    """Searches once for each question; each weight only ranks the results again."""
    found = []
    async for probe, talk in each_told(memory, probes, done, talk_of):
        result = await memory.talk.stream.search(
            probe.question, conversation=talk.name, scoring=SCORINGS["mimir"], k=0, now=talk.asked_at
        )
        ranked = {f"{weight:g}": _reordered(result.ranked, weight) for weight in WEIGHTS}
        found.append(Weighted(id=probe.id, conv=probe.conv, ranked=ranked))
    return tuple(found)


def of_weights(probes: Sequence[LocomoProbe], found: Sequence[Weighted]) -> CaseOutcome:
    """Returns recall at 5 and mean reciprocal rank of each weight, and the best hybrid against the better side."""
    by_id, first = {row.id: row for row in found}, first_half(probes)
    halves = {"all": probes, "half that settings saw": [p for p in probes if p.conv in first]}
    halves["other half"] = [p for p in probes if p.conv not in first]
    tables = {name: list(_by_weight(name, chosen, by_id)) for name, chosen in halves.items() if chosen}
    recall = {weight: tables["all"][2 * place].value for place, weight in enumerate(WEIGHTS)}
    single, hybrid = max(recall[0.0], recall[1.0]), max(recall[weight] for weight in WEIGHTS[1:-1])
    gain = Figure(
        name="recall@5, hybrid minus single",
        value=100 * (hybrid - single),
        n=len(probes),
        unit="points",
        aim=">= -1 points",
    )
    return CaseOutcome(figures=(gain, *tables.pop("all")), groups=tables)


async def try_thresholds(memory: Memory, probes: Sequence[Sized], done: Callable[[], None]) -> tuple[Returned, ...]:
    """Returns the results of a fixed and a dynamic threshold."""
    return tuple(
        [await _returned(memory, probe, talk) async for probe, talk in each_told(memory, probes, done, _beginning)]
    )


def of_thresholds(probes: Sequence[Sized], found: Sequence[Returned]) -> CaseOutcome:
    """Returns F1 of "a result is evidence" by size, and the thresholds of the dynamic profile."""
    first = first_half(probes)
    sizes = sorted({row.size for row in found})
    halves = {
        "Half that the setting was chosen on": [row for row in found if row.conv in first],
        "Other half": [row for row in found if row.conv not in first],
    }
    trace = [
        average(f"{size} records: threshold", [row.threshold for row in found if row.size == size]) for size in sizes
    ]
    means = {
        name: sum(figure.value for figure in _f1s(found, name, sizes)) / max(len(sizes), 1) for name in (FIXED, DYNAMIC)
    }
    gain = Figure(
        name="F1, dynamic minus fixed",
        value=100 * (means[DYNAMIC] - means[FIXED]),
        n=len(found),
        unit="points",
        aim="> 0 points",
    )
    return CaseOutcome(
        figures=(gain, *_f1s(found, DYNAMIC, sizes), *_f1s(found, FIXED, sizes)),
        groups={
            "Dynamic threshold, mean": trace,
            **{title: [*_f1s(chosen, DYNAMIC, sizes), *_f1s(chosen, FIXED, sizes)] for title, chosen in halves.items()},
        },
    )


def _reordered(scored: Sequence[Scored], weight: float) -> tuple[str, ...]:
    """Returns the turns by Mimir's score with another weight, from its components."""

    def score(one: Scored) -> float:
        parts = one.components
        hybrid = weight * parts["lexical"] + (1 - weight) * parts["semantic"]
        return hybrid * (1 - parts["penalty"]) + 0.1 * parts["importance"]

    ordered = sorted(scored, key=score, reverse=True)
    return tuple(item.id.rpartition("/")[2] for item in ordered[:DEPTH])


def _by_weight(name: str, probes: Sequence[LocomoProbe], by_id: Mapping[str, Weighted]) -> Iterator[Figure]:
    for weight in WEIGHTS:
        pairs = [(by_id[probe.id].ranked[f"{weight:g}"], probe.evidence) for probe in probes]
        label = f"{name}, words {weight:g}"
        yield average(f"{label}: recall@5", [recall_at(*pair, 5) for pair in pairs])
        yield average(f"{label}: MRR", [reciprocal_rank(*pair) for pair in pairs])


def _of_size(probe: LocomoProbe, size: int) -> Iterator[Sized]:
    turns = probe.turns[:size]
    if len(probe.turns) + _NEARLY >= size and set(probe.evidence) <= {turn.turn for turn in turns}:
        told = probe.model_dump() | {"id": f"{probe.id}@{size}", "size": size, "turns": turns}
        yield Sized.model_validate(told)


def _beginning(probe: Sized) -> ToldConversation:
    talk, name = talk_of(probe), f"{probe.conv}@{probe.size}"
    told = (replace(turn, conversation=name, key=f"{probe.size}/{turn.key}") for turn in talk.turns)
    return ToldConversation(name=name, turns=tuple(told))


async def _returned(memory: Memory, probe: Sized, talk: ToldConversation) -> Returned:
    right, returned, threshold = {}, {}, 0.0
    for name in (FIXED, DYNAMIC):
        result = await memory.talk.stream.search(
            probe.question, conversation=talk.name, scoring=COMPARED[name], k=10, now=talk.asked_at
        )
        turns = {hit.item.id.rpartition("/")[2] for hit in result.chosen}
        right[name], returned[name] = len(turns & set(probe.evidence)), len(turns)
        scoring = COMPARED[name]
        if isinstance(scoring, CimVariant):
            threshold = scoring.least(result.ranked)
    return Returned(
        id=probe.id,
        conv=probe.conv,
        size=probe.size,
        right=right,
        returned=returned,
        evidence=len(set(probe.evidence)),
        threshold=threshold,
    )


def _f1s(found: Sequence[Returned], name: str, sizes: Sequence[int]) -> list[Figure]:
    figures = []
    for size in sizes:
        own = [row for row in found if row.size == size]
        right = sum(row.right[name] for row in own)
        wrong, missed = sum(row.returned[name] for row in own) - right, sum(row.evidence for row in own) - right
        figures.append(f1(f"{name}, {size} records: F1", right=right, wrong=wrong, missed=missed))
    return figures
