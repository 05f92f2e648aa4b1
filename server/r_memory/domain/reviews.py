"""What waits for a person: words that gave no fact, changes that were asked for, and facts that are in doubt. Pure.

Knows why something waits and in which order people should look; not where it is stored.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from r_memory.domain.changes import Decision
from r_memory.domain.events import Episode
from r_memory.domain.facts import RISK, UNMAPPED_TYPE, Entity, Fact, Flag, Status

Why = Literal["request", "statement", "contradicted", "disagree", "unconfirmed", "unmapped", "stale"]
"""Why something waits: a change that was asked for; words not understood; a fact asserted and denied, read differently
by the rules, doubted, under a word that no lexicon knows, or too old."""
WHYS: tuple[Why, ...] = get_args(Why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One thing that a person should look at."""

    subject: Entity
    why: tuple[Why, ...]
    critical: bool = False
    fact: Fact | None = None
    """The fact in doubt, or the one that a request is about; `None` for words."""
    episode: Episode | None = None
    """The words, or the request; `None` for a fact."""
    decision: Decision | None = None
    """What a request asks for."""

    @property
    def outdated(self) -> bool:
        """Whether the fact moved on since the request was made, so that it can only be declined."""
        return self.decision is not None and (self.fact is None or self.fact.last_seq != self.decision.version)

    @property
    def id(self) -> str:
        """Of the statement or request, or else of the fact."""
        return self.episode.id if self.episode is not None else self.fact.fact_id if self.fact is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Everything that waits, most urgent first within each subject."""

    items: tuple[Waiting, ...]
    failed: Mapping[str, str] = field(default_factory=dict)
    """Subject and relation that could not be read, with the reason; the list is complete only when there are none."""


def doubts_of(fact: Fact, *, stale: bool) -> tuple[Why, ...]:
    """Why a person should look at a fact; empty for one that speaks for no risk, or that nobody doubts."""
    if fact.status not in RISK and not fact.contradicted:
        return ()
    found: dict[Why, bool] = {
        "contradicted": fact.contradicted,
        "disagree": Flag.DISAGREE in fact.flags,
        "unconfirmed": fact.status is Status.UNCONFIRMED,
        "unmapped": fact.object.type == UNMAPPED_TYPE,
        "stale": stale,
    }
    return tuple(why for why, holds in found.items() if holds)


def in_order(items: Iterable[Waiting]) -> list[Waiting]:
    """Critical first, then by the first reason, then the oldest."""
    return sorted(items, key=lambda item: (not item.critical, WHYS.index(item.why[0]), _since(item), item.id))


def _since(item: Waiting) -> int:
    if item.episode is not None:
        return item.episode.recorded_at
    return 0 if item.fact is None else item.fact.last_recorded_at
