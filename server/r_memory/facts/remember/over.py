"""Ends recorded facts that the local reader read, for certain, to be over: a birth, a healed fracture, a drug stopped.

A critical fact never ends so, unless it is an instruction. Whose words count is decided here, how certain a reading is
by the reader.
"""

from collections.abc import Iterator, Sequence

from r_memory.domain.changes import Change, Decision, allowed, changed, is_done
from r_memory.domain.events import Chain, Episode, FactEvent
from r_memory.domain.facts import RISK, Fact, Observation, Route, Status
from r_memory.domain.folding import fold
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.facts.recall.lines import lines_under
from r_memory.reading.whose import whose_under

__all__ = ["ReadEndings"]

_REASON = 500


class ReadEndings:
    """The events that end facts which were read to be over, under one schema."""

    def __init__(self, schema: Schema) -> None:
        self._lines = lines_under(schema)
        self._whose = whose_under(schema)
        self._version = schema.version

    def of(
        self,
        observations: Sequence[Observation],
        chain: Chain,
        after: Sequence[FactEvent],
        *,
        episode: Episode,
        now: Instant,
    ) -> Iterator[FactEvent]:
        """The events to follow the events `after`, one for each fact that the words of the episode end."""
        if episode.role != "user" or not self._whose.speaks_for_the_subject(episode.speaker):
            return
        made = list(after)
        risks = {seen.fact_id for seen in observations if seen.status in RISK}
        for seen in observations:
            plain = seen.status is Status.RESOLVED and seen.route is Route.RULES and not seen.flags
            known = [event for event in chain.events if event.fact_id == seen.fact_id]
            if not plain or seen.fact_id in risks or not known or not self._may_end(fold(known), episode):
                continue
            own = [event for event in (*chain.events, *made) if event.fact_id == seen.fact_id]
            decision = Decision(
                fact_id=seen.fact_id,
                change=Change.RESOLVE,
                reason=f"said to be over: {seen.evidence}"[:_REASON],
                actor=episode.speaker,
                version=fold(own).last_seq,
            )
            if is_done(decision, own) or decision.change not in allowed(fold(own)):
                continue
            head = chain.head.after(made)
            event = changed(decision, own, head=head, now=now, schema_version=self._version, route=Route.RULES)
            made.append(event)
            yield event

    def _may_end(self, fact: Fact, episode: Episode) -> bool:
        """Whether later words may end the fact: it stands undisputed, and is no risk that only a person ends."""
        if fact.status not in RISK or fact.contradicted or fact.changed_at is not None or fact.is_absence:
            return False
        if self._lines.is_protected(fact) or fact.said_at > episode.said_at:
            return False
        return not self._lines.is_critical(fact) or fact.speaker == episode.speaker
