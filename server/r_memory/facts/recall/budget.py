"""Fits a recall into a number of characters by leaving out lines below the critical ones, and only those. Pure."""

from bisect import bisect_left
from dataclasses import replace

from r_memory.domain.blocks import SURE, Recall
from r_memory.facts.recall.rendering import render


def fitted(recall: Recall, max_chars: int | None) -> Recall:
    """The recall with as many lines as fit, last ones left out first; `None` leaves out nothing.

    Critical and unconfirmed lines, rules that stop, pending statements and outcomes stay whatever they take.
    """
    if max_chars is None or _length(recall) <= max_chars:
        return recall
    most = sum(line.rank not in SURE for line in recall.lines) + sum(not rule.stop for rule in recall.rules)
    # The first number of lines left out with which it fits; all of them where it never does.
    fewest = bisect_left(range(most), -max_chars, key=lambda count: -_length(_without(recall, count)))
    return _without(recall, fewest)


def shortened(recall: Recall, max_chars: int) -> Recall:
    """The recall fitted, and without the words behind its facts where it is too long all the same."""
    whole = fitted(recall, max_chars)
    return whole if _length(whole) <= max_chars else fitted(replace(recall, is_short=True), max_chars)


def _without(recall: Recall, count: int) -> Recall:
    """Without so many of the lines that may go, those that matter least first: past and other facts, then rules."""
    loose = sum(line.rank not in SURE for line in recall.lines)
    lines = recall.lines[: len(recall.lines) - min(count, loose)]
    rules = recall.rules[: len(recall.rules) - max(count - loose, 0)]
    return replace(recall, lines=lines, rules=rules, omitted=count)


def _length(recall: Recall) -> int:
    return len(render(recall, with_query=False))
