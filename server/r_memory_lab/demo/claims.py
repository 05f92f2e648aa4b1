"""What the demo promises, held against what came back. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.serving.tools.models import ContextOut, FactOut
from r_memory.text.inert import inert
from r_memory_lab.demo.story import Story, StoryPatient

FIRST = "CRITICAL ALLERGY: "
"""Beginning of the line of the intake."""
SUBSTANCE = "Penicillin"
"""Substance of the intake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One promise and whether it was kept."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All observations."""

    story: Story
    context: ContextOut
    acknowledged: Mapping[str, frozenset[str]]
    """Patient's id to the facts that were acknowledged before the kill."""
    found: Mapping[str, Sequence[FactOut]]
    """Patient's id to the facts of the next server."""


def claims(seen: Evidence) -> tuple[Promise, ...]:
    """Returns every promise, in the order of printing."""
    return (
        Promise(text="the allergy is the first line", holds=_is_first(seen.context)),
        Promise(text="nothing in the block is about anybody else", holds=_is_about_one(seen)),
        Promise(text="no fact that was called stored is lost", holds=_nothing_lost(seen)),
        Promise(text="every edge type was read, and a receipt was written", holds=_is_complete(seen.context)),
    )


def _is_first(context: ContextOut) -> bool:
    first = context.lines[0] if context.lines else None
    if first is None or first.level != "critical":
        return False
    findings = [line for line in context.block.splitlines() if not line.startswith(("[", "Subject:"))]
    return findings[0] == first.text and first.text.startswith(FIRST) and SUBSTANCE in first.text


def _is_about_one(seen: Evidence) -> bool:
    """Whether names, facts and quoted words are only the subject's."""
    subject = seen.story.subject
    own = {fact.fact_id: fact for fact in seen.found[subject.id]}
    shown = [line.fact_id for line in seen.context.lines]
    words = [*(own[id_].evidence for id_ in shown if id_ in own), *(waiting.text for waiting in seen.context.pending)]
    return (
        not any(_named(other, seen.context.block) for other in seen.story.others)
        and set(shown) <= own.keys()
        and all(_was_said(quote, _statements(seen.story, subject)) for quote in words)
    )


def _named(person: StoryPatient, block: str) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", block, re.IGNORECASE) for name in (person.id, person.name))


def _statements(story: Story, about: StoryPatient) -> Iterator[str]:
    return (inert(turn.text) for turn in (story.intake, *story.turns) if turn.about == about)


def _was_said(quote: str, told: Iterable[str]) -> bool:
    return any(inert(quote).rstrip("…") in text for text in told)


def _nothing_lost(seen: Evidence) -> bool:
    return all(
        ids <= {fact.fact_id for fact in seen.found.get(person, ())} for person, ids in seen.acknowledged.items()
    )


def _is_complete(context: ContextOut) -> bool:
    return context.complete and bool(context.receipt_id)
