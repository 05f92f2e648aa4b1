"""Suite `clinc150`: everyday requests to an assistant, none of them clinical: how many are taken for one."""

from collections import Counter
from collections.abc import Callable, Sequence

from r_memory.memory import Memory
from r_memory_lab.evals.actions import ActionPrediction, seeing, was_seen
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, reads

FILE = "clinc150/items.jsonl"

__all__ = ["ActionPrediction", "outcome", "rows", "run", "score"]


class Request(DataRow):
    """One request."""

    text: str
    domain: str = ""
    medical_words: bool = False
    """It contains words that are also used in a clinic."""


rows = reads(FILE, Request)
"""The requests."""


async def run(memory: Memory, requests: Sequence[Request], done: Callable[[], None]) -> tuple[ActionPrediction, ...]:
    """Returns one prediction for each request."""
    seen = await seeing(memory)

    async def one(request: Request) -> ActionPrediction:
        return await seen.predicted(request.id, request.text)

    return await each(requests, one, done)


def score(requests: Sequence[Request], predictions: Sequence[ActionPrediction]) -> tuple[tuple[Request, bool], ...]:
    """Returns each request, and whether a clinical action type was recognised in it."""
    taken = {row.id for row in predictions if row.intents}
    return tuple((request, request.id in taken) for request in requests)


def outcome(requests: Sequence[Request], predictions: Sequence[ActionPrediction]) -> CaseOutcome:
    """Returns the share of false triggers, in all, by domain, and by action type."""
    scored = score(requests, predictions)
    taken_for = Counter(name for row in predictions for name in row.intents)
    domains = sorted({request.domain for request in requests if request.domain})
    return CaseOutcome(
        figures=(_taken("false triggers", scored, aim="<= .003"),),
        groups={
            "By words": [
                _taken("with words that a clinic uses", [pair for pair in scored if pair[0].medical_words]),
                _taken("without", [pair for pair in scored if not pair[0].medical_words]),
            ],
            "By half": [
                _taken("half that was looked at", [pair for pair in scored if was_seen(pair[0].id)]),
                _taken("other half", [pair for pair in scored if not was_seen(pair[0].id)]),
            ],
            "By domain": [_taken(name, [pair for pair in scored if pair[0].domain == name]) for name in domains],
            "Taken for": [count(name, number, len(requests)) for name, number in taken_for.most_common()],
        },
        details={"False triggers": [request.id for request, taken in scored if taken]},
    )


def _taken(name: str, scored: Sequence[tuple[Request, bool]], *, aim: str = "") -> Figure:
    return share(name, sum(taken for _, taken in scored), len(scored), aim=aim)
