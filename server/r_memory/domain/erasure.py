"""What remains of an erased subject: a trace under a random id, with a chain that can be verified and has no words.

Pure. An erased event keeps its position and hash only. The event that closes the chain says who erased, why and how
much, and has a digest of all earlier hashes. An altered event cannot be passed off as an erased one, because the digest
would have to include its hash.
"""

import hashlib
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from r_memory.domain.blocks import GateRecord, Receipt
from r_memory.domain.events import Batch, ChainHead, Episode, EventKind, FactEvent, erasure_digest
from r_memory.domain.facts import PERSON, Entity, Route, Status
from r_memory.domain.instants import Instant

TRACE = "erased-"
"""Prefix of the id of a trace."""
_TRACE_ID = re.compile(rf"{TRACE}[0-9a-f]{{32}}")


Traces = Mapping[str, int]
"""Number of records about one subject: `statements` (including requests), `events`, `facts`, `receipts`, `items`
(turns, memories, parts and summaries of documents), `summaries`, `decisions`, `documents`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One transaction that deletes all records about `subject` from the ledger and puts `trace` in its place."""

    subject: Entity
    trace: Entity
    previous: ChainHead
    """The end of the subject's chain; the store refuses if the chain has grown."""
    head: ChainHead
    blanks: tuple[FactEvent, ...]
    """What remains of each event, by sequence number."""
    closing: FactEvent
    receipts: tuple[Receipt, ...]
    """What remains of each receipt: when something was shown, and to whom."""


def new_trace(subject: Entity) -> Entity:
    """An entity that stands for an erased subject; it does not reveal who the subject was."""
    id_ = f"erased-{uuid.uuid4().hex}"
    return Entity(space=subject.space, type=subject.type, id=id_, name=id_)


def mark(trace: Entity, episode: Episode) -> str:
    """What a trace keeps of a statement: only the same statement gives the same mark."""
    return hashlib.sha256(f"{trace.id}{episode.hash}".encode()).hexdigest()


def is_of(trace: Entity, left: Sequence[FactEvent], statements: Iterable[Episode], events: Sequence[FactEvent]) -> bool:
    """Whether statements and events of a backup are about the subject of the trace; `left` is the trace's chain."""
    if not left:
        return False
    if events and events[0].hash == left[0].hash:
        return True
    kept = next((event.attrs["first"] for event in left if event.attrs.get("first")), "")
    return any(mark(trace, episode) == kept for episode in statements)


def brought_back(trace: Entity, left: Sequence[FactEvent], *, reason: str, now: Instant) -> Batch:
    """The log entry for an import that restores the subject of a trace, after explicit consent."""
    before = ChainHead().after(left)
    instant = max(now, before.recorded_at)
    event = replace(
        _erased(trace, before.seq + 1, before.hash, instant),
        attrs={"digest": erasure_digest(left), "brought_back": True},
        actor="import",
        reason=reason,
    ).sealed()
    return Batch(subject=trace, events=(event,), facts=(), episode=None, previous=before, head=before.after([event]))


def is_trace(entity: Entity) -> bool:
    """Whether the entity is the trace of an erased subject.

    >>> is_trace(Entity(space="clinic", type="Patient", id="JD001", name="John Doe"))
    False
    """
    return _TRACE_ID.fullmatch(entity.id) is not None


def erasure_of(
    subject: Entity,
    *,
    events: Sequence[FactEvent],
    receipts: Sequence[Receipt],
    previous: ChainHead,
    traces: Traces,
    actor: str,
    reason: str,
    now: Instant,
    first: Episode | None = None,
) -> Erasure:
    """The erasure of a subject whose whole chain is `events`; `traces` are the numbers that it logs as erased.

    `first` is the subject's first statement; it identifies the subject in a backup.
    """
    trace = new_trace(subject)
    instant = max(now, previous.recorded_at)
    blanks = tuple(replace(_erased(trace, item.seq, item.prev_hash, instant), hash=item.hash) for item in events)
    nothing: dict[str, Any] = {"intents": (), "fact_ids": (), "rule_ids": (), "traversal": "", "block": ""}
    last = max((event.seq for event in events), default=0)
    closing = replace(
        _erased(trace, max(previous.seq, last) + 1, previous.hash, instant),
        attrs={
            "digest": erasure_digest(events),
            "events": len(events),
            **{name: traces[name] for name in ("statements", "facts", "receipts", "items", "documents")},
            "first": "" if first is None else mark(trace, first),
        },
        actor=actor,
        reason=reason,
    ).sealed()
    return Erasure(
        subject=subject,
        trace=trace,
        previous=previous,
        head=ChainHead().after((*blanks, closing)),
        blanks=blanks,
        closing=closing,
        receipts=tuple(
            replace(receipt, subject_uid=trace.uid, gate=GateRecord(gate=receipt.gate.gate), **nothing)
            for receipt in receipts
        ),
    )


def _erased(trace: Entity, seq: int, prev_hash: str, instant: Instant) -> FactEvent:
    # An id of its own: the former one and that of the fact are derived from what was said, and could be guessed.
    own_id = f"{trace.id}-{seq}"
    return FactEvent(
        id=own_id,
        space=trace.space,
        fact_id=own_id,
        kind=EventKind.ERASED,
        relation="",
        subject_uid=trace.uid,
        object=trace,
        status=Status.ENTERED_IN_ERROR,
        recorded_at=instant,
        said_at=instant,
        speaker="",
        episode_id="",
        evidence="",
        span_start=0,
        span_end=0,
        route=Route.PERSON,
        extractor=PERSON,
        schema_version="",
        seq=seq,
        prev_hash=prev_hash,
    )
