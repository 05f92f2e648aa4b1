"""Suite `summary`: conversations told turn by turn, and what each turn brings into the structured summary.

A row names, for each field, words that an entry of that turn has to hold. Of a field that it does not name nothing is
expected; the topic alone is then not looked at. What a turn brings is what the summary did not hold before it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from r_memory.domain.summaries import FIELDS, ConversationSummary
from r_memory.memory import Memory
from r_memory_lab.evals.measures import Figure, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, reads
from r_memory_talk.stream.values import NewTurn

FILE = "summary/turns.jsonl"
TOPIC = "core_discussion"

__all__ = ["Brought", "of_fields", "rows", "tell"]


class SummaryTurn(DataRow):
    """One turn, in the order of its conversation."""

    conversation: str
    question: str
    answer: str
    fields: Mapping[str, tuple[str, ...]]


class Brought(DataRow):
    """New entries of a turn, by field."""

    fields: Mapping[str, tuple[str, ...]]


rows = reads(FILE, SummaryTurn)
"""The turns."""


async def tell(memory: Memory, turns: Sequence[SummaryTurn], done: Callable[[], None]) -> tuple[Brought, ...]:
    """Returns the new entries of each turn."""
    talks, before, found = memory.talk.conversations, dict[str, ConversationSummary](), []
    for turn in turns:
        await talks.finish(NewTurn(conversation=turn.conversation, observation=turn.question, response=turn.answer))
        kept = await talks.summary(turn.conversation)
        old, new = before.get(turn.conversation, ConversationSummary()), kept.content if kept else ConversationSummary()
        found.append(
            Brought(
                id=turn.id,
                fields={
                    name: tuple(entry for entry in _entries(new, name) if entry not in _entries(old, name))
                    for name in FIELDS
                },
            )
        )
        before[turn.conversation] = new
        done()
    return tuple(found)


def of_fields(turns: Sequence[SummaryTurn], found: Sequence[Brought]) -> CaseOutcome:
    """Returns recall and precision of each field; pure."""
    brought = {row.id: row.fields for row in found}
    figures: list[Figure] = []
    missed: dict[str, list[str]] = {}
    for name in FIELDS:
        counted: Counter[str] = Counter()
        for turn in turns:
            if name == TOPIC and name not in turn.fields:
                continue
            wanted, got = turn.fields.get(name, ()), brought[turn.id][name]
            hits, right = _met(wanted, got), _met(got, wanted, within=True)
            counted.update(hits=hits, wanted=len(wanted), right=right, got=len(got))
            if (hits, right) != (len(wanted), len(got)):
                missed.setdefault(name, []).append(turn.id)
        figures += [
            share(f"{name}: recall", counted["hits"], counted["wanted"]),
            share(f"{name}: precision", counted["right"], counted["got"]),
        ]
    return CaseOutcome(
        figures=tuple(figures),
        details={f"Turns that lack or add something, {name}": ids for name, ids in missed.items()},
    )


def _met(these: Sequence[str], those: Sequence[str], *, within: bool = False) -> int:
    """Returns how many of these are contained in one of those, or contain one."""
    return sum(
        any((other if within else item).casefold() in (item if within else other).casefold() for other in those)
        for item in these
    )


def _entries(summary: ConversationSummary, name: str) -> tuple[str, ...]:
    held: str | tuple[str, ...] = getattr(summary, name)
    return (held,) if isinstance(held, str) else held
