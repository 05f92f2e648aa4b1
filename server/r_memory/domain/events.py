"""The ledger: what was said (`Episode`), and what was recorded from it (`FactEvent`), chained by hashes.

Each subject has one chain. `chain_key` is unique in every store, so two writers cannot fork the chain. Events are
ordered by `seq`, never by the clock.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from operator import attrgetter
from typing import Any, Literal

from r_memory.domain import holdings
from r_memory.domain.facts import Entity, Fact, Observation, Triple
from r_memory.domain.instants import Instant

Role = Literal["user", "assistant", "document", "system"]


class EpisodeStatus(StrEnum):
    """How far the reading of an utterance has come."""

    PENDING = "pending"
    EXTRACTED = "extracted"
    NEEDS_REVIEW = "needs_review"
    FAILED = "failed"
    RETRY = "retry"
    """The offline routes read it without doubt; a language model has still to read it."""


OPEN = frozenset({EpisodeStatus.PENDING, EpisodeStatus.NEEDS_REVIEW, EpisodeStatus.FAILED})
"""Statuses of episodes that the block shows as pending statements."""
UNREAD = frozenset({EpisodeStatus.PENDING, EpisodeStatus.FAILED, EpisodeStatus.RETRY})
"""Statuses of episodes that a route has still to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One utterance, stored before it is read."""

    id: str
    space: str
    subject_uid: str
    conversation: str = ""
    speaker: str
    role: Role = "user"
    text: str
    said_at: Instant
    recorded_at: Instant
    status: EpisodeStatus = EpisodeStatus.PENDING
    language: str = ""
    review: tuple[str, ...] = ()
    """Sentences that a person must look at, verbatim."""
    disputed: tuple[str, ...] = ()
    """Relation and thing of each waiting fact that was read in two ways or has the flag `local`: `HAS_ALLERGY_TO
    penicillin`.
    """
    attempts: int = 0
    """Number of readings begun since one last ended; it limits how often a text that crashes its reader is read."""
    settled_by: str = ""
    """The person who settled the episode; empty if no person did."""
    settled_because: str = ""
    settled_at: Instant | None = None

    @property
    def hash(self) -> str:
        """sha256 over what was said, by whom and when; the status, which changes, is left out."""
        return _sha256(_SAID_OF(self))

    def was_decided_before(self, other: "Episode") -> bool:
        """Whether a person settled this episode differently from `other`, so that `other` comes too late."""
        return bool(self.settled_by) and _DECISION_OF(self) != _DECISION_OF(other)


class EventKind(StrEnum):
    """What an event does to its fact."""

    OBSERVED = "observed"
    CHANGED = "changed"
    """A person's decision: status, actor and reason."""
    ERASED = "erased"
    """The words were erased on a person's order; the chain stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEvent(Triple):
    """One event of a subject's chain."""

    id: str
    kind: EventKind
    recorded_at: Instant
    span_start: int
    span_end: int
    prompt_digest: str = ""
    schema_version: str
    actor: str = ""
    reason: str = ""
    seq: int
    prev_hash: str
    hash: str = ""

    @property
    def chain_key(self) -> str:
        """Unique in the store: two events of one subject never have the same sequence number."""
        return f"{self.subject_uid}#{self.seq}"

    def sealed(self) -> "FactEvent":
        """Returns this event with its hash."""
        return replace(self, hash=event_hash(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainHead:
    """The end of a subject's chain; the next event continues it."""

    seq: int = 0
    """0 before the first event."""
    hash: str = ""
    recorded_at: Instant = 0
    changed_seq: int = 0
    """Sequence number of the last change by a person; 0 if there was none."""
    held: str = ""
    """Number of facts of each relation that follow from the events (`holdings.py`); a read that differs has failed."""

    def after(self, events: Sequence[FactEvent], *, earlier: Sequence[FactEvent] = ()) -> "ChainHead":
        """The head after these events; `earlier` has the earlier events of the same facts."""
        if not events:
            return self
        last = events[-1]
        changed = [event.seq for event in events if event.kind is EventKind.CHANGED]
        touched = {event.fact_id for event in events}
        before = [event for event in earlier if event.fact_id in touched]
        return ChainHead(
            seq=last.seq,
            hash=last.hash,
            recorded_at=last.recorded_at,
            changed_seq=max([self.changed_seq, *changed]),
            held=holdings.after(self.held, _newest(before), _newest([*before, *events])),
        )


def _newest(events: Iterable[FactEvent]) -> list[holdings.Place]:
    """The present entry of each fact of the events; erased events belong to no fact."""
    newest = {
        event.fact_id: (event.relation, event.fact_id, event.object.uid, event.seq)
        for event in events
        if event.kind is not EventKind.ERASED
    }
    return list(newest.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """What a writer reads before it appends: the head, and the earlier events of the facts it writes."""

    head: ChainHead
    events: tuple[FactEvent, ...]

    def after(self, events: Sequence[FactEvent]) -> ChainHead:
        """The head once these events are appended."""
        return self.head.after(events, earlier=self.events)

    def newest(self, facts: Iterable[Fact]) -> Mapping[str, int]:
        """Sequence number of the newest event, by id of each fact; 0 if it has none yet."""
        return dict.fromkeys([fact.fact_id for fact in facts], 0) | {event.fact_id: event.seq for event in self.events}


Arrival = str
"""What an import brings about one subject (see `arrival`): number of statements and end of the chain; empty
if nothing.
"""


def arrival(statements: int, events: Sequence[FactEvent]) -> Arrival:
    """The text stored with a subject until an import has brought all of its records."""
    return f"{statements}:{events[-1].seq}:{events[-1].hash}" if events else f"{statements}:0:"


def brings(arriving: Arrival, statements: int, events: Sequence[FactEvent]) -> bool:
    """Whether statements and events hold what an import was to bring, so that theirs may end it.

    >>> brings(arrival(2, ()), 3, ()), brings(arrival(2, ()), 1, ())
    (True, False)
    """
    number, seq, hash_ = arriving.split(":") if arriving.count(":") == 2 else ("", "", "")
    if not (number.isdecimal() and seq.isdecimal()):
        return True
    place = int(seq)
    return statements >= int(number) and (not place or [event.hash for event in events[place - 1 : place]] == [hash_])


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One transaction: events, the state that follows, and the status of their utterance."""

    subject: Entity
    events: tuple[FactEvent, ...]
    facts: tuple[Fact, ...]
    """All facts that the events touch, folded."""
    episode: Episode | None
    """The episode with its new status; `None` for a change without an utterance."""
    previous: ChainHead
    head: ChainHead
    seen: Mapping[str, int] = field(default_factory=dict)
    """By fact id: sequence number of the newest event that the writer read; if the store has a newer one, the fold is
    wrong.
    """
    arriving: Arrival = ""
    """What an import that writes this batch brings; other writers are refused meanwhile."""
    entries: tuple[Episode, ...] = ()
    """Utterances of a record that were read already; stored with their facts, or not at all."""


def event_hash(event: FactEvent) -> str:
    """sha256 over all fields of the event except the hash; the previous hash is included.

    Of the object only the key is included, so that its names and codes can be corrected later.
    """
    # Not `asdict`, which copies deeply and took six times as long: `verify` hashes every event. Nearly all of it is
    # sorted once.
    hashed: dict[str, object] = dict(zip(_HASHED, _HASHED_OF(event), strict=True))
    hashed["object"] = event.object.uid
    hashed["flags"] = sorted(event.flags)
    hashed["attrs"] = dict(sorted(event.attrs.items()))
    hashed["valid"] = {"end": event.valid.end, "start": event.valid.start}
    return _sha256(hashed)


_HASHED = sorted(each.name for each in fields(FactEvent) if each.name != "hash")
_HASHED_OF = attrgetter(*_HASHED)


_ENCODER = json.JSONEncoder(ensure_ascii=False)
"""Created once, because creating it takes as long as using it. The keys come sorted."""


def _sha256(value: object) -> str:
    text = _ENCODER.encode(value)
    # "surrogatepass", because what was said may hold lone surrogates and must be hashed all the same.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def observed(
    observations: Iterable[Observation],
    *,
    episode: Episode,
    head: ChainHead,
    now: Instant,
    schema_version: str,
    actor: str = "",
) -> tuple[FactEvent, ...]:
    """Sealed events that continue the chain, one for each observation; `actor` is the person who read them, if any.

    `recorded_at` never runs backwards within a chain, even if the clock does.
    """
    events: list[FactEvent] = []
    instant = max(now, head.recorded_at)
    for observation in observations:
        told: dict[str, Any] = dict(zip(_OBSERVED, _OBSERVED_OF(observation), strict=True))
        event = FactEvent(
            **told,
            id=observation_id(episode.id, observation),
            space=episode.space,
            kind=EventKind.OBSERVED,
            subject_uid=observation.subject.uid,
            recorded_at=instant,
            said_at=episode.said_at,
            speaker=episode.speaker,
            episode_id=episode.id,
            span_start=observation.span.start,
            span_end=observation.span.end,
            schema_version=schema_version,
            actor=actor,
            seq=head.seq + len(events) + 1,
            prev_hash=events[-1].hash if events else head.hash,
        )
        events.append(event.sealed())
    return tuple(events)


def observation_id(episode_id: str, seen: Observation) -> str:
    """Id of the event for an observation of an episode; reading the episode again gives the same id."""
    return _sha256([episode_id, seen.fact_id, seen.status])[:32]


_SAID_OF = attrgetter("id", "space", "subject_uid", "conversation", "speaker", "role", "text", "said_at")
_DECISION_OF = attrgetter("settled_by", "settled_because", "settled_at")
_OBSERVED = tuple(item.name for item in fields(Observation) if item.name in _HASHED)
_OBSERVED_OF = attrgetter(*_OBSERVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A difference that `verify` found."""

    subject_uid: str
    where: str
    """`event 12` or `fact 7f3a2c1e`."""
    problem: str


def erasure_digest(events: Iterable[FactEvent]) -> str:
    """sha256 over the hashes of the events, by sequence number; an erasure keeps it."""
    return _sha256([event.hash for event in events])


def chain_differences(events: Sequence[FactEvent]) -> Iterator[Difference]:
    """The broken links of a chain, in order of `seq`; none if the chain is whole.

    The hash of an erased event cannot be recomputed; the event has no content, and a later erasure confirms its hash.
    """
    previous = ""
    erased = _erased(events)
    for position, event in enumerate(events, start=1):
        altered = event_hash(event) != event.hash and not (position <= erased and _is_blank(event))
        for holds, problem in (
            (event.seq != position, f"expected sequence {position}"),
            (event.prev_hash != previous, "does not follow the event before it"),
            (altered, "was altered after it was recorded"),
        ):
            if holds:
                yield Difference(subject_uid=event.subject_uid, where=f"event {event.seq}", problem=problem)
        previous = event.hash


def _erased(events: Sequence[FactEvent]) -> int:
    """Number of first events whose hashes a later erasure confirms."""
    vouched = [
        place
        for place, event in enumerate(events)
        if event.kind is EventKind.ERASED
        and event_hash(event) == event.hash
        and event.attrs.get("digest") == erasure_digest(events[:place])
    ]
    return max(vouched, default=0)


def _is_blank(event: FactEvent) -> bool:
    return event.kind is EventKind.ERASED and not (event.evidence or event.relation or event.attrs or event.speaker)
