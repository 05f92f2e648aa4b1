"""What a caller learns of a write: each fact, each rejection and each sentence left for a person, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from r_memory.domain.blocks import NOTHING_CLASHES, StandingCheck
from r_memory.domain.corrections import Correction
from r_memory.domain.facts import Attributes, Entity, Fact, Proposal, Rejection, Route

Verdict = Literal["stored", "duplicate", "waits", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A triple that the caller read in the text, to be validated."""

    relation: str
    object: str
    evidence: str
    """Words of the text that say so, verbatim."""
    status: str = "active"
    attrs: Attributes = field(default_factory=dict)
    means: str = ""
    """What garbled or foreign words mean: a term or a noun phrase; empty where they say it."""
    corrects: str = ""
    """The recorded fact that the words correct: its id, or words that name it; empty where they correct nothing."""
    correction: Correction | None = None
    """The fact of that name, and what becomes of it; `None` where there is none, or several."""
    note: str = ""
    """Why `corrects` names no fact."""
    trouble: str = ""
    """Why it has no form of a fact, by whoever took it in; then it is refused, and nothing else of it counts."""

    def proposal(self, route: Route, extractor: str) -> Proposal:
        """The triple as the validator takes it, from whoever read it."""
        return Proposal(
            relation=self.relation,
            object=self.object,
            status=self.status,
            attrs=self.attrs,
            evidence=self.evidence,
            route=route,
            extractor=extractor,
            means=self.means,
            corrects=self.correction,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one triple or one sentence."""

    verdict: Verdict
    reason: str = ""
    """Why it was not simply stored, and what to do."""
    fact: Fact | None = None
    relation: str = ""
    object: str = ""
    text: str = ""
    """The sentence, where no triple was read."""
    given: int = 0
    """Which of the facts given in the call it answers, from 1; 0: none of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTaken:
    """What came of asking one extractor."""

    route: Route
    extractor: str
    """Name and version."""
    failed: str = ""
    """Why it read nothing, and what to do; empty where it read the words."""
    alone: str = ""
    """Why the closed rules read without the taught reader; empty where both read."""
    answered: bool = True
    """It was there to be asked, whatever came of it."""
    rejected: tuple[Rejection, ...] = ()
    """What a language model proposed and the validator refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The outcome of one write; nothing is called stored that was not read back."""

    subject: Entity
    episode_id: str
    results: tuple[Result, ...]
    conflicts: tuple[Fact, ...]
    """Facts of this write that somebody asserted and somebody denied."""
    pending: int
    """Utterances whose words stay in view as pending statements: of one 1 or 0, of a text read in parts any number."""
    watermark: int
    standing: StandingCheck = NOTHING_CLASHES
    """What is recorded and does not go together with a fact of this write."""
    dry_run: bool = False
    routes: tuple[RouteTaken, ...] = ()
    """Who was asked to read the words, in this order; nobody where they had been read before."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that are now in the memory."""
        return tuple(result.fact for result in self.results if result.fact is not None)


def together(parts: Sequence[Remembered]) -> Remembered:
    """The outcome of one write whose words were read in parts; at least one."""
    conflicts = {fact.fact_id: fact for part in parts for fact in part.conflicts}
    return replace(
        parts[0],
        results=tuple(result for part in parts for result in part.results),
        conflicts=tuple(conflicts.values()),
        pending=sum(part.pending for part in parts),
        watermark=max(part.watermark for part in parts),
        routes=tuple(dict.fromkeys(taken for part in parts for taken in part.routes)),
    )
