"""The effect of a correction on the recorded fact. Pure.

Words alone never remove a risk: a critical fact stays visible as disputed until a person decides outside the call. A
fact that is not critical ends at once if the person who stated it takes it back. Nothing is deleted.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from r_memory.domain.changes import Change
from r_memory.domain.events import Role
from r_memory.domain.facts import DENIAL, RISK, Fact, Observation, ReviewItem, Route, Span, Status

__all__ = ["Correction", "Doubted", "Effect", "correction_of", "named_all"]

_SHOWN = 3
"""Maximum number of facts named if the words may mean several."""
_OF_A_CALL = frozenset({Route.CLIENT, Route.RULES, Route.MODEL})
"""Routes of facts that were said in a conversation; words do not end facts from a record or a person's decision."""


class Effect(StrEnum):
    """The effect on the corrected fact."""

    ENDED = "ended"
    DISPUTED = "disputed"
    ALREADY = "already"
    """The fact has ended or is disputed already: the correction changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A recorded fact that an utterance corrects."""

    fact: Fact
    effect: Effect
    forgets: bool = False
    """Whether the words only ask to forget it."""
    among: tuple[Fact, ...] = ()
    """All facts that may be meant, if the words leave that open."""
    elsewhere: bool = False
    """Whether the fact is about another person than the words, as in "That was for dad, not for her"."""
    reopens: bool = False
    """Whether its own speaker ended it: where they state it again, it holds as before."""

    @property
    def ends(self) -> bool:
        """Whether it ends the fact at once, in the record of the person whom the words are about."""
        return self.effect is Effect.ENDED and self.settles

    @property
    def settles(self) -> bool:
        """Whether it answers what the same words say against the fact: it ends or is disputed by this correction."""
        return not (self.forgets or self.elsewhere or self.among)

    @property
    def doubting(self) -> "Correction":
        """The correction where nothing is stored in the place of the fact, which then does not end."""
        return replace(self, effect=Effect.DISPUTED) if self.effect is Effect.ENDED else self

    @property
    def reason(self) -> str:
        """The reason shown to the caller."""
        fact, named = self.fact, named_all(self.among or (self.fact,))
        if self.among:
            return f"may correct {named}: nothing was changed; call again with the id of the one that is meant"
        if self.forgets:
            return (
                f"asks to forget {named}, which stays as it is: call memory_change_fact with change entered_in_error, "
                "and a person confirms it"
            )
        if self.effect is Effect.ALREADY:
            stands = "disputed" if fact.contradicted else fact.status.value
            return f"corrects {named}, which is {stands} already: nothing was changed"
        if self.effect is Effect.ENDED:
            return f"corrects {named}: ended, its history shows why"
        return (
            f"corrects {named}: disputed, and shown until it is settled: ask the person, call memory_change_fact with "
            "change refute, and they approve it on the page /review"
        )

    @property
    def again(self) -> str:
        """The reason shown to the caller if the ended fact is stated again by who ended it."""
        return f"{named_all([self.fact])} holds again, with what was known of it before"

    @property
    def unchanged(self) -> str:
        """The reason shown to the caller if nothing is stored in the place of the fact."""
        return f"{named_all([self.fact])} stays as it was: nothing was stored in its place"

    def is_reopened_by(self, seen: Observation | None) -> bool:
        """Whether an observation states the ended fact again, so that it holds as before."""
        return self.reopens and seen is not None and seen.fact_id == self.fact.fact_id and seen.status in RISK

    def change(self, said: Status) -> Change:
        """The change that ends the fact, by the status that the words state; or that takes back its end."""
        if self.reopens:
            return Change.SETTLE_CONFLICT
        if self.fact.status in DENIAL:
            return Change.ENTERED_IN_ERROR
        return Change.RESOLVE if said is Status.RESOLVED else Change.REFUTE


def named_all(facts: Sequence[Fact]) -> str:
    """Facts by relation, thing and id; only the first few."""
    shown = ", ".join(f"{fact.relation} {fact.object.name} (fact {fact.short_id})" for fact in facts[:_SHOWN])
    return f"{shown}, …" if len(facts) > _SHOWN else shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubted:
    """A sentence that takes back recorded facts, as far as its words say so."""

    span: Span
    forgets: bool
    facts: tuple[Fact, ...]
    reason: str
    waits: bool = True
    """Whether it stays in view until somebody settles it."""
    withdraws: tuple[str, str] = ("", "")
    """Id of a statement, and words of it that no fact rests on and that are withdrawn; empty if there are none."""
    is_news: bool = False
    """Whether it tells what happened since: a fact that is stored of it beside the old ones does not answer it."""
    likely: frozenset[str] = frozenset()
    """Ids of those of the facts that share more than a light word with the sentence; empty if none does."""

    def is_settled_by(self, settled: Collection[str]) -> bool:
        """Whether corrections of the facts with these ids answer the sentence."""
        meant = self.likely if self.likely and not self.forgets else {fact.fact_id for fact in self.facts}
        return bool(meant) and meant.issubset(settled)

    def is_answered_by(self, seen: Observation | None, correction: Correction | None) -> bool:
        """Whether a claim with evidence in the sentence says what it means for the recorded facts."""
        if correction is not None:
            return True
        own = seen is not None and any(fact.fact_id == seen.fact_id for fact in self.facts)
        return not self.forgets and (own or not self.is_news)

    def strengthens(self, seen: Observation) -> bool:
        """Whether an observation from the sentence would state again what the sentence takes back."""
        fact = next((each for each in self.facts if each.fact_id == seen.fact_id), None)
        if fact is None or not (self.span.start < seen.span.end and seen.span.start < self.span.end):
            return False
        told = all(fact.attrs.get(name) == value for name, value in seen.attrs.items())
        return self.forgets or (told and seen.status in RISK)

    def item(self, text: str) -> ReviewItem:
        """An item that asks a person to look at the words beside the facts."""
        return ReviewItem(text=text[self.span.start : self.span.end], span=self.span, reason=self.reason)


def correction_of(fact: Fact, *, speaker: str, role: Role, critical: bool) -> Correction:
    """The effect of this speaker's words on a fact that they correct; words never remove a `critical` risk.

    The speaker of a fact that speaks against a risk may always take it back: that only adds caution.
    """
    speaks_for_risk = fact.contradicted or fact.status in RISK
    own = role == "user" and fact.speaker == speaker and fact.route in _OF_A_CALL and fact.changed_at is None
    if fact.status in {Status.REFUTED, Status.RESOLVED, Status.ENTERED_IN_ERROR} and not fact.contradicted:
        reopens = role == "user" and fact.changed_by == speaker and fact.route in _OF_A_CALL
        return Correction(fact=fact, effect=Effect.ALREADY, reopens=reopens)
    if own and not (critical and speaks_for_risk):
        return Correction(fact=fact, effect=Effect.ENDED)
    return Correction(fact=fact, effect=Effect.ALREADY if fact.contradicted else Effect.DISPUTED)
