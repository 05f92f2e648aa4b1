"""Ways to reorganise activated items that only reports compare with the paper's: code, MemEngine, forced forms."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from r_memory.domain.turns import Form
from r_memory.protocols import Judge
from r_memory.text.tokens import count, fits
from r_memory_talk.controller.reorganising import Paper, PlacedItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Code(Paper):
    """The judge is asked about all items but the best, if all with the previous turn are long (SCM 15)."""

    above: int = 2500
    """Tokens above which they are long."""

    @override
    async def place(self, question: str, items: Sequence[PlacedItem], judge: Judge, *, flash: str) -> None:
        if not fits(sum(item.raw for item in items) + count(flash), self.above):
            await asyncio.gather(*(item.choose(question, judge, may_drop=True) for item in items[1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Once(Paper):
    """MemEngine (SCM 17): two questions at most, over all items together.

    First, whether the previous turn suffices; then all items are dropped. Else one question over all summaries, oldest
    first, with that turn. The first question replaces its gate, which asks whether memory is needed beside the flash
    memory.
    """

    @override
    async def place(self, question: str, items: Sequence[PlacedItem], judge: Judge, *, flash: str) -> None:
        if items and flash:
            items[0].asked.append(await judge.suffices(question, flash))
            if items[0].asked[-1].yes:
                for each in items:
                    each.form = Form.DROPPED
                return
        if not any(each.shortens for each in items):
            return
        oldest_first = sorted(items, key=lambda one: one.item.seq)
        material = "\n".join(filter(None, (*(episode.item.gist for episode in oldest_first), flash)))
        items[0].asked.append(await judge.suffices(question, material))
        if items[0].asked[-1].yes:
            await Forced(form=Form.SUMMARY).place(question, items, judge, flash=flash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forced(Paper):
    """Every item has this form; the judge is not asked (T-4)."""

    form: Form

    @override
    async def place(self, question: str, items: Sequence[PlacedItem], judge: Judge, *, flash: str) -> None:
        for item in items:
            if self.form is Form.RAW:
                # Nothing is shortened for the budget either.
                item.summary = item.raw
            elif item.shortens:
                item.form = self.form
