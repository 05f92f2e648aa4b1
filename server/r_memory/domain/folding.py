"""The present state of a fact as a pure function of its events (design, section 4).

A person's change decides until a later active observation contradicts it; otherwise active beats unconfirmed beats the
rest; the highest severity stands; contradictions set a flag and never hide the risk. That somebody went against a fact
is noted with it, and changes nothing of how it stands.
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
"""Attribute by which a change says that somebody went against the fact, which stands as it did: when."""
_DENIED = DENIAL | {Status.ENTERED_IN_ERROR}
_SAME = tuple(one.name for one in fields(Triple) if one.name != "attrs")
"""What a fact has from the one event whose status stands."""
_SAME_OF = attrgetter(*_SAME)


def fold(events: Sequence[FactEvent], *, scale: Sequence[str] = ()) -> Fact:
    """The fact that these events, all of one fact and in order of `seq`, add up to.

    `scale` names the severities of the schema, mildest first; severities outside it rank lowest.

    Raises:
        InvalidInput: no events, or events of several facts.
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
    """One fact for each `fact_id` among the events, in order of first appearance; erased events are no fact's."""
    by_fact: dict[str, list[FactEvent]] = defaultdict(list)
    for event in sorted(events, key=lambda event: event.seq):
        if event.kind is not EventKind.ERASED:
            by_fact[event.fact_id].append(event)
    return tuple(fold(group, scale=scale) for group in by_fact.values())


def joined(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """One fact for each `fact_id`, where several voices hold one each: a risk stands, and a denial beside it shows.

    The first of equals stands: of two voices it has the words.
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
    """The newest of a fact's events, by `seq`, that says the contrary of what stands; `None` if nobody does."""
    events = telling(events)
    against = _DENIED if decisive(events).status in RISK else RISK
    return next((event for event in reversed(_since_last_change(events)) if event.status in against), None)


def decisive(events: Sequence[FactEvent]) -> FactEvent:
    """The event whose status stands, among those of one fact in order of `seq`."""
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
    """Those that say how the fact stands: not that somebody went against it."""
    return [event for event in events if event.kind is EventKind.OBSERVED or OVERRIDDEN_AT not in event.attrs]


def _since_last_change(events: Sequence[FactEvent]) -> Sequence[FactEvent]:
    changes = [index for index, event in enumerate(events) if event.kind is not EventKind.OBSERVED]
    return events[changes[-1] :] if changes else events


def _is_contradicted(events: Sequence[FactEvent]) -> bool:
    """Asserted and denied since (and including) the last change by a person."""
    if len(events) == 1:
        return False
    statuses = {event.status for event in _since_last_change(events)}
    return bool(statuses & RISK) and bool(statuses & _DENIED)


def _merged_attributes(events: Sequence[FactEvent], scale: Sequence[str]) -> dict[str, Attribute]:
    """Every attribute ever given; where two events differ, the more severe wins, then the newer."""
    if len(events) == 1:
        return dict(events[0].attrs)
    rank = {severity: position for position, severity in enumerate(scale, start=1)}
    merged: dict[str, Attribute] = {}
    for event in sorted(events, key=lambda event: (rank.get(str(event.attrs.get("severity")), 0), event.seq)):
        merged.update(event.attrs)
    return merged
