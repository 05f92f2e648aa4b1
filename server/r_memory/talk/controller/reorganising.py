"""SCM's second question: in which form each activated item stands in a context (memory-systems 1.3, A-8, A-9).

Chooses raw, summary or dropped for each; how many are activated, their order in the context and the fusion are decided
elsewhere. A length exactly at a limit is within it (`tokens.fits`). In doubt an item stands raw.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from r_memory.domain.decisions import Form
from r_memory.domain.judgements import Judgement
from r_memory.domain.memories import MemoryItem
from r_memory.protocols import Judge
from r_memory.talk.controller.answers import went_wrong
from r_memory.talk.stream.values import Hit
from r_memory.text.tokens import count, fits

HISTORY_BUDGET = 2500
"""Tokens of activated memory and previous turn together (SCM-29); the hard cap of every rule (A-8)."""
OVER_BUDGET = "over_budget"
"""Flag: not everything fitted even in its shortest form, so something was dropped or stands above the budget."""

ReorganiseRule = Literal["paper", "code", "once", "raw", "summary"]
"""Which items the judge is asked about.

`paper`: items that are long, where all together are long (SCM-14). `code`: all but the best, where all together with
the previous turn exceed the budget (SCM-15). `once`: all at once, their summaries and the previous turn in one
question (MemEngine, SCM-17). `raw` and `summary`: none, everything in that form (T-4).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReorganiseSettings:
    """How items are reorganised; lengths are in tokens."""

    rule: ReorganiseRule = "paper"
    item_above: int = 800
    """`paper`: only items longer than this are asked about."""
    total_above: int = 2000
    """`paper`: and only where all activated items together are longer than this."""
    history_above: int = HISTORY_BUDGET
    """`code`: only where all of them and the previous turn are longer than this."""
    may_drop: bool = True
    """Whether an item that does not help even raw is left out (A-9); never the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedItem:
    """An item in the form in which it stands."""

    form: Form
    tokens: int
    """In that form; 0 if it was dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reorganised:
    """What became of the activated items."""

    items: Mapping[str, PlacedItem]
    """By id, in the order given."""
    tokens_before: int
    """Of all of them raw, without the previous turn."""
    parse_failures: int = 0
    """Answers that were asked for and could not be used."""
    flags: tuple[str, ...] = ()

    @property
    def tokens_after(self) -> int:
        """Of all of them as they stand."""
        return sum(placed.tokens for placed in self.items.values())


class _Candidate:
    """An item with its lengths, and the form in which it stands so far."""

    def __init__(self, item: MemoryItem) -> None:
        self.item = item
        self.raw, self.summary = count(item.raw), count(item.gist)
        self.form = Form.RAW
        self.asked: list[Judgement] = []

    @property
    def shortens(self) -> bool:
        """Whether the summary is any shorter; where it is not, there is nothing to ask."""
        return self.summary < self.raw

    @property
    def tokens(self) -> int:
        return {Form.RAW: self.raw, Form.SUMMARY: self.summary}.get(self.form, 0)

    async def choose(self, question: str, judge: Judge, *, may_drop: bool) -> None:
        """Drop what does not help raw, take the summary where it suffices, else raw; raw in every doubt."""
        if may_drop:
            self.asked.append(await judge.suffices(question, self.item.raw))
            if self.asked[-1].yes is False:
                self.form = Form.DROPPED
                return
        if self.shortens:
            self.asked.append(await judge.suffices(question, self.item.gist))
            self.form = Form.SUMMARY if self.asked[-1].yes else Form.RAW


async def reorganised(
    question: str,
    hits: Sequence[Hit],
    *,
    flash_tokens: int,
    judge: Judge,
    settings: ReorganiseSettings,
    flash: str = "",
    budget: int = HISTORY_BUDGET,
) -> Reorganised:
    """The form of each activated item; `hits` are the chosen ones, best first.

    `flash_tokens` is the length of the previous turn, which counts towards the budget; its text is only needed for the
    rule `once`. Whatever the rule, items are then shortened and at last dropped, from the least similar on, until all
    fit; the best one stays, if need be as a summary above the budget. Both leave the flag `over_budget`.
    """
    candidates = [_Candidate(hit.item) for hit in hits]
    if settings.rule == "summary":
        _summarise(candidates)
    elif settings.rule == "once":
        await _choose_at_once(question, candidates, judge, flash)
    else:
        asked = _in_question(candidates, flash_tokens, settings)
        may_drop = settings.may_drop
        await asyncio.gather(*(candidates[at].choose(question, judge, may_drop=may_drop and at > 0) for at in asked))
    flags = _fit(candidates, budget - flash_tokens, may_shorten=settings.rule != "raw")
    return Reorganised(
        items={one.item.id: PlacedItem(form=one.form, tokens=one.tokens) for one in candidates},
        tokens_before=sum(one.raw for one in candidates),
        parse_failures=sum(went_wrong(judgement) for one in candidates for judgement in one.asked),
        flags=flags,
    )


def _in_question(candidates: Sequence[_Candidate], flash_tokens: int, settings: ReorganiseSettings) -> Sequence[int]:
    """Places of the items that the judge is asked about."""
    total = sum(candidate.raw for candidate in candidates)
    if settings.rule == "paper" and not fits(total, settings.total_above):
        return [place for place, one in enumerate(candidates) if not fits(one.raw, settings.item_above)]
    if settings.rule == "code" and not fits(total + flash_tokens, settings.history_above):
        return range(1, len(candidates))
    return ()


async def _choose_at_once(question: str, candidates: Sequence[_Candidate], judge: Judge, flash: str) -> None:
    """One question over all summaries, oldest first, and the previous turn."""
    if not any(candidate.shortens for candidate in candidates):
        return
    oldest_first = sorted(candidates, key=lambda candidate: candidate.item.seq)
    material = "\n".join(filter(None, (*(candidate.item.gist for candidate in oldest_first), flash)))
    candidates[0].asked.append(await judge.suffices(question, material))
    if candidates[0].asked[-1].yes:
        _summarise(candidates)


def _summarise(candidates: Sequence[_Candidate]) -> None:
    for candidate in candidates:
        candidate.form = Form.SUMMARY if candidate.shortens else Form.RAW


def _fit(candidates: Sequence[_Candidate], room: int, *, may_shorten: bool) -> tuple[str, ...]:
    """Shortens items, then drops them, from the least similar on until all fit; the best one stays. Gives the flags."""
    for candidate in reversed(candidates if may_shorten else ()):
        if _all_fit(candidates, room):
            break
        if candidate.form is Form.RAW and candidate.shortens:
            candidate.form = Form.SUMMARY
    if _all_fit(candidates, room) or not candidates:
        return ()
    for candidate in reversed(candidates[1:]):
        if _all_fit(candidates, room):
            break
        candidate.form = Form.DROPPED
    return (OVER_BUDGET,)


def _all_fit(candidates: Sequence[_Candidate], room: int) -> bool:
    return fits(sum(candidate.tokens for candidate in candidates), room)
