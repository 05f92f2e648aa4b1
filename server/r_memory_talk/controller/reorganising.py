"""SCM's second question: in which form each activated item stands in a context (memory-systems 1.3, A-8, A-9).

Chooses raw, summary or dropped for each; how many are activated, their order in the context and the fusion are decided
elsewhere. A length exactly at a limit is within it (`tokens.fits`). In doubt an item stands raw.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from r_memory.domain.memories import MemoryItem
from r_memory.domain.turns import Form, Judgement
from r_memory.protocols import Judge
from r_memory.text.tokens import count, fits
from r_memory_talk.controller.gate import went_wrong


class PlacedItem:
    """An activated item with its lengths, its present form and the judge's answers."""

    def __init__(self, item: MemoryItem) -> None:
        self.item = item
        self.raw, self.summary = count(item.raw), count(item.gist)
        self.form = Form.RAW
        self.asked: list[Judgement] = []

    @property
    def shortens(self) -> bool:
        """Whether the summary is shorter than the raw text."""
        return self.summary < self.raw

    @property
    def tokens(self) -> int:
        """Tokens in the present form; 0 if dropped."""
        return {Form.RAW: self.raw, Form.SUMMARY: self.summary}.get(self.form, 0)

    async def choose(self, question: str, judge: Judge, *, may_drop: bool) -> None:
        """Drops an item that does not help, shortens it if its summary suffices, else (also in doubt) leaves it raw."""
        if may_drop:
            self.asked.append(await judge.suffices(question, self.item.raw))
            if self.asked[-1].yes is False:
                self.form = Form.DROPPED
                return
        if self.shortens:
            self.asked.append(await judge.suffices(question, self.item.gist))
            self.form = Form.SUMMARY if self.asked[-1].yes else Form.RAW


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """The rule of the paper: the judge is asked about long items if all together are long (SCM 14).

    The best item is never dropped (A-9). The rules of the published code, MemEngine and forced forms (SCM 15, SCM 17,
    T-4) are in `r_memory_lab`.
    """

    item_above: int = 800
    """Tokens above which the judge is asked about an item."""
    total_above: int = 2000
    """Tokens of all activated items above which the judge is asked at all."""

    async def place(self, question: str, items: Sequence[PlacedItem], judge: Judge, *, flash: str) -> None:
        """Sets the form of each item; `items` come best first, `flash` is the previous turn."""
        del flash  # other rules look at it
        if not fits(sum(item.raw for item in items), self.total_above):
            long = ((place, each) for place, each in enumerate(items) if not fits(each.raw, self.item_above))
            await asyncio.gather(*(each.choose(question, judge, may_drop=place > 0) for place, each in long))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reorganised:
    """The activated items after reorganising."""

    items: Sequence[PlacedItem] = ()
    """In the order given."""
    over_budget: bool = False

    @property
    def parse_failures(self) -> int:
        """Number of answers that could not be used."""
        return sum(went_wrong(judgement) for item in self.items for judgement in item.asked)


async def reorganised(
    question: str, found: Sequence[MemoryItem], judge: Judge, rule: Paper, *, flash: str, room: int
) -> Reorganised:
    """Returns the activated items with their forms; `found` is best first.

    Under any rule, items are then shortened and at last dropped, least similar first, until all fit into `room` tokens.
    The best item always stays, if necessary as a summary that exceeds `room`. `over_budget` says whether this happened.
    """
    items = [PlacedItem(item) for item in found]
    await rule.place(question, items, judge, flash=flash)
    shorter = [(each, Form.SUMMARY) for each in reversed(items) if each.form is Form.RAW and each.shortens]
    none = [(each, Form.DROPPED) for each in reversed(items[1:])]
    over_budget = False
    for entry, form in (*shorter, *none):
        if _all_fit(items, room):
            break
        entry.form = form
        over_budget = form is Form.DROPPED
    return Reorganised(items=items, over_budget=bool(items) and (over_budget or not _all_fit(items, room)))


def _all_fit(items: Sequence[PlacedItem], room: int) -> bool:
    return fits(sum(item.tokens for item in items), room)
