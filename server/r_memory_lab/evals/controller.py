"""Suite `controller`: is memory needed for what a user says? The gate of SCM, asked in the product's own way.

Each row is asked by itself, about a conversation of two turns that have nothing to do with it, and of what rows say was
told or read before; nothing of the question is stored.
In doubt memory is activated, so an unsure answer counts as needed.
"""

from collections.abc import Callable, Sequence

from r_memory.documents.plain import read_text
from r_memory.memory import Memory
from r_memory_lab.evals.actions import was_seen
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, f1, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, reads
from r_memory_talk.controller.gate import activates, went_wrong
from r_memory_talk.stream.values import NewTurn

FILE = "controller/items.jsonl"
PROFILE = "scm"
"""The profile in which the judge sees only the user's words."""
_CONVERSATION = "eval-controller"
_TURNS = (("Is the shop open today?", "It is open until six."), ("How is the coffee there?", "Strong and hot."))

__all__ = ["GatePrediction", "outcome", "rows", "run"]


class UserLine(DataRow):
    """What a user says."""

    text: str
    needed: bool
    source: str = ""
    kind: str = ""
    """How far back it refers, if annotated: `none`, `previous`, `recent`, `deep`."""
    told: str = ""
    """What the user said earlier in the conversation."""
    read: str = ""
    """Words of a document that was read earlier."""


class GatePrediction(DataRow):
    """What the gate said."""

    needed: bool
    unsure: bool = False
    """Memory was activated in doubt."""
    score: float | None = None
    failed: bool = False
    """The judge gave no usable answer."""


Scored = tuple[UserLine, GatePrediction]


rows = reads(FILE, UserLine)
"""The rows."""


async def run(memory: Memory, items: Sequence[UserLine], done: Callable[[], None]) -> tuple[GatePrediction, ...]:
    """Returns one prediction for each row."""
    talks = memory.talk.conversations
    for question, answer in _TURNS:
        await talks.finish(NewTurn(conversation=_CONVERSATION, observation=question, response=answer))
    for item in items:
        if item.told:
            await talks.finish(NewTurn(conversation=_CONVERSATION, observation=item.told, response="All right."))
        if item.read:
            async for _ in memory.ingest(f"{item.id}.txt", read_text(item.read)):
                pass

    async def one(item: UserLine) -> GatePrediction:
        prepared = await talks.prepare(item.text, _CONVERSATION, profile=PROFILE, parts=(), probe=True)
        gate = prepared.decision.gate
        return GatePrediction(
            id=item.id, needed=activates(gate), unsure=gate.yes is None, score=gate.score, failed=went_wrong(gate)
        )

    return await each(items, one, done)


def outcome(items: Sequence[UserLine], predictions: Sequence[GatePrediction]) -> CaseOutcome:
    """Returns recall, precision and F1 of "needed", by half, class and source, with unsure and unusable answers."""
    said = {row.id: row for row in predictions}
    scored = [(item, said[item.id]) for item in items if item.id in said]
    return CaseOutcome(
        figures=(
            *_quality(scored, aims=(">= .95", ">= .90")),
            share("unsure, so activated", sum(row.unsure for _, row in scored), len(scored)),
            share("answers that could not be read", sum(row.failed for _, row in scored), len(scored), aim="< .01"),
        ),
        groups={title: figures for title, figures in _groups(scored).items() if figures},
        details={
            "Needed and not activated": [item.id for item, row in scored if item.needed and not row.needed],
            "Activated and not needed": [item.id for item, row in scored if row.needed and not item.needed],
        },
    )


def _groups(scored: Sequence[Scored]) -> dict[str, list[Figure]]:
    """Returns figures by class and source, where rows name them; halves are those of examined data."""
    kinds = sorted({item.kind for item, _ in scored if item.kind})
    sources = sorted({item.source for item, _ in scored if item.source})
    seen = [pair for pair in scored if was_seen(pair[0].id)]
    other = [pair for pair in scored if not was_seen(pair[0].id)]
    halves = (*_quality(seen, suffix=", half that was looked at"), *_quality(other, suffix=", other half"))
    return {
        "By class, share right": [_right(name, [pair for pair in scored if pair[0].kind == name]) for name in kinds],
        "By source, share right": [
            _right(name, [pair for pair in scored if pair[0].source == name]) for name in sources
        ],
        "By half": list(halves) if sources else [],
    }


def _quality(scored: Sequence[Scored], *, suffix: str = "", aims: tuple[str, str] = ("", "")) -> tuple[Figure, ...]:
    right = sum(item.needed and row.needed for item, row in scored)
    wrong = sum(row.needed and not item.needed for item, row in scored)
    missed = sum(item.needed and not row.needed for item, row in scored)
    return (
        share(f"recall{suffix}", right, right + missed, aim=aims[0]),
        share(f"precision{suffix}", right, right + wrong, aim=aims[1]),
        f1(f"F1{suffix}", right=right, wrong=wrong, missed=missed),
    )


def _right(name: str, scored: Sequence[Scored]) -> Figure:
    needed = [item.needed for item, _ in scored]
    what = "needed" if all(needed) else "needed or not" if any(needed) else "not needed"
    return share(f"{name} ({what})", sum(item.needed == row.needed for item, row in scored), len(scored))
