"""What is left of a subject that was erased: a trace under a made-up id, whose chain still links and says nothing.

Pure. An erased event keeps its place and its hash, and nothing else; the event that closes the chain says who erased,
why and how much, and holds a digest of all hashes before it. So a chain stays verifiable without the words: nobody can
pass off an altered event as an erased one, for its hash would have to be among those that were digested.
"""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from r_memory.domain.blocks import Receipt
from r_memory.domain.events import ChainHead, EventKind, FactEvent, erasure_digest
from r_memory.domain.facts import Entity, Route, Status
from r_memory.domain.instants import Instant

_TRACE_ID = re.compile(r"erased-[0-9a-f]{32}")
PERSON = "person/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """How much is kept about one subject."""

    statements: int
    """Utterances, requests among them."""
    events: int
    facts: int
    receipts: int
    items: int
    """Turns, memories, and parts and summaries of documents."""
    summaries: int
    decisions: int
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One transaction: everything of the ledger about `subject` goes, and `trace` stays in its place."""

    subject: Entity
    trace: Entity
    previous: ChainHead
    """Where the subject's chain ended; the store refuses if it does no longer."""
    head: ChainHead
    blanks: tuple[FactEvent, ...]
    """What is left of each event, by sequence."""
    closing: FactEvent
    """The logged erasure."""
    receipts: tuple[Receipt, ...]
    """What is left of each receipt: that something was shown, when and to whom."""


def new_trace(subject: Entity) -> Entity:
    """The entity that stands for an erased subject; nothing in it tells who it was."""
    id_ = f"erased-{uuid.uuid4().hex}"
    return Entity(space=subject.space, type=subject.type, id=id_, name=id_)


def is_trace(entity: Entity) -> bool:
    """Whether it stands for somebody who was erased.

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
) -> Erasure:
    """The erasure of a subject whose whole chain is `events`; `traces` is what it is logged to have erased."""
    trace = new_trace(subject)
    instant = max(now, previous.recorded_at)
    blanks = tuple(_blank(event, trace, instant) for event in events)
    last = max((event.seq for event in events), default=0)
    closing = replace(
        _erased(trace, max(previous.seq, last) + 1, previous.hash, instant),
        attrs={
            "digest": erasure_digest(events),
            "events": len(events),
            "statements": traces.statements,
            "facts": traces.facts,
            "receipts": traces.receipts,
            "items": traces.items,
            "documents": traces.documents,
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
        receipts=tuple(_blank_receipt(receipt, trace) for receipt in receipts),
    )


def _blank(event: FactEvent, trace: Entity, instant: Instant) -> FactEvent:
    return replace(_erased(trace, event.seq, event.prev_hash, instant), hash=event.hash)


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


def _blank_receipt(receipt: Receipt, trace: Entity) -> Receipt:
    return replace(receipt, subject_uid=trace.uid, intents=(), fact_ids=(), rule_ids=(), traversal="")
