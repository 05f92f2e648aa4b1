"""What a reader gets right on labelled lines, taken alone: claims above their thresholds against marks.

"Stored" here is a simple reading of a claim, without the closed rules: active or unconfirmed from the threshold of its
relation on, an absence from its own. The figures of rules and reader together are the suites'.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from r_memory.domain.facts import DENIAL, RISK, Status
from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Person, Place, TaughtClaim, TaughtStatement
from r_memory.reading.taught.reader import TaughtReader
from r_memory_lab.teaching.corpus import CorpusLine, CorpusMark
from r_memory_lab.teaching.domains import DOMAINS, Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteFact:
    """A fact as the reader alone would store it."""

    place: Place
    relation: str
    status: Status
    person: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredLine:
    """One line with the reader's facts."""

    line: CorpusLine
    claims: tuple[TaughtClaim, ...]
    stored: tuple[RouteFact, ...]

    @property
    def right(self) -> bool:
        """Whether exactly the annotated facts are stored, each with relation, status and person."""
        return not self.missed and not self.added

    @property
    def missed(self) -> tuple[CorpusMark, ...]:
        """Marks of which nothing similar was stored."""
        return tuple(
            mark for mark in self.line.marks if mark.states and not any(_same(mark, fact) for fact in self.stored)
        )

    @property
    def added(self) -> tuple[RouteFact, ...]:
        """Facts without a mark."""
        return tuple(fact for fact in self.stored if not any(_same(mark, fact) for mark in self.line.marks))

    @property
    def forbidden(self) -> tuple[RouteFact, ...]:
        """Active risks of the subject where the words state nothing of the subject in that relation."""
        domain = DOMAINS[self.line.domain]
        return tuple(
            fact
            for fact in self.stored
            if fact.status is Status.ACTIVE and fact.person is Person.SUBJECT and fact.relation in domain.risks
            and not any(_speaks_for(mark, fact, domain) for mark in self.line.marks)
        )  # fmt: skip

    @property
    def false_reassurances(self) -> tuple[RouteFact, ...]:
        """The subject's absences and other denials of a risk without a mark."""
        domain = DOMAINS[self.line.domain]
        return tuple(
            fact
            for fact in self.stored
            if fact.person is Person.SUBJECT and reassures(fact.relation, fact.status, domain)
            and not any(
                mark.place.touches(fact.place) and mark.status is not None and mark.person is Person.SUBJECT
                and reassures(mark.relation, mark.status, domain)
                for mark in self.line.marks
            )
        )  # fmt: skip

    @property
    def risks(self) -> tuple[CorpusMark, ...]:
        """Marks of the subject's risks."""
        domain = DOMAINS[self.line.domain]
        return tuple(
            mark for mark in self.line.marks
            if mark.status in RISK and mark.person is Person.SUBJECT and mark.relation in domain.risks
        )  # fmt: skip

    def silent(self, thresholds: Mapping[str, Thresholds]) -> tuple[CorpusMark, ...]:
        """Returns the risks without a trace: no overlapping claim, or only claims sure that nothing is stated."""
        sure = [
            claim for claim in self.claims
            if claim.nothing < min(threshold.nothing for threshold in thresholds.values())
        ]  # fmt: skip
        return tuple(mark for mark in self.risks if not any(claim.place.touches(mark.place) for claim in sure))


def reassures(relation: str, status: Status, domain: Domain) -> bool:
    """Whether the fact speaks against a risk."""
    if relation in domain.reassuring:
        return status in RISK
    return relation in domain.risks and status in DENIAL


def _same(mark: CorpusMark, fact: RouteFact) -> bool:
    return (
        mark.place.touches(fact.place)
        and mark.relation == fact.relation
        and mark.status is fact.status
        and mark.person is fact.person
    )


def _speaks_for(mark: CorpusMark, fact: RouteFact, domain: Domain) -> bool:
    """Whether both are a risk of the subject, in any relation.

    An allergy stored as an intolerance is a mistake, but no false alarm.
    """
    return (
        mark.place.touches(fact.place)
        and mark.status in RISK
        and mark.person is Person.SUBJECT
        and mark.relation in domain.risks
    )


def stored(claim: TaughtClaim, thresholds: Mapping[str, Thresholds]) -> Iterable[RouteFact]:
    """Returns what the reader alone would store of the claim."""
    for statement in claim.statements:
        limits = thresholds[statement.relation]
        status = statement.status
        least = limits.absence if status in DENIAL else limits.risk
        if statement.probability * mass(statement, denial=status in DENIAL) >= least:
            yield RouteFact(
                place=claim.place, relation=statement.relation, status=status, person=statement.person
            )  # fmt: skip


def mass(statement: TaughtStatement, *, denial: bool) -> float:
    """Returns the probability of all statuses that deny, or of all that assert."""
    side = DENIAL if denial else RISK
    return sum(probability for status, probability in statement.statuses.items() if status in side)


def scored(
    reader: TaughtReader, lines: Iterable[CorpusLine], thresholds: Mapping[str, Thresholds]
) -> tuple[ScoredLine, ...]:
    """Returns each line read by itself, without mentions."""
    found = []
    for line in lines:
        claims = reader.read(line.text, question=line.question, speaker=line.speaker)
        facts = tuple(fact for claim in claims for fact in stored(claim, thresholds))
        found.append(ScoredLine(line=line, claims=claims, stored=facts))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Numbers of right, wrong and missed facts of one kind."""

    hits: int
    added: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of stored facts that are right; 1 if none is stored."""
        return self.hits / (self.hits + self.added) if self.hits + self.added else 1.0

    @property
    def recall(self) -> float:
        """Share of annotated facts that are stored; 1 if none is annotated."""
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFigures:
    """Figures of some lines."""

    lines: int
    right: float
    risks: int
    risks_missed: int
    silent: int
    forbidden: int
    false_reassurances: int
    facts: Counts
    by_relation: Mapping[str, Counts] = field(default_factory=dict)
    by_status: Mapping[str, Counts] = field(default_factory=dict)
    by_person: Mapping[str, Counts] = field(default_factory=dict)


def figures(lines: Sequence[ScoredLine], thresholds: Mapping[str, Thresholds]) -> ReaderFigures:
    """Returns the figures of all lines together."""
    hits = [mark for each in lines for mark in each.line.marks if mark.states and mark not in each.missed]
    added = [fact for each in lines for fact in each.added]
    missed = [mark for each in lines for mark in each.missed]
    return ReaderFigures(
        lines=len(lines),
        right=sum(each.right for each in lines) / len(lines) if lines else 1.0,
        risks=sum(len(each.risks) for each in lines),
        risks_missed=sum(1 for each in lines for mark in each.risks if not _found(mark, each)),
        silent=sum(len(each.silent(thresholds)) for each in lines),
        forbidden=sum(len(each.forbidden) for each in lines),
        false_reassurances=sum(len(each.false_reassurances) for each in lines),
        facts=Counts(hits=len(hits), added=len(added), missed=len(missed)),
        by_relation=_counts(*([str(item.relation) for item in items] for items in (hits, added, missed))),
        by_status=_counts(*([str(item.status) for item in items] for items in (hits, added, missed))),
        by_person=_counts(*([str(item.person) for item in items] for items in (hits, added, missed))),
    )


def _found(risk: CorpusMark, one: ScoredLine) -> bool:
    """Whether a risk of the subject is stored from these words."""
    domain = DOMAINS[one.line.domain]
    return any(
        risk.place.touches(fact.place)
        and fact.status in RISK
        and fact.person is Person.SUBJECT
        and fact.relation in domain.risks
        for fact in one.stored
    )


def _counts(hits: Sequence[str], added: Sequence[str], missed: Sequence[str]) -> dict[str, Counts]:
    right, wrong, lost = Counter(hits), Counter(added), Counter(missed)
    names = sorted({*right, *wrong, *lost})
    return {name: Counts(hits=right[name], added=wrong[name], missed=lost[name]) for name in names}
