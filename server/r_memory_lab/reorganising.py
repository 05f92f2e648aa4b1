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
    """The judge is asked about all but the best, where all together with the previous turn are long (SCM 15)."""

    above: int = 2500
    """Tokens."""

    @override
    async def place(self, question: str, items: Sequence[PlacedItem], judge: Judge, *, flash: str) -> None:
        if not fits(sum(one.raw for one in items) + count(flash), self.above):
            await asyncio.gather(*(one.choose(question, judge, may_drop=True) for one in items[1:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Once(Paper):
    """MemEngine (SCM 17): whether more than the previous turn is needed, else all is dropped; then one question over
    all summaries, oldest first, and that turn.

    The first stands for its gate: whether memory is needed beside the flash memory is whether that does not suffice.
    """

    @override
    async def place(self, question: str, items: Sequence[PlacedItem], judge: Judge, *, flash: str) -> None:
        if items and flash:
            items[0].asked.append(await judge.suffices(question, flash))
            if items[0].asked[-1].yes:
                for one in items:
                    one.form = Form.DROPPED
                return
        if not any(one.shortens for one in items):
            return
        oldest_first = sorted(items, key=lambda one: one.item.seq)
        material = "\n".join(filter(None, (*(one.item.gist for one in oldest_first), flash)))
        items[0].asked.append(await judge.suffices(question, material))
        if items[0].asked[-1].yes:
            await Forced(form=Form.SUMMARY).place(question, items, judge, flash=flash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forced(Paper):
    """Nobody is asked; everything stands in this form (T-4)."""

    form: Form

    @override
    async def place(self, question: str, items: Sequence[PlacedItem], judge: Judge, *, flash: str) -> None:
        for one in items:
            if self.form is Form.RAW:
                # Nothing is shortened for the budget either.
                one.summary = one.raw
            elif one.shortens:
                one.form = self.form
