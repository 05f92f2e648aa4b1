"""SCM's second question: in which form each activated item stands in a context (memory-systems 1.3, A-8, A-9).

Chooses raw, summary or dropped for each; how many are activated, their order in the context and the fusion are decided
elsewhere. A length exactly at a limit is within it (`tokens.fits`). In doubt an item stands raw.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
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
"""Flag: not everything fitted even in its shortest form, so items were dropped or the best stands above the budget."""


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
class Placed:
    """An item in the form in which it stands."""

    form: Form
    tokens: int
    """In that form; 0 if it was dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reorganised:
    """What became of the activated items."""

    items: Mapping[str, Placed]
    """By id, in the order given."""
    tokens_before: int
    """Of all of them raw, without the previous turn."""
    parse_failures: int = 0
    """Answers that were asked for and could not be used."""
    flags: tuple[str, ...] = ()

    @property
    def forms(self) -> Mapping[str, Form]:
        """Id to form."""
        return {id_: placed.form for id_, placed in self.items.items()}

    @property
    def tokens_after(self) -> int:
        """Of all of them as they stand."""
        return sum(placed.tokens for placed in self.items.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    item: MemoryItem
    raw: int
    summary: int

    @property
    def shortens(self) -> bool:
        """Whether the summary is any shorter; where it is not, there is nothing to ask."""
        return self.summary < self.raw

    def tokens(self, form: Form) -> int:
        return {Form.RAW: self.raw, Form.SUMMARY: self.summary}.get(form, 0)


_Choice = tuple[Form, tuple[Judgement, ...]]


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
    candidates = [_Candidate(item=hit.item, raw=count(hit.item.raw), summary=count(hit.item.gist)) for hit in hits]
    choices = await _chosen(
        question, candidates, flash_tokens=flash_tokens, judge=judge, settings=settings, flash=flash
    )
    forms = [form for form, _ in choices]
    room = budget - flash_tokens
    if settings.rule != "raw":
        forms = _shortened(candidates, forms, room)
    forms, flags = _cut(candidates, forms, room)
    return Reorganised(
        items={
            candidate.item.id: Placed(form=form, tokens=candidate.tokens(form))
            for candidate, form in zip(candidates, forms, strict=True)
        },
        tokens_before=sum(candidate.raw for candidate in candidates),
        parse_failures=sum(went_wrong(judgement) for _, asked in choices for judgement in asked),
        flags=flags,
    )


async def _chosen(
    question: str,
    candidates: Sequence[_Candidate],
    *,
    flash_tokens: int,
    judge: Judge,
    settings: ReorganiseSettings,
    flash: str,
) -> list[_Choice]:
    """The first round: what the rule and the judge say, before the budget."""
    if settings.rule == "summary":
        return [(Form.SUMMARY if candidate.shortens else Form.RAW, ()) for candidate in candidates]
    if settings.rule == "once":
        return await _forms_at_once(question, candidates, judge, flash)
    asked = _in_question(candidates, flash_tokens, settings)

    async def choice(place: int, candidate: _Candidate) -> _Choice:
        if place not in asked:
            return Form.RAW, ()
        return await _form_of(question, candidate, judge, may_drop=settings.may_drop and place > 0)

    return list(await asyncio.gather(*(choice(place, one) for place, one in enumerate(candidates))))


def _in_question(candidates: Sequence[_Candidate], flash_tokens: int, settings: ReorganiseSettings) -> frozenset[int]:
    """Places of the items that the judge is asked about."""
    total = sum(candidate.raw for candidate in candidates)
    if settings.rule == "paper" and not fits(total, settings.total_above):
        return frozenset(place for place, one in enumerate(candidates) if not fits(one.raw, settings.item_above))
    if settings.rule == "code" and not fits(total + flash_tokens, settings.history_above):
        return frozenset(range(1, len(candidates)))
    return frozenset()


async def _form_of(question: str, candidate: _Candidate, judge: Judge, *, may_drop: bool) -> _Choice:
    """Drop what does not help raw, take the summary where it suffices, else raw; raw in every doubt."""
    answers: list[Judgement] = []
    if may_drop:
        answers.append(await judge.suffices(question, candidate.item.raw))
        if answers[-1].yes is False:
            return Form.DROPPED, tuple(answers)
    if not candidate.shortens:
        return Form.RAW, tuple(answers)
    answers.append(await judge.suffices(question, candidate.item.gist))
    return Form.SUMMARY if answers[-1].yes else Form.RAW, tuple(answers)


async def _forms_at_once(question: str, candidates: Sequence[_Candidate], judge: Judge, flash: str) -> list[_Choice]:
    """One question over all summaries, oldest first, and the previous turn."""
    if not any(candidate.shortens for candidate in candidates):
        return [(Form.RAW, ()) for _ in candidates]
    oldest_first = sorted(candidates, key=lambda candidate: candidate.item.seq)
    material = "\n".join(filter(None, (*(candidate.item.gist for candidate in oldest_first), flash)))
    answer = await judge.suffices(question, material)
    forms = [Form.SUMMARY if answer.yes and candidate.shortens else Form.RAW for candidate in candidates]
    return [(form, (answer,) if place == 0 else ()) for place, form in enumerate(forms)]


def _shortened(candidates: Sequence[_Candidate], forms: Iterable[Form], room: int) -> list[Form]:
    """Raw items become summaries, from the least similar on, until all fit or none is left to shorten."""
    now = list(forms)
    for place in reversed(range(len(now))):
        if fits(_total(candidates, now), room):
            break
        if now[place] is Form.RAW and candidates[place].shortens:
            now[place] = Form.SUMMARY
    return now


def _cut(candidates: Sequence[_Candidate], forms: Iterable[Form], room: int) -> tuple[list[Form], tuple[str, ...]]:
    """Items are dropped from the least similar on until the rest fits; the best one stays."""
    now = list(forms)
    if fits(_total(candidates, now), room):
        return now, ()
    for place in reversed(range(1, len(now))):
        if fits(_total(candidates, now), room):
            break
        now[place] = Form.DROPPED
    return now, (OVER_BUDGET,) if now else ()


def _total(candidates: Sequence[_Candidate], forms: Iterable[Form]) -> int:
    return sum(candidate.tokens(form) for candidate, form in zip(candidates, forms, strict=True))
