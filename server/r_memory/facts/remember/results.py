"""The result of a write for the caller: each fact, each rejection and each sentence left for a person, with reasons."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from r_memory.domain.blocks import NOTHING_CLASHES, StandingCheck
from r_memory.domain.corrections import Correction
from r_memory.domain.facts import Attributes, Entity, Fact, Flag, Proposal, Rejection, Route

Verdict = Literal["stored", "duplicate", "waits", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A triple that the caller read in the text, before validation."""

    relation: str
    object: str
    evidence: str
    """The words of the text that state the triple, verbatim."""
    status: str = "active"
    attrs: Attributes = field(default_factory=dict)
    means: str = ""
    """The meaning of garbled or foreign words: a term or a noun phrase; empty if the words are plain."""
    own_name: bool = False
    """Whether the object holds the caller's name for one of several things that the same words state."""
    corrects: str = ""
    """The recorded fact that the words correct: its id, or words that name it; empty if there is none."""
    correction: Correction | None = None
    """The corrected fact and the effect on it; `None` if `corrects` names no fact, or several."""
    note: str = ""
    """Why `corrects` names no fact."""
    trouble: str = ""
    """Why the claim is not well-formed; it is then rejected, and its other fields are ignored."""

    def proposal(self, route: Route, extractor: str) -> Proposal:
        """The claim as a proposal for the validator, with the route and the extractor that made it."""
        return Proposal(
            relation=self.relation,
            object=self.object,
            status=self.status,
            attrs=self.attrs,
            evidence=self.evidence,
            route=route,
            extractor=extractor,
            means=self.means,
            flags=frozenset({Flag.MEANT} if self.own_name else ()),
            corrects=self.correction,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of one triple or one sentence."""

    verdict: Verdict
    reason: str = ""
    """Why it was not stored as given, and what to do."""
    fact: Fact | None = None
    relation: str = ""
    object: str = ""
    text: str = ""
    """The sentence, if no triple was read."""
    given: int = 0
    """Number of the caller's claim that it answers, from 1; 0 if it answers none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTaken:
    """The result of asking one extractor."""

    route: Route
    extractor: str
    """Name and version."""
    failed: str = ""
    """Why it read nothing, and what to do; empty if it read the words."""
    alone: str = ""
    """Why the rules read without the taught reader; empty if both read."""
    answered: bool = True
    """Whether it could be asked at all."""
    rejected: tuple[Rejection, ...] = ()
    """Proposals of a language model that the validator rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The result of one write; facts are listed as stored only after they were read back."""

    subject: Entity
    episode_id: str
    results: tuple[Result, ...]
    conflicts: tuple[Fact, ...]
    """Facts of this write with assertions and denials."""
    pending: int
    """Number of utterances that stay visible as pending statements: 0 or 1, or more for a text read in parts."""
    watermark: int
    standing: StandingCheck = NOTHING_CLASHES
    """Recorded facts that do not go together with a fact of this write."""
    dry_run: bool = False
    routes: tuple[RouteTaken, ...] = ()
    """The extractors that were asked, in order; empty if the words had been read before."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that are now stored."""
        return tuple(result.fact for result in self.results if result.fact is not None)


def together(parts: Sequence[Remembered]) -> Remembered:
    """The result of a write whose words were read in parts; there is at least one part."""
    conflicts = {fact.fact_id: fact for part in parts for fact in part.conflicts}
    return replace(
        parts[0],
        results=tuple(result for part in parts for result in part.results),
        conflicts=tuple(conflicts.values()),
        pending=sum(part.pending for part in parts),
        watermark=max(part.watermark for part in parts),
        routes=tuple(dict.fromkeys(taken for part in parts for taken in part.routes)),
    )
