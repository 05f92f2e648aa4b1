"""Events and facts for the tests of the domain, made in one line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.events import ChainHead, Episode, EventKind, FactEvent, observed
from r_memory.domain.facts import (
    Attribute,
    Attributes,
    Entity,
    Fact,
    Observation,
    Route,
    Span,
    Status,
    concept,
)
from r_memory.domain.folding import fold

JOHN = Entity(space="clinic", type="Patient", id="JD001", name="John Doe")
PENICILLIN = concept("DrugClass", "penicillin")
SCALE = ("mild", "moderate", "severe")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One thing that happened to a fact: somebody said it, or (`changed`) a person decided it."""

    status: Status = Status.ACTIVE
    changed: bool = False
    erased: bool = False
    object: Entity = PENICILLIN
    attrs: Attributes = field(default_factory=dict)
    at: int = 0
    words: str = "…"


def said(
    status: Status = Status.ACTIVE, *, at: int = 0, words: str = "…", object_: Entity = PENICILLIN, **attrs: Attribute
) -> Said:
    return Said(status=status, at=at, words=words, object=object_, attrs=attrs)


def decided(status: Status, *, at: int = 0, object_: Entity = PENICILLIN) -> Said:
    return Said(status=status, at=at, changed=True, object=object_)


def chain(*steps: Said, subject: Entity = JOHN) -> tuple[FactEvent, ...]:
    """One subject's sealed chain in which these things happened, in this order."""
    events: list[FactEvent] = []
    head = ChainHead()
    for number, step in enumerate(steps, start=1):
        (event,) = _events(step, head, number, subject)
        events.append(event)
        head = head.after([event])
    return tuple(events)


def resealed(events: Iterable[FactEvent]) -> tuple[FactEvent, ...]:
    """The events chained anew, as somebody who knows the rules could forge them."""
    chained: list[FactEvent] = []
    for event in events:
        previous = chained[-1].hash if chained else ""
        chained.append(replace(event, seq=len(chained) + 1, prev_hash=previous).sealed())
    return tuple(chained)


def episode(number: int, at: int, *, words: str = "…", subject: Entity = JOHN) -> Episode:
    return Episode(
        id=f"ep{number}",
        space=subject.space,
        subject_uid=subject.uid,
        speaker="patient",
        text=words,
        said_at=at,
        recorded_at=at,
    )


def fact(object_: Entity, *, fact_id: str = "") -> Fact:
    plain = fold(chain(said(object_=object_)))
    return replace(plain, fact_id=fact_id or plain.fact_id)


def _events(step: Said, head: ChainHead, number: int, subject: Entity) -> Sequence[FactEvent]:
    seen = Observation(
        subject=subject,
        relation="HAS_ALLERGY_TO",
        object=step.object,
        status=step.status,
        attrs=step.attrs,
        evidence=step.words,
        span=Span(start=0, end=len(step.words)),
        route=Route.RULES,
        extractor="rules/1",
    )
    told = episode(number, step.at, words=step.words, subject=subject)
    events = observed([seen], episode=told, head=head, now=step.at, schema_version="s1")
    if not (step.changed or step.erased):
        return events
    kind = EventKind.CHANGED if step.changed else EventKind.ERASED
    return [replace(event, kind=kind, actor="dr_ada", reason="tested").sealed() for event in events]
