"""Fits a recall into a number of characters by leaving out lines below the critical ones, and only those. Pure."""

from dataclasses import replace

from r_memory.domain.blocks import Rank, Recall
from r_memory.recall.rendering import more_lines, render, render_line

CUTTABLE: frozenset[Rank] = frozenset({"rule", "other", "past"})


def fitted(recall: Recall, max_chars: int | None) -> Recall:
    """The recall with as many lines as fit, last ones left out first; `None` leaves out nothing.

    Critical and unconfirmed lines, pending statements and outcomes stay whatever they take.
    """
    if max_chars is None or not any(line.rank in CUTTABLE for line in recall.lines):
        return recall
    size = len(render(recall, with_query=False))
    kept = list(recall.lines)
    while kept and kept[-1].rank in CUTTABLE and size + _notice(len(recall.lines) - len(kept)) > max_chars:
        size -= len(render_line(kept.pop())) + 1
    return replace(recall, lines=tuple(kept), omitted=len(recall.lines) - len(kept))


def _notice(omitted: int) -> int:
    return len(more_lines(omitted)) + 1 if omitted else 0
