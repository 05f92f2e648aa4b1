"""What an utterance states: each route reads it, the validator accepts or rejects, and the results are joined.

Voices that count are weighed beside the local reader by the table of `reading/listening.py`; other voices only give
unconfirmed facts. Nothing is stored here. If reading fails, the words stay visible as pending.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from r_memory.domain.corrections import Doubted
from r_memory.domain.events import Episode, EpisodeStatus, Role
from r_memory.domain.facts import (
    DENIAL,
    MEANT,
    RISK,
    Attribute,
    Entity,
    Extraction,
    Flag,
    LocalVoice,
    Observation,
    Proposal,
    Rejection,
    ReviewItem,
    Route,
    Span,
    Status,
)
from r_memory.domain.identity import shown
from r_memory.domain.instants import UNDATED, iso_day
from r_memory.domain.schema import Schema
from r_memory.errors import BadReply, ModelError
from r_memory.facts.remember.results import Claim, RouteTaken
from r_memory.facts.remember.sharing import Taken
from r_memory.protocols import RemoteExtractor, Turn, Utterance
from r_memory.reading.breaking_off import breaking_off_under
from r_memory.reading.listener import Listened, Told
from r_memory.reading.normalise import plain
from r_memory.reading.quoting import quoting_under
from r_memory.reading.reader import Reader
from r_memory.reading.rules.net import UNNAMED
from r_memory.reading.secrecy import secrecy_under
from r_memory.reading.whose import SPEAKER, WHOLE, Division, Elsewhere, whose_under
from r_memory.text.inert import inert

logger = logging.getLogger(__name__)

Answer: TypeAlias = tuple[RouteTaken, Extraction]
"""The result of asking one model about one utterance."""
RECORDED_IN = "record/"
"""Prefix of the conversation of a record's entry: its fields are read, its words are not."""
UNFINISHED = "an entry of a record whose import broke off; import the file again, or a person decides"
EVIDENCE_ROLES: frozenset[Role] = frozenset({"user", "document"})
"""Roles whose words are evidence; an assistant's output is none."""
BROKE_OFF = "no reading of it ended; the words are kept and stay in view, a person decides"
_STOPS = ".!?;"
"""Signs behind which other words are no part of a sentence."""
_NAME = 60
"""Maximum characters of a thing named beside its relation."""
RELATIVE = "relative"
"""Label of a speaker who is known not to be the subject."""
_GIVEN_AWAY = "the same words give it to somebody else; state it in a call for that person"
_WHOSE = "does not say whose it is; ask, and give the answer with the person's name"
_TELLS = frozenset({LocalVoice.RISK, LocalVoice.NAME, LocalVoice.DOUBT})
_SHOWN = 40
"""Maximum characters of a word for a person."""
_ONE_FACT = "another fact of this call is the same thing; give each an object of its own. Left out"
_CAUTION = (Status.ACTIVE, Status.UNCONFIRMED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The reading of an utterance, before anything is written."""

    observations: tuple[Observation, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    told: tuple[Told, ...] = ()
    """The result for each fact that the caller gave, in the caller's order."""
    against: tuple[Observation, ...] = ()
    """Observations against the recorded facts that the caller's facts correct."""
    review: tuple[ReviewItem, ...] = ()
    disputed: tuple[str, ...] = ()
    """Relation and thing of each waiting fact that was was read in two ways, or by the local reader alone."""
    language: str = ""
    failed: bool = False
    """Whether it could not be read at all."""
    routes: tuple[RouteTaken, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    """Words about other people that may matter; they are also kept with those people if these are known."""

    @property
    def status(self) -> EpisodeStatus:
        """The status of the episode.

        Words that the offline routes read without doubt do not wait, even if a model failed.
        """
        model_failed = any(taken.failed for taken in self.routes)
        read_offline = any(taken.route is Route.RULES and not taken.failed for taken in self.routes)
        if self.failed or (model_failed and (self.review or not read_offline)):
            return EpisodeStatus.FAILED
        if model_failed:
            return EpisodeStatus.RETRY
        return EpisodeStatus.NEEDS_REVIEW if self.review else EpisodeStatus.EXTRACTED

    def of_request(self) -> "Understood":
        """The same for a request to a model: if it gave no fact, its minor items do not wait."""
        kept = self.review if self.observations else tuple(item for item in self.review if not item.slight)
        return replace(self, review=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerReading:
    """What the calling assistant read in the words."""

    claims: tuple[Claim, ...] = ()
    """Facts that the caller read; empty if the words state nothing."""
    beyond: tuple[Claim, ...] = ()
    """Claims beyond the limit of one call; they are rejected."""
    whole: bool = True
    """Whether the reading covers all of the words."""

    @property
    def formed(self) -> tuple[Claim, ...]:
        """The well-formed claims."""
        return tuple(claim for claim in self.claims if not claim.trouble)


async def understand(
    episode: Episode,
    subject: Entity,
    reader: Reader,
    *,
    given: CallerReading | None = None,
    before: tuple[Turn, ...] = (),
    doubted: Sequence[Doubted] = (),
    standing: frozenset[tuple[str, str]] = frozenset(),
    answers: Sequence[Answer] | None = None,
    division: Division = WHOLE,
    aside: Sequence[Taken] = (),
    told_before: Sequence[Span] = (),
) -> Understood:
    """The reading of the words and of the caller's claims.

    `before` are the turns before the utterance; `doubted` are sentences that take back recorded facts; `standing` are
    the critical facts on record. Words that the
    `division` gives to others, or that stand in `aside` because the caller read them about others alone, are not read
    as the subject's; those of `told_before` state facts that an earlier call with the same words stored.

    Offline routes are asked first; if a model fails, their result stands. `answers` are the answers of the models if
    they were asked already.
    """
    if episode.role not in EVIDENCE_ROLES:
        return Understood(told=_no_evidence(given, episode.role))
    utterance = replace(_spoken(_utterance(episode, subject, before), division), standing=standing)
    taken = [*(part.span for part in aside if part.alone), *told_before]
    own = replace(utterance, text=_without_parts(division.own(utterance.text), taken))
    worker = reader.worker_of(episode.text)
    away = _Away(division, utterance, given, reader.schema)
    # What corrects a fact of another person, in a call about them, corrects none of this one's.
    doubted = [each for each in doubted if not any(part.alone and _touch(part.span, each.span) for part in aside)]
    try:
        if not reader.models:
            # Each turn of the worker is a quarter of a millisecond.
            return await worker.run(
                lambda: _divided(_Readings(reader, utterance, away, _offline(reader, own), (), doubted), aside)
            )
        offline = await worker.run(_offline, reader, own)
        if answers is None:
            answers = [await _answer(model, utterance) for model in reader.models]
        return await worker.run(_divided, _Readings(reader, utterance, away, offline, answers, doubted), aside)
    except Exception:  # the boundary to extraction: whatever goes wrong there, the words stay in view as pending
        logger.exception("Extraction failed", extra={"action": "extraction_failed", "episode": episode.id})
        return Understood(failed=True)


async def ask_together(
    told: Sequence[tuple[Episode, Entity, tuple[Turn, ...]]], reader: Reader
) -> list[list[Answer] | None]:
    """The models' answers about several utterances of a text, asked together; `None` for words that are no evidence."""
    evident = [at for at, (episode, _, _) in enumerate(told) if episode.role in EVIDENCE_ROLES]
    utterances = [_utterance(*told[at]) for at in evident]
    of_models = [await _answers(model, utterances) for model in reader.models] if utterances else []
    found: list[list[Answer] | None] = [None] * len(told)
    for place, at in enumerate(evident):
        found[at] = [answers[place] for answers in of_models]
    return found


def _utterance(episode: Episode, subject: Entity, before: tuple[Turn, ...]) -> Utterance:
    given = episode.role == "document" and episode.said_at not in {UNDATED, episode.recorded_at}
    return Utterance(
        text=episode.text,
        role=episode.role,
        speaker=episode.speaker,
        subject=subject,
        before=before,
        day=iso_day(episode.said_at) if given else "",
    )


def _without_parts(text: str, aside: Sequence[Span]) -> str:
    """The text with these parts blanked."""
    for span in aside:
        text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text


def _spoken(utterance: Utterance, division: Division) -> Utterance:
    """The utterance for a speaker who is not the subject, with the words by which the speaker calls the subject."""
    label = utterance.speaker
    if not division.apart:
        return utterance
    before = tuple(replace(turn, speaker=RELATIVE) if turn.speaker == label else turn for turn in utterance.before)
    return replace(utterance, speaker=RELATIVE, before=before, called=division.called)


class _Away:
    """The parts of an utterance that are about others, and the claims about them."""

    def __init__(
        self,
        division: Division,
        utterance: Utterance,
        given: CallerReading | None,
        schema: Schema,
    ) -> None:
        own, notes = of_others(schema), notes_of(schema)  # the subject's and the owner's, whoever is spoken of
        self._whose, self._subject = whose_under(schema), utterance.subject
        self.division = division
        self.call = given
        """All claims of the call."""
        self.told: dict[int, Told] = {}
        """Results of claims about others, by position among the well-formed ones."""
        self.given = given
        """The claims about the subject."""
        if given is None or not division.elsewhere:
            return
        kept: list[Claim] = []
        for at, claim in enumerate(given.formed):
            where = division.of(place_of(utterance.text, claim))
            # What denies a fact of this record is this person's, whoever else the words name.
            noted = where is not None and where.beside_owner and claim.relation in notes
            named = where is not None and self._names_subject(claim, where)
            if where is None or noted or named or claim.relation in own or _takes_back(claim):
                kept.append(claim)
            else:
                self.told[at] = Told(given=_proposal(claim), waits=True, reason=_of_another(where))
        self.given = replace(given, claims=(*kept, *(claim for claim in given.claims if claim.trouble)))

    def _names_subject(self, claim: Claim, where: Elsewhere) -> bool:
        """Whether the evidence begins with the subject in a part that begins with somebody else: "Bruno has three meals
        and Otto's lamp goes off at nine".
        """
        return not where.contested and self._whose.begins_with(claim.evidence, self._subject)

    def with_them(self, told: Sequence[Told]) -> list[Told]:
        """The results of the well-formed claims, in their order."""
        rest = iter(told)
        formed = self.call.formed if self.call is not None else ()
        return [self.told.get(at) or next(rest) for at in range(len(formed))]


def _takes_back(claim: Claim) -> bool:
    correction = claim.correction
    return correction is not None and claim.status in DENIAL and not (correction.elsewhere or correction.among)


def of_others(schema: Schema) -> frozenset[str]:
    """Relations of a subject whose facts describe another person: a relative's illness, who is who."""
    people = {name for name, relation in schema.relations.items() if relation.people}
    return frozenset(people | ({schema.family.to} if schema.family is not None else set()))


def notes_of(schema: Schema) -> frozenset[str]:
    """Relations of notes, plans and wishes: whoever they speak of, they are kept by whoever says them."""
    terms = schema.lexicon.terms
    return frozenset(
        name
        for name, relation in schema.relations.items()
        if not any(terms.get(type_) for type_ in relation.objects) and (relation.revocable or not relation.critical)
    )


def place_of(text: str, claim: Claim) -> Span:
    """Position of the fact's thing in its evidence, or of the evidence; empty if the text does not contain it."""
    said, evidence, thing = plain(text).casefold(), plain(claim.evidence).casefold(), plain(claim.object).casefold()
    start = said.find(evidence) if evidence.strip() else -1
    if start < 0:
        return Span(start=len(text), end=len(text))
    within = said.find(thing, start, start + len(evidence)) if thing else -1
    first = within if within >= 0 else start
    return Span(start=first, end=first + len(thing if within >= 0 else evidence))


def _of_another(where: Elsewhere) -> str:
    """Why words are not read as the subject's, and what to do."""
    said = f"'{inert(where.part.said, _SHOWN)}'"
    if where.contested:
        return f"{said} and somebody else may both be meant by this subject; say who is who in a call for each"
    if len(where.people) > 1:
        return f"{said} may be {shown(where.people)}; call again with that subject"
    if where.people:
        return f"about {said}, {shown(where.people)}, with whom it waits; call again with that subject"
    if where.part.word == SPEAKER:
        return "about the speaker; call again with the speaker as the subject"
    if where.beside_owner:
        return f"about {said}, not the owner; call again with them as the subject, or keep it as a note of the owner's"
    return f"about {said}, and nobody known is called so; call again with them as the subject"


@dataclass(frozen=True, slots=True)
class _Readings:
    """An utterance, and the reading of every voice."""

    reader: Reader
    utterance: Utterance
    away: _Away
    """Words and claims about others."""
    offline: Extraction | None
    answers: Sequence[Answer]
    """The models' answers."""
    doubted: Sequence[Doubted]


def _divided(readings: _Readings, aside: Sequence[Taken]) -> Understood:
    """What the words say about the subject, and which other parts may matter beside those read in other calls."""
    reader, utterance, away = readings.reader, readings.utterance, readings.away
    division = away.division
    own = [_without(answer, away, utterance) for answer in readings.answers]
    understood = _validated(replace(readings, answers=own))
    understood = _with_aliases(_with_persons(understood, reader, utterance, division), reader, utterance, division)
    understood = _with_orders(understood, reader, utterance)
    left = tuple(_with_its_head(item, utterance.text, aside) for item in understood.review)
    understood = replace(understood, review=left)
    if not division.elsewhere:
        return understood
    claimed = [item.reason for item in away.told.values()]
    told = tuple(
        where
        for where in division.elsewhere
        if _of_another(where) in claimed
        or _matters(reader, _unread_of(where, utterance, aside), where, read=away.call is not None)
    )
    nobody = [
        replace(waiting(utterance.text, where), answered=_of_another(where) in claimed)
        for where in told
        if len(where.people) != 1
    ]
    return replace(understood, elsewhere=told, review=(*understood.review, *nobody))


def _with_its_head(item: ReviewItem, text: str, aside: Sequence[Taken]) -> ReviewItem:
    """The waiting words, with what another call took right before them: it says whose words they are."""
    start = item.span.start
    for part in sorted((part.span for part in aside if part.alone), key=lambda span: -span.end):
        between = text[part.end : start]
        if part.start < start and not (any(map(str.isalnum, between)) or any(map(between.__contains__, _STOPS))):
            start = part.start
    if start == item.span.start or text[item.span.start : item.span.end] != item.text:
        return item
    return replace(item, text=text[start : item.span.end], span=Span(start=start, end=item.span.end))


def _unread_of(where: Elsewhere, utterance: Utterance, aside: Sequence[Taken]) -> Utterance:
    """The utterance without what a call about these people took of it; about nobody known, what is another's alone, or
    was taken for one person in a part that is plainly not about this subject: "My mum can't …, and my dad takes …".
    """
    people = {person.uid for person in where.people}
    within = [part for part in aside if _touch(part.span, where.part.span)]
    theirs = not people and not where.contested and len({part.uid for part in within}) == 1
    taken = [part.span for part in aside if (part.uid in people if len(people) == 1 else part.alone or theirs)]
    return replace(utterance, text=_without_parts(utterance.text, taken))


def _with_orders(understood: Understood, reader: Reader, utterance: Utterance) -> Understood:
    """The reading in which the evidence of each risk holds the order not to tell it that was said with it."""
    secrecy = secrecy_under(reader.schema)
    if not secrecy.forbids_telling(utterance.text):
        return understood
    wider: dict[int, Observation] = {}
    for seen in understood.observations:
        span = secrecy.around(utterance.text, seen.span) if seen.status in RISK else seen.span
        if span != seen.span:
            wider[id(seen)] = replace(seen, evidence=utterance.text[span.start : span.end], span=span)
    told = tuple(
        replace(item, observation=wider.get(id(item.observation), item.observation)) for item in understood.told
    )
    observations = tuple(wider.get(id(seen), seen) for seen in understood.observations)
    return replace(understood, observations=observations, told=told)


def _with_aliases(understood: Understood, reader: Reader, utterance: Utterance, division: Division) -> Understood:
    """The reading with the aliases of the subject in the words; an alias belongs to its speaker."""
    naming = reader.schema.naming
    if naming is None:
        return understood
    attrs: dict[str, Attribute] = {naming.called_by: division.by} if division.by else {}
    seen = [replace(item, attrs=attrs) if item.relation == naming.name else item for item in understood.observations]
    told = tuple(
        replace(item, observation=replace(item.observation, attrs=attrs))
        if item.observation is not None and item.observation.relation == naming.name
        else item
        for item in understood.told
    )
    for alias, span in division.aliases if utterance.role == "user" else ():
        proposal = Proposal(
            relation=naming.name,
            object=alias,
            object_type=naming.objects[0],
            attrs=attrs,
            evidence=utterance.text[span.start : span.end],
            span=span,
            route=Route.RULES,
            extractor="aliases/1",
        )
        formed = reader.validator.form(utterance, proposal)
        if not isinstance(formed, Rejection):
            seen.append(formed[0])
    kept = {(item.fact_id, item.status): item for item in reversed(seen)}
    return replace(understood, observations=tuple(kept.values())[::-1], told=told)


def aliases_alone(episode: Episode, subject: Entity, reader: Reader, division: Division) -> Understood:
    """The aliases of this person in the words of a call about another subject."""
    return _with_aliases(Understood(), reader, _utterance(episode, subject, ()), division)


def waiting(text: str, where: Elsewhere) -> ReviewItem:
    """An item that asks a person to look at words about another person."""
    span = where.part.span
    return ReviewItem(text=text[span.start : span.end].strip(), span=span, reason=_of_another(where))


def kept_elsewhere(text: str, understood: Understood) -> Iterator[ReviewItem]:
    """Items that wait in the records of the people they are about, except those that a given fact answered."""
    answered = {item.reason for item in understood.told}
    for where in understood.elsewhere:
        if len(where.people) == 1 and _of_another(where) not in answered:
            yield waiting(text, where)


def _matters(reader: Reader, utterance: Utterance, where: Elsewhere, *, read: bool) -> bool:
    """Whether the words may state something about the person they are about.

    `read`: the caller read them and found nothing.
    """
    span = where.part.span
    if not any(map(str.isalnum, utterance.text[span.start : span.end])):
        return False
    words = " " * span.start + utterance.text[span.start : span.end]
    about = where.people[0] if len(where.people) == 1 else utterance.subject
    word = where.part.word
    speaks = "" if word == SPEAKER else RELATIVE
    heard = _offline(reader, replace(utterance, text=words, subject=about, speaker=speaks, called=frozenset({word})))
    if heard is None:
        return True
    critical = (claim for claim in heard.claims if claim.relation in reader.schema.critical)
    waits = not read and not all(item.slight for item in heard.review)
    return waits or any(claim.voice in _TELLS for claim in critical)


def _without(answer: tuple[RouteTaken, Extraction], away: _Away, utterance: Utterance) -> tuple[RouteTaken, Extraction]:
    """A model's reading without parts about others."""
    taken, reading = answer
    kept = tuple(
        proposal
        for proposal in reading.proposals
        if away.division.of(
            place_of(
                utterance.text, Claim(relation=proposal.relation, object=proposal.object, evidence=proposal.evidence)
            )
        )
        is None
    )
    return taken, replace(reading, proposals=kept)


def _with_persons(understood: Understood, reader: Reader, utterance: Utterance, division: Division) -> Understood:
    """The reading; an absence about an unnamed person waits if the speaker is not the subject, and so does whatever the
    speaker gives to somebody else in the same breath.
    """
    breaks_off, quoting = breaking_off_under(reader.schema), quoting_under(reader.schema)
    answers = bool(utterance.before) and "?" in utterance.before[-1].text
    kept: list[Observation] = []
    waits: list[ReviewItem] = []
    reasons: dict[str, str] = {}
    corrections = [item.observation for item in understood.told if item.observation is not None and item.against]
    for seen in understood.observations:
        critical = reader.schema.relations[seen.relation].critical
        unsaid = division.of_another(seen.span) or (
            division.likely_apart and not answers and division.unsaid(seen.span, read=seen.route is not Route.RULES)
        )
        named = any(
            seen is correction for correction in corrections
        )  # a fact of this person, which stays in view as disputed
        others = named or seen.relation in of_others(reader.schema)
        given_away = breaks_off.takes_away if seen.route is Route.RULES else breaks_off.given_away
        quoted = quoting.of_another(utterance.text, seen.span, utterance.subject, division.called)
        away = not others and (quoted or given_away(utterance.text, seen.span, utterance.subject))
        if away or (seen.status in DENIAL and critical and unsaid and not others):
            text = utterance.text if away else utterance.text[seen.span.start : seen.span.end]
            span = Span(start=0, end=len(text)) if away else seen.span
            answered = any(item.observation is seen for item in understood.told)
            reason = _GIVEN_AWAY if away else _WHOSE
            waits.append(ReviewItem(text=text, span=span, reason=reason, answered=answered))
            reasons[seen.fact_id] = reason
        else:
            kept.append(seen)
    if not waits:
        return understood
    before = understood.observations
    gone = {seen.fact_id for seen in before} - {seen.fact_id for seen in kept}
    told = tuple(
        replace(item, observation=None, waits=True, reason=reasons[item.observation.fact_id])
        if item.observation is not None and item.observation.fact_id in gone
        else item
        for item in understood.told
    )
    understood = replace(understood, observations=tuple(kept), told=told, review=(*understood.review, *waits))
    given = [seen for seen in before if reasons.get(seen.fact_id) == _GIVEN_AWAY]
    return _instead_of_parts(understood, given, waits, reader) if given else understood


def _instead_of_parts(
    understood: Understood, away: Sequence[Observation], waits: Sequence[ReviewItem], reader: Reader
) -> Understood:
    """The reading in which the words that gave something away wait as a whole, and name each critical risk of them."""
    whole = [item for item in waits if item.reason == _GIVEN_AWAY]
    parts = [
        item for item in understood.review if item in waits or not any(_touch(item.span, each.span) for each in whole)
    ]
    risks = (seen for seen in away if reader.schema.relations[seen.relation].critical and seen.status in RISK)
    disputed = (*understood.disputed, *(f"{seen.relation} {seen.object.id[:_NAME]}" for seen in risks))
    return replace(understood, review=tuple(parts), disputed=tuple(dict.fromkeys(disputed)))


def _no_evidence(given: CallerReading | None, role: Role) -> tuple[Told, ...]:
    """Results of claims whose words are no evidence."""
    claims = (*given.claims, *given.beyond) if given is not None else ()
    reason = f"the words of the role {role} are no evidence; give what a person or a document says"
    return tuple(Told(given=_proposal(claim), reason=reason) for claim in claims)


def _proposal(claim: Claim) -> Proposal:
    return claim.proposal(Route.CLIENT, "client/1")


def left(episode: Episode, reason: str) -> Understood:
    """The reading of words that no route could read: a person must look at all of them."""
    whole = ReviewItem(text=episode.text, span=Span(start=0, end=len(episode.text)), reason=reason)
    return Understood(review=(whole,))


def recorded(episode: Episode, subject: Entity, reader: Reader, proposals: Sequence[Proposal]) -> Understood:
    """The reading of an entry of a record: its fields become facts.

    Fields that are not well-formed wait for a person.
    """
    utterance = _utterance(episode, subject, ())
    seen: dict[tuple[str, Status], Observation] = {}
    review: list[ReviewItem] = []
    for proposal in proposals:
        formed = reader.validator.form(utterance, proposal)
        if isinstance(formed, Rejection):
            review.append(_unread(utterance, proposal, formed))
        else:
            seen[formed[0].fact_id, formed[0].status] = formed[0]
    return Understood(observations=tuple(seen.values()), review=tuple(review))


def _offline(reader: Reader, utterance: Utterance) -> Extraction | None:
    return reader.extractor.extract(utterance) if reader.reads_offline else None


def _unread(utterance: Utterance, proposal: Proposal, rejection: Rejection) -> ReviewItem:
    span = proposal.span or Span(start=0, end=len(utterance.text))
    return ReviewItem(text=utterance.text[span.start : span.end], span=span, reason=rejection.reason)


def _beside(item: ReviewItem, kept: Iterable[Observation]) -> ReviewItem:
    """The item, with a note on the facts that its words gave."""
    facts = [
        f"{seen.relation} {seen.object.name}" + ("" if seen.status is Status.ACTIVE else f" ({seen.status})")
        for seen in kept
        if item.span.start <= seen.span.start < item.span.end
    ]
    return replace(item, reason=f"{item.reason}; kept from it: {', '.join(facts)}") if facts else item


def _validated(readings: _Readings) -> Understood:
    """The joined result of all voices: those that count by the table of `listening.py`, the others as heard."""
    reader, utterance, away, offline = readings.reader, readings.utterance, readings.away, readings.offline
    answers, doubted, listener = readings.answers, readings.doubted, reader.listener
    given = away.given
    counting = given if reader.client_counts and listener is not None else None
    models = [reading for taken, reading in answers if reader.model_counts and not taken.failed]
    callers = len(counting.formed) if counting is not None else 0
    heard = _Heard(reader, utterance, offline)
    if listener is None or (counting is None and not models):
        heard.callers(given)
        heard.local()
        listened = Listened(told=())
    else:
        if counting is None:
            heard.callers(given)
        proposals = [_proposal(claim) for claim in counting.formed] if counting is not None else []
        read = [proposal for reading in models for proposal in reading.proposals]
        whole = counting is None or counting.whole
        listened = listener.listen(utterance, [*proposals, *read], offline, whole=whole)
        heard.local(within=listened.unread)
    refused = _refused(listened.told[callers:])
    routes = [
        replace(taken, rejected=(*taken.rejected, *refused))
        for taken in heard.models(answers, counted=reader.model_counts and listener is not None)
    ]
    if offline is not None:
        own = RouteTaken(route=Route.RULES, extractor=reader.extractor.name, alone=offline.alone)
        routes = [own, *routes]
    told = tuple(_in_order(away.call, away.with_them([*listened.told[:callers], *heard.told]), utterance.text))
    counted = [entry.observation for entry in listened.told if entry.observation is not None]
    anew = (seen for seen in heard.seen if not any(each.strengthens(seen) for each in doubted))
    kept = _merged([*_of_voices(counted), *anew])
    left = tuple(_beside_what_it_takes_back((*listened.review, *heard.review), utterance, told, doubted))
    correcting = [plain(entry.given.evidence) for entry in told if entry.given.corrects is not None and entry.is_taken]
    unfiled = [
        each
        for each in doubted
        if not each.waits and not any(words in plain(each.item(utterance.text).text) for words in correcting)
    ]
    return Understood(
        observations=kept,
        rejections=tuple(Rejection(relation="", object="", reason=each.reason) for each in unfiled),
        told=tuple(_with_loss(entry, kept) for entry in told),
        against=tuple(
            entry.against for entry in told if entry.against is not None and entry.against is not entry.observation
        ),
        review=tuple(_beside(item, kept) for item in (*left, *_unfound(utterance, told, away.call))),
        disputed=(*listened.disputed, *_unnamed(heard.review, reader), *_taken_back(doubted, left, reader)),
        language=offline.language if offline else "",
        routes=tuple(routes),
    )


def _beside_what_it_takes_back(
    review: Iterable[ReviewItem], utterance: Utterance, told: Iterable[Told], doubted: Sequence[Doubted]
) -> Iterator[ReviewItem]:
    """The waiting items, and each sentence that takes back a recorded fact, unless a claim of the caller does."""
    taken = [entry for entry in told if entry.is_taken]
    read = [(entry, quoted) for entry in taken if (quoted := plain(entry.given.evidence))]
    corrections = (entry.given.corrects for entry in taken)
    settled = {each.fact.fact_id for each in corrections if each is not None and each.settles}
    settled |= {
        entry.observation.fact_id
        for entry in taken
        if entry.observation is not None and entry.observation.status not in RISK
    }
    unread = [
        item
        for each in doubted
        if each.waits and not each.is_settled_by(settled)
        for item in [each.item(utterance.text)]
        # A claim that states something beside what is to be forgotten does not answer that.
        if not any(
            quoted in plain(item.text) and each.is_answered_by(entry.observation, entry.given.corrects)
            for entry, quoted in read
        )
    ]
    yield from unread
    yield from (item for item in review if not any(_touch(item.span, each.span) for each in unread))


def _taken_back(doubted: Iterable[Doubted], left: Sequence[ReviewItem], reader: Reader) -> Iterator[str]:
    """Relation and thing of each critical fact that waiting words take back; every block shows them."""
    spans = {item.span for item in left}
    for each in doubted:
        for fact in each.facts if each.span in spans else ():
            relation = reader.schema.relations.get(fact.relation)
            if relation is None or relation.critical:
                yield f"{fact.relation} {fact.object.id[:_NAME]}"


def _unfound(utterance: Utterance, told: Sequence[Told], given: CallerReading | None) -> Iterator[ReviewItem]:
    """The words that a malformed claim quotes; all words, if a claim corrects a fact that is not recorded."""
    claims = given.claims if given is not None else ()
    for claim, item in zip(claims, told, strict=False):
        if claim.trouble and item.waits and not claim.note:
            start = utterance.text.find(claim.evidence)
            span = Span(start=start, end=start + len(claim.evidence))
            yield ReviewItem(text=claim.evidence, span=span, reason=item.reason, answered=True)
        elif claim.note and item.waits and item.observation is None:
            span = Span(start=0, end=len(utterance.text))
            yield ReviewItem(text=utterance.text, span=span, reason=item.reason, answered=True)


def _in_order(given: CallerReading | None, formed: Sequence[Told], text: str) -> Iterator[Told]:
    """The result of each claim, in the caller's order, including malformed ones and those beyond the limit.

    A malformed claim waits if the text holds the words that it quotes, and no fact that is taken quotes of them.
    """
    if given is not None:
        read = [plain(item.given.evidence) for item in formed if item.is_taken]
        rest = iter(formed)
        for claim in given.claims:
            quoted = bool(claim.trouble and claim.evidence.strip()) and claim.evidence in text
            quoted = quoted and not any(plain(claim.evidence) in each or each in plain(claim.evidence) for each in read)
            malformed = Told(given=_proposal(claim), reason=claim.trouble, waits=quoted)
            told = malformed if claim.trouble else next(rest)
            reason = "; ".join(filter(None, (told.reason, claim.note)))
            # Words that correct a fact that cannot be found are never lost.
            yield replace(told, reason=reason, waits=told.waits or (bool(claim.note) and not told.is_taken))
        reason = f"a call takes {len(given.claims)} facts; give it in another call"
        yield from (Told(given=_proposal(claim), reason=reason) for claim in given.beyond)


class _Heard:
    """Facts of voices that do not count, and of the local reader alone: unconfirmed unless another voice
    confirms them.
    """

    def __init__(self, reader: Reader, utterance: Utterance, offline: Extraction | None) -> None:
        self._reader = reader
        self._utterance = utterance
        self._offline = offline
        self.seen: list[Observation] = []
        self.told: list[Told] = []
        self.review: list[ReviewItem] = []

    def _checked(self, proposal: Proposal) -> Observation | Rejection:
        checked = self._reader.validator.check(self._utterance, proposal, self._offline)
        if isinstance(checked, Observation):
            self.seen.append(checked)
        return checked

    def callers(self, given: CallerReading | None) -> None:
        """Adds the caller's claims, if they do not count."""
        for claim in given.formed if given is not None else ():
            proposal = _proposal(claim)
            checked = self._checked(proposal)
            if isinstance(checked, Observation):
                lowered = checked.status != proposal.status
                reason = "what a caller reads is only heard here (setting client_reading), and the local reader does "
                why = f"{reason}not read it so" if lowered else ""
                self.told.append(Told(given=proposal, observation=checked, reason=why))
            else:
                self.told.append(Told(given=proposal, reason=checked.reason))

    def local(self, within: Sequence[Span] | None = None) -> None:
        """Adds what the local reader states or leaves to a person; only from the sentences `within` if given."""
        if self._offline is None:
            return

        def counts(span: Span | None) -> bool:
            return within is None or any(span is not None and _touch(span, each) for each in within)

        self.review += (item for item in self._offline.review if counts(item.span))
        for proposal in self._offline.proposals:
            if counts(proposal.span):
                checked = self._checked(proposal)
                if isinstance(checked, Rejection):
                    self.review.append(_unread(self._utterance, proposal, checked))

    def models(self, answers: Sequence[tuple[RouteTaken, Extraction]], *, counted: bool) -> list[RouteTaken]:
        """The routes of the models; the reading of a model that does not count is only heard."""
        routes: list[RouteTaken] = []
        for taken, reading in answers:
            proposals = () if counted else reading.proposals
            wrong = [item for item in map(self._checked, proposals) if isinstance(item, Rejection)]
            routes.append(replace(taken, rejected=(*reading.rejections, *wrong)))
        return routes


def _with_loss(entry: Told, kept: Iterable[Observation]) -> Told:
    """The result, with the details that are left out because another claim of the call states the same fact."""
    own = entry.observation
    if own is None or own.status in DENIAL:
        return entry
    stands = next((seen for seen in kept if seen.fact_id == own.fact_id and seen.status not in DENIAL), own)
    lost = [f"{name}: {inert(str(value), _SHOWN)}" for name, value in own.attrs.items() if _is_lost(name, own, stands)]
    if not lost:
        return entry
    return replace(entry, reason="; ".join(filter(None, (entry.reason, f"{_ONE_FACT} {', '.join(lost)}"))))


def _is_lost(name: str, own: Observation, stands: Observation) -> bool:
    return name != MEANT and stands.attrs.get(name) != own.attrs[name]


def _refused(told: Iterable[Told]) -> tuple[Rejection, ...]:
    """Rejections of what a model that counts read."""
    return tuple(
        Rejection(relation=item.given.relation, object=item.given.object, reason=item.reason)
        for item in told
        if item.observation is None
    )


def _unnamed(review: Iterable[ReviewItem], reader: Reader) -> tuple[str, ...]:
    """The relation of an effect without a named cause: it may be a critical risk."""
    told = reader.schema.comention
    return (f"{told.relation} something unnamed",) if told and any(item.reason == UNNAMED for item in review) else ()


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _of_voices(observations: Sequence[Observation]) -> Iterator[Observation]:
    """The observations of voices that count; if two differ, the more cautious one with the flag `disagree`."""
    risks = {seen.fact_id for seen in observations if seen.status not in DENIAL}
    routes: dict[str, set[Route]] = {}
    for seen in observations:
        routes.setdefault(seen.fact_id, set()).add(seen.route)
    for seen in observations:
        torn = seen.fact_id in risks and len(routes[seen.fact_id]) > 1
        if not torn or seen.status not in DENIAL:
            others = [
                observation
                for observation in observations
                if observation.fact_id == seen.fact_id and observation.status != seen.status
            ]
            yield replace(seen, flags=seen.flags | {Flag.DISAGREE}) if torn and others else seen


async def _answers(model: RemoteExtractor, utterances: Sequence[Utterance]) -> list[Answer]:
    """A model's answers about several utterances; if the joint answer cannot be read, each is asked about by itself."""
    taken = RouteTaken(route=Route.MODEL, extractor=model.name)
    if len(utterances) > 1:
        try:
            return [(taken, reading) for reading in await model.extract_all(utterances)]
        except BadReply:
            logger.info("Utterances asked about one by one", extra={"action": "model_batch"})
        except ModelError as error:
            logger.warning("Model read nothing", extra={"action": "model_failed", "error": type(error).__name__})
            return [(replace(taken, failed=str(error), answered=False), Extraction()) for _ in utterances]
        except Exception:  # a boundary, as of `_answer`: one by one only that fails which must
            logger.exception("Model route failed", extra={"action": "model_failed"})
    return [await _answer(model, utterance) for utterance in utterances]


async def _answer(model: RemoteExtractor, utterance: Utterance) -> Answer:
    """A model's answer about an utterance; a model that fails read nothing."""
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

    No route weakens the rules' reading: an active fact stays active, and a route that reads it differently sets the
    flag `disagree`. Among routes that agree, the first counts. A model's reading of a triple that another route read is
    the same fact, even if details differ.
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
