"""A voice that counts, beside the local reader: each given fact gets its fate, each unlisted risk its place in view.

Knows how things of the two readings meet: by their words, or by the term that both name. What may be stored stands in
`listening.py`; form, evidence and attributes are the validator's.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.corrections import Correction, Effect
from r_memory.domain.facts import (
    DENIAL,
    RISK,
    SCOPE_TYPE,
    Extraction,
    Fact,
    Flag,
    LocalClaim,
    LocalVoice,
    Observation,
    Proposal,
    Rejection,
    ReviewItem,
    Span,
    Status,
)
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Utterance
from r_memory.reading.context import Contexts
from r_memory.reading.listening import CueAgainst, Fate, Given, beside, net
from r_memory.reading.neighbours import Neighbours
from r_memory.reading.normalise import plain
from r_memory.reading.plain_denials import Beside, PlainDenials
from r_memory.reading.rules.candidates import reassuring
from r_memory.reading.things import LONGEST_MEANING
from r_memory.reading.validation import Validator
from r_memory.text.cutting import words_of

_RISKS = frozenset({Given.RISK, Given.INTOLERANCE})
"""What a voice may read without removing a risk."""
_SURE = frozenset({LocalVoice.RISK, LocalVoice.NAME, LocalVoice.DOUBT})
UNLISTED = "reads as a risk that the reading given does not list; confirm or deny it with the person"
_REPEATS = (
    "says of the fact that it corrects what stands already: nothing was changed; if that is wrong, call again with the "
    "right details, or with the status negated, refuted or resolved"
)
_RENEWED = "takes back details of a fact to which this call gives others; those stand in their place"
_GRAVER = "a critical fact: what was said before stays in its history, and a person confirms the new details"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The result for one given fact."""

    given: Proposal
    observation: Observation | None = None
    """The observation to store; `None` if nothing is stored."""
    waits: bool = False
    reason: str = ""
    """Why it is not stored as given; empty if it is."""
    against: Observation | None = None
    """The observation against the recorded fact that it corrects."""
    stands: Fact | None = None
    """The recorded fact, if the given fact adds nothing to it."""

    @property
    def is_taken(self) -> bool:
        """Whether the fact is stored, waits, or is recorded already."""
        return self.waits or self.observation is not None or self.stands is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listened:
    """The weighed readings of one utterance: those of a voice that counts, and the local reader's."""

    told: tuple[Told, ...]
    """One result for each given fact, in order."""
    review: tuple[ReviewItem, ...] = ()
    disputed: tuple[str, ...] = ()
    """Relation and thing of each fact that waits, read in two ways or by the local reader alone."""
    unread: tuple[Span, ...] = ()
    """Sentences that the accepted facts leave out, if the voice could not list all; the local reading counts there."""


class Listener:
    """Weighs the readings of voices that count against the local reading, under one schema."""

    def __init__(self, schema: Schema, validator: Validator, contexts: Contexts) -> None:
        self.schema = schema
        self.validator = validator
        self.contexts = contexts
        self.reassuring = reassuring(schema)
        self.neighbours = Neighbours(schema)
        self.plain_denials = PlainDenials(schema)

    def listen(
        self, utterance: Utterance, given: Sequence[Proposal], local: Extraction | None, *, whole: bool = True
    ) -> Listened:
        """Returns the result for each given fact, and what the local reader adds.

        `whole`: the voice saw all words and could list all facts. If it did not, only sentences that hold accepted
        evidence count as read. A refused fact lists nothing: a risk of the same words waits.
        """
        return _Hearing(self, utterance, local).listened(given, whole=whole)


class _Hearing:
    """One utterance with its local claims and the given facts."""

    def __init__(self, listener: Listener, utterance: Utterance, local: Extraction | None) -> None:
        self._schema, self._validator = listener.schema, listener.validator
        self._neighbours, self._reassuring = listener.neighbours, listener.reassuring
        self._plain_denials = listener.plain_denials
        self._utterance = utterance
        self._local = local
        self._claims = local.claims if local is not None else ()
        self._context = listener.contexts.of(utterance, local)
        self._stating: Sequence[Proposal] = ()
        """The given risks."""
        self._calming: Sequence[Proposal] = ()
        """The given denials and tolerances."""
        self._named = {word.casefold() for word in words_of(utterance.subject.name)} | {*utterance.called}
        """Words for the subject."""
        self._renewed: Collection[str] = ()
        """Ids of the recorded facts that the call gives with other details."""

    def listened(self, given: Sequence[Proposal], *, whole: bool) -> Listened:
        self._stating = [entry for entry in given if entry.status in RISK]
        self._calming = [entry for entry in given if (entry.status in RISK) == (entry.relation in self._reassuring)]
        self._renewed = frozenset(self._other_values(given))
        told = [self._told(proposal) for proposal in given]
        taken = [entry for entry in told if entry.is_taken]
        unread: tuple[Span, ...] = ()
        if not whole:
            evidence = [self._context.evidence(entry.given) for entry in taken]
            read = self._context.sentences()
            unread = tuple(span for span in read if not any(_touch(span, each) for each in evidence))
        # A fact that was refused may have been the doubted one.
        unlisted = list(self._unlisted(taken, unread, empty=not given or len(taken) < len(told)))
        review = [*self._waiting(told), *(item for _, item in unlisted)]
        disputed = [*self._disputed(told), *(name for name, _ in unlisted)]
        return Listened(
            told=tuple(told),
            review=tuple({item.span: item for item in reversed(review)}.values())[::-1],
            disputed=tuple(dict.fromkeys(disputed)),
            unread=unread,
        )

    # the given facts

    def _told(self, given: Proposal) -> Told:
        correction = given.corrects
        if correction is None or correction.elsewhere:
            return self._stated(given)
        return self._corrected(given, correction)

    def _corrected(self, given: Proposal, correction: Correction) -> Told:
        """Returns the result of a correction: an observation against the recorded fact, another value, or another fact.

        The recorded fact itself is never observed again, which would make it stronger.
        """
        fact = correction.fact
        if correction.forgets or (correction.among and given.status in DENIAL):
            return Told(given=given, waits=True, reason=correction.reason)
        if correction.among:
            told = self._stated(given)
            return replace(told, reason=_joined(told.reason, correction.reason))
        if given.status in DENIAL and given.relation == fact.relation:
            if correction.effect is Effect.ALREADY:
                return Told(given=given, stands=fact, reason=correction.reason)
            if fact.status in RISK and fact.fact_id in self._renewed:
                return Told(given=given, stands=fact, reason=_RENEWED)
            if fact.status in RISK:
                return self._taken_back(given, correction)
        return self._beside(self._other_value(given, fact) or self._stated(given), correction)

    def _other_values(self, given: Sequence[Proposal]) -> Iterator[str]:
        for entry in given:
            correction = entry.corrects
            if correction is None or correction.among or correction.elsewhere or correction.forgets:
                continue
            other = self._other_value(entry, correction.fact)
            if other is not None and other.observation is not None:
                yield correction.fact.fact_id

    def _beside(self, told: Told, correction: Correction) -> Told:
        """Returns the result of a fact that is given for a recorded one, with what it does to that."""
        given, fact = told.given, correction.fact
        same = told.stands is not None or (told.observation is not None and told.observation.fact_id == fact.fact_id)
        if correction.is_reopened_by(told.observation):
            return replace(told, reason=_joined(told.reason, correction.again))
        if same or not told.is_taken:
            return told
        if told.observation is None:
            if not self._speaks_against(given, fact):
                return replace(told, reason=_joined(told.reason, correction.unchanged))
            correction = correction.doubting
        return self._instead(told, correction)

    def _speaks_against(self, given: Proposal, fact: Fact) -> bool:
        """Whether the words themselves deny or end the recorded fact, by its name."""
        relation = self._schema.relations.get(fact.relation)
        where = self._context.evidence(given)
        if relation is None or plain(fact.object.name).casefold() not in plain(given.evidence).casefold():
            return False
        return self._context.cue(where, fact.object.name, relation, known=fact.object.id) is not CueAgainst.NONE

    def _taken_back(self, given: Proposal, correction: Correction) -> Told:
        """Returns the observation against the recorded fact that the given fact corrects."""
        status = Status.RESOLVED if given.status == Status.RESOLVED else Status.REFUTED
        seen = self._validator.against(self._utterance, given, correction.fact, status)
        if isinstance(seen, Rejection):
            return Told(given=given, waits=self._must_wait(given), reason=seen.reason)
        return Told(given=given, observation=seen, against=seen, reason=correction.reason)

    def _instead(self, told: Told, correction: Correction) -> Told:
        """Returns another fact in the place of the corrected one."""
        against, fact = None, correction.fact
        if correction.effect is not Effect.ALREADY and fact.status in RISK:
            against = self._validator.against(self._utterance, told.given, fact, Status.REFUTED)
        if isinstance(against, Rejection):
            return replace(told, reason=_joined(told.reason, against.reason))
        return replace(told, against=against, reason=_joined(told.reason, correction.reason))

    def _other_value(self, given: Proposal, fact: Fact) -> Told | None:
        """Returns the same fact with other details; `None` if the given fact is about something else."""
        if given.relation != fact.relation or given.status not in RISK or fact.status not in RISK:
            return None
        checked = self._validator.form(self._utterance, given)
        if isinstance(checked, Rejection) or checked[0].fact_id != fact.fact_id:
            return None
        seen, note = checked
        if all(fact.attrs.get(name) == value for name, value in seen.attrs.items()) and given.status == fact.status:
            return Told(given=given, stands=fact, reason=_REPEATS)
        if not self._schema.relations[fact.relation].critical:
            return Told(given=given, observation=seen, reason=note)
        doubted = replace(seen, flags=seen.flags | {Flag.DISAGREE})
        return Told(given=given, observation=doubted, reason=_joined(_GRAVER, note))

    def _stated(self, given: Proposal) -> Told:
        told = self._scoped(given)
        too_long = len(told.means) > LONGEST_MEANING
        # What it means belongs to a thing alone; without it the words stand for themselves.
        bare = replace(told, means="") if too_long or told.object_type == SCOPE_TYPE else told
        checked = self._validator.form(self._utterance, bare)
        if isinstance(checked, Rejection):
            return Told(given=given, waits=self._must_wait(given), reason=checked.reason)
        observation, note = checked
        if too_long:
            shorter = f"left out means: it takes a term or a noun phrase of at most {LONGEST_MEANING} characters"
            note = _joined(note, shorter)
        objection = self._validator.objection(self._utterance, observation, given.object)
        if objection and self._kind(observation) not in _RISKS:
            return Told(given=given, waits=True, reason=f"{objection}; a person decides")
        return self._weighed(given, observation, note)

    def _scoped(self, given: Proposal) -> Proposal:
        """Returns the fact with a scope as its object if its words name no thing: "no known drug allergies"."""
        relation = self._schema.relations.get(given.relation)
        if relation is None or given.status not in DENIAL:
            return given
        evidence = self._context.sentence(self._context.evidence(given))
        local = [
            claim.name
            for claim in self._claims
            if claim.scope and claim.relation == given.relation and _touch(claim.span, evidence)
        ]
        if given.object.casefold() in self._schema.scopes:
            return replace(given, object=self._no_wider(given, relation, local), object_type=SCOPE_TYPE)
        named = self._context.scope(given.object, relation, said=bool(local))
        if not named or (not local and given.status == Status.RESOLVED and self._context.is_single(given)):
            return given
        return replace(given, object=local[0] if local else named, object_type=SCOPE_TYPE, status=Status.NEGATED)

    def _no_wider(self, given: Proposal, relation: Relation, local: Collection[str]) -> str:
        """Returns the given scope; where the words deny narrower ones alone, the first of these."""
        scope = given.object.casefold()
        said = {*local, *self._denied_scopes(self._context.evidence(given), relation)}
        if not said or any(self._schema.includes(each, scope) for each in said):
            return scope
        return next(each for each in self._schema.scopes if each in said)

    def _weighed(self, given: Proposal, observation: Observation, note: str) -> Told:
        kind = self._kind(observation)
        if kind is Given.ABSENCE and self._ends(given):
            kind = Given.END
        where = self._context.place(given, observation)
        local = self._voice(given, observation, where, kind)
        cue = self._cue(given, observation, kind)
        relation = self._schema.relations[observation.relation]
        if kind is Given.ABSENCE and cue is CueAgainst.NONE and self._validator.is_note(relation):
            cue = self._context.speaks_against(observation.span)
        abroad = self._context.in_known_language(observation.span)
        # That something ended is no risk taken away; of another language the local reader knows hardly more than names.
        freely = not relation.is_guarded or self._has_another(given, relation)
        ended = freely or (abroad and local in {LocalVoice.NAME, LocalVoice.DOUBT})
        if kind is Given.ABSENCE and cue is not CueAgainst.NONE and ended:
            local = LocalVoice.SILENT
        if kind is Given.TOLERANCE and self._context.denied_elsewhere(observation.span):
            local = LocalVoice.DOUBT
        row = beside(kind, local, cue)
        reason = _joined(row.reason, note)
        if row.fate in {Fate.WAITS, Fate.TWO_WAYS}:
            return Told(given=given, waits=True, reason=reason)
        critical = relation.critical or kind is Given.TOLERANCE
        if Flag.MEANT in observation.flags and not abroad and critical and kind not in _RISKS | {Given.SCOPE}:
            return self._without_meaning(given, observation, note)
        if row.fate is Fate.AS_SAID:
            return Told(given=given, observation=observation, reason=note)
        status = Status.UNCONFIRMED if row.fate is Fate.DOUBTED else observation.status
        doubted = replace(observation, status=status, flags=observation.flags | {Flag.DISAGREE})
        return Told(given=given, observation=doubted, waits=row.fate is Fate.DOUBTED, reason=reason)

    def _without_meaning(self, given: Proposal, observation: Observation, note: str) -> Told:
        """Returns a denial or tolerance under its own words alone, as what it means rests on a guess.

        It waits if its words name the guess themselves, or no word of denial or of going well stands in the evidence.
        """
        guess = "what it means rests on a guess; ask the person"
        spoken = self._context.speaks_against(observation.span) is not CueAgainst.NONE
        bare = self._validator.form(self._utterance, replace(given, means="")) if spoken and given.means else None
        if bare is None or isinstance(bare, Rejection) or Flag.MEANT in bare[0].flags:
            return Told(given=given, waits=True, reason=guess)
        return Told(given=given, observation=bare[0], reason=_joined(f"left out means: {guess}", note))

    def _ends(self, given: Proposal) -> bool:
        """Whether the fact says that something is over, or was mistaken, which no list of words can tell apart.

        Of a guarded relation only an earlier value is over, beside the value that it has now.
        """
        relation = self._schema.relations[given.relation]
        over = given.status in {Status.RESOLVED, Status.REFUTED}
        return over and (not relation.is_guarded or self._has_another(given, relation))

    def _has_another(self, given: Proposal, relation: Relation) -> bool:
        """Whether the call also states the thing with another value: "The 19th, not the 9th"."""
        return any(
            other.relation == relation.name
            and other.object.casefold() == given.object.casefold()
            and any(other.attrs.get(name) != given.attrs.get(name) for name in relation.identity)
            for other in self._stating
        )

    def _cue(self, given: Proposal, observation: Observation, kind: Given) -> CueAgainst:
        """Returns the cue against the fact: in the quoted evidence of an absence, in whole sentences of a risk."""
        told = self._schema.relations[observation.relation]
        if self._context.asks(given, told, known=observation.object.id, risk=kind in _RISKS):
            return CueAgainst.ASKED
        if kind is Given.SCOPE:
            said = self._denied_scopes(observation.span, told)
            denied = any(self._schema.includes(each, observation.object.id) for each in said)
            return CueAgainst.KIND if denied else CueAgainst.NONE
        where = observation.span if kind is not Given.RISK else self._context.sentence(observation.span)
        cue = self._context.cue(where, given.object, told, known=observation.object.id)
        goes_on = kind is Given.END and cue is CueAgainst.NONE
        if goes_on and self._context.lasts(where, given.object, told, known=observation.object.id):
            return CueAgainst.LASTS
        return cue

    def _denied_scopes(self, span: Span, relation: Relation) -> frozenset[str]:
        """Returns the scopes that the sentences at a place plainly deny.

        None if the local reader is sure of a risk of the kind in them, or doubts one that the call does not calm.
        """
        where = self._context.sentence(span)
        stated = [entry for entry in self._stating if entry.relation == relation.name]
        told = [self._context.sentence(self._context.evidence(entry)) for entry in stated]
        between = (self._utterance.text[each.end : where.start] for each in told if each.start < where.end)
        near = any(not any(map(str.isalnum, words)) for words in between)
        beside = self._what_stands(relation, stated, near=near)
        calmed = {entry.object.casefold() for entry in self._calming}
        risks = (
            claim
            for claim in self._claims
            if claim.relation == relation.name
            and claim.voice in _SURE
            and not claim.scope
            and _touch(claim.span, where)
            # What is stated, or stands on record, stays a risk.
            and claim.name.casefold() not in beside.risks
        )
        if any(
            claim.voice is LocalVoice.RISK or calmed.isdisjoint({claim.name, claim.words.casefold()}) for claim in risks
        ):
            return frozenset()
        return self._plain_denials.denied(self._utterance.text[where.start : where.end], relation, beside)

    def _what_stands(self, relation: Relation, stated: Sequence[Proposal], *, near: bool) -> Beside:
        """Returns the risks of the kind that the call states or that stand on record, and what the call denies."""
        risks = [
            *(entry.object for entry in stated),
            *(
                name
                for other, name in self._utterance.standing
                if other == relation.name or self._alike(other, relation.name)
            ),
        ]
        denied = [
            entry.object
            for entry in self._calming
            if (entry.relation == relation.name or self._alike(entry.relation, relation.name))
            and entry.object.casefold() not in self._schema.scopes
        ]
        return Beside(
            risks=frozenset(name.casefold() for name in risks),
            rest=bool(risks or denied),
            near=near,
            calmed=frozenset(word for name in denied for word in words_of(name.casefold())),
            names=self._named,
        )

    def _kind(self, observation: Observation) -> Given:
        if observation.object.type == SCOPE_TYPE:
            return Given.SCOPE
        if observation.relation in self._reassuring and observation.status in RISK:
            return Given.TOLERANCE
        if observation.relation in self._reassuring:
            return Given.INTOLERANCE
        return Given.RISK if observation.status in RISK else Given.ABSENCE

    def _must_wait(self, given: Proposal) -> bool:
        """Whether a refused fact stays in view because its words were said."""
        relation = self._schema.relations.get(given.relation)
        minor = relation is not None and not relation.critical and given.status in DENIAL
        return not minor and bool(given.evidence.strip()) and plain(given.evidence) in plain(self._utterance.text)

    def _voice(self, given: Proposal, observation: Observation, where: Span, kind: Given) -> LocalVoice:
        """Returns the local reader's claim about the same thing, under this relation or any risk."""
        own = [
            claim.voice
            for claim in self._claims
            if self._same_thing(claim, given, observation, where)
            and self._compared(claim, observation, kind)
            and not (kind is Given.TOLERANCE and self._is_denied(claim))
        ]
        return min(own, key=[*LocalVoice].index, default=LocalVoice.SILENT)

    def _is_denied(self, claim: LocalClaim) -> bool:
        """Whether the sentence of a doubted risk plainly denies its kind: "no allergies, has had cod often"."""
        relation = self._schema.relations.get(claim.relation)
        if relation is None or claim.voice is not LocalVoice.DOUBT or claim.asked:
            return False
        return bool(self._denied_scopes(claim.span, relation))

    def _same_thing(self, claim: LocalClaim, given: Proposal, observation: Observation, where: Span) -> bool:
        if claim.scope or observation.object.type == SCOPE_TYPE:
            near = _touch(claim.span, self._context.sentence(observation.span))
            wide = claim.scope and self._schema.includes(claim.name, observation.object.id)
            return wide and observation.object.type == SCOPE_TYPE and near and not claim.asked
        names = self._names(given, observation)
        if self._bare(claim.name, claim.relation) in names or (claim.words and claim.words.casefold() in names):
            return True
        return bool(claim.words) and not claim.asked and _touch(claim.span, where)

    def _bare(self, name: str, relation: str) -> str:
        """Returns the name of a thing without the suffix of a relative's fact."""
        family = self._schema.family
        if family is None or relation != family.to:
            return name
        ending = next((each for each in family.object_suffix.values() if name.endswith(each)), "")
        return name.removesuffix(ending)

    def _names(self, given: Proposal, seen: Observation | None) -> set[str]:
        """Returns the names of a fact's thing: as given, and as resolved."""
        names = {given.object.casefold(), *([seen.object.id] if seen is not None else [])}
        return {self._bare(name, given.relation) for name in names}

    def _of_a_relative(self, relation: str) -> bool:
        return self._schema.family is not None and relation == self._schema.family.to

    def _compared(self, claim: LocalClaim, observation: Observation, kind: Given) -> bool:
        """Whether a local claim bears on the given fact: on the words as a whole, or under a relation of its kind."""
        if self._of_a_relative(observation.relation) and claim.voice in {LocalVoice.OTHER, LocalVoice.NOTHING}:
            return claim.voice is LocalVoice.NOTHING
        if self._of_a_relative(claim.relation):
            return claim.relation == observation.relation
        if not claim.relation or claim.relation == observation.relation:
            return True
        if claim.voice in {LocalVoice.RISK, LocalVoice.NAME, LocalVoice.DOUBT}:
            # That a drug is not borne is no sign that it is still taken.
            return kind not in _RISKS | {Given.END} and self._schema.relations[claim.relation].critical
        return claim.voice is LocalVoice.OTHER and self._alike(claim.relation, observation.relation)

    def _alike(self, relation: str, other: str) -> bool:
        """Whether two relations state the same kind of thing of the same objects: an allergy and an intolerance."""
        one, two = self._schema.relations[relation], self._schema.relations[other]
        reassures = (relation in self._reassuring) == (other in self._reassuring)
        return reassures and one.critical == two.critical and not set(one.objects).isdisjoint(two.objects)

    # what the local reader adds

    def _unlisted(
        self, told: Sequence[Told], unread: Sequence[Span], *, empty: bool
    ) -> Iterator[tuple[str, ReviewItem]]:
        for claim in self._claims:
            relation = self._schema.relations.get(claim.relation)
            if relation is None or claim.scope or claim.relation in self._reassuring:
                continue
            sentence = self._context.sentence(claim.span) if not claim.asked else self._context.first()
            if any(_touch(sentence, span) for span in unread) or self._listed(claim, told):
                continue
            if net(claim.voice, critical=relation.critical, empty=empty) is not None:
                text = self._utterance.text[sentence.start : sentence.end]
                yield f"{claim.relation} {claim.name}", ReviewItem(text=text, span=sentence, reason=UNLISTED)

    def _listed(self, claim: LocalClaim, told: Iterable[Told]) -> bool:
        """Whether a given fact has this thing and kind of relation, or waits or is refused because of it."""
        for item in told:
            given, seen = item.given, item.observation
            relation = seen.relation if seen is not None else given.relation
            if relation not in self._schema.relations:
                continue
            where = self._context.place(given, seen)
            names = self._names(given, seen)
            if self._is_told_beside(claim, item, relation, names):
                return True
            same = self._bare(claim.name, claim.relation) in names or claim.words.casefold() in names
            within = bool(claim.words) and not claim.asked and _touch(claim.span, where)
            if seen is not None and _touch(claim.span, where) and self._is_without(given.object, claim):
                return True  # "nothing gluten-free" is about what is free of gluten
            if not (same or within):
                continue
            if relation == claim.relation or item.waits or self._alike(relation, claim.relation):
                return True
            if within and not same and (self._schema.relations[relation].critical or self._is_part(claim, relation)):
                return True  # "no bloods from the right arm" is one precaution, and no ban of bloods
            if relation in self._reassuring or (seen is not None and seen.status in DENIAL):
                return True
        return False

    def _is_told_beside(self, claim: LocalClaim, item: Told, relation: str, names: Collection[str]) -> bool:
        """Whether a risk taken from the same sentence tells what the claim reads under a neighbouring relation."""
        given = item.given
        sentence = self._context.sentence(self._context.evidence(given))
        if not item.is_taken or given.status not in RISK or claim.asked or not _touch(claim.span, sentence):
            return False
        said = self._utterance.text[sentence.start : sentence.end]
        alike = relation != claim.relation and self._alike(relation, claim.relation)
        return not self._of_a_relative(relation) and (
            self._neighbours.is_told(claim, self._schema.relations[relation], names, said)
            or (alike and self._neighbours.is_within(claim, names, given.means, said))
        )

    def _is_part(self, claim: LocalClaim, relation: str) -> bool:
        """Whether a bare name is only a part of words that are about another type of things.

        "The hip wakes me" tells a trouble, and names no implant.
        """
        told, claimed = self._schema.relations[relation], self._schema.relations[claim.relation]
        return claim.voice is LocalVoice.NAME and set(told.objects).isdisjoint(claimed.objects)

    def _is_without(self, thing: str, claim: LocalClaim) -> bool:
        """Whether a thing is what is without the claimed one, of which nothing else is said."""
        return all(
            self._validator.is_without(words, claim.words or claim.name) for words in (thing, self._utterance.text)
        )

    def _waiting(self, told: Iterable[Told]) -> Iterator[ReviewItem]:
        for item in told:
            if item.waits:
                span = self._context.sentence(self._context.evidence(item.given))
                reason = f"{item.given.relation} {item.given.object}: {item.reason}"
                yield ReviewItem(
                    text=self._utterance.text[span.start : span.end], span=span, reason=reason, answered=True
                )

    def _disputed(self, told: Iterable[Told]) -> Iterator[str]:
        for item in told:
            relation = self._schema.relations.get(item.given.relation)
            if item.waits and relation is not None and (relation.critical or relation.name in self._reassuring):
                yield f"{item.given.relation} {item.given.object.casefold()[:60]}"


def _joined(*reasons: str) -> str:
    return "; ".join(reason for reason in reasons if reason)


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
