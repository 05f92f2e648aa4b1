"""Fits a recall into a number of characters by leaving out lines below the critical ones, and only those. Pure."""

from dataclasses import replace

from r_memory.domain.blocks import Rank, Recall
from r_memory.facts.recall.rendering import more_lines, render, render_line, render_rule

CUTTABLE: frozenset[Rank] = frozenset({"rule", "other", "past"})


def fitted(recall: Recall, max_chars: int | None) -> Recall:
    """The recall with as many lines as fit, last ones left out first; `None` leaves out nothing.

    Critical and unconfirmed lines, rules that stop, pending statements and outcomes stay whatever they take.
    """
    if max_chars is None:
        return recall
    lines, rules = list(recall.lines), list(recall.rules)
    size, most = len(render(recall, with_query=False)), len(lines) + len(rules)
    while size + _notice(most - len(lines) - len(rules)) > max_chars:
        # The block ends with what matters least: past and other facts, rules that people stated, then the pack's.
        if lines and lines[-1].rank in CUTTABLE:
            size -= len(render_line(lines.pop())) + 1
        elif rules and not rules[-1].stop:
            size -= len(render_rule(rules.pop())) + 1
        else:
            break
    return replace(recall, lines=tuple(lines), rules=tuple(rules), omitted=most - len(lines) - len(rules))


def _notice(omitted: int) -> int:
    return len(more_lines(omitted)) + 1 if omitted else 0
