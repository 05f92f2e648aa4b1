"""The offline reading: what the closed rules and the taught reader make of an utterance, weighed by one table.

Knows how the two meet: which words both speak of, and how a verdict becomes a proposal or an item for a person. What
may be stored on whose word stands in `agreement.py`.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from r_memory.domain.facts import (
    RISK,
    SCOPE_TYPE,
    Attribute,
    Extraction,
    Flag,
    Proposal,
    ReviewItem,
    Route,
    Span,
    Status,
)
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Mention, Utterance
from r_memory.reading.agreement import Circumstance, RuleClaim, Thresholds, Verdict, weigh
from r_memory.reading.assertion import DENIAL
from r_memory.reading.experiencer import Who
from r_memory.reading.extractor import WATCHED, RuleExtractor, Understood
from r_memory.reading.rules.candidates import Candidate, Scene, reassuring
from r_memory.reading.taught.claims import Detail, Person, Place, TaughtClaim
from r_memory.reading.taught.places import Places

_UNSURE = frozenset({"not_understood", "rule_other_unsure"})
_MAY_BE = 0.25
"""Probability of a critical relation from which unknown words may be a risk."""
_RATHER = 0.5
"""Probability of any other relation from which they rather state something, though the schema has no place for it."""
_FEWEST = 3
"""Letters of an unknown word that may be a name."""
_PERSONS = {Who.FAMILY: Person.RELATIVE, Who.OTHER: Person.OTHER, Who.STRANGER: Person.OTHER}


class Taught(Protocol):
    """As much of a `TaughtReader` as is needed here."""

    @property
    def version(self) -> str:
        """Of the weights."""

    @property
    def thresholds(self) -> Mapping[str, Thresholds]:
        """By relation."""

    @property
    def speakers(self) -> Sequence[str]:
        """Who may speak: the subject's side first, then the professional, then others."""

    def read(
        self,
        text: str,
        *,
        question: str = "",
        speaker: str = "",
        mentions: Sequence[Place] = (),
        unasked: Sequence[Place] = (),
    ) -> tuple[TaughtClaim, ...]:
        """As in `TaughtReader`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Some words, what each side read in them, and what becomes of them."""

    words: str
    place: Place
    rules: Mapping[str, Candidate]
    """By relation as the taught reader calls it."""
    claim: TaughtClaim | None
    scene: Scene | None
    """The sentence; `None` for words of an earlier turn."""
    mention: Mention | None
    """The term of the lexicon that the words are, if they are one."""
    verdicts: tuple[Verdict, ...] = ()

    @property
    def sentence(self) -> int:
        """Index of the sentence; -1 for words of an earlier turn."""
        return -1 if self.scene is None else self.scene.index

    @property
    def is_settled(self) -> bool:
        """A fact, or a sure reading of nothing, came of them."""
        return all(verdict.reason not in _UNSURE for verdict in self.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Near:
    """What the rules and the lexicon found in an utterance, by where it stands."""

    facts: Places[Candidate]
    """Stated of the subject."""
    passed: Places[Candidate]
    """Not taken for a fact of the subject."""
    known: Places[tuple[Place, Mention]]
    scopes: Mapping[int, Sequence[Candidate]]
    """Whole groups that a sentence names, by its index."""
    verdicts: "_Verdicts" = field(default_factory=dict)
    """Those of the words so far, by all that decides them."""


_Verdicts = dict[tuple[object, ...], tuple[Verdict, ...]]


class LocalReader:
    """Reads utterances offline. Implements `protocols.Extractor`."""

    def __init__(
        self, rules: RuleExtractor, schema: Schema, linker: Linker, taught: Taught | None, *, alone: str = ""
    ) -> None:
        """Without a taught reader the rules read alone, and each extraction says why: `alone`."""
        self._alone = alone
        self.rules = rules
        self._schema = schema
        self._linker = linker
        self._taught = taught
        self._reassuring = reassuring(schema)
        self.name = rules.name if taught is None else f"local/{taught.version}"
        """With version, as recorded on events."""

    def extract(self, utterance: Utterance) -> Extraction:
        """Everything stated, with what a person must look at. Never raises for any text."""
        understood = self.rules.understand(utterance)
        alone = self.rules.extraction(utterance, understood)
        if self._taught is None or not self.rules.hears(utterance):
            return replace(alone, alone=self._alone)
        weighed = self.weighed(utterance, understood)
        taken = tuple(self._proposals(utterance, understood, weighed))
        seen = {_reading(candidate) for one in weighed for candidate in one.rules.values()}
        rest = tuple(
            self.rules.proposal(utterance.text, understood, candidate)
            for candidate in self._sure(utterance, understood)
            if _reading(candidate) not in seen
        )
        return replace(
            alone,
            proposals=tuple(_each_once((*taken, *rest))),
            review=tuple(self._review(utterance, understood, alone.review, weighed)),
        )

    def weighed(self, utterance: Utterance, understood: Understood) -> tuple[Words, ...]:
        """All words that either side speaks of, in their order, with the verdict on each."""
        if self._taught is None:
            return ()
        question = self._question(utterance)
        facts = self._sure(utterance, understood)
        places = {_reading(candidate): _place(candidate, understood, question) for candidate in facts}
        mentions = {_of_mention(mention): mention for mention in self._mentions(understood)}
        asked = {_of_mention(mention, in_question=True): mention for mention in self._linker.mentions(question)}
        known = {**asked, **mentions}
        claims = self._taught.read(
            self.rules.rewording.shown(understood.text, utterance.subject),
            question=self.rules.rewording.shown(question, utterance.subject),
            speaker=self._speaker(utterance),
            mentions=tuple(dict.fromkeys((*known, *(place for place in places.values() if place is not None)))),
            unasked=tuple(
                Place(start=scene.sentence.start, end=scene.sentence.end)
                for scene in understood.scenes
                if scene.index in understood.foreign  # claims of them are left out below
            ),
        )
        scopes: defaultdict[int, list[Candidate]] = defaultdict(list)
        for candidate in understood.candidates:
            if candidate.type == SCOPE_TYPE:
                scopes[candidate.sentence].append(candidate)
        near = _Near(
            facts=Places(
                (place, candidate) for candidate in facts if (place := places[_reading(candidate)]) is not None
            ),
            passed=Places(self._passed_over(utterance, understood)),
            known=Places((place, (place, mention)) for place, mention in known.items()),
            scopes=scopes,
        )
        begins = [scene.sentence.start for scene in understood.scenes]
        found: list[Words] = []
        sure: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
        for claim in claims:
            scene = _scene_of(claim.place, understood, begins)
            if scene is not None and scene.index in understood.foreign:
                continue
            words = (question if claim.place.in_question else understood.text)[claim.place.start : claim.place.end]
            one = self._weighed(claim, scene, words, near, understood)
            if one is None:
                continue
            for verdict in one.verdicts:
                if verdict.status is Status.ACTIVE:
                    sure[one.sentence, verdict.relation].add(len(found))
            found.append(one)
        return tuple(self._beside_sure(number, one, sure) for number, one in enumerate(found))

    def _weighed(
        self,
        claim: TaughtClaim,
        scene: Scene | None,
        words: str,
        near: "_Near",
        understood: Understood,
    ) -> Words | None:
        """The words of a claim; `None` where they are an absence of a whole group, which the rules alone read."""
        place = claim.place
        own = {self._base(candidate): candidate for candidate in near.facts.touching(place)}
        known = near.known.touching(place)
        mention = next((mention for where, mention in known if self._names(mention, where, claim)), None)
        one = Words(words=words, place=place, rules=own, claim=claim, scene=scene, mention=mention)
        scopes = tuple(_around(one, near.scopes))
        if any(scope.counts for scope in scopes):
            return None
        around = frozenset(self._circumstances(one, understood, near.passed.touching(place)))
        verdicts = self._verdicts(one, claim, around, near.verdicts)
        return replace(one, verdicts=tuple(verdict for verdict in verdicts if verdict.status is None or not scopes))

    def _names(self, mention: Mention, place: Place, claim: TaughtClaim) -> bool:
        """Whether a term of the lexicon that touches them names all of the words: it ends where they end, or behind it.

        A part of them names them only if they may be what it is: "weeks along" is an age, "fourteen weeks along" a
        condition.
        """
        if place.end < claim.place.end:
            return False
        return place == claim.place or all(self._possible(each.relation, mention) for each in claim.statements[:1])

    def _beside_sure(self, number: int, one: Words, sure: Mapping[tuple[int, str], set[int]]) -> Words:
        """The words, only waiting where they are no name, half believed, and their sentence surely states another.

        `sure` is what each sentence states for certain, by the numbers of the words. "The limitation period for the
        second claim expires on 3 May" is one deadline, not two: what has a date is one thing a sentence, however sure
        the reader is.
        """

        def gives_way(verdict: Verdict) -> bool:
            others = sure.get((one.sentence, verdict.relation), set())
            return self._is_half(verdict) and not others <= {number} and not self._is_name(verdict.relation, one)

        return replace(
            one,
            verdicts=tuple(
                replace(verdict, status=None, flags=frozenset(), review=True) if gives_way(verdict) else verdict
                for verdict in one.verdicts
            ),
        )

    def _is_half(self, verdict: Verdict) -> bool:
        """Whether the reader alone says so, and only half believes it or speaks of what has a date."""
        if verdict.reason == "taught_risk":
            return "date" in self._schema.relations[verdict.relation].attrs.values()
        return verdict.reason == "taught_doubted"

    def _sure(self, utterance: Utterance, understood: Understood) -> tuple[Candidate, ...]:
        """What the rules may speak for: not whose fact it is where a relative speaks, to whom "Mum" is the subject."""
        facts, family = self.rules.facts(understood), self._schema.family
        if family is None or not self.rules.is_relative(utterance.speaker):
            return facts
        return tuple(candidate for candidate in facts if candidate.relation != family.to)

    def _verdicts(
        self, one: Words, claim: TaughtClaim, circumstances: frozenset[Circumstance], known: "_Verdicts"
    ) -> tuple[Verdict, ...]:
        """As `weigh` has them; `known` are those of words that were weighed already, for a text may repeat itself."""
        rules = {
            relation: RuleClaim(
                status=candidate.status,
                person=self._person(candidate),
                bare=candidate.source == "mention",
                worded=self._is_worded(candidate),
                strange=candidate.strange,
            )
            for relation, candidate in one.rules.items()
        }
        term = one.mention and (one.mention.type, one.mention.name)
        # What is read once has the very same statements wherever it is repeated.
        key = (id(claim.statements), claim.nothing, one.words, term, tuple(rules.items()), circumstances)
        if key not in known:
            known[key] = self._weigh(one, claim, rules, circumstances)
        return known[key]

    def _weigh(
        self, one: Words, claim: TaughtClaim, rules: Mapping[str, RuleClaim], circumstances: frozenset[Circumstance]
    ) -> tuple[Verdict, ...]:
        assert self._taught is not None  # noqa: S101 - `weighed` asks for it
        limits = {**dict.fromkeys(rules, Thresholds()), **self._taught.thresholds}
        statements = tuple(each for each in claim.statements if self._possible(each.relation, one.mention))
        verdicts = weigh(
            rules,
            replace(claim, statements=statements),
            limits,
            reassuring=self._reassuring,
            watched=self._may_be_a_risk(claim, one.mention),
            unnamed=frozenset(each.relation for each in statements if not self._is_name(each.relation, one)),
            circumstances=circumstances,
        )
        return tuple(verdict for verdict in verdicts if not self._said_already(verdict, verdicts))

    def _is_worded(self, candidate: Candidate) -> bool:
        """Whether a wording of a critical relation states it of a known name, not a bare name, a list or nearness."""
        near = Flag.FUZZY in candidate.flags
        bare = near or candidate.weak or candidate.source in {"mention", "heading", "answer"}
        return not bare and self._schema.relations[candidate.relation].critical

    def _circumstances(self, one: Words, understood: Understood, passed: Sequence[Candidate]) -> Iterator[Circumstance]:
        """`passed` is what the rules found in these words and did not take for a fact of the subject."""
        if one.place.in_question:
            yield Circumstance.ASKED
            if any(self.rules.denies_plainly(scene, understood) for scene in understood.scenes[:1]):
                yield Circumstance.REFUSED
        if one.scene is None:
            return
        if self.rules.denies_plainly(one.scene, understood):
            yield Circumstance.PLAIN_DENIAL
        if self.rules.supposes(one.scene, one.place.start) or any(
            candidate.quiet or candidate.who is Who.FAMILY for candidate in passed
        ):
            yield Circumstance.SUPPOSED
        if passed:
            yield Circumstance.PASSED_OVER

    def _passed_over(self, utterance: Utterance, understood: Understood) -> Iterator[tuple[Place, Candidate]]:
        """What the rules found and did not take for a fact of the subject, with its place."""
        kin = self.rules.is_relative(utterance.speaker)
        for candidate in understood.candidates:
            place = None if candidate.counts else _place(candidate, understood, "")
            if place is not None and not (kin and candidate.who is Who.FAMILY):
                yield place, candidate

    def _is_name(self, relation: str, one: Words) -> bool:
        """Whether the words are a term of the lexicon, or the relation takes any words."""
        declared = self._schema.relations[relation]
        if one.mention is not None or declared.rule_status:
            return True
        return len(self._linker.resolve(one.words, declared.objects)) == 1

    def _said_already(self, verdict: Verdict, verdicts: Sequence[Verdict]) -> bool:
        """Whether a rule has the words under a critical relation of the same things: an allergy is no intolerance."""
        if not verdict.reason.startswith("taught_risk"):
            return False
        own = self._schema.relations[verdict.relation]
        ruled = (
            self._schema.relations[other.relation]
            for other in verdicts
            if other.reason in {"both_risk", "rule_risk"} and other.status in RISK
        )
        return own.critical and any(each.critical and each.objects == own.objects for each in ruled)

    def _may_be_a_risk(self, claim: TaughtClaim, mention: Mention | None) -> bool:
        """Whether the words must leave a trace unless the reader is sure that they state nothing."""
        if mention is not None and mention.type in self._schema.review_types:
            return True
        return any(
            one.probability >= (_MAY_BE if self._schema.relations[one.relation].critical else _RATHER)
            for one in claim.statements
            if one.relation in self._schema.relations
        )

    def _person(self, candidate: Candidate) -> Person:
        family = self._schema.family
        if family is not None and candidate.relation == family.to:
            return Person.RELATIVE
        return _PERSONS.get(candidate.who, Person.SUBJECT)

    def _possible(self, relation: str, mention: Mention | None) -> bool:
        """Whether the schema lets the relation have this object; unknown words may be anything."""
        declared = self._schema.relations.get(relation)
        if declared is None:
            return False
        return mention is None or declared.rule_status or mention.type in declared.objects

    def _mentions(self, understood: Understood) -> Iterator[Mention]:
        for scene in understood.scenes:
            yield from (unit.mention for unit in scene.sentence.units if unit.mention is not None)

    def _question(self, utterance: Utterance) -> str:
        """The turn before, if somebody else asked something in it; a professional answers nothing for the subject."""
        last = utterance.before[-1] if utterance.before else None
        if last is None or "?" not in last.text or self.rules.is_professional(utterance.speaker):
            return ""
        return "" if (last.speaker, last.role) == (utterance.speaker, utterance.role) else last.text

    def _speaker(self, utterance: Utterance) -> str:
        """The speaker as the taught reader knows speakers."""
        assert self._taught is not None  # noqa: S101 - `weighed` asks for it
        own, professional, *others = self._taught.speakers
        if utterance.role == "document" and "note" in others:
            return "note"
        if self.rules.is_professional(utterance.speaker):
            return professional
        if self.rules.is_relative(utterance.speaker) and "relative" in others:
            return "relative"
        return own

    def _base(self, candidate: Candidate) -> str:
        """The relation that a relative's fact would be under if it were the subject's."""
        family = self._schema.family
        if family is None or candidate.relation != family.to:
            return candidate.relation
        for relation, suffix in family.object_suffix.items():
            if candidate.name.endswith(suffix):
                return relation
        return next((name for name in family.sources if name not in family.object_suffix), candidate.relation)

    # what comes out

    def _proposals(self, utterance: Utterance, understood: Understood, weighed: Sequence[Words]) -> Iterator[Proposal]:
        for one in weighed:
            for verdict in one.verdicts:
                if verdict.status is None:
                    continue
                candidate = one.rules.get(verdict.relation)
                proposal = (
                    self._of_taught(utterance, understood, one, verdict)
                    if candidate is None
                    else self._of_rules(utterance, understood, candidate, verdict)
                )
                if proposal is not None:
                    flags = proposal.flags | verdict.flags
                    yield replace(proposal, flags=flags, template=verdict.reason, extractor=self.name)

    def _of_rules(
        self, utterance: Utterance, understood: Understood, candidate: Candidate, verdict: Verdict
    ) -> Proposal:
        proposal = self.rules.proposal(utterance.text, understood, candidate)
        risk = verdict.status in RISK and candidate.status in RISK
        return replace(proposal, status=verdict.status) if risk and verdict.status else proposal

    def _of_taught(self, utterance: Utterance, understood: Understood, one: Words, verdict: Verdict) -> Proposal | None:
        """The proposal of words that only the taught reader understands; `None` if the schema has no place for it."""
        claim, relation = one.claim, self._schema.relations[verdict.relation]
        if claim is None or verdict.status is None:
            return None
        span = _evidence(one, understood)
        named = self._scope(claim, verdict) or self._named(relation, one)
        if named is None or span is None:
            return None
        name, type_ = named
        attrs = self._attrs(relation, one, understood)
        if attrs is None:
            return None
        filed = self._filed(relation, name, type_, verdict)
        if filed is None:
            return None
        target, name = filed
        if target is not relation:
            attrs = {"relative": claim.classes.get("rel", "")} if "relative" in target.attrs else {}
        if target.rule_status and type_ and type_ not in target.objects and self.rules.stops(one.scene):
            name = target.object_prefix + name
        return Proposal(
            relation=target.name,
            object=name,
            object_type=type_ if type_ in target.objects or type_ == SCOPE_TYPE else "",
            status=verdict.status,
            attrs={key: value for key, value in attrs.items() if value},
            evidence=utterance.text[span.start : span.end],
            span=span,
            route=Route.RULES,
            extractor=self.name,
            confidence=round(max((each.probability for each in claim.statements), default=0.0), 3),
            flags=frozenset({Flag.UNMAPPED} if not type_ and not target.rule_status else ()),
        )

    def _scope(self, claim: TaughtClaim, verdict: Verdict) -> tuple[str, str] | None:
        scope = claim.classes.get("scope", "")
        if scope not in self._schema.scopes or verdict.status is not Status.NEGATED:
            return None
        return scope, SCOPE_TYPE

    def _named(self, relation: Relation, one: Words) -> tuple[str, str] | None:
        """Name and type of the object; a word that no lexicon knows has no type."""
        if one.mention is not None:
            return one.mention.name, one.mention.type
        meant = self._linker.resolve(one.words, relation.objects)
        if len(meant) == 1:
            return meant[0].name, meant[0].type
        if relation.rule_status:
            return one.words, ""
        may_be_a_name = sum(letter.isalpha() for letter in one.words) >= _FEWEST
        return (one.words.casefold(), "") if may_be_a_name else None

    def _filed(self, relation: Relation, name: str, type_: str, verdict: Verdict) -> tuple[Relation, str] | None:
        """The relation and the object's name under which a fact about this person is kept; `None` if nowhere."""
        if verdict.person is Person.SUBJECT:
            return relation, name
        family = self._schema.family
        if family is None or verdict.person is not Person.RELATIVE or relation.name not in family.sources:
            return None
        if type_ == SCOPE_TYPE:
            return None
        return self._schema.relations[family.to], name + family.object_suffix.get(relation.name, "")

    def _attrs(self, relation: Relation, one: Words, understood: Understood) -> dict[str, Attribute] | None:
        """What belongs to the fact; `None` if it lacks the number without which it says nothing."""
        assert one.claim is not None  # noqa: S101 - `_of_taught` asks for it
        found: dict[str, Attribute] = {}
        kinds = {kind: name for name, kind in relation.attrs.items()}
        if "Reaction" in kinds:
            found |= self._reaction(kinds["Reaction"], one, understood)
        if severity := one.claim.classes.get("severity"):
            found |= {kinds["severity"]: severity} if "severity" in kinds else {}
        if "number" not in kinds:
            return found
        said = _detail(one.claim, "max") or _detail(one.claim, "min")
        words = None if said is None else Span(start=said.place.start, end=said.place.end)
        measure = self.rules.measure(one.scene, words)
        if measure is None:
            return None
        return (
            found
            | {kinds["number"]: measure.value, "unit": measure.unit}
            | ({kinds["period"]: measure.period} if "period" in kinds else {})
        )

    def _reaction(self, name: str, one: Words, understood: Understood) -> dict[str, Attribute]:
        assert one.claim is not None  # noqa: S101 - as above
        detail = _detail(one.claim, "reaction")
        if detail is None or detail.place.in_question:
            return {}
        words = understood.text[detail.place.start : detail.place.end]
        types = self._schema.concrete("Reaction")
        linked = next((each for each in self._linker.mentions(words) if each.type in types), None)
        return {} if linked is None else {name: linked.name}

    def _review(
        self, utterance: Utterance, understood: Understood, of_rules: Sequence[ReviewItem], weighed: Sequence[Words]
    ) -> Iterator[ReviewItem]:
        """Each sentence once: what the rules doubt, unless the other side settles it, and what was left open."""
        here = [(one.scene, one) for one in weighed if one.scene is not None]
        left_open = {
            scene.index: (scene, one)
            for one in weighed
            if (scene := _said_in(one, understood)) is not None and self._is_open(utterance, understood, one)
        }
        unsure = {*left_open, *(scene.index for scene, one in here if not one.is_settled)}
        settled = {scene.sentence.start for scene, _ in here if scene.index not in unsure}
        yield from (item for item in of_rules if item.reason != WATCHED or item.span.start not in settled)
        said = {item.span.start for item in of_rules}
        for _, (scene, one) in sorted(left_open.items()):
            span = Span(start=scene.sentence.start, end=scene.sentence.end)
            if span.start not in said:
                row = next(verdict.reason for verdict in one.verdicts if verdict.leaves_a_trace)
                reason = f"may state something about '{one.words[:60]}' ({row})"
                yield ReviewItem(text=utterance.text[span.start : span.end], span=span, reason=reason)

    def _is_open(self, utterance: Utterance, understood: Understood, one: Words) -> bool:
        """A person must look: the table says so, or a fact that it allows has no place in the schema."""
        reviewed = {verdict.reason for verdict in one.verdicts if verdict.review and self._was_said(verdict, one)}
        if one.mention is None and self.rules.speaks_of_the_rest(one.scene):
            return not reviewed <= {"taught_absence"}
        return bool(reviewed) or any(
            verdict.status in RISK
            and verdict.person is Person.SUBJECT
            and verdict.relation not in one.rules
            and self._of_taught(utterance, understood, one, verdict) is None
            for verdict in one.verdicts
        )

    def _was_said(self, verdict: Verdict, one: Words) -> bool:
        """Whether it may have been said: of what was only asked, an answer that may state a risk, and no bare "no"."""
        if not one.place.in_question:
            return True
        if verdict.reason in _UNSURE or verdict.reason == "taught_absence":
            return False
        return one.mention is not None or self._schema.relations[verdict.relation].critical


def _each_once(proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Of proposals of one triple the first that is certain, else the first."""
    kept: dict[tuple[object, ...], Proposal] = {}
    for proposal in proposals:
        numbers = tuple(sorted((key, str(value)) for key, value in proposal.attrs.items() if key in {"max", "min"}))
        key = (proposal.relation, proposal.object.casefold(), proposal.object_type, numbers)
        known = kept.get(key)
        if known is None or (known.status is Status.UNCONFIRMED and proposal.status is Status.ACTIVE):
            kept[key] = proposal
    yield from kept.values()


def _of_mention(mention: Mention, *, in_question: bool = False) -> Place:
    return Place(start=mention.start, end=mention.end, in_question=in_question)


def _reading(candidate: Candidate) -> tuple[object, ...]:
    """What tells the rules' readings of one utterance apart."""
    return candidate.relation, candidate.name, candidate.sentence, candidate.first, candidate.last, candidate.at


def _place(candidate: Candidate, understood: Understood, question: str) -> Place | None:
    """Where the object of a rule's reading stands; `None` where that is in no text at hand."""
    if candidate.at < 0:
        start = question.casefold().rfind((candidate.said or candidate.name).casefold())
        return (
            None
            if start < 0
            else Place(start=start, end=start + len(candidate.said or candidate.name), in_question=True)
        )
    if candidate.sentence >= len(understood.scenes):
        return None
    units = understood.scenes[candidate.sentence].sentence.units
    if candidate.at >= len(units):
        return None
    unit = units[candidate.at]
    return Place(start=unit.start, end=max(unit.end, unit.start + 1))


def _around(one: Words, scopes: Mapping[int, Sequence[Candidate]]) -> Iterator[Candidate]:
    """Whole groups that the words name: "implants: a stent, a clip" states none by that name."""
    if one.mention is not None or one.scene is None:
        return
    units, clauses = one.scene.sentence.units, one.scene.sentence.clauses
    denials = [cue.start for cue in one.scene.cues.found if cue.value == DENIAL]
    for candidate in scopes.get(one.scene.index, ()):
        # "No known conflicts" names a group from the "no" on.
        before = [at for at in denials if at < candidate.first and clauses[at] == clauses[candidate.first]]
        first, last = units[max(before, default=candidate.first)], units[candidate.last - 1]
        if first.start <= one.place.start and one.place.end <= last.end:
            yield candidate


def _scene_of(place: Place, understood: Understood, begins: Sequence[int]) -> Scene | None:
    """The sentence that holds the place; `begins` are the beginnings of all."""
    at = bisect_right(begins, place.start) - 1
    if place.in_question or at < 0:
        return None
    scene = understood.scenes[at]
    return scene if place.start < scene.sentence.end else None


def _said_in(one: Words, understood: Understood) -> Scene | None:
    """The sentence that says so; an answer to a question is its own first sentence."""
    return one.scene or (understood.scenes[0] if understood.scenes else None)


def _evidence(one: Words, understood: Understood) -> Span | None:
    scene = _said_in(one, understood)
    return None if scene is None else Span(start=scene.sentence.start, end=scene.sentence.end)


def _detail(claim: TaughtClaim, name: str) -> Detail | None:
    found = [detail for detail in claim.details if detail.name == name]
    return max(found, key=lambda detail: detail.probability, default=None)
