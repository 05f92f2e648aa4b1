"""Computes the present state of a fact from its events; a pure function (design, section 4).

A person's change decides until a later active observation contradicts it. Otherwise active has priority over
unconfirmed, and unconfirmed over the rest. The highest severity counts. Contradictions set a flag and never hide the
risk. An override is noted and does not change the state.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

from r_memory.domain.events import EventKind, FactEvent
from r_memory.domain.facts import DENIAL, RISK, Attribute, Fact, Status, Triple
from r_memory.errors import InvalidInput

_STRENGTH = {
    Status.ACTIVE: 0,
    Status.UNCONFIRMED: 1,
    Status.REFUTED: 2,
    Status.RESOLVED: 3,
    Status.NEGATED: 4,
    Status.ENTERED_IN_ERROR: 5,
}
OVERRIDDEN_AT = "overridden_at"
"""Attribute of a change that records an override of the fact, which stays as it is: the instant."""
_DENIED = DENIAL | {Status.ENTERED_IN_ERROR}
_SAME = tuple(field.name for field in fields(Triple) if field.name != "attrs")
"""The fields of a fact that come from the event whose status counts."""
_SAME_OF = attrgetter(*_SAME)


def fold(events: Sequence[FactEvent], *, scale: Sequence[str] = ()) -> Fact:
    """The fact that follows from these events, which are of one fact and in order of `seq`.

    `scale` names the severities of the schema, mildest first; others rank lowest.

    Raises:
        InvalidInput: there are no events, or events of several facts.
    """
    if len(events) != 1 and len({event.fact_id for event in events}) != 1:
        raise InvalidInput("fold takes the events of one fact; group them by fact_id first")
    told = telling(events)
    stands = decisive(told)
    by_person = stands.kind is not EventKind.OBSERVED
    same: dict[str, Any] = dict(zip(_SAME, _SAME_OF(stands), strict=True))
    return Fact(
        **same,
        attrs=_merged_attributes(events, scale),
        contradicted=_is_contradicted(told),
        observations=[event.kind for event in events].count(EventKind.OBSERVED),
        first_recorded_at=events[0].recorded_at,
        last_recorded_at=events[-1].recorded_at,
        last_seq=events[-1].seq,
        changed_by=stands.actor if by_person else "",
        changed_because=stands.reason if by_person else "",
        changed_at=stands.recorded_at if by_person else None,
    )


def fold_all(events: Iterable[FactEvent], *, scale: Sequence[str] = ()) -> tuple[Fact, ...]:
    """One fact for each `fact_id`, in order of first appearance; erased events are skipped."""
    by_fact: dict[str, list[FactEvent]] = defaultdict(list)
    for event in sorted(events, key=lambda event: event.seq):
        if event.kind is not EventKind.ERASED:
            by_fact[event.fact_id].append(event)
    return tuple(fold(group, scale=scale) for group in by_fact.values())


def joined(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """One fact for each `fact_id` of facts from several voices.

    A risk has priority, and a denial beside it sets a flag. Among equals the first counts: its words are kept.
    """
    found: dict[str, Fact] = {}
    for fact in facts:
        mine = found.setdefault(fact.fact_id, fact)
        stands = min(mine, fact, key=lambda one: _STRENGTH[one.status])
        statuses = {mine.status, fact.status}
        disputed = mine.contradicted or fact.contradicted or bool(statuses & RISK and statuses & _DENIED)
        found[fact.fact_id] = replace(stands, contradicted=disputed) if disputed else stands
    return tuple(found.values())


def opposing(events: Sequence[FactEvent]) -> FactEvent | None:
    """The newest event, by `seq`, that contradicts the present status; `None` if there is none."""
    events = telling(events)
    against = _DENIED if decisive(events).status in RISK else RISK
    told = _without_past_ends(_since_last_change(events))
    return next((event for event in reversed(told) if event.status in against), None)


def decisive(events: Sequence[FactEvent]) -> FactEvent:
    """The event whose status counts, among the events of one fact in order of `seq`."""
    if len(events) == 1:  # as of nearly every fact
        return events[0]
    events = telling(events)
    since_change = _since_last_change(events)
    change = since_change[0] if since_change[0].kind is not EventKind.OBSERVED else None
    if change is None:  # the newest among those of the strongest status
        return min(events, key=lambda event: (_STRENGTH[event.status], -event.seq))
    later = [event for event in since_change[1:] if event.status is Status.ACTIVE]
    return later[-1] if later else change


def telling(events: Sequence[FactEvent]) -> Sequence[FactEvent]:
    """The events that decide the status; overrides are left out."""
    return [event for event in events if event.kind is EventKind.OBSERVED or OVERRIDDEN_AT not in event.attrs]


def _since_last_change(events: Sequence[FactEvent]) -> Sequence[FactEvent]:
    changes = [index for index, event in enumerate(events) if event.kind is not EventKind.OBSERVED]
    return events[changes[-1] :] if changes else events


def _is_contradicted(events: Sequence[FactEvent]) -> bool:
    """Whether it was both asserted and denied since (and including) the last change by a person."""
    if len(events) == 1:
        return False
    statuses = {event.status for event in _without_past_ends(_since_last_change(events))}
    return bool(statuses & RISK) and bool(statuses & _DENIED)


def _without_past_ends(events: Sequence[FactEvent]) -> Sequence[FactEvent]:
    """The events without the ends that were observed before the first risk: what was over and is back, is back."""
    first = min((event.seq for event in events if event.status in RISK), default=-1)
    return [
        event
        for event in events
        if event.seq > first or event.status is not Status.RESOLVED or event.kind is not EventKind.OBSERVED
    ]


def _merged_attributes(events: Sequence[FactEvent], scale: Sequence[str]) -> dict[str, Attribute]:
    """All attributes that were given; if two events differ, the more severe value counts, then the newer."""
    if len(events) == 1:
        return dict(events[0].attrs)
    rank = {severity: position for position, severity in enumerate(scale, start=1)}
    merged: dict[str, Attribute] = {}
    for event in sorted(events, key=lambda event: (rank.get(str(event.attrs.get("severity")), 0), event.seq)):
        merged.update(event.attrs)
    return merged
