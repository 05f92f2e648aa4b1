"""Makes probabilities mean what they say, and chooses thresholds, on lines that nothing was taught from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from r_memory.domain.facts import DENIAL
from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Person, TaughtClaim, TaughtStatement
from r_memory.reading.taught.reader import LEAST, TaughtReader
from r_memory.reading.taught.weights import Labels, Temperatures
from r_memory_lab.teaching.corpus import CorpusLine, CorpusMark
from r_memory_lab.teaching.domains import STATUSES, Domain
from r_memory_lab.teaching.evaluation import mass

_GRID = tuple(round(0.5 + 0.05 * step, 2) for step in range(90))
_LEVELS = tuple(round(0.30 + 0.01 * step, 2) for step in range(69))
"""Candidate thresholds, at most 0.98: where no level is worth its cost, only near certainty counts."""
_ENOUGH = 40
"""Cases from which a relation gets its own threshold."""
_TINY = 1e-6

_Name = TypeVar("_Name")
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """How many right claims one wrong claim above the threshold costs."""

    risk: float = 3
    """A false alarm, against an active risk in place of an unconfirmed one."""
    nothing: float = 25
    """A risk without a trace, against words that need no review."""
    other: float = 10
    """The subject's risk attributed to another person, against another person's risk kept apart."""
    absence: float = 6
    """A false absence that a rule also states, against a stored absence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """A claim with the annotation of its words."""

    claim: TaughtClaim
    marks: tuple[CorpusMark, ...]
    """Marks that overlap it; empty without an annotation."""

    def states(self, relation: str) -> CorpusMark | None:
        """Returns the mark under this relation; `None` if there is none."""
        return next((mark for mark in self.marks if mark.relation == relation), None)

    @property
    def nothing(self) -> bool:
        """Whether the words state nothing."""
        return not any(mark.states for mark in self.marks)


def plain_labels(
    domain: Domain, heat: Temperatures | None = None, limits: Mapping[str, Thresholds] | None = None
) -> Labels:
    """Returns the labels of a domain, with the calibration so far."""
    relations = tuple(domain.relations.values())
    return Labels(
        domain=domain.name,
        speakers=domain.speakers,
        relations=relations,
        statuses=STATUSES,
        persons=tuple(domain.persons.values()),
        attributes=domain.attributes,
        classes=domain.classes,
        temperatures=heat or Temperatures(),
        thresholds=limits or dict.fromkeys(relations, Thresholds()),
    )


def claims_of(reader: TaughtReader, lines: Iterable[CorpusLine]) -> Iterator[JudgedClaim]:
    """Yields every claim about the lines, with all marks as mentions, and without mentions."""
    for line in lines:
        for mentions in ((), tuple({mark.place for mark in line.marks})):
            claims = reader.read(line.text, question=line.question, speaker=line.speaker, mentions=mentions)
            for claim in claims:
                yield JudgedClaim(
                    claim=claim, marks=tuple(item for item in line.marks if item.place.touches(claim.place))
                )


def temperatures(found: Sequence[JudgedClaim]) -> Temperatures:
    """Returns the temperatures with the largest likelihood of the marks; claims must be read at temperature 1."""
    stated = [
        (statement.probability, judge.states(statement.relation) is not None) for judge, statement in _statements(found)
    ]
    true = [
        (statement, mark)
        for judge, statement in _statements(found)
        if (mark := judge.states(statement.relation)) is not None
    ]
    return Temperatures(
        relation=_binary(stated),
        nothing=_binary([(judge.claim.nothing, judge.nothing) for judge in found]),
        status=_many([(list(item.statuses.values()), list(item.statuses).index(mark.status)) for item, mark in true
                      if mark.status is not None]),
        person=_many([(list(item.persons.values()), list(item.persons).index(mark.person)) for item, mark in true]),
    )  # fmt: skip


def cooled(found: Iterable[JudgedClaim], heat: Temperatures) -> Iterator[JudgedClaim]:
    """Yields the claims at these temperatures, without reading again, which is slow."""
    for judge in found:
        statements = tuple(
            replace(
                statement,
                probability=_sigmoid(statement.probability, heat.relation),
                statuses=_softened(statement.statuses, heat.status),
                persons=_softened(statement.persons, heat.person),
            )
            for statement in judge.claim.statements
        )
        nothing = _sigmoid(judge.claim.nothing, heat.nothing)
        yield replace(judge, claim=replace(judge.claim, nothing=nothing, statements=statements))


def _sigmoid(probability: float, heat: float) -> float:
    clipped = min(max(probability, _TINY), 1 - _TINY)
    odds: float = (clipped / (1 - clipped)) ** (1 / heat)
    return odds / (1 + odds)


def _softened(shares: Mapping[_Name, float], heat: float) -> dict[_Name, float]:
    raised = {name: share ** (1 / heat) for name, share in shares.items()}
    whole = sum(raised.values())
    return {name: share / whole for name, share in raised.items()}


def thresholds(found: Sequence[JudgedClaim], domain: Domain, costs: Costs | None = None) -> dict[str, Thresholds]:
    """Returns the cheapest thresholds of each relation; those of the domain if there are few cases."""
    costs = costs or Costs()
    pairs = [(judge, statement) for judge, statement in _statements(found) if statement.probability >= LEAST]
    nothing = _best([(judge.claim.nothing, judge.nothing) for judge in found], costs.nothing)
    other = _best(
        [(pair.probability * (1 - pair.persons[Person.SUBJECT]), _of_another(judge, pair)) for judge, pair in pairs],
        costs.other,
    )
    risks, absences = (_by_relation(pairs, denial=denial) for denial in (False, True))
    return {
        relation: Thresholds(
            risk=_own(relation, risks, costs.risk),
            absence=_own(relation, absences, costs.absence),
            nothing=nothing,
            other=other,
        )
        for relation in domain.relations.values()
    }


_Cases = list[tuple[float, bool]]
"""Probabilities, each with whether the claim is right."""


def _by_relation(pairs: Iterable[tuple[JudgedClaim, TaughtStatement]], *, denial: bool) -> dict[str, _Cases]:
    cases = defaultdict[str, _Cases](list)
    for judge, pair in pairs:
        cases[pair.relation].append((pair.probability * mass(pair, denial=denial), _right(judge, pair, denial=denial)))
    return dict(cases)


def _own(relation: str, cases: Mapping[str, _Cases], cost: float) -> float:
    """Returns the best level for the relation; for all relations together if it has too few cases."""
    own = cases.get(relation, [])
    return _best(own if _enough(own) else [case for each in cases.values() for case in each], cost)


def _statements(found: Iterable[JudgedClaim]) -> Iterator[tuple[JudgedClaim, TaughtStatement]]:
    for judge in found:
        for statement in judge.claim.statements:
            yield judge, statement


def _of_another(judge: JudgedClaim, statement: TaughtStatement) -> bool:
    mark = judge.states(statement.relation)
    return mark is not None and mark.person is not Person.SUBJECT


def _right(judge: JudgedClaim, statement: TaughtStatement, *, denial: bool) -> bool:
    mark = judge.states(statement.relation)
    return mark is not None and (mark.status in DENIAL) == denial and mark.person is statement.person


def _enough(cases: _Cases) -> bool:
    return sum(1 for value, right in cases if right or value >= _LEVELS[0]) >= _ENOUGH


def _best(cases: Sequence[tuple[float, bool]], cost: float) -> float:
    """Returns the level with the largest surplus of right claims over wrong ones; of two equal levels the lower."""
    values = np.asarray([value for value, _ in cases])
    worth = np.asarray([1.0 if right else -cost for _, right in cases])
    return max(_LEVELS, key=lambda level: (float(worth[values >= level].sum()), -level))


def _binary(cases: Sequence[tuple[float, bool]]) -> float:
    values = np.clip([value for value, _ in cases], _TINY, 1 - _TINY)
    logits = np.log(values / (1 - values))
    right = np.asarray([right for _, right in cases])

    def cost(heat: float) -> float:
        signed = np.where(right, logits, -logits) / heat
        return float(np.mean(np.logaddexp(0, -signed)))

    return _coolest(cost)


def _many(cases: Sequence[tuple[Sequence[float], int]]) -> float:
    most = max(len(values) for values, _ in cases)  # a domain without relatives has fewer persons than another
    logits = np.log(np.clip([[*values, *[0.0] * (most - len(values))] for values, _ in cases], _TINY, 1))
    right = [number for _, number in cases]

    def cost(heat: float) -> float:
        scaled = logits / heat
        return float(np.mean(np.logaddexp.reduce(scaled, axis=1) - scaled[np.arange(len(right)), right]))

    return _coolest(cost)


def _coolest(cost: Callable[[float], float]) -> float:
    return min(_GRID, key=cost)
