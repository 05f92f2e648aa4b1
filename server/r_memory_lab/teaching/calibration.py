"""Makes probabilities mean what they say, and chooses thresholds, on lines that nothing was taught from."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from r_memory.domain.facts import DENIAL
from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Person, Statement, TaughtClaim
from r_memory.reading.taught.labels import Labels, Temperatures
from r_memory.reading.taught.reader import TaughtReader
from r_memory_lab.teaching.corpus import Line, Mark
from r_memory_lab.teaching.domains import STATUSES, Domain
from r_memory_lab.teaching.evaluation import mass

_GRID = tuple(round(0.5 + 0.05 * step, 2) for step in range(90))
_LEVELS = tuple(round(0.30 + 0.01 * step, 2) for step in range(70))
_ENOUGH = 40
"""Cases from which a relation has a threshold of its own."""
_TINY = 1e-6

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aims:
    """How often a claim above its threshold is to be right."""

    risk: float = 0.93
    nothing: float = 0.985
    other: float = 0.96
    absence: float = 0.95
    alone: float = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A claim beside what its words really state."""

    claim: TaughtClaim
    marks: tuple[Mark, ...]
    """Marks that touch it; none where nothing is marked."""

    def states(self, relation: str) -> Mark | None:
        """The mark under this relation."""
        return next((mark for mark in self.marks if mark.relation == relation), None)

    @property
    def nothing(self) -> bool:
        """Whether the words state nothing."""
        return not any(mark.states for mark in self.marks)


def plain_labels(
    domain: Domain, heat: Temperatures | None = None, limits: Mapping[str, Thresholds] | None = None
) -> Labels:
    """The labels of a domain, with what is calibrated so far."""
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


def judged(reader: TaughtReader, lines: Iterable[Line]) -> Iterator[Judged]:
    """Every claim about the lines, with the marks handed in as if a dictionary knew them all, and without."""
    for line in lines:
        for mentions in ((), tuple({mark.place for mark in line.marks})):
            claims = reader.read(line.text, question=line.question, speaker=line.speaker, mentions=mentions)
            for claim in claims:
                yield Judged(claim=claim, marks=tuple(one for one in line.marks if one.place.touches(claim.place)))


def temperatures(found: Sequence[Judged]) -> Temperatures:
    """The temperatures under which the marks are likeliest; the claims must be read at temperature 1."""
    stated = [(one.probability, judge.states(one.relation) is not None) for judge, one in _statements(found)]
    true = [(one, mark) for judge, one in _statements(found) if (mark := judge.states(one.relation)) is not None]
    return Temperatures(
        relation=_binary(stated),
        nothing=_binary([(judge.claim.nothing, judge.nothing) for judge in found]),
        status=_many([(list(one.statuses.values()), list(one.statuses).index(mark.status)) for one, mark in true
                      if mark.status is not None]),
        person=_many([(list(one.persons.values()), list(one.persons).index(mark.person)) for one, mark in true]),
    )  # fmt: skip


def thresholds(found: Sequence[Judged], domain: Domain, aims: Aims | None = None) -> dict[str, Thresholds]:
    """For each relation the lowest thresholds that reach the aims; those of the domain where cases are few."""
    aims = aims or Aims()
    pairs = list(_statements(found))
    nothing = _least([(judge.claim.nothing, judge.nothing) for judge in found], aims.nothing)
    other = _least(
        [(one.probability * (1 - one.persons[Person.SUBJECT]), _of_another(judge, one)) for judge, one in pairs],
        aims.other,
    )

    def limits(relation: str | None) -> tuple[float, float, float]:
        chosen = [(judge, one) for judge, one in pairs if relation in {None, one.relation}]
        risks = [(one.probability * mass(one, denial=False), _right(judge, one, denial=False)) for judge, one in chosen]
        absences = [
            (one.probability * mass(one, denial=True), _right(judge, one, denial=True)) for judge, one in chosen
        ]
        return tuple(  # type: ignore[return-value]
            _least(cases, aim) if relation is None or _cases(cases) >= _ENOUGH else math.nan
            for cases, aim in ((risks, aims.risk), (absences, aims.absence), (absences, aims.alone))
        )

    general = limits(None)
    result = {}
    for relation in domain.relations.values():
        own = [one if not math.isnan(one) else default for one, default in zip(limits(relation), general, strict=True)]
        risk, absence, alone = own
        result[relation] = Thresholds(
            risk=risk, absence=absence, alone=max(alone, absence), nothing=nothing, other=other
        )  # fmt: skip
    return result


def _statements(found: Iterable[Judged]) -> Iterator[tuple[Judged, Statement]]:
    for judge in found:
        for statement in judge.claim.statements:
            yield judge, statement


def _of_another(judge: Judged, statement: Statement) -> bool:
    mark = judge.states(statement.relation)
    return mark is not None and mark.person is not Person.SUBJECT


def _right(judge: Judged, statement: Statement, *, denial: bool) -> bool:
    mark = judge.states(statement.relation)
    return mark is not None and (mark.status in DENIAL) == denial and mark.person is statement.person


def _cases(cases: Sequence[tuple[float, bool]]) -> int:
    return sum(1 for value, right in cases if right or value >= _LEVELS[0])


def _least(cases: Sequence[tuple[float, bool]], aim: float) -> float:
    """The lowest level from which on the share of right cases is the aim, seen with one mistake more than there was."""
    for level in _LEVELS:
        above = [right for value, right in cases if value >= level]
        if not above or sum(above) / (len(above) + 1) >= aim:
            return level
    return _LEVELS[-1]


def _binary(cases: Sequence[tuple[float, bool]]) -> float:
    values = np.clip([value for value, _ in cases], _TINY, 1 - _TINY)
    logits = np.log(values / (1 - values))
    right = np.asarray([right for _, right in cases])

    def cost(heat: float) -> float:
        signed = np.where(right, logits, -logits) / heat
        return float(np.mean(np.logaddexp(0, -signed)))

    return _coolest(cost)


def _many(cases: Sequence[tuple[Sequence[float], int]]) -> float:
    logits = np.log(np.clip([values for values, _ in cases], _TINY, 1))
    right = [number for _, number in cases]

    def cost(heat: float) -> float:
        scaled = logits / heat
        return float(np.mean(np.logaddexp.reduce(scaled, axis=1) - scaled[np.arange(len(right)), right]))

    return _coolest(cost)


def _coolest(cost: Callable[[float], float]) -> float:
    return min(_GRID, key=cost)
