"""What is stored when the closed rules and the taught reader have each read the same words: one table, one function.

A risk needs one voice, and is doubted where the other leans to something else. What speaks against a risk needs two.
Nothing goes without a trace: words that could be a risk end as a fact, as an item for a person, or because the reader
is sure that they state nothing.

It knows neither words nor models: `rules/` and `taught/` read, this weighs.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from r_memory.domain.facts import RISK, Flag, Status
from r_memory.reading.taught.claims import Person, TaughtClaim, TaughtStatement

_DOUBTS_A_RULE = 0.6
"""A bare name is stored as unconfirmed if P(nothing) is at least this share of the threshold `nothing`."""
_LEANING = 0.6
"""The taught reader leans to an absence from this share of the threshold `absence`."""
_CERTAIN = 0.8
"""Probability of certainty from which a hedge or an unknown word around a wording raises no doubt."""
_HEDGED = 0.9
"""Probability of a hedge from which a certain wording is doubted; "my wife says so" stays below it."""
_HARDLY, _KIN = 0.1, 0.8
"""P(subject, if stated) up to which it is hardly the subject's; P(relative) from which it is a relative's."""
_WELL = 0.8
"""Probability of an absence from which a sentence that tells that it went well counts as the second voice."""
_WEAK = 0.35
"""Share of a threshold from which the reader leans that way; below it the reader is sure of nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Probabilities from which the taught reader counts as sure, for one relation.

    Calibrated with the weights.
    """

    risk: float = 0.6
    """From here, the words state a risk of this person."""
    named: float | None = None
    """As `risk`, where the rules found only a bare name; `None` means `risk`."""
    nothing: float = 0.9
    """From here, the words state nothing."""
    other: float = 0.9
    """From here, the words are about another person than the rules or the record say."""
    absence: float = 0.7
    """From here, the words speak against a risk. Counts only where a rule says so too."""
    doubted: float = 1.0
    """From here, a risk that only the reader hears is stored as unconfirmed."""
    heard: float = 0.0
    """Below this probability of a risk, a rule's wording is doubted."""
    denied: float = 0.42
    """From here, a plain denial beside a rule counts as the second voice against a risk."""
    unnamed: float = 0.0
    """Lower bound of `doubted` where the words are no known name. Allergens nearly always have a name."""
    unnamed_risk: float = 0.0
    """Lower bound of `risk` where the words are no known name."""


class RuleVoice(StrEnum):
    """What the closed rules read in the words, under one relation."""

    RISK = "risk"
    NAME = "risk, by a bare name"
    """Only the name of a thing states it; a bare condition or medicine may count as told."""
    ABSENCE = "absence"
    NOTHING = "nothing"


class TaughtVoice(StrEnum):
    """What the taught reader reads in the words, under one relation."""

    RISK = "risk, above the threshold"
    FAIR = "risk, below it and worth a doubt"
    WEAK = "risk, below both"
    ABSENCE = "absence, above the threshold"
    LEANS = "absence, below it"
    OTHER = "somebody else, sure of it"
    ANOTHERS = "rather somebody else's"
    NOTHING = "states nothing, sure of it"
    UNSURE = "nothing sure"
    UNHEARD = "nothing sure, and hardly that"


class AgreedOutcome(StrEnum):
    """What is stored, listed for review or dropped."""

    AS_SAID = "as said (unconfirmed if either is hedged)"
    TAUGHT = "as said, flag `taught`"
    HALF_BELIEVED = "unconfirmed, flag `taught`, and a review item"
    DISPUTED = "unconfirmed, flag `disagree`"
    WHOSE = "unconfirmed, flag `disagree`, and a review item"
    REVIEW = "not stored: review item"
    WAITS = "review item if the words could be a risk"
    PASSED = "nothing"


class Trait(StrEnum):
    """A property of the words that decides beside the two readings."""

    PLAIN_DENIAL = "with a plain denial"
    """The sentence holds one of the language's plain denials."""
    SUPPOSED = "in a sentence that supposes"
    """The sentence asks, supposes, or speaks of people in general."""
    PASSED_OVER = "having read it as no statement of the subject"
    """The rules know the wording, and did not read it as a fact of the subject."""
    ASKED = "of the question before"
    """The words stand in the other speaker's question; the rules read what an answer says of them."""
    WELL = "in a sentence that tells that it went well"
    """The sentence says that it went well, and takes nothing back."""
    REFUSED = "of the question before, and the answer denies"
    """The denied thing may still be a risk ("Can you take it?" "No."), so the denial is not stored as half true."""


class AgreementRow(NamedTuple):
    """One row of the table: it fits two voices, and gives an outcome."""

    name: str
    """The recorded and displayed reason."""
    ruled: Collection[RuleVoice]
    heard: Collection[TaughtVoice]
    outcome: AgreedOutcome
    only: Trait | None = None
    """The row fits only in this circumstance."""
    named: bool = False
    """The row fits only if the words are a term of the lexicon, or the relation takes any words."""
    critical: bool = False
    """The row fits only a critical relation; under any other a doubt is reviewed, and no fact is stored."""


_ANY_RISK = (TaughtVoice.RISK, TaughtVoice.FAIR, TaughtVoice.WEAK)
_SAYS_NOT = (TaughtVoice.NOTHING, TaughtVoice.ABSENCE, TaughtVoice.LEANS)
_OTHERS = (TaughtVoice.OTHER, TaughtVoice.ANOTHERS)
_UNSURE = (TaughtVoice.UNSURE, TaughtVoice.UNHEARD)
_TORN = (TaughtVoice.LEANS, TaughtVoice.ANOTHERS, *_UNSURE)
_NO_RULE = (RuleVoice.NOTHING,)
_RULED = (RuleVoice.RISK, RuleVoice.NAME)
TABLE = (
    AgreementRow("both_risk", [RuleVoice.RISK], _ANY_RISK, AgreedOutcome.AS_SAID),
    AgreementRow("both_named", [RuleVoice.NAME], [TaughtVoice.RISK], AgreedOutcome.AS_SAID),
    AgreementRow(
        "named_risk", [RuleVoice.NAME], [TaughtVoice.FAIR, TaughtVoice.WEAK, *_UNSURE], AgreedOutcome.DISPUTED
    ),
    AgreementRow("rule_risk_other", _RULED, _OTHERS, AgreedOutcome.WHOSE, critical=True),
    AgreementRow("use_of_another", _RULED, _OTHERS, AgreedOutcome.REVIEW),
    AgreementRow("rule_risk_denied", _RULED, _SAYS_NOT, AgreedOutcome.DISPUTED),
    AgreementRow("rule_risk_unheard", [RuleVoice.RISK], [TaughtVoice.UNHEARD], AgreedOutcome.DISPUTED),
    AgreementRow("rule_risk", _RULED, [TaughtVoice.UNSURE], AgreedOutcome.AS_SAID),
    AgreementRow(
        "supposed_risk",
        _NO_RULE,
        [TaughtVoice.RISK],
        AgreedOutcome.HALF_BELIEVED,
        Trait.SUPPOSED,
        named=True,
        critical=True,
    ),
    AgreementRow("supposed", _NO_RULE, _ANY_RISK, AgreedOutcome.REVIEW, Trait.SUPPOSED),
    AgreementRow(
        "passed_risk",
        _NO_RULE,
        [TaughtVoice.RISK],
        AgreedOutcome.HALF_BELIEVED,
        Trait.PASSED_OVER,
        named=True,
        critical=True,
    ),
    AgreementRow("passed_over", _NO_RULE, _ANY_RISK, AgreedOutcome.REVIEW, Trait.PASSED_OVER),
    AgreementRow("refused_risk", _NO_RULE, _ANY_RISK, AgreedOutcome.REVIEW, Trait.REFUSED),
    AgreementRow("answered_risk", _NO_RULE, [TaughtVoice.RISK], AgreedOutcome.HALF_BELIEVED, Trait.ASKED, named=True),
    AgreementRow("taught_of_question", _NO_RULE, _ANY_RISK, AgreedOutcome.REVIEW, Trait.ASKED),
    AgreementRow("taught_risk", _NO_RULE, [TaughtVoice.RISK], AgreedOutcome.TAUGHT),
    AgreementRow("taught_doubted", _NO_RULE, [TaughtVoice.FAIR], AgreedOutcome.HALF_BELIEVED),
    AgreementRow("taught_weak", _NO_RULE, [TaughtVoice.WEAK], AgreedOutcome.REVIEW),
    AgreementRow("both_absence", [RuleVoice.ABSENCE], [TaughtVoice.ABSENCE], AgreedOutcome.AS_SAID),
    AgreementRow("plain_absence", [RuleVoice.ABSENCE], [TaughtVoice.LEANS], AgreedOutcome.AS_SAID, Trait.PLAIN_DENIAL),
    AgreementRow("rule_absence", [RuleVoice.ABSENCE], tuple(TaughtVoice), AgreedOutcome.REVIEW),
    AgreementRow("told_well", _NO_RULE, [TaughtVoice.ABSENCE], AgreedOutcome.TAUGHT, Trait.WELL),
    AgreementRow("taught_absence", _NO_RULE, [TaughtVoice.ABSENCE], AgreedOutcome.REVIEW),
    AgreementRow("somebody_else", _NO_RULE, [TaughtVoice.OTHER], AgreedOutcome.PASSED),
    AgreementRow("states_nothing", _NO_RULE, [TaughtVoice.NOTHING], AgreedOutcome.PASSED),
    AgreementRow("not_understood", _NO_RULE, _TORN, AgreedOutcome.WAITS),
)
"""The first row that fits decides; a row fits every case."""
_ROWS = {
    (ruled, heard): [row for row in TABLE if ruled in row.ruled and heard in row.heard]
    for ruled in RuleVoice
    for heard in TaughtVoice
}
"""The rows that may fit, by the two voices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleClaim:
    """What the closed rules read of some words under one relation."""

    status: Status
    person: Person = Person.SUBJECT
    bare: bool = False
    """Only the name of a thing states it."""
    worded: bool = True
    """A wording ("allergic to …") states it of a correctly spelt name, not only the name, a list, or nearness."""
    by_pronoun: bool = False
    """A pronoun stands for the words. The reader was not taught pronouns, so it must hear a risk as well."""
    hedged: bool = False
    """If unconfirmed, only because of the words around it; a reader who is certain removes that doubt."""


UNREAD = TaughtStatement(relation="", probability=0.0, statuses={}, persons={})
"""The reader's statement for a relation that it does not mention."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything that decides about a stretch of words under one relation."""

    relation: str = ""
    """Empty where neither side reads a relation."""
    rule: RuleClaim | None = None
    taught: TaughtStatement = UNREAD
    nothing: float
    """The reader's probability that the words state nothing at all."""
    limits: Thresholds
    reassuring: bool = False
    """The relation speaks against a risk when it is active."""
    watched: bool = True
    """The words could be a risk."""
    named: bool = True
    """The words are a term of the lexicon, or the relation takes any words."""
    critical: bool = True
    circumstances: frozenset[Trait] = frozenset()

    def is_risk(self, status: Status) -> bool:
        """Whether the status speaks for a risk under this relation."""
        return (status in RISK) != self.reassuring


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The decision on a stretch of words under one relation."""

    reason: str
    """Name of the deciding row."""
    relation: str = ""
    status: Status | None = None
    """`None` if nothing is stored."""
    person: Person = Person.SUBJECT
    flags: frozenset[Flag] = frozenset()
    review: bool = False
    """A person must look at it; the words stay in view until then."""

    @property
    def leaves_a_trace(self) -> bool:
        """Whether it stores a fact or asks for a review."""
        return self.status is not None or self.review


def weigh(
    rules: Mapping[str, RuleClaim],
    claim: TaughtClaim,
    limits: Mapping[str, Thresholds],
    *,
    reassuring: frozenset[str] = frozenset(),
    critical: frozenset[str] = frozenset(),
    watched: bool = True,
    unnamed: frozenset[str] = frozenset(),
    circumstances: frozenset[Trait] = frozenset(),
) -> tuple[Verdict, ...]:
    """Returns the verdicts on one stretch of words: every fact and review item, else the one reason why there is none.

    `rules` are the rules' claims by relation, `claim` is the reader's. `limits` has every relation that either may
    read. `unnamed` are the relations for which the words are no known name. If the words state a risk under a
    `critical` relation, the circumstance `WELL` is ignored.
    """
    statements = {statement.relation: statement for statement in claim.statements}
    verdicts = [
        decide(
            Case(
                relation=relation,
                rule=rules.get(relation),
                taught=statements.get(relation, UNREAD),
                nothing=claim.nothing,
                limits=limits[relation],
                reassuring=relation in reassuring,
                watched=watched,
                named=relation not in unnamed,
                critical=relation in critical or not critical,
                circumstances=circumstances,
            )
        )
        for relation in dict.fromkeys((*rules, *statements))
    ]
    about = [_beside(verdict, verdicts, critical) for verdict in verdicts if verdict.reason not in _ABOUT_THE_WORDS]
    traces = _without_rivals([verdict for verdict in about if verdict.leaves_a_trace])
    if traces or about:
        return traces or tuple(about[:1])
    widest = max(limits.values(), key=lambda one: one.nothing)
    return (decide(Case(nothing=claim.nothing, limits=widest, watched=watched, circumstances=circumstances)),)


def _beside(verdict: Verdict, verdicts: Sequence[Verdict], critical: Collection[str]) -> Verdict:
    """Returns the verdict, weakened if another relation on the same words contradicts it."""
    reasons = {item.reason for item in verdicts}
    if verdict.reason == "told_well" and any(item.status in RISK and item.relation in critical for item in verdicts):
        return replace(verdict, status=None, flags=frozenset(), review=True)
    if verdict.reason == "plain_absence" and not reasons.isdisjoint({"both_risk", "taught_risk"}):
        return replace(verdict, status=None, review=True)
    against = not reasons.isdisjoint({"taught_absence", "told_well"})
    if verdict.reason == "rule_risk" and verdict.status is Status.ACTIVE and against:
        return replace(verdict, status=Status.UNCONFIRMED, flags=_FLAGS[AgreedOutcome.DISPUTED])
    return verdict


_ABOUT_THE_WORDS = frozenset({"not_understood", "states_nothing"})
"""Rows about the words as a whole; they decide only where no relation has a verdict of its own."""


def _without_rivals(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Returns the verdicts without readings below the threshold if the same words state a sure risk."""
    sure = any(verdict.status in RISK and verdict.reason not in _BELOW for verdict in verdicts)
    return tuple(verdict for verdict in verdicts if not (sure and verdict.reason in _BELOW))


_BELOW = frozenset({"taught_doubted", "taught_weak"})


def decide(case: Case) -> Verdict:
    """Returns the verdict of the first row of `TABLE` that fits."""
    row = next(row for row in _ROWS[_rule_voice(case), _taught_voice(case)] if _holds(row, case))
    review = row.outcome is AgreedOutcome.REVIEW or (row.outcome is AgreedOutcome.WAITS and case.watched)
    verdict = Verdict(reason=row.name, relation=case.relation, person=_person(case), review=review)
    if row.outcome not in _FLAGS:
        return verdict
    status = Status.UNCONFIRMED if row.outcome in _DOUBTS else _status(case)
    if case.reassuring and status is Status.UNCONFIRMED and row.outcome is not AgreedOutcome.AS_SAID:
        # "Does not tolerate it", doubted, would be "may tolerate it": the doubt of a risk must not reassure.
        return replace(verdict, review=True)
    return replace(verdict, status=status, flags=_FLAGS[row.outcome], review=row.outcome in _ASKS)


def _holds(row: AgreementRow, case: Case) -> bool:
    denied = row.only is not Trait.PLAIN_DENIAL or _absence(case) >= case.limits.denied
    well = row.only is not Trait.WELL or (case.reassuring and case.named and _absence(case) >= _WELL)
    matters = (case.named or not row.named) and (case.critical or not row.critical)
    return denied and well and matters and (row.only is None or row.only in case.circumstances)


def _rule_voice(case: Case) -> RuleVoice:
    if case.rule is None:
        return RuleVoice.NOTHING
    if not case.is_risk(case.rule.status):
        return RuleVoice.ABSENCE
    # Of a relative more than the name states it: the word for who it is.
    return RuleVoice.NAME if case.rule.bare and case.rule.person is Person.SUBJECT else RuleVoice.RISK


def _taught_voice(case: Case) -> TaughtVoice:
    limits, person = case.limits, _person(case)
    own = _of_person(case, person)
    risk, absence = own * _mass(case, risk=True), _absence(case)
    other = case.taught.probability - own
    # Where the rules say that it is not so, a reader that is torn is no second voice against them.
    against = absence > risk or _rule_voice(case) is RuleVoice.ABSENCE
    bare, named = case.rule is not None and not case.rule.worded, _rule_voice(case) is RuleVoice.NAME
    sure = limits.risk if limits.named is None or not named else limits.named
    doubted = limits.doubted
    if not case.named:
        sure, doubted = max(sure, limits.unnamed_risk), max(doubted, limits.unnamed)
    readings = (
        (TaughtVoice.OTHER, person is Person.OTHER or other >= limits.other),
        (TaughtVoice.RISK, risk >= sure),
        (TaughtVoice.ABSENCE, absence >= limits.absence),
        (TaughtVoice.LEANS, absence >= limits.absence * _LEANING and against),
        (TaughtVoice.FAIR, risk >= doubted and risk >= absence),
        (TaughtVoice.WEAK, risk >= limits.risk * _WEAK and risk >= absence),
        (TaughtVoice.ANOTHERS, other >= limits.other * _WEAK and other > own),
        (TaughtVoice.NOTHING, case.nothing >= limits.nothing * (_DOUBTS_A_RULE if bare else 1)),
    )
    alone = case.rule is not None and case.rule.by_pronoun
    last = TaughtVoice.UNSURE if risk >= limits.heard and not alone else TaughtVoice.UNHEARD
    return next((reading for reading, holds in readings if holds), last)


def _person(case: Case) -> Person:
    """Returns the person of the fact: as the rules say, else the subject unless the reader is sure of another."""
    if case.rule is not None:
        return case.rule.person
    persons, other = case.taught.persons, case.taught.probability - _of_person(case, Person.SUBJECT)
    if persons.get(Person.SUBJECT, 1.0) <= _HARDLY and persons.get(Person.RELATIVE, 0.0) >= _KIN:
        return Person.RELATIVE
    if case.taught is UNREAD or other < case.limits.other:
        return Person.SUBJECT
    return max((Person.RELATIVE, Person.OTHER), key=lambda person: _of_person(case, person))


def _of_person(case: Case, person: Person) -> float:
    """Returns the probability that the relation is stated of this person."""
    return case.taught.probability * case.taught.persons.get(person, 0.0)


def _absence(case: Case) -> float:
    """Probability that the words speak against a risk of this person."""
    return _of_person(case, _person(case)) * _mass(case, risk=False)


def _mass(case: Case, *, risk: bool) -> float:
    """Returns the probability of the statuses for a risk, or against a risk, if the relation is stated."""
    return sum(probability for status, probability in case.taught.statuses.items() if case.is_risk(status) == risk)


_FLAGS = {
    AgreedOutcome.AS_SAID: frozenset[Flag](),
    AgreedOutcome.TAUGHT: frozenset({Flag.TAUGHT}),
    AgreedOutcome.HALF_BELIEVED: frozenset({Flag.TAUGHT}),
    AgreedOutcome.DISPUTED: frozenset({Flag.DISAGREE}),
    AgreedOutcome.WHOSE: frozenset({Flag.DISAGREE}),
}
_DOUBTS = frozenset({AgreedOutcome.HALF_BELIEVED, AgreedOutcome.DISPUTED, AgreedOutcome.WHOSE})
_ASKS = frozenset({AgreedOutcome.HALF_BELIEVED, AgreedOutcome.WHOSE})


def _status(case: Case) -> Status:
    """Returns the rules' status, else the reader's; unconfirmed if either hedges."""
    risk = _rule_voice(case) in _RULED or (
        _rule_voice(case) is not RuleVoice.ABSENCE and _taught_voice(case) in _ANY_RISK
    )
    heard = _likeliest(case, risk=risk)
    if case.rule is None:
        return Status.UNCONFIRMED if heard is None else heard
    if case.rule.status is Status.UNCONFIRMED and case.rule.hedged and heard is Status.ACTIVE:
        certain = _of_person(case, case.rule.person) * case.taught.statuses[heard] >= _CERTAIN
        return heard if certain else case.rule.status
    hedged = (
        case.rule.status is Status.ACTIVE
        and heard is Status.UNCONFIRMED
        and (case.rule.bare or case.taught.statuses[heard] >= _HEDGED)
        and _taught_voice(case) not in _UNSURE
    )
    return Status.UNCONFIRMED if hedged else case.rule.status


def _likeliest(case: Case, *, risk: bool) -> Status | None:
    """Returns the likeliest status for a risk, or against a risk; a hedge wins a tie."""
    heard = case.taught.statuses
    side = [status for status in heard if case.is_risk(status) == risk]
    return max(side, key=lambda one: (heard[one], one is Status.UNCONFIRMED), default=None)
