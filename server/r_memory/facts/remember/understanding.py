"""What an utterance says: each route reads it, the validator lets through or refuses, one result comes of it.

What several routes read in one utterance becomes what is recorded of it (decision 0015). Nothing is stored here, and
whatever goes wrong, the words stay in view.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.events import Episode, EpisodeStatus, Role
from r_memory.domain.facts import (
    DENIAL,
    Entity,
    Extraction,
    Flag,
    Observation,
    Proposal,
    Rejection,
    ReviewItem,
    Route,
    Span,
    Status,
)
from r_memory.errors import BadReply, ModelError, ReadingTooLong
from r_memory.facts.remember.results import Claim, RouteTaken
from r_memory.protocols import RemoteExtractor, Turn, Utterance
from r_memory.reading.reader import Reader

logger = logging.getLogger(__name__)

EVIDENCE_ROLES: frozenset[Role] = frozenset({"user", "document"})
"""Whose words are evidence; an assistant's own output never is."""
_TOO_LONG = "took too long to read; the words are kept and stay in view, a person decides"
BROKE_OFF = "no reading of it ended; the words are kept and stay in view, a person decides"
_CAUTION = (Status.ACTIVE, Status.UNCONFIRMED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What was made of an utterance, before anything is written."""

    observations: tuple[Observation, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    review: tuple[ReviewItem, ...] = ()
    language: str = ""
    failed: bool = False
    """It could not be read at all."""
    routes: tuple[RouteTaken, ...] = ()

    @property
    def status(self) -> EpisodeStatus:
        """Words that the offline routes read without a doubt leave the view although a model failed (decision 0016)."""
        model_failed = any(taken.failed for taken in self.routes)
        read_offline = any(taken.route is Route.RULES and not taken.failed for taken in self.routes)
        if self.failed or (model_failed and (self.review or not read_offline)):
            return EpisodeStatus.FAILED
        if model_failed:
            return EpisodeStatus.RETRY
        return EpisodeStatus.NEEDS_REVIEW if self.review else EpisodeStatus.EXTRACTED


async def understand(
    episode: Episode, subject: Entity, reader: Reader, *, claims: Sequence[Claim] = (), before: tuple[Turn, ...] = ()
) -> Understood:
    """What was made of the words, and of triples that the caller read in them; `before` are the turns before.

    What reads offline is asked first; models may fail, and then the offline result stands.
    """
    if episode.role not in EVIDENCE_ROLES:
        return Understood()
    utterance = Utterance(text=episode.text, role=episode.role, speaker=episode.speaker, subject=subject, before=before)
    worker = reader.worker_of(episode.text)
    try:
        if not reader.models:
            # Each turn of the worker is a quarter of a millisecond.
            return await worker.run(lambda: _validated(reader, utterance, claims, _offline(reader, utterance), ()))
        offline = await worker.run(_offline, reader, utterance)
        answers = [await _answer(model, utterance) for model in reader.models]
        return await worker.run(_validated, reader, utterance, claims, offline, answers)
    except ReadingTooLong:
        return left(episode, _TOO_LONG)
    except Exception:  # the boundary to extraction: whatever goes wrong there, the words stay in view as pending
        logger.exception("Extraction failed", extra={"action": "extraction_failed", "episode": episode.id})
        return Understood(failed=True)


def left(episode: Episode, reason: str) -> Understood:
    """All of the words for a person to look at, as nothing was made of them."""
    whole = ReviewItem(text=episode.text, span=Span(start=0, end=len(episode.text)), reason=reason)
    return Understood(review=(whole,))


def _offline(reader: Reader, utterance: Utterance) -> Extraction | None:
    return reader.extractor.extract(utterance) if reader.reads_offline else None


def _unread(utterance: Utterance, proposal: Proposal, rejection: Rejection) -> ReviewItem:
    span = proposal.span or Span(start=0, end=len(utterance.text))
    return ReviewItem(text=utterance.text[span.start : span.end], span=span, reason=rejection.reason)


def _beside(item: ReviewItem, kept: Iterable[Observation]) -> ReviewItem:
    """The item, saying which facts its words gave."""
    facts = [
        f"{seen.relation} {seen.object.name}" + ("" if seen.status is Status.ACTIVE else f" ({seen.status})")
        for seen in kept
        if item.span.start <= seen.span.start < item.span.end
    ]
    return replace(item, reason=f"{item.reason}; kept from it: {', '.join(facts)}") if facts else item


def _validated(
    reader: Reader,
    utterance: Utterance,
    claims: Sequence[Claim],
    offline: Extraction | None,
    answers: Sequence[tuple[RouteTaken, Extraction]],
) -> Understood:
    seen: list[Observation] = []

    def refused(proposals: Iterable[Proposal]) -> list[tuple[Proposal, Rejection]]:
        """Those that the validator refuses; what it lets through was seen."""
        wrong: list[tuple[Proposal, Rejection]] = []
        for proposal in proposals:
            checked = reader.validator.check(utterance, proposal, offline)
            if isinstance(checked, Observation):
                seen.append(checked)
            else:
                wrong.append((proposal, checked))
        return wrong

    rejections = refused(claim.proposal(Route.CLIENT, "client/1") for claim in claims)
    review: list[ReviewItem] = []
    routes: list[RouteTaken] = []
    if offline is not None:
        review += offline.review
        review += (_unread(utterance, *wrong) for wrong in refused(offline.proposals))
        extractor = reader.extractor.name
        routes.append(RouteTaken(route=Route.RULES, extractor=extractor, alone=offline.alone))
    for taken, reading in answers:
        wrong = [rejection for _, rejection in refused(reading.proposals)]
        routes.append(replace(taken, rejected=(*reading.rejections, *wrong)))
    return Understood(
        observations=(kept := _merged(seen)),
        rejections=tuple(rejection for _, rejection in rejections),
        review=tuple(_beside(item, kept) for item in review),
        language=offline.language if offline else "",
        routes=tuple(routes),
    )


async def _answer(model: RemoteExtractor, utterance: Utterance) -> tuple[RouteTaken, Extraction]:
    """What one model made of an utterance; one that fails read nothing."""
    taken = RouteTaken(route=Route.MODEL, extractor=model.name)
    try:
        return taken, await model.extract(utterance)
    except ModelError as error:
        logger.warning("Model read nothing", extra={"action": "model_failed", "error": type(error).__name__})
        return replace(taken, failed=str(error), answered=isinstance(error, BadReply)), Extraction()
    except Exception as error:  # a boundary: whatever an answer does to its reader, the offline result stands
        logger.exception("Model route failed", extra={"action": "model_failed"})
        why = f"the model's answer could not be read ({type(error).__name__}); report it"
        return replace(taken, failed=why), Extraction()


def _merged(observations: Sequence[Observation]) -> tuple[Observation, ...]:
    """At most one observation for each fact that is a risk, and one beside it that denies it.

    No route lowers what the rules read: an active fact stays active, and who reads it otherwise leaves the flag
    `disagree` on it. Of routes that agree the first counts. What a model alone says of a triple that another route
    read is not another fact, whatever details tell it apart.
    """
    by_fact: dict[str, list[Observation]] = {}
    for seen in observations:
        by_fact.setdefault(seen.fact_id, []).append(seen)
    others = {(seen.relation, seen.object.uid) for seen in observations if seen.route is not Route.MODEL}

    def is_new(group: Sequence[Observation]) -> bool:
        first = group[0].relation, group[0].object.uid
        return any(seen.route is not Route.MODEL for seen in group) or first not in others

    return tuple(seen for group in by_fact.values() if is_new(group) for seen in _of_one_fact(group))


def _of_one_fact(group: Sequence[Observation]) -> Iterator[Observation]:
    risks = [seen for seen in group if seen.status not in DENIAL]
    denials = [seen for seen in group if seen.status in DENIAL]
    if denials:
        yield next((seen for seen in denials if seen.route is Route.RULES), denials[0])
    if risks:
        # Stable: among equals the first route.
        best = min(risks, key=lambda seen: _CAUTION.index(seen.status))
        doubted = any(Flag.DISAGREE in seen.flags for seen in risks)
        yield replace(best, flags=best.flags | {Flag.DISAGREE}) if doubted else best
