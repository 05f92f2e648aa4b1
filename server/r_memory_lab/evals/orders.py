"""Suite `orders`: which action types are seen in one sentence of a consultation.

The labels are broad (`MED_ORDER`, `DIAG_ORDER`, ...), so an action type of the table counts as the one it extends.
"""

from collections.abc import Callable, Sequence

from r_memory.memory import Memory
from r_memory_lab.evals.actions import ActionPrediction, seeing, uncovered, was_seen
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, of_class, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, reads

FILE = "orders/sentences.jsonl"
NONE = "OTHER"

__all__ = ["ActionPrediction", "outcome", "rows", "run", "score"]


class OrderSentence(DataRow):
    """One sentence with its annotated action types."""

    text: str
    intents: tuple[str, ...]
    speaker: str = ""
    short: bool = False

    @property
    def orders(self) -> frozenset[str]:
        """The annotated orders; empty for other talk."""
        return frozenset(self.intents) - {NONE}


Scored = tuple[OrderSentence, frozenset[str]]
"""A sentence with the recognised action types."""


rows = reads(FILE, OrderSentence)
"""The sentences."""


async def run(
    memory: Memory, sentences: Sequence[OrderSentence], done: Callable[[], None]
) -> tuple[ActionPrediction, ...]:
    """Returns one prediction for each sentence."""
    seen = await seeing(memory)

    async def one(sentence: OrderSentence) -> ActionPrediction:
        return await seen.predicted(sentence.id, sentence.text)

    return await each(sentences, one, done)


def score(sentences: Sequence[OrderSentence], predictions: Sequence[ActionPrediction]) -> tuple[Scored, ...]:
    """Returns each sentence with the recognised action types; none without a prediction."""
    predicted = {row.id: frozenset(row.intents) for row in predictions}
    return tuple((sentence, predicted.get(sentence.id, frozenset())) for sentence in sentences)


def outcome(sentences: Sequence[OrderSentence], predictions: Sequence[ActionPrediction]) -> CaseOutcome:
    """Returns recognised orders, false triggers, edges read, and precision and recall of each action type."""
    scored = score(sentences, predictions)
    short = [pair for pair in scored if pair[0].short]
    labels = _labels(sentences)
    unread = uncovered(predictions, {sentence.id: sentence.orders for sentence in sentences if sentence.orders})
    return CaseOutcome(
        figures=(
            *_any_order(scored, aims=(">= .82", "<= .05")),
            *_any_order(short, suffix=", short sentences"),
            _all_read(sentences, len(unread)),
        ),
        groups={
            "By action type": [figure for name in labels for figure in _of_type(scored, name)],
            "By action type, short sentences": [figure for name in labels for figure in _of_type(short, name)],
            "By half of the encounters": [
                *_any_order([pair for pair in scored if _seen(pair)], suffix=", half that was looked at"),
                *_any_order([pair for pair in scored if not _seen(pair)], suffix=", other half"),
            ],
            "By speaker": [figure for name in _speakers(sentences) for figure in _of_speaker(scored, name)],
        },
        details={
            "Edges not read": list(unread),
            "Orders not seen": [sentence.id for sentence, seen in scored if sentence.orders and not seen],
            "False triggers": [sentence.id for sentence, seen in scored if seen and not sentence.orders],
        },
    )


def _any_order(scored: Sequence[Scored], *, suffix: str = "", aims: tuple[str, str] = ("", "")) -> tuple[Figure, ...]:
    orders = [seen for sentence, seen in scored if sentence.orders]
    others = [seen for sentence, seen in scored if not sentence.orders]
    found, false = sum(map(bool, orders)), sum(map(bool, others))
    return (
        share(f"any order: recall{suffix}", found, len(orders), aim=aims[0]),
        share(f"any order: precision{suffix}", found, found + false),
        share(f"false triggers on {NONE}{suffix}", false, len(others), aim=aims[1]),
    )


def _seen(pair: Scored) -> bool:
    """Whether the sentence's encounter was examined; an id is `<encounter>#<number>`."""
    return was_seen(pair[0].id.partition("#")[0])


def _all_read(sentences: Sequence[OrderSentence], unread: int) -> Figure:
    orders = sum(1 for sentence in sentences if sentence.orders)
    return share("orders of which every needed edge is read", orders - unread, orders, aim="1.00")


def _of_type(scored: Sequence[Scored], name: str) -> tuple[Figure, ...]:
    return of_class(name, ((name in sentence.orders, name in seen) for sentence, seen in scored))


def _of_speaker(scored: Sequence[Scored], name: str) -> tuple[Figure, ...]:
    return _any_order([pair for pair in scored if pair[0].speaker == name], suffix=f", {name}")


def _labels(sentences: Sequence[OrderSentence]) -> list[str]:
    return sorted({name for sentence in sentences for name in sentence.orders})


def _speakers(sentences: Sequence[OrderSentence]) -> list[str]:
    return sorted({sentence.speaker for sentence in sentences if sentence.speaker})
