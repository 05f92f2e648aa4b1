"""What became of cards: whoever went on against one is written down with the reason; it closes no fact."""

from r_memory.cds.models import CardFeedback, Feedback
from r_memory.domain.blocks import Receipt
from r_memory.domain.changes import Change
from r_memory.domain.facts import Entity
from r_memory.domain.instants import Instant
from r_memory.errors import InvalidInput
from r_memory.facts.facts import ulid_of
from r_memory.facts.remember.understanding import RECORDED_IN
from r_memory.facts.remember.utterances import Statement
from r_memory.memory import Memory
from r_memory.text.inert import inert

_SOURCE = "cds-hooks"


async def take(memory: Memory, feedback: Feedback, *, by: str) -> None:
    """Stores each overridden card; repeated feedback stores nothing.

    Raises:
        InvalidInput: a card is not of this space; nothing is stored.
    """
    known: list[tuple[CardFeedback, Receipt]] = []
    for item in feedback.feedback:
        receipt = await memory.facts.store.receipt(memory.facts.space, ulid_of(item.card))
        if receipt is None:
            raise InvalidInput("a card of the feedback was never shown from here; nothing was stored")
        known.append((item, receipt))
    for each, receipt in known:
        if each.outcome == "overridden":
            subject = await memory.facts.subjects.of_uid(receipt.subject_uid)
            at = int(each.outcome_timestamp.timestamp() * 1000)
            await _override(memory, subject, receipt, reason=_reason(each), who=by, at=at)


def _reason(one: CardFeedback) -> str:
    """Returns the clinician's chosen and written reason; empty if there is none."""
    why = one.override_reason
    if why is None:
        return ""
    chosen = "" if why.reason is None else why.reason.display or why.reason.code
    return ": ".join(filter(None, (inert(chosen), inert(why.user_comment or "", 1_000))))


async def _override(memory: Memory, subject: Entity, receipt: Receipt, *, reason: str, who: str, at: Instant) -> None:
    """Stores an override of each fact on the card; for a card without facts, a statement without facts."""
    why = reason or "no reason given"
    taken = [await _overridden(memory, id_, receipt, why, who) for id_ in receipt.fact_ids]
    if any(taken):
        return
    said = Statement(
        text=f"Went against a card (receipt {receipt.id}): {why}",
        subject=subject,
        role="system",
        speaker=who,
        conversation=f"{RECORDED_IN}{_SOURCE}",
        key=f"override-{receipt.id}-{at}",
        said_at=at,
    )
    await memory.facts.remembering.record_entry(said, ())


async def _overridden(memory: Memory, fact_id: str, receipt: Receipt, reason: str, who: str) -> bool:
    """Whether the override of the fact is stored, now or before; false if the fact is no risk any more."""
    try:
        told = ((item.actor, item.reason, item.recorded_at) for item in await memory.history(fact_id))
        if not any((actor, why) == (who, reason) and at >= receipt.shown_at for actor, why, at in told):
            await memory.change_fact(fact_id, Change.OVERRIDE, reason=reason, actor=who)
    except InvalidInput:
        return False
    return True
