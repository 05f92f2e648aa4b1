"""What if: what a request would open and show, under the table of action types as it is and as somebody changed it;
without leaving a receipt, and nothing is saved.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from starlette.responses import Response

from r_memory.domain.blocks import Recall
from r_memory.errors import ConfigurationError
from r_memory.facts.facts import Facts
from r_memory.facts.recall.rendering import render
from r_memory.web.visit import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReading:
    """A request as read under one table."""

    recall: Recall
    block: str

    @property
    def edges(self) -> tuple[str, ...]:
        """The relations that were read."""
        return tuple(outcome.relation for outcome in self.recall.outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A changed table: what it opens, or what is wrong with it."""

    mistakes: tuple[str, ...] = ()
    reading: TrialReading | None = None
    differences: tuple[str, ...] = ()


async def form(visit: Visit) -> Response:
    """Returns the empty form."""
    return _page(visit, query="", subject=visit.asked("id"), table=_table(visit))


async def answer(visit: Visit) -> Response:
    """Returns what a request opens, its query and its block, and the same under a changed table."""
    query, subject = visit.fields.get("query", ""), visit.fields.get("subject", "").strip()
    now = await _read(visit.memory.facts, query, subject)
    table, trial = _table(visit), None
    # It learns from the table, which takes a second: not for everybody who may read.
    changed = visit.fields.get("table", "").replace("\r\n", "\n")
    if visit.visitor.audits and changed.strip() and changed.strip() != table.strip():
        table, trial = changed, await _tried(visit, changed, query, subject, now)
    return _page(visit, query=query, subject=subject, table=table, now=now, trial=trial)


async def _tried(visit: Visit, table: str, query: str, subject: str, now: TrialReading) -> Trial:
    try:
        facts = await visit.memory.under_table(table)
    except ConfigurationError as error:
        return Trial(mistakes=tuple(str(other) for other in (error, *error.others)))
    then = await _read(facts, query, subject)
    return Trial(reading=then, differences=tuple(_differences(now, then)))


def _differences(now: TrialReading, then: TrialReading) -> Iterator[str]:
    """Yields what the changed table opens in addition or no longer, and whether the block differs."""
    pairs = (
        ("Action types", now.recall.intents, then.recall.intents),
        ("Edges", now.edges, then.edges),
        ("Facts shown", _shown(now), _shown(then)),
    )
    for what, before, after in pairs:
        more, less = ([item for item in a if item not in b] for a, b in ((after, before), (before, after)))
        if more:
            yield f"{what}, more: {', '.join(more)}"
        if less:
            yield f"{what}, no longer: {', '.join(less)}"


def _shown(reading: TrialReading) -> tuple[str, ...]:
    return tuple(f"{line.fact.relation} {line.fact.object.name}" for line in reading.recall.lines)


async def _read(facts: Facts, query: str, subject: str) -> TrialReading:
    recall = await facts.recalling.unrecorded(query, subject=subject)
    return TrialReading(recall=recall, block=render(recall))


def _table(visit: Visit) -> str:
    """Returns the text of the table's file; empty for a visitor who may not try another."""
    return visit.plan.settings.files.text(visit.memory.schema.intents) if visit.visitor.audits else ""


def _page(
    visit: Visit, *, query: str, subject: str, table: str, now: TrialReading | None = None, trial: Trial | None = None
) -> Response:
    return visit.page("ask.html", title="What if", query=query, subject=subject, table=table, now=now, trial=trial)
