"""Domain values as the models that tools give; every stored text becomes inert here.

Pure functions; knows nothing of calls and errors.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from r_memory.domain.blocks import Line, Match, MatchLevel, Outcome, Recall, RuleLine, State
from r_memory.domain.decisions import CandidateScore, TurnDecision
from r_memory.domain.documents import Document
from r_memory.domain.drafts import DraftCheck, Finding
from r_memory.domain.events import Episode, FactEvent
from r_memory.domain.facts import Attributes, Entity, Fact
from r_memory.domain.instants import Instant, iso, iso_day, iso_seconds
from r_memory.domain.intents import Intent
from r_memory.domain.schema import Relation
from r_memory.facts.listing import FactPage
from r_memory.facts.remember.results import Remembered, Result
from r_memory.memory import Description
from r_memory.protocols import StoreHealth
from r_memory.serving.tools import models
from r_memory.talk.documents.values import Level
from r_memory.talk.turn import TurnContext
from r_memory.text.inert import inert, inert_name, without_secrets

Form = TypeVar("Form", bound=BaseModel)
_VALUE_LIMIT = 200
_DOCUMENT_LIMIT = 10_000
"""Characters of one summary of a document: all of it."""
_CANDIDATES = 10
"""Of a turn's decision that are told; the store keeps more."""
_SUMMARY_LIMIT = 140
"""Characters that the summary of a CDS Hooks card must stay below."""


def fact(of: Fact) -> models.FactOut:
    """A fact with its source."""
    return _like(
        models.FactOut,
        of,
        object=inert_name(of.object.name),
        object_type=of.object.type,
        attrs=_attrs(of.attrs),
        flags=sorted(flag.value for flag in of.flags),
        evidence=inert(of.evidence),
        speaker=inert_name(of.speaker),
        said_at=iso_seconds(of.said_at),
        recorded_at=iso(of.last_recorded_at),
        valid_from=_when(of.valid.start),
        valid_to=_when(of.valid.end),
        version=of.last_seq,
    )


def event(of: FactEvent) -> models.EventOut:
    """One step in a fact's history."""
    return _like(
        models.EventOut,
        of,
        recorded_at=iso(of.recorded_at),
        said_at=iso_seconds(of.said_at),
        speaker=inert_name(of.speaker),
        evidence=inert(of.evidence),
        actor=inert(of.actor),
        reason=inert(of.reason),
    )


def remembered(of: Remembered, *, left_out: Sequence[Result] = (), block: str = "") -> models.RememberedOut:
    """The outcome of a write; `left_out` are parts of the text that were not taken."""
    return models.RememberedOut(
        subject_id=inert_name(of.subject.id),
        subject_name=inert_name(of.subject.name),
        results=[_result(result) for result in (*of.results, *left_out)],
        conflicts=[conflict.fact_id for conflict in of.conflicts],
        pending=of.pending,
        dry_run=of.dry_run,
        episode_id=of.episode_id,
        watermark=of.watermark,
        unread_by=[f"{taken.route.value}: {inert(taken.failed)}" for taken in of.routes if taken.failed],
        rules_alone=next((inert(taken.alone) for taken in of.routes if taken.alone), ""),
        block=block,
    )


def context(of: Recall, block: str) -> models.ContextOut:
    """A recall beside its block."""
    return _like(
        models.ContextOut,
        of,
        state=overall(of.outcomes, said_something=bool(of.lines or of.pending)).value,
        block=block,
        lines=[_line(line) for line in of.lines],
        rules=[rule(line) for line in of.rules],
        checked=[_checked(outcome) for outcome in of.outcomes],
        pending=[_pending(episode, of.bearing.get(episode.id, ())) for episode in of.pending],
        outcome=_outcome(of),
        named=[inert_name(name) for name in (*(one.id for one in of.addressed.others), *of.addressed.strangers)],
        unrecognised=[inert_name(name) for name in of.unrecognised],
        unasked=list(of.unasked),
        subject_id=inert_name(of.subject.id),
        subject_name=inert_name(of.subject.name),
        checked_at=iso_seconds(of.checked_at),
        sections=[],
        failed={},
    )


def _outcome(of: Recall) -> Literal["", "SUBJECT-MISMATCH"]:
    return "SUBJECT-MISMATCH" if of.addressed.is_mismatch else ""


def nobody(block: str) -> models.ContextOut:
    """What a conversation about nobody has in the place of a recall."""
    return models.ContextOut(
        state="NOT-ASKED",
        block=block,
        complete=False,
        lines=[],
        checked=[],
        pending=[],
        omitted=0,
        intents=[],
        recognised=False,
        subject_id="",
        subject_name="",
        checked_at="",
        receipt_id="",
        watermark=0,
        schema_version="",
        pack_version="",
    )


def turn(of: TurnContext) -> models.ContextOut:
    """A recall with the parts of a conversation, which stand in the block behind the facts."""
    facts = nobody(of.text) if of.recall is None else context(of.recall, of.text)
    if of.prepared is None:
        return facts.model_copy(update={"failed": reasons({"conversation": of.trouble} if of.trouble else {})})
    parts = [models.SectionOut(part=section.part.value, tokens=section.tokens) for section in of.prepared.sections]
    return facts.model_copy(update={"sections": parts, "failed": reasons(of.prepared.failed)})


def reasons(of: Mapping[str, str]) -> dict[str, str]:
    """What is missing and why, without addresses and passwords."""
    return {inert_name(part): without_secrets(reason) for part, reason in of.items()}


def decision(of: TurnDecision) -> models.DecisionOut:
    """What was decided for a turn; of what was found, the best few."""
    gate = of.gate
    return _like(
        models.DecisionOut,
        of,
        subject=inert_name(of.subject_uid) if of.subject_uid else "",
        at=iso_seconds(of.at),
        gate=_like(models.GateOut, gate, by=inert(gate.by), trouble=without_secrets(gate.trouble)),
        candidates=[_weighed(one) for one in of.candidates[:_CANDIDATES]],
        steps_ms=_rounded(of.steps_ms),
        failed=reasons(of.failed),
    )


def _weighed(of: CandidateScore) -> models.WeighedOut:
    return _like(models.WeighedOut, of, score=round(of.score, 3), scores=_rounded(of.components))


def _rounded(of: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in of.items()}


def checked(of: DraftCheck) -> models.CheckOut:
    """What a draft met."""
    return _like(
        models.CheckOut,
        of.recall,
        verdict=of.verdict,
        gaps=list(of.gaps),
        outcome=_outcome(of.recall),
        findings=[_finding(finding) for finding in of.findings],
        omitted=0,
        checked=[_checked(outcome) for outcome in of.recall.outcomes],
        subject_id=inert_name(of.recall.subject.id),
        subject_name=inert_name(of.recall.subject.name),
    )


def document(of: Document, levels: Sequence[Level]) -> models.DocumentOut:
    """A document with its summaries, the last level first."""
    return _like(
        models.DocumentOut,
        of,
        document_id=of.id,
        name=inert_name(of.name),
        theme=inert(of.theme),
        made_at=iso_seconds(of.made_at),
        omitted=0,
        summaries=[
            models.SummaryItemOut(
                level=level.number, source=inert_name(item.speaker), text=inert(item.observation, _DOCUMENT_LIMIT)
            )
            for level in reversed(levels)
            for item in level.items
        ],
    )


def _finding(of: Finding) -> models.FindingOut:
    return _like(models.FindingOut, of)


def rule(of: RuleLine) -> models.RuleOut:
    """A domain rule in the shape of a CDS Hooks card: summary, indicator, source."""
    return _like(
        models.RuleOut,
        of,
        rule_id=inert(of.rule_id),
        summary=_summary(of.text),
        indicator="critical" if of.stop and not of.open else "warning" if of.tier in {"A", "B"} else "info",
        match=of.level,
        fact_ids=[each.fact_id for each in of.facts],
        open=[inert(need) for need in of.open],
    )


def _summary(text: str) -> str:
    return text if len(text) < _SUMMARY_LIMIT else f"{text[: _SUMMARY_LIMIT - 2]}…"


def overall(outcomes: Iterable[Outcome], *, said_something: bool) -> State:
    """One word for all edge types, the most cautious that holds: "none" only where every one of them was denied."""
    states = {outcome.state for outcome in outcomes}
    if said_something or State.FOUND in states:
        return State.FOUND
    for cautious in (State.COULD_NOT_CHECK, State.NOT_ASKED):
        if cautious in states:
            return cautious
    return State.NONE_ASSERTED if states else State.NOT_ASKED


def listed(total: int, *, failed: Mapping[str, str]) -> State:
    """One word for a list: `FOUND` if anything is listed, a denial included; it never says "none"."""
    if total:
        return State.FOUND
    return State.COULD_NOT_CHECK if failed else State.NOT_ASKED


def page(of: FactPage) -> models.FactsOut:
    """A page of a list."""
    return models.FactsOut(
        state=listed(of.total + len(of.pending), failed=of.failed).value,
        complete=not of.failed,
        facts=[fact(each) for each in of.facts],
        pending=[_pending(episode, ()) for episode in of.pending],
        counts=counts(of.counts, of.failed),
        total=of.total,
        next_cursor=of.next_cursor,
        subject_id=inert_name(of.subject.id),
        subject_name=inert_name(of.subject.name),
    )


def history(
    subject: Entity, facts: Sequence[Fact], events: Sequence[models.EventOut], *, total: int, next_cursor: str = ""
) -> models.FactsOut:
    """A page of the history of one fact, with the fact as the events make it."""
    return models.FactsOut(
        state=listed(total, failed={}).value,
        complete=True,
        facts=[fact(each) for each in facts],
        history=list(events),
        counts=counts({each.relation: 1 for each in facts}, {}),
        total=total,
        next_cursor=next_cursor,
        subject_id=inert_name(subject.id),
        subject_name=inert_name(subject.name),
    )


def counts(of: Mapping[str, int], failed: Mapping[str, str]) -> list[models.CountOut]:
    """Facts by relation, zero included, with the reason where a relation could not be read."""
    return [
        models.CountOut(relation=name, count=of.get(name, 0), reason=inert(failed.get(name, "")))
        for name in dict.fromkeys((*of, *failed))
    ]


def relation(of: Relation) -> models.RelationOut:
    """A relation as the schema declares it."""
    return _like(models.RelationOut, of)


def intent(of: Intent) -> models.IntentOut:
    """An action type of the table."""
    return _like(models.IntentOut, of, relations=of.edges)


def health(of: StoreHealth | None, trouble: str) -> models.HealthOut:
    """How the store is, or that it is down and why."""
    if of is None:
        return models.HealthOut(store="down", trouble=trouble)
    return _like(models.HealthOut, of, store=of.name, trouble="", latency_ms=round(of.latency_ms, 2))


def limits(of: Description) -> dict[str, int]:
    """Sizes that calls are held to."""
    return {"text": of.limits.message, "page": of.limits.page, "facts_per_call": of.limits.claims}


def _result(of: Result) -> models.ResultOut:
    if of.fact is not None:
        return _like(
            models.ResultOut,
            of.fact,
            verdict=of.verdict,
            reason=inert(of.reason),
            object=inert_name(of.fact.object.name),
            attrs=_attrs(of.fact.attrs),
            text="",
        )
    return models.ResultOut(
        verdict=of.verdict,
        reason=inert(of.reason),
        relation=inert(of.relation, _VALUE_LIMIT),
        object=inert(of.object, _VALUE_LIMIT),
        text=inert(of.text),
    )


def _line(of: Line) -> models.LineOut:
    matches = sorted(of.matches, key=lambda match: list(MatchLevel).index(match.level))
    return _like(
        models.LineOut,
        of,
        fact_id=of.fact.fact_id,
        level=of.rank,
        match=matches[0].level if matches else "",
        matches=[_match(match) for match in matches],
        status=of.fact.status,
        contradicted=of.fact.contradicted,
        source=f"{inert_name(of.fact.speaker)}, {iso_day(of.fact.said_at)}",
        as_of=iso_seconds(of.fact.last_recorded_at),
    )


def _match(of: Match) -> models.MatchOut:
    return _like(models.MatchOut, of, requested=inert_name(of.requested))


def _checked(of: Outcome) -> models.CheckedOut:
    return _like(models.CheckedOut, of, said_at=_when(of.said_at), speaker=inert_name(of.speaker) if of.speaker else "")


def _pending(of: Episode, matches: Sequence[Match]) -> models.PendingOut:
    return models.PendingOut(
        episode_id=of.id,
        said_at=iso_seconds(of.said_at),
        speaker=inert_name(of.speaker),
        text=inert(of.text),
        names=[match.requested for match in matches],
    )


def _attrs(of: Attributes) -> dict[str, str | int | float | bool]:
    return {name: inert(value, _VALUE_LIMIT) if isinstance(value, str) else value for name, value in of.items()}


def _like(form: type[Form], of: object, **own: Any) -> Form:  # noqa: ANN401 - checked by the form
    """The form with its `own` fields; all others are what the value has under the same name, which no person wrote."""
    return form(**{name: getattr(of, name) for name in form.model_fields if name not in own}, **own)


def _when(instant: Instant | None) -> str:
    return "" if instant is None else iso_seconds(instant)
