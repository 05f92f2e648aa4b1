"""What a person may decide about a fact, the events that record it, and what waits for a person. Pure.

It knows transitions and the wording of requests; the surfaces know who may decide, and `facts/reviewing.py` stores the
events. Nothing is ever removed: a change is a further event with actor and reason.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, get_args

from r_memory.domain.events import ChainHead, Episode, EpisodeStatus, EventKind, FactEvent
from r_memory.domain.facts import (
    PERSON,
    RISK,
    Attributes,
    Entity,
    Fact,
    Flag,
    Observation,
    Route,
    Status,
    concept,
    entity_of_key,
    fact_id,
)
from r_memory.domain.folding import OVERRIDDEN_AT, decisive, fold, opposing
from r_memory.domain.instants import Instant, iso, parse_instant
from r_memory.domain.schema import Lexicon
from r_memory.errors import FactMoved, InvalidInput

REASON_MIN, REASON_MAX = 3, 500
"""Minimum and maximum characters of a reason."""
ACTOR_MAX = 200
MAPPED_TO = "mapped_to"
"""Attribute of a change that maps a word: the key of the concept; empty after the mapping was undone."""
ACCEPTED_AT = "accepted_at"
"""Attribute of a change that accepts a fact beside conflicting ones: the instant."""
OVERRIDDEN_BY, OVERRIDDEN_BECAUSE = "overridden_by", "overridden_because"
"""Attributes of a change that records an override of a fact: who and why."""
RELINKED = "relinked to the thing that was said"
"""Reason of the events that a new lexicon causes."""


class Change(StrEnum):
    """What a person may decide about a fact."""

    CONFIRM = "confirm"
    """It is true: doubts are settled, `active`."""
    RESOLVE = "resolve"
    """It was true and has ended, `resolved`."""
    REFUTE = "refute"
    """It was tested and disproved, `refuted`."""
    ENTERED_IN_ERROR = "entered_in_error"
    """It should never have been recorded. Only this change removes a fact from the default view."""
    REINSTATE = "reinstate"
    """A refuted, resolved or erroneous fact is restored to its status before that."""
    SETTLE_CONFLICT = "settle_conflict"
    """The present status is right, and the statement against it is wrong."""
    ACCEPT = "accept"
    """A person weighed the conflicting facts recorded so far, and lets this one stand beside them."""
    OVERRIDE = "override"
    """A person acted against it, and it stays as it is; who and why is shown with it."""
    REATTRIBUTE = "reattribute"
    """It is about another subject: it is recorded there, and is an error here."""
    MAP_WORD = "map_word"
    """Its unknown word means a term of the lexicon: it is recorded under the term instead of the word."""


_BELIEVABLE = frozenset({Status.ACTIVE, Status.UNCONFIRMED, Status.NEGATED})
"""Statuses that a speaker can state of the present."""
_ENDED = frozenset({Status.REFUTED, Status.RESOLVED, Status.ENTERED_IN_ERROR})
_RECORDED = frozenset(Status) - {Status.ENTERED_IN_ERROR}
_STATUSES: Mapping[Change, tuple[frozenset[Status], Status | None]] = {
    Change.CONFIRM: (frozenset({Status.UNCONFIRMED, Status.ACTIVE}), Status.ACTIVE),
    Change.RESOLVE: (_RECORDED, Status.RESOLVED),
    Change.REFUTE: (_RECORDED, Status.REFUTED),
    Change.ENTERED_IN_ERROR: (_RECORDED, Status.ENTERED_IN_ERROR),
    Change.REINSTATE: (_ENDED, None),
    Change.SETTLE_CONFLICT: (frozenset(Status), None),
    Change.ACCEPT: (RISK, None),
    Change.OVERRIDE: (RISK, None),
    Change.REATTRIBUTE: (_RECORDED, Status.ENTERED_IN_ERROR),
    Change.MAP_WORD: (_RECORDED, Status.ENTERED_IN_ERROR),
}
"""For each change: the statuses it starts from, and the status it leads to; `None`: that follows from the events."""
_NOT_OF_AN_ABSENCE = frozenset(
    {Change.RESOLVE, Change.REFUTE, Change.CONFIRM, Change.ACCEPT, Change.OVERRIDE, Change.MAP_WORD}
)
"""Changes that do not apply to a statement of absence: it can be wrong, but it was not tested and has no other name."""
_TAKES_AWAY = frozenset({Change.RESOLVE, Change.REFUTE, Change.ENTERED_IN_ERROR})
"""Changes that end a fact, or take it out."""
_OWN = frozenset({MAPPED_TO, ACCEPTED_AT, OVERRIDDEN_AT, OVERRIDDEN_BY, OVERRIDDEN_BECAUSE})
"""Attributes of changes; they belong to this fact of this subject only."""
_MOVES = frozenset({Change.REATTRIBUTE, Change.MAP_WORD})
"""Changes that record the fact again in another place."""
_DOUBTS = frozenset({Flag.FUZZY, Flag.COREF, Flag.BRIDGED, Flag.NET, Flag.DISAGREE, Flag.MODEL_ONLY})
"""Doubts about how the words were read; they end when a person confirms the fact."""


def towards(status: Status, fact: Fact) -> Change:
    """The change that leads a fact to a status.

    Raises:
        InvalidInput: no decision leads to it; only an utterance can state it.
    """
    if status is Status.ACTIVE:
        return Change.REINSTATE if fact.status in _ENDED else Change.CONFIRM
    for change in (Change.RESOLVE, Change.REFUTE, Change.ENTERED_IN_ERROR):
        if _STATUSES[change][1] is status:
            return change
    raise InvalidInput(f"nobody decides that a fact is {status}; remember what was said instead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision about a fact, with actor and reason."""

    fact_id: str
    change: Change
    reason: str
    actor: str
    """Who decides or asks for it: a person, or the client that a person spoke to."""
    version: int
    """Sequence number of the fact's newest event as the actor read it."""
    to: str = ""
    """Id of the other subject, or the term; empty for other changes."""

    def __post_init__(self) -> None:
        """Checks the decision.

        Raises:
            InvalidInput: reason or actor is too short or too long; a target is missing, or given for another change.
        """
        check_authority(actor=self.actor, reason=self.reason)
        if bool(self.to) != (self.change in _MOVES):
            takes = "takes no target" if self.to else "needs a target"
            raise InvalidInput(
                f"'{self.change}' {takes}; {Change.REATTRIBUTE} takes another subject, {Change.MAP_WORD} a term"
            )


def check_authority(*, actor: str, reason: str) -> None:
    """Checks the lengths of actor and reason.

    Raises:
        InvalidInput: actor or reason is too short or too long.
    """
    if not REASON_MIN <= len(reason.strip()) <= REASON_MAX:
        raise InvalidInput(f"the reason must have {REASON_MIN} to {REASON_MAX} characters; say why, for the record")
    if not 1 <= len(actor.strip()) <= ACTOR_MAX:
        raise InvalidInput(f"the actor must have 1 to {ACTOR_MAX} characters; name who decides")


def target_of(change: Change, events: Sequence[FactEvent]) -> Status:
    """The status that a change would lead to; `events` are those of the fact, in order."""
    if change is Change.REINSTATE:
        return _stood_before(events)
    return _STATUSES[change][1] or fold(events).status


def is_done(decision: Decision, events: Sequence[FactEvent]) -> bool:
    """Whether the fact already has the status that the decision wants."""
    fact = fold(events)
    made = change_id(decision) in {event.id for event in events}
    if decision.change is Change.OVERRIDE:
        return made
    if fact.contradicted:
        return False
    if decision.change in _MOVES:
        return made and fact.status is Status.ENTERED_IN_ERROR
    if decision.change is Change.ACCEPT:
        return made
    if decision.change is Change.REINSTATE:
        return fact.status in RISK or (made and fact.status in _BELIEVABLE)
    return fact.status is target_of(decision.change, events)


def check_allowed(decision: Decision, events: Sequence[FactEvent]) -> None:
    """Checks that a decision can be made now; `events` are those of the fact, in order.

    Raises:
        FactMoved: the fact has a newer version than the decision names.
        InvalidInput: the fact's status does not allow the change.
    """
    fact, change = fold(events), decision.change
    if decision.version != fact.last_seq:
        raise FactMoved(
            f"the fact moved on: its version is {fact.last_seq} (status {shown_status(fact)}), not {decision.version}"
        )
    if change not in allowed(fact):
        raise InvalidInput(
            f"'{change}' is not allowed for a fact that is {shown_status(fact)}; allowed: {', '.join(allowed(fact))}"
        )


def allowed(fact: Fact) -> tuple[Change, ...]:
    """The changes that would change the fact now; at least one."""
    return tuple(change for change in Change if _would_change(change, fact))


def changed(
    decision: Decision,
    events: Sequence[FactEvent],
    *,
    head: ChainHead,
    now: Instant,
    schema_version: str,
    route: Route,
    attrs: Attributes | None = None,
) -> FactEvent:
    """The sealed event of a decision, to follow `head`; it keeps the words behind the fact."""
    before = decisive(events)
    if decision.change is Change.ACCEPT:
        attrs = {ACCEPTED_AT: iso(max(now, head.recorded_at))}
    if decision.change is Change.OVERRIDE:
        attrs = overridden(decision, max(now, head.recorded_at))
    unmapped_again = decision.change is Change.REINSTATE and bool(fold(events).attrs.get(MAPPED_TO))
    made = replace(
        before,
        id=change_id(decision),
        kind=EventKind.CHANGED,
        status=target_of(decision.change, events),
        attrs=attrs or ({MAPPED_TO: ""} if unmapped_again else {}),
        route=route,
        extractor=PERSON if route is Route.PERSON else "client/1",
        schema_version=schema_version,
        confidence=1.0,
        flags=before.flags - _DOUBTS if decision.change is Change.CONFIRM else before.flags,
    )
    return _following(made, decision, head, now)


def moved(
    decision: Decision,
    events: Sequence[FactEvent],
    *,
    subject: Entity,
    object_: Entity,
    identity: Sequence[str],
    scale: Sequence[str],
    head: ChainHead,
    now: Instant,
    schema_version: str,
) -> FactEvent:
    """The event that records the same fact for another subject or object, with the same words, speaker and time.

    `identity` names the attributes that tell facts of one triple apart, `scale` the severities. The id of the event is
    made from the decision, so that repeating it after a crash adds nothing.
    """
    before, fact = decisive(events), fold(events, scale=scale)
    attrs = {name: value for name, value in fact.attrs.items() if name not in _OWN}
    told_apart = {name: attrs[name] for name in identity if name in attrs}
    elsewhere = {Flag.REATTRIBUTED} if subject.uid != fact.subject_uid else set()
    renamed = {Flag.UNMAPPED, Flag.FUZZY} if object_.uid != fact.object.uid else set()
    made = replace(
        before,
        id=move_id(decision),
        fact_id=fact_id(subject.uid, fact.relation, object_.uid, told_apart),
        kind=EventKind.OBSERVED,
        subject_uid=subject.uid,
        object=object_,
        status=fact.status,
        attrs=attrs,
        route=Route.PERSON,
        extractor=PERSON,
        schema_version=schema_version,
        flags=(before.flags - renamed) | elsewhere,
    )
    return _following(made, decision, head, now)


def relinked(
    events: Sequence[FactEvent],
    thing: Entity,
    flags: frozenset[Flag],
    *,
    identity: Sequence[str],
    scale: Sequence[str],
    head: ChainHead,
    now: Instant,
    schema_version: str,
) -> tuple[FactEvent, ...]:
    """The events that record a fact under the thing that was said, and close it under the earlier term.

    `events` are those of the fact, in order. Statements against the fact, and a term that a person mapped its word to,
    are recorded with it.
    """
    fact = fold(events, scale=scale)
    attrs = {name: value for name, value in fact.attrs.items() if name != MAPPED_TO}
    told_apart = {name: attrs[name] for name in identity if name in attrs}
    there = fact_id(fact.subject_uid, fact.relation, thing.uid, told_apart)
    against = opposing(events) if fact.contradicted else None
    changes: list[tuple[FactEvent, dict[str, Any]]] = [
        (item, {"fact_id": there, "object": thing, "kind": EventKind.OBSERVED, "attrs": attrs, "status": status})
        for item, status in ((against, against and against.status), (decisive(events), fact.status))
        if item is not None
    ]
    moved_flags = (decisive(events).flags - {Flag.UNMAPPED, Flag.FUZZY}) | flags
    if key := fact.attrs.get(MAPPED_TO):
        changes.append((changes[-1][0], {**changes[-1][1], "kind": EventKind.CHANGED, "attrs": {MAPPED_TO: key}}))
    else:
        left = {"kind": EventKind.CHANGED, "attrs": {MAPPED_TO: thing.uid}, "status": Status.ENTERED_IN_ERROR}
        changes.append((decisive(events), left))
    made: list[FactEvent] = []
    for place, (before, change) in enumerate(changes):
        told = [fact.fact_id, thing.uid, str(fact.last_seq), str(place)]
        event = replace(
            before,
            **change,
            id=hashlib.sha256(json.dumps(["relink", *told]).encode()).hexdigest()[:32],
            flags=moved_flags if change["kind"] is EventKind.OBSERVED else before.flags,
            recorded_at=max(now, head.recorded_at),
            schema_version=schema_version,
            actor="",
            reason=RELINKED,
            seq=head.seq + len(made) + 1,
            prev_hash=made[-1].hash if made else head.hash,
        )
        made.append(event.sealed())
    return tuple(made)


def overridden(decision: Decision, at: Instant) -> Attributes:
    """Attributes that say who acted against the fact the last time, when and why."""
    return {
        OVERRIDDEN_AT: iso(at),
        OVERRIDDEN_BY: decision.actor.strip(),
        OVERRIDDEN_BECAUSE: decision.reason.strip(),
    }


def _following(made: FactEvent, decision: Decision, head: ChainHead, now: Instant) -> FactEvent:
    """The event to follow `head`, with the decision's actor and reason."""
    return replace(
        made,
        recorded_at=max(now, head.recorded_at),
        prompt_digest="",
        actor=decision.actor.strip(),
        reason=decision.reason.strip(),
        seq=head.seq + 1,
        prev_hash=head.hash,
    ).sealed()


def is_accepted(fact: Fact, beside: Iterable[Fact]) -> bool:
    """Whether a person accepted the fact after all facts of `beside` were recorded as they are."""
    at = fact.attrs.get(ACCEPTED_AT)
    if not isinstance(at, str):
        return False
    return all(_stands_since(other) <= parse_instant(at) for other in beside)


def _stands_since(fact: Fact) -> Instant:
    """When the fact got its present status; repetitions of an undisputed statement do not count."""
    return fact.last_recorded_at if fact.contradicted else max(fact.first_recorded_at, fact.changed_at or 0)


def under_its_term(seen: Observation, events: Sequence[FactEvent]) -> Observation:
    """The observation under the term to which a person mapped its unknown word before; otherwise unchanged.

    `events` are those of the observation's fact, in order; empty if the word is new.
    """
    decisions = [event for event in events if event.kind is EventKind.CHANGED]
    key = str(decisions[-1].attrs.get(MAPPED_TO, "")) if decisions else ""
    if not key:
        return seen
    term = entity_of_key(key)
    return replace(
        seen, object=concept(term.type, term.id, space=term.space), flags=seen.flags - {Flag.UNMAPPED, Flag.FUZZY}
    )


def change_id(decision: Decision) -> str:
    """Id of the event that records the decision: the same decision about the same version gives the same event."""
    return _id("change", decision)


def move_id(decision: Decision) -> str:
    """Id of the event that records the moved fact."""
    return _id("move", decision)


def term_of(words: str, types: Sequence[str], lexicon: Lexicon) -> Entity:
    """The concept of one of the types that the words name exactly, by canonical name or synonym.

    Raises:
        InvalidInput: no term matches, or several; the message names them.
    """
    wanted = words.strip().casefold()
    meant = (spelling for spelling in lexicon.spellings if spelling[0] in types and spelling[2].casefold() == wanted)
    found = list(dict.fromkeys((type_, name) for type_, name, _ in meant))
    if len(found) == 1:
        return concept(*found[0])
    kinds = ", ".join(types) or "term"
    if not found:
        raise InvalidInput(f"no {kinds} of the lexicon is named so; give a canonical name or a synonym")
    raise InvalidInput(f"that may mean {' or '.join(name for _, name in found)}; name one of them")


# --- requests --------------------------------------------------------------------------------------------------------

_REQUEST = re.compile(
    r"(?P<change>[a-z_]+) fact (?P<fact_id>[0-9a-f-]{36}) \(version (?P<version>\d+)\)"
    r"(?: to (?P<to>\"(?:[^\"\\]|\\.)*\"))?: (?P<reason>.*)",
    re.DOTALL,
)


def request(decision: Decision, *, subject: Entity, now: Instant) -> Episode:
    """The statement that asks a person for this decision; the same for every requester.

    It is shown until it is settled.
    """
    to = f" to {json.dumps(decision.to)}" if decision.to else ""
    return Episode(
        id=_id("request", decision),
        space=subject.space,
        subject_uid=subject.uid,
        speaker=decision.actor.strip(),
        role="system",
        text=f"{decision.change} fact {decision.fact_id} (version {decision.version}){to}: {decision.reason.strip()}",
        said_at=now,
        recorded_at=now,
        status=EpisodeStatus.NEEDS_REVIEW,
    )


def requested(episode: Episode) -> Decision | None:
    """The decision that a statement asks for; `None` if the statement is no request."""
    found = _REQUEST.fullmatch(episode.text) if episode.role == "system" else None
    if found is None or found["change"] not in set(Change):
        return None
    try:
        return Decision(
            fact_id=found["fact_id"],
            change=Change(found["change"]),
            reason=found["reason"],
            actor=episode.speaker,
            version=int(found["version"]),
            to=str(json.loads(found["to"])) if found["to"] else "",
        )
    except (InvalidInput, ValueError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitedChange:
    """Words that wait beside a recorded fact and may change it; the fact stays as it is until a person decides."""

    episode: Episode
    change: Change | None = None
    """The change that is requested; `None` if the words only may take the fact back."""

    @property
    def is_told(self) -> bool:
        """Whether the line of a fact that holds tells all of it: a request to end or remove that fact."""
        return self.change in _TAKES_AWAY


def _would_change(change: Change, fact: Fact) -> bool:
    allowed_from, target = _STATUSES[change]
    if fact.status not in allowed_from or (fact.is_absence and change in _NOT_OF_AN_ABSENCE):
        return False
    if change is Change.SETTLE_CONFLICT:
        return fact.contradicted
    if change is Change.ACCEPT:
        return not fact.contradicted
    if change is Change.OVERRIDE:
        return True
    if change is Change.MAP_WORD:
        return fact.is_unmapped
    return fact.contradicted or target is not fact.status


def _stood_before(events: Sequence[FactEvent]) -> Status:
    for end in range(len(events) - 1, 0, -1):
        status = fold(events[:end]).status
        if status in _BELIEVABLE:
            return status
    return Status.NEGATED if fold(events).is_absence else Status.ACTIVE


def shown_status(fact: Fact) -> str:
    """The status in words for people."""
    return f"{fact.status}, contradicted" if fact.contradicted else fact.status.value


def _id(kind: str, decision: Decision) -> str:
    parts = (kind, decision.fact_id, decision.change, decision.to, decision.version)
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode("utf-8", "surrogatepass")).hexdigest()[:32]


Why = Literal["request", "statement", "contradicted", "disagree", "unconfirmed", "unmapped", "stale"]
"""Why something waits: a requested change; words that were not understood; a fact that was both asserted and denied,
that the rules read differently, that is doubted, whose word is in no lexicon, or that is too old.
"""
WHYS: tuple[Why, ...] = get_args(Why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A thing that a person should look at."""

    subject: Entity
    why: tuple[Why, ...]
    critical: bool = False
    fact: Fact | None = None
    """The fact in doubt, or the one that a request is about; `None` for words."""
    episode: Episode | None = None
    """The words, or the request; `None` for a fact."""
    decision: Decision | None = None
    beside: tuple[Fact, ...] = ()
    """Recorded facts that the words take back, as far as the words name them."""

    @property
    def outdated(self) -> bool:
        """Whether the fact changed after the request, so that the request can only be declined."""
        return self.decision is not None and (self.fact is None or self.fact.last_seq != self.decision.version)

    @property
    def since(self) -> Instant:
        """When the words, or the newest event of the fact, were recorded."""
        if self.episode is not None:
            return self.episode.recorded_at
        return 0 if self.fact is None else self.fact.last_recorded_at

    @property
    def id(self) -> str:
        """Id of the statement or request, or of the fact."""
        return self.episode.id if self.episode is not None else self.fact.fact_id if self.fact is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Everything that waits, most urgent first for each subject."""

    items: tuple[Waiting, ...]
    failed: Mapping[str, str] = field(default_factory=dict)
    """Reason by subject and relation that could not be read; the list is complete only if this is empty."""


def doubts_of(fact: Fact, *, stale: bool) -> tuple[Why, ...]:
    """Reasons for a person to look at a fact; empty if it is not in doubt or speaks for no risk."""
    if fact.status not in RISK and not fact.contradicted:
        return ()
    found: dict[Why, bool] = {
        "contradicted": fact.contradicted,
        "disagree": Flag.DISAGREE in fact.flags,
        "unconfirmed": fact.status is Status.UNCONFIRMED,
        "unmapped": fact.is_unmapped,
        "stale": stale,
    }
    return tuple(why for why, holds in found.items() if holds)


def in_order(items: Iterable[Waiting]) -> list[Waiting]:
    """The items, critical first, then by the first reason, then the oldest."""
    return sorted(items, key=lambda item: (not item.critical, WHYS.index(item.why[0]), item.since, item.id))
