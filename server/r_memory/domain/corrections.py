"""What a correction does to the recorded fact that it corrects. Pure.

Words never take a risk away by themselves: a critical fact stays in view as disputed until a person decides outside the
call. What is not critical ends at once where the person who stated it takes it back. Nothing is deleted by either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from r_memory.domain.changes import Change
from r_memory.domain.events import Role
from r_memory.domain.facts import DENIAL, RISK, Fact, Observation, ReviewItem, Route, Span, Status

__all__ = ["Correction", "Doubted", "Effect", "correction_of", "named_all"]

_SHOWN = 3
"""Facts that are named where words may mean several."""
_OF_A_CALL = frozenset({Route.CLIENT, Route.RULES, Route.MODEL})
"""Routes of what somebody said in a conversation: what a record says, or a person decided, no words end."""


class Effect(StrEnum):
    """What becomes of the corrected fact."""

    ENDED = "ended"
    DISPUTED = "disputed"
    ALREADY = "already"
    """It is ended or disputed already: the correction changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A recorded fact that somebody's words correct."""

    fact: Fact
    effect: Effect
    forgets: bool = False
    """The words ask to forget it, and say nothing about it."""
    among: tuple[Fact, ...] = ()
    """Every fact that may be meant, where the words leave open which."""
    elsewhere: bool = False
    """It is recorded of somebody else than whom the words are about: "That was for dad, not for her." """

    @property
    def ends(self) -> bool:
        """Whether it ends the fact at once, in the record of whom the words are about."""
        return self.effect is Effect.ENDED and not (self.forgets or self.elsewhere or self.among)

    @property
    def reason(self) -> str:
        """What the caller is told."""
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
            return f"corrects {named}, which was corrected before and is {stands}: nothing was changed"
        if self.effect is Effect.ENDED:
            return f"corrects {named}: ended, its history shows why"
        return f"corrects {named}: disputed, and in view until a person decides (memory_change_fact)"

    def change(self, said: Status) -> Change:
        """The change that ends the fact, by what the words say of it."""
        if self.fact.status in DENIAL:
            return Change.ENTERED_IN_ERROR
        return Change.RESOLVE if said is Status.RESOLVED else Change.REFUTE


def named_all(facts: Sequence[Fact]) -> str:
    """Facts by relation, thing and id, the first few of many."""
    shown = ", ".join(f"{fact.relation} {fact.object.name} (fact {fact.short_id})" for fact in facts[:_SHOWN])
    return f"{shown}, …" if len(facts) > _SHOWN else shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubted:
    """A sentence that takes back recorded facts, so far as the words themselves say."""

    span: Span
    forgets: bool
    facts: tuple[Fact, ...]
    reason: str

    def strengthens(self, seen: Observation) -> bool:
        """Whether what was read in the sentence would tell again what it takes back."""
        fact = next((each for each in self.facts if each.fact_id == seen.fact_id), None)
        if fact is None or not (self.span.start < seen.span.end and seen.span.start < self.span.end):
            return False
        told = all(fact.attrs.get(name) == value for name, value in seen.attrs.items())
        return self.forgets or (told and seen.status in RISK)

    def item(self, text: str) -> ReviewItem:
        """The words, for a person to look at beside the facts."""
        return ReviewItem(text=text[self.span.start : self.span.end], span=self.span, reason=self.reason)


def correction_of(fact: Fact, *, speaker: str, role: Role, critical: bool) -> Correction:
    """What words of this speaker do to a fact that they correct; `critical`: a risk of it is never taken away by words.

    What speaks against a risk may always be taken back by who said it: that only adds caution.
    """
    speaks_for_risk = fact.contradicted or fact.status in RISK
    own = role == "user" and fact.speaker == speaker and fact.route in _OF_A_CALL and fact.changed_at is None
    if fact.status in {Status.REFUTED, Status.RESOLVED, Status.ENTERED_IN_ERROR} and not fact.contradicted:
        return Correction(fact=fact, effect=Effect.ALREADY)
    if own and not (critical and speaks_for_risk):
        return Correction(fact=fact, effect=Effect.ENDED)
    return Correction(fact=fact, effect=Effect.ALREADY if fact.contradicted else Effect.DISPUTED)
