"""The offline reading: what the closed rules and the taught reader make of an utterance, weighed by one table.

Knows how the two meet: which words both speak of, and how a verdict becomes a proposal or an item for a person. What
may be stored on whose word stands in `agreement.py`.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from r_memory.domain.facts import (
    RISK,
    SCOPE_TYPE,
    Attribute,
    Extraction,
    Flag,
    LocalClaim,
    LocalVoice,
    Proposal,
    ReviewItem,
    Route,
    Span,
    Status,
)
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Mention, Utterance
from r_memory.reading.agreement import RuleClaim, Thresholds, Trait, Verdict, weigh
from r_memory.reading.assertion import DENIAL
from r_memory.reading.attributes import takes_parts
from r_memory.reading.experiencer import Who
from r_memory.reading.extractor import RuleExtractor, closed_claim
from r_memory.reading.rules.candidates import Candidate, Scene, reassuring
from r_memory.reading.rules.net import BINDING, WATCHED
from r_memory.reading.taught.claims import Detail, Person, Place, Places, TaughtClaim
from r_memory.reading.taught.reader import TaughtReader

_UNSURE = "not_understood"
_MAY_BE = 0.25
"""Probability of a critical relation from which unknown words may be a risk."""
_RATHER = 0.5
"""Probability of another relation from which words probably state something that has no place in the schema."""
_SECONDED = 0.65
_SECONDED_END = 0.42
"""Probability of a risk, or of its denial, from which the reader agrees with a hint."""
_WORD = re.compile(r"[^\W\d_][\w-]{4,}")
"""Words that may be a misspelt watched name."""
_DAYS = frozenset({"date", "end"})
_FEWEST = 3
"""Letters that an unknown word needs to be a name."""
_CLOSED = frozenset({"both_absence", "plain_absence", "rule_absence"})
"""Verdicts under which a closed form denies the fact."""
_WITHOUT_A_FACT = {
    "rule_absence": LocalVoice.ABSENCE,
    "plain_absence": LocalVoice.ABSENCE,
    "taught_absence": LocalVoice.LEANS,
    "told_well": LocalVoice.LEANS,
    "somebody_else": LocalVoice.OTHER,
    "states_nothing": LocalVoice.NOTHING,
    "not_understood": LocalVoice.SILENT,
}
"""Verdicts that store nothing; a review item under any other verdict counts as doubt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A stretch of words, with both sides' readings and the verdicts."""

    words: str
    claim: TaughtClaim
    rules: Mapping[str, Candidate]
    """The rules' candidates by relation, named as the taught reader names it."""
    scene: Scene | None
    """The sentence; `None` for words of an earlier turn."""
    mention: Mention | None
    """The term of the lexicon that the words are; `None` if they are none."""
    verdicts: tuple[Verdict, ...] = ()


class LocalReader:
    """Reads utterances offline. Implements `protocols.Extractor`."""

    def __init__(
        self, rules: RuleExtractor, schema: Schema, linker: Linker, taught: TaughtReader | None, *, alone: str = ""
    ) -> None:
        """Without a taught reader only the rules read; `alone` says why, and each extraction carries it."""
        self._alone = alone
        self._rules = rules
        self._schema = schema
        self._linker = linker
        self._taught = taught
        self.name = rules.name if taught is None else _name(taught)
        """With version, as recorded on events."""

    def extract(self, utterance: Utterance) -> Extraction:
        """Returns every statement as proposals, and what a person must review. Never raises for any text."""
        if self._taught is None or not self._rules.hears(utterance):
            return replace(self._rules.extract(utterance), alone=self._alone)
        return Hearing(self._rules, self._schema, self._linker, self._taught, utterance).extraction()

    def weighed(self, utterance: Utterance) -> tuple[Words, ...]:
        """Returns the words that either side read, in order, with their verdicts; empty without a taught reader."""
        if self._taught is None:
            return ()
        return Hearing(self._rules, self._schema, self._linker, self._taught, utterance).words


class Hearing:
    """Combines the readings of the rules and the taught reader for one utterance."""

    def __init__(
        self, rules: RuleExtractor, schema: Schema, linker: Linker, taught: TaughtReader, utterance: Utterance
    ) -> None:
        self._rules, self._schema, self._linker, self._taught = rules, schema, linker, taught
        self._reassuring = reassuring(schema)
        self._critical = frozenset(name for name, relation in schema.relations.items() if relation.critical)
        # A relative's illness is theirs, not a doubt about the subject's.
        family = {schema.family.to, *schema.family.sources} if schema.family is not None else set()
        self._weighty = self._critical | family
        self._utterance = utterance
        self._understood = rules.understand(utterance)
        self._question = self._turn_before()
        self._facts = self._rules_facts()
        self._begins = [scene.sentence.start for scene in self._understood.scenes]
        self._weighed: dict[tuple[object, ...], tuple[Verdict, ...]] = {}
        """Verdicts on words, by all that decides them: a text may repeat itself."""

    def extraction(self) -> Extraction:
        """Returns the proposals and the review items."""
        alone = self._rules.extraction(self._utterance, self._understood)
        proposals = tuple(self._proposals())
        review = tuple(self._review(alone.review, proposals))
        return replace(alone, proposals=proposals, review=review, claims=tuple(self._claims(proposals)))

    def _claims(self, proposals: Sequence[Proposal]) -> Iterator[LocalClaim]:
        """Yields a claim for each thing, stored or not, then claims that only a closed form has words for."""
        told: set[tuple[str, str]] = set()
        for word in self.words:
            place = word.claim.place
            for verdict in word.verdicts:
                name = (word.mention.name if word.mention is not None else word.words).casefold()
                told.add((verdict.relation, name))
                yield LocalClaim(
                    relation=verdict.relation,
                    name=name,
                    words=word.words,
                    span=Span(start=place.start, end=place.end),
                    asked=place.in_question,
                    voice=self._voice(verdict),
                )
        for proposal in proposals:
            if (proposal.relation, proposal.object.casefold()) not in told and proposal.span is not None:
                yield closed_claim(proposal, self._reassuring)

    def _voice(self, verdict: Verdict) -> LocalVoice:
        """Returns the verdict as a value of the table in `listening.py`."""
        if verdict.person is not Person.SUBJECT and verdict.status is not None:
            return LocalVoice.OTHER
        if verdict.status is None:
            return _WITHOUT_A_FACT.get(verdict.reason, LocalVoice.DOUBT if verdict.review else LocalVoice.SILENT)
        if (verdict.status in RISK) != (verdict.relation in self._reassuring):
            if verdict.status is not Status.ACTIVE:
                return LocalVoice.DOUBT
            return LocalVoice.NAME if verdict.reason == "both_named" else LocalVoice.RISK
        return LocalVoice.ABSENCE if verdict.reason in _CLOSED else LocalVoice.LEANS

    def _turn_before(self) -> str:
        """Returns the turn before if another speaker asked something in it; empty for a professional's answer."""
        said = self._utterance
        last = said.before[-1] if said.before else None
        if last is None or "?" not in last.text or self._rules.is_professional(said.speaker):
            return ""
        return "" if (last.speaker, last.role) == (said.speaker, said.role) else last.text

    def _rules_facts(self) -> tuple[Candidate, ...]:
        """Returns the rules' candidates; of a relative as speaker, without those about the relative's own family."""
        facts, family = (*self._rules.facts(self._understood), *self._understood.hints), self._schema.family
        kept_apart = family is not None and family.to not in family.sources
        if family is None or not (kept_apart and self._rules.is_relative(self._utterance.speaker)):
            return facts
        return tuple(candidate for candidate in facts if candidate.relation != family.to)

    # what either side speaks of

    @cached_property
    def words(self) -> tuple[Words, ...]:
        """Every stretch of words that either side read, in order, with the verdicts."""
        scenes, foreign = self._understood.scenes, self._understood.foreign
        terms = [unit.mention for scene in scenes for unit in scene.sentence.units if unit.mention is not None]
        asked = {_of_mention(term, in_question=True): term for term in self._linker.mentions(self._question)}
        known = {**asked, **{_of_mention(term): term for term in terms}}
        stated = [(place, fact) for fact in self._facts if (place := self._place(fact)) is not None]
        texts = {False: self._understood.text, True: self._question}
        shown = {at: self._rules.rewording.shown(text, self._utterance.subject) for at, text in texts.items()}
        claims = self._taught.read(
            shown[False],
            question=shown[True],
            speaker=self._speaker(),
            mentions=tuple(dict.fromkeys((*known, *(place for place, _ in stated)))),
        )
        near = Places((place, (place, term)) for place, term in known.items())
        facts, passed = Places(stated), Places(self._passed_over())
        groups: defaultdict[int, list[Candidate]] = defaultdict(list)
        for candidate in self._understood.candidates:
            if candidate.type == SCOPE_TYPE:
                groups[candidate.sentence].append(candidate)
        found: list[Words] = []
        for claim in claims:
            scene = self._scene_of(claim.place)
            if scene is not None and scene.index in foreign:
                continue
            terms_near, stated_near = near.touching(claim.place), facts.touching(claim.place)
            where, at = claim.place.in_question, slice(claim.place.start, claim.place.end)
            ends_otherwise = shown[where][at].split()[-1:] != texts[where][at].split()[-1:]
            if ends_otherwise and not terms_near and not stated_near:
                continue  # a pronoun that it was shown for a name, or the like
            one = Words(
                words=texts[where][at],
                claim=claim,
                rules={self._base(item): item for item in self._counting(claim, stated_near)},
                scene=scene,
                mention=next((term for place, term in terms_near if self._names(term, place, claim)), None),
            )
            scopes = tuple(_around(one, groups))
            # An absence of a whole group the rules alone read.
            if not any(scope.counts for scope in scopes):
                verdicts = self._verdicts(one, frozenset(self._circumstances(one, passed.touching(claim.place))))
                kept = (verdict for verdict in verdicts if verdict.status is None or not scopes)
                found.append(replace(one, verdicts=tuple(kept)))
        return tuple(self._beside_sure(found))

    def _speaker(self) -> str:
        """Returns the speaker by the taught reader's labels."""
        own, professional, *others = self._taught.labels.speakers
        if self._utterance.role == "document" and "note" in others:
            return "note"
        if self._rules.is_professional(self._utterance.speaker):
            return professional
        if self._rules.is_relative(self._utterance.speaker) and "relative" in others:
            return "relative"
        return next((name for name in others if name in self._utterance.speaker.lower().split()), own)

    def _place(self, candidate: Candidate) -> Place | None:
        """Returns the place of a candidate's object; `None` if it stands in neither text."""
        if candidate.at < 0 and candidate.type == SCOPE_TYPE:
            return None  # the "any" of "Any allergies?" is no name of it
        if candidate.at < 0:
            said = candidate.said or candidate.name
            start = self._question.casefold().rfind(said.casefold())
            return None if start < 0 else Place(start=start, end=start + len(said), in_question=True)
        if candidate.sentence >= len(self._understood.scenes):
            return None
        units = self._understood.scenes[candidate.sentence].sentence.units
        if candidate.at >= len(units):
            return None
        if Flag.COREF in candidate.flags and (meant := self._meant(candidate, units[candidate.at].start)) is not None:
            return meant
        start, last = units[candidate.at].start, units[max(candidate.ends - 1, candidate.at)]
        end = last.end - (candidate.ends > 0 and last.word.endswith("."))  # "Acme Ltd."
        return Place(start=start, end=max(end, start + 1))

    def _meant(self, candidate: Candidate, before: int) -> Place | None:
        """Returns the last place of the name that a pronoun means, else its place in the question.

        Needed because the taught reader knows no pronouns.
        """
        named = (unit.mention for scene in self._understood.scenes for unit in scene.sentence.units)
        found = [
            _of_mention(term)
            for term in named
            if term is not None and term.end <= before and (term.type, term.name) == (candidate.type, candidate.name)
        ]
        asked = [
            _of_mention(term, in_question=True)
            for term in self._linker.mentions(self._question)
            if (term.type, term.name) == (candidate.type, candidate.name)
        ]
        return max(found or asked, default=None)

    def _passed_over(self) -> Iterator[tuple[Place, Candidate]]:
        """Yields the candidates that the rules did not take for a fact of the subject, with their places."""
        kin = self._rules.is_relative(self._utterance.speaker)
        for candidate in self._understood.candidates:
            place = None if candidate.counts or candidate.at < 0 else self._place(candidate)
            if place is not None and not (kin and candidate.who is Who.FAMILY):
                yield place, candidate

    def _scene_of(self, place: Place) -> Scene | None:
        """Returns the sentence that holds the place; `None` if there is none."""
        at = bisect_right(self._begins, place.start) - 1
        if place.in_question or at < 0:
            return None
        scene = self._understood.scenes[at]
        return scene if place.start < scene.sentence.end else None

    def _base(self, candidate: Candidate) -> str:
        """Returns the relation that a relative's fact would have if it were the subject's."""
        family = self._schema.family
        if family is None or candidate.relation != family.to:
            return candidate.relation
        for relation, suffix in family.object_suffix.items():
            if candidate.name.endswith(suffix):
                return relation
        return next((name for name in family.sources if name not in family.object_suffix), candidate.relation)

    def _names(self, term: Mention, place: Place, claim: TaughtClaim) -> bool:
        """Whether a term that overlaps the words names all of them: it ends where they end, or later.

        A term inside the words names them only if they may be that thing: "weeks along" is an age, "fourteen weeks
        along" a condition.
        """
        if place.end < claim.place.end:
            return False
        return place == claim.place or all(self._possible(each.relation, term) for each in claim.statements[:1])

    def _counting(self, claim: TaughtClaim, stated: Sequence[Candidate]) -> Sequence[Candidate]:
        """Returns the rules' candidates that count beside the reader's claim; the preferred candidate is last."""
        counting = (candidate for candidate in stated if not candidate.hint or self._seconds(claim, candidate))
        over = Status.UNCONFIRMED  # of what is yet to end another wording says more
        return sorted(counting, key=lambda one: (one.ended and one.status is not over, not one.hint))

    def _seconds(self, claim: TaughtClaim, hint: Candidate) -> bool:
        """Whether the taught reader agrees with a hint."""
        heard = next((each for each in claim.statements if each.relation == self._base(hint)), None)
        if heard is None:
            return False
        family = self._schema.family
        relative = family is not None and hint.relation == family.to and family.to not in family.sources
        own = heard.probability * heard.persons.get(Person.RELATIVE if relative else Person.SUBJECT, 0.0)
        risk = own * sum(probability for status, probability in heard.statuses.items() if status in RISK)
        if hint.status in RISK:
            certain = own * heard.statuses.get(Status.ACTIVE, 0.0)
            alike = (hint.status is Status.ACTIVE) == (2 * certain >= risk)
            alike = alike or (hint.status is Status.UNCONFIRMED and not self._is_hedged(hint))
            return alike and risk >= max(_SECONDED, own - risk)
        return Flag.FUZZY not in hint.flags and own - risk >= max(_SECONDED_END, risk)

    def _possible(self, relation: str, term: Mention | None) -> bool:
        """Whether the schema allows this object under the relation; unknown words are always allowed."""
        declared = self._schema.relations.get(relation)
        if declared is None:
            return False
        return term is None or declared.rule_status or term.type in declared.objects

    # what the table says

    def _circumstances(self, one: Words, passed: Sequence[Candidate]) -> Iterator[Trait]:
        """Yields the circumstances of the words; `passed` are the candidates that are no fact of the subject."""
        understood = self._understood
        if one.claim.place.in_question:
            yield Trait.ASKED
            if any(self._rules.denies_plainly(scene, understood) for scene in understood.scenes[:1]):
                yield Trait.REFUSED
        if one.scene is None:
            return
        over = any(
            candidate.ended and not candidate.hint and candidate.status is Status.RESOLVED
            for candidate in one.rules.values()
        )
        if over or self._rules.denies_plainly(one.scene, understood):
            yield Trait.PLAIN_DENIAL
        if self._rules.supposes(one.scene, one.claim.place.start) or any(
            candidate.quiet or candidate.who is Who.FAMILY for candidate in passed
        ):
            yield Trait.SUPPOSED
        elif not passed and self._rules.tells_well(one.scene, one.claim.place.start):
            yield Trait.WELL
        if passed:
            yield Trait.PASSED_OVER

    def _verdicts(self, one: Words, circumstances: frozenset[Trait]) -> tuple[Verdict, ...]:
        """Returns the verdicts of the table on the words."""
        rules = {relation: self._rule_claim(candidate) for relation, candidate in one.rules.items()}
        term = one.mention and (one.mention.type, one.mention.name)
        # What is read once has the very same statements wherever it is repeated.
        key = (id(one.claim.statements), one.claim.nothing, one.words, term, tuple(rules.items()), circumstances)
        if key not in self._weighed:
            statements = tuple(each for each in one.claim.statements if self._possible(each.relation, one.mention))
            verdicts = weigh(
                rules,
                replace(one.claim, statements=statements),
                {**dict.fromkeys(rules, Thresholds()), **self._taught.labels.thresholds},
                reassuring=self._reassuring,
                critical=self._weighty,
                watched=self._may_be_a_risk(one),
                unnamed=frozenset(each.relation for each in statements if not self._is_name(each.relation, one)),
                circumstances=circumstances,
            )
            self._weighed[key] = tuple(self._unheard_of(each, rules) for each in verdicts)
        return self._weighed[key]

    def _unheard_of(self, verdict: Verdict, rules: Mapping[str, RuleClaim]) -> Verdict:
        """Returns the verdict with the rules' own status if the reader was never taught the relation."""
        known = verdict.relation in self._taught.labels.relations or verdict.relation not in rules
        if known or verdict.status is None or verdict.person is not Person.SUBJECT:
            return verdict
        return replace(verdict, status=rules[verdict.relation].status, flags=frozenset(), review=False)

    def _rule_claim(self, candidate: Candidate) -> RuleClaim:
        """Returns the candidate as a claim for the table."""
        family = self._schema.family
        relative = family is not None and candidate.relation == family.to and family.to not in family.sources
        bare = candidate.weak or Flag.FUZZY in candidate.flags or candidate.source in {"mention", "heading", "answer"}
        return RuleClaim(
            status=candidate.status,
            person=Person.RELATIVE if relative else Person.SUBJECT,
            bare=candidate.source == "mention",
            by_pronoun=Flag.COREF in candidate.flags and candidate.source != "answer",
            worded=not bare and self._schema.relations[candidate.relation].critical,
            hedged=self._is_hedged(candidate),
        )

    def _is_hedged(self, candidate: Candidate) -> bool:
        """Whether a candidate is in doubt only because of the words around it, and these do not say so outright."""
        scenes = self._understood.scenes[candidate.sentence : candidate.sentence + 1]
        outright = any(map(self._rules.doubts_outright, scenes))
        return not (candidate.doubtful or candidate.flags or self._understood.orders or outright)

    def _may_be_a_risk(self, one: Words) -> bool:
        """Whether the words must leave a trace, unless the reader is sure that they state nothing."""
        if one.mention is not None and one.mention.type in self._schema.review_types:
            return True
        return any(
            each.probability >= (_MAY_BE if self._schema.relations[each.relation].critical else _RATHER)
            for each in one.claim.statements
            if each.relation in self._schema.relations
        )

    def _is_name(self, relation: str, one: Words) -> bool:
        """Whether the words are a term of the lexicon, or the relation takes any words."""
        declared = self._schema.relations[relation]
        if one.mention is not None or declared.rule_status:
            return True
        return len(self._linker.resolve(one.words, declared.objects)) == 1

    def _beside_sure(self, found: Sequence[Words]) -> Iterator[Words]:
        """The words, only waiting where they are no name, half believed, and their sentence surely states another.

        "The limitation period for the second claim expires on 3 May" is one deadline, not two: what has a date is one
        thing a sentence, however sure the reader is.
        """
        sure: dict[tuple[int, str], set[int]] = {}
        for number, item in enumerate(found):
            for verdict in item.verdicts:
                if verdict.status is Status.ACTIVE:
                    sure.setdefault((_sentence(item), verdict.relation), set()).add(number)

        def gives_way(number: int, one: Words, verdict: Verdict) -> bool:
            others = sure.get((_sentence(one), verdict.relation), set())
            return self._is_half(verdict) and not others <= {number} and not self._is_name(verdict.relation, one)

        for number, item in enumerate(found):
            verdicts = (
                replace(verdict, status=None, flags=frozenset(), review=True)
                if gives_way(number, item, verdict)
                else verdict
                for verdict in item.verdicts
            )
            yield replace(item, verdicts=tuple(verdicts))

    def _is_half(self, verdict: Verdict) -> bool:
        """Whether the reader alone says so, and only half believes it or speaks of what has a date or a limit."""
        if verdict.reason == "taught_risk":
            relation = self._schema.relations[verdict.relation]
            return takes_parts(relation) or not _DAYS.isdisjoint(relation.attrs.values())
        return verdict.reason == "taught_doubted"

    # what comes out

    def _proposals(self) -> Iterator[Proposal]:
        """Yields what the verdicts allow, then the rules' facts that the taught reader has no words for; each once."""
        used = [candidate for word in self.words for candidate in word.rules.values()]
        seen, over = set(map(_reading, used)), {_thing(candidate) for candidate in used if candidate.ended}
        rest = (
            candidate
            for candidate in self._facts
            if not (candidate.hint or _reading(candidate) in seen or _thing(candidate) in over)
        )
        # What a pronoun says beside another reading of the same thing was not weighed.
        weighed = {(candidate.relation, candidate.name) for candidate in used}
        rest = (
            item.doubted() if Flag.COREF in item.flags and (item.relation, item.name) in weighed else item
            for item in rest
        )
        return _each_once((*self._allowed(), *map(self._of_rules, rest)))

    def _allowed(self) -> Iterator[Proposal]:
        for word in self.words:
            for verdict in word.verdicts:
                if verdict.status is None:
                    continue
                for proposal in self._proposed(word, verdict):
                    flags = proposal.flags | verdict.flags
                    yield replace(proposal, flags=flags, template=verdict.reason, extractor=_name(self._taught))

    def _proposed(self, one: Words, verdict: Verdict) -> Iterator[Proposal]:
        """Yields the proposals of the words; one for each relative if the rules read several."""
        candidate = one.rules.get(verdict.relation)
        if candidate is not None:
            read = (_reading(candidate), candidate.ended)
            alike = (fact for fact in self._facts if (_reading(fact), fact.ended) == read)
            yield from (self._of_rules(fact, verdict) for fact in alike)
        elif (proposal := self._of_taught(one, verdict)) is not None:
            yield proposal

    def _of_rules(self, candidate: Candidate, verdict: Verdict | None = None) -> Proposal:
        proposal = self._rules.proposal(self._utterance.text, self._understood, candidate)
        weighed = (verdict and verdict.status) or candidate.status
        return replace(proposal, status=weighed) if {weighed, candidate.status} <= RISK else proposal

    def _of_taught(self, one: Words, verdict: Verdict) -> Proposal | None:
        """Returns the proposal of words that only the taught reader understood; `None` if it fits no relation."""
        relation, scene = self._schema.relations[verdict.relation], self._said_in(one)
        named = self._scope(one.claim, verdict) or self._named(relation, one)
        attrs = None if named is None else self._attrs(relation, one)
        if named is None or attrs is None or scene is None or verdict.status is None:
            return None
        name, type_ = named
        filed = self._filed(relation, name, type_, verdict)
        if filed is None:
            return None
        target, name = filed
        if target is not relation:
            attrs = {"relative": one.claim.classes.get("rel", "")} if "relative" in target.attrs else {}
        span = _span(scene)
        if target.rule_status and type_ and type_ not in target.objects:
            name = target.prefixed(name, self._utterance.text[span.start : span.end])
        return Proposal(
            relation=target.name,
            object=name,
            object_type=type_ if type_ in target.objects or type_ == SCOPE_TYPE else "",
            status=verdict.status,
            attrs={key: value for key, value in attrs.items() if value},
            evidence=self._utterance.text[span.start : span.end],
            span=span,
            route=Route.RULES,
            extractor=_name(self._taught),
            confidence=round(max((each.probability for each in one.claim.statements), default=0.0), 3),
            flags=frozenset({Flag.UNMAPPED} if not type_ and not target.rule_status else ()),
        )

    def _said_in(self, one: Words) -> Scene | None:
        """Returns the sentence of the words; for an answer to a question, its first sentence."""
        return one.scene or next(iter(self._understood.scenes), None)

    def _scope(self, claim: TaughtClaim, verdict: Verdict) -> tuple[str, str] | None:
        scope = claim.classes.get("scope", "")
        if scope not in self._schema.scopes or verdict.status is not Status.NEGATED:
            return None
        return scope, SCOPE_TYPE

    def _named(self, relation: Relation, one: Words) -> tuple[str, str] | None:
        """Returns name and type of the object, the type empty for an unknown word; `None` if it can be no name."""
        if one.mention is not None:
            return one.mention.name, one.mention.type
        meant = self._linker.resolve(one.words, relation.objects)
        if len(meant) == 1:
            return meant[0].name, meant[0].type
        if relation.rule_status:
            return one.words, ""
        may_be_a_name = sum(letter.isalpha() for letter in one.words) >= _FEWEST
        # "The tablets" made somebody ill: which ones? That "the pill" is taken says enough.
        may_be_a_name = may_be_a_name and not (relation.critical and self._rules.names_nothing(one.words))
        return (one.words.casefold(), "") if may_be_a_name else None

    def _filed(self, relation: Relation, name: str, type_: str, verdict: Verdict) -> tuple[Relation, str] | None:
        """Returns relation and object name under which a fact of this person is stored; `None` if it is not stored."""
        if verdict.person is Person.SUBJECT:
            return relation, name
        family = self._schema.family
        if family is None or verdict.person is not Person.RELATIVE or relation.name not in family.sources:
            return None
        if type_ == SCOPE_TYPE:
            return None
        return self._schema.relations[family.to], name + family.object_suffix.get(relation.name, "")

    def _attrs(self, relation: Relation, one: Words) -> dict[str, Attribute] | None:
        """Returns the attributes of the fact; `None` if a required number is missing."""
        found: dict[str, Attribute] = {}
        kinds = {kind: name for name, kind in relation.attrs.items()}
        if "Reaction" in kinds and (reaction := self._reaction(one.claim)):
            found[kinds["Reaction"]] = reaction
        if "severity" in kinds and (severity := one.claim.classes.get("severity")):
            found[kinds["severity"]] = severity
        if relation.attrs.get("relative") == "text" and (who := _detail(one.claim, "relative")):
            found["relative"] = self._text(who.place).casefold()
        found |= dict(self._dates(relation, one))
        found |= self._rules.counts(relation, one.scene, Span(start=one.claim.place.start, end=one.claim.place.end))
        if "number" not in kinds:
            return found
        said = _detail(one.claim, "max") or _detail(one.claim, "min")
        words = None if said is None else Span(start=said.place.start, end=said.place.end)
        named = words is not None or one.mention is not None
        measure = self._rules.measure(relation, one.scene, words) if named else None
        if measure is None:
            return None
        period = {kinds["period"]: measure.period} if "period" in kinds else {}
        return found | {kinds["number"]: measure.value, "unit": measure.unit} | period

    def _dates(self, relation: Relation, one: Words) -> Iterator[tuple[str, Attribute]]:
        """Yields the dates that the reader heard; for an identifying date, else the nearest one in the clause."""
        for name in (name for name, kind in relation.attrs.items() if kind in _DAYS):
            heard, at = _detail(one.claim, name), one.claim.place.start
            place = one.claim.place if heard is None else heard.place
            if one.scene is None or place.in_question or (heard is None and name not in relation.identity):
                continue
            words = Span(start=at, end=at + 1) if heard is None else Span(start=place.start, end=place.end)
            date = self._rules.date(one.scene, words)
            if date is not None:
                yield name, date

    def _reaction(self, claim: TaughtClaim) -> str | None:
        """Returns the reaction named beside the words; `None` if there is none in the lexicon."""
        detail = _detail(claim, "reaction")
        if detail is None or detail.place.in_question:
            return None
        words = self._text(detail.place)
        types = self._schema.concrete("Reaction")
        return next((each.name for each in self._linker.mentions(words) if each.type in types), None)

    def _text(self, place: Place) -> str:
        """Returns the words at a place of the utterance, or of the turn before."""
        return (self._question if place.in_question else self._understood.text)[place.start : place.end]

    def _review(self, of_rules: Sequence[ReviewItem], proposals: Sequence[Proposal]) -> Iterator[ReviewItem]:
        """Yields each sentence once: the rules' doubts that the reader does not settle, and what stayed open."""
        left_open = {
            scene.index: (scene, word)
            for word in self.words
            if (scene := self._said_in(word)) is not None and self._is_open(word)
        }
        unsure = {_sentence(word) for word in self.words if any(each.reason == _UNSURE for each in word.verdicts)}
        here = {word.scene.index: word.scene for word in self.words if word.scene is not None}
        settled = {scene.sentence.start for at, scene in here.items() if at not in left_open and at not in unsure}
        of_rules = [item for item in of_rules if item.reason != WATCHED or item.span.start not in settled]
        of_rules = [item for item in of_rules if item.reason != BINDING or not self._is_bound_by(item.span, proposals)]
        yield from of_rules
        said = {item.span.start for item in of_rules}
        for _, (scene, entry) in sorted(left_open.items()):
            span = _span(scene)
            if span.start not in said:
                row = next(verdict.reason for verdict in entry.verdicts if verdict.leaves_a_trace)
                reason = f"may state something about '{entry.words[:60]}' ({row})"
                text = self._utterance.text[span.start : span.end]
                yield ReviewItem(text=text, span=span, reason=reason, slight=self._is_slight(scene))

    def _is_bound_by(self, span: Span, proposals: Iterable[Proposal]) -> bool:
        """Whether a critical fact was read from the words."""
        read = (
            proposal.span for proposal in proposals if proposal.span is not None and proposal.relation in self._critical
        )
        return any(item.start < span.end and span.start < item.end for item in read)

    def _is_slight(self, scene: Scene) -> bool:
        """Whether the sentence names no watched thing, even misspelt, and the reader hears no critical risk in it."""
        types, sentence = self._schema.review_types, scene.sentence
        heard = (each for item in self.words if self._said_in(item) is scene for each in item.claim.statements)
        if self._rules.sounds_risky(scene) or any(
            each.relation in self._critical and each.probability >= _MAY_BE for each in heard
        ):
            return False
        said = _WORD.findall(self._utterance.text[sentence.start : sentence.end])
        return not any(self._linker.resolve(word, types) for word in dict.fromkeys(said))

    def _is_open(self, one: Words) -> bool:
        """Whether a person must look: the table says so, or an allowed fact has no place in the schema."""
        reviewed = {verdict.reason for verdict in one.verdicts if verdict.review and self._was_said(verdict, one)}
        if one.mention is None and self._rules.speaks_of_the_rest(one.scene):
            return not reviewed <= {"taught_absence"}
        return bool(reviewed) or any(
            verdict.status in RISK
            and verdict.person is Person.SUBJECT
            and verdict.relation not in one.rules
            and self._of_taught(one, verdict) is None
            for verdict in one.verdicts
        )

    def _was_said(self, verdict: Verdict, one: Words) -> bool:
        """Whether the words may have been said, not only asked.

        Words of the question count if the answer may state a risk, and not for a bare "no".
        """
        if not one.claim.place.in_question:
            return True
        if verdict.reason in {_UNSURE, "taught_absence"}:
            return False
        return one.mention is not None or self._schema.relations[verdict.relation].critical


def _each_once(proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Yields one proposal of each triple: the first certain one, else the first."""
    kept: dict[tuple[object, ...], Proposal] = {}
    for proposal in proposals:
        told_apart = {"max", "min", "relative"}
        numbers = tuple(sorted((key, str(value)) for key, value in proposal.attrs.items() if key in told_apart))
        key = (proposal.relation, proposal.object.casefold(), proposal.object_type, numbers)
        known = kept.get(key)
        if known is None or (known.status is Status.UNCONFIRMED and proposal.status is Status.ACTIVE):
            kept[key] = proposal
    yield from kept.values()


def _name(taught: TaughtReader) -> str:
    return f"local/{taught.version}"


def _of_mention(term: Mention, *, in_question: bool = False) -> Place:
    return Place(start=term.start, end=term.end, in_question=in_question)


def _reading(candidate: Candidate) -> tuple[object, ...]:
    """Returns the key that tells the candidates of one utterance apart."""
    return candidate.relation, candidate.name, candidate.sentence, candidate.first, candidate.last, candidate.at


def _thing(candidate: Candidate) -> tuple[object, ...]:
    """Returns the key of a candidate's object and its place."""
    return candidate.relation, candidate.name, candidate.sentence, candidate.at


def _sentence(one: Words) -> int:
    """Index of the sentence; -1 for words of an earlier turn."""
    return -1 if one.scene is None else one.scene.index


def _span(scene: Scene) -> Span:
    return Span(start=scene.sentence.start, end=scene.sentence.end)


def _around(one: Words, scopes: Mapping[int, Sequence[Candidate]]) -> Iterator[Candidate]:
    """Yields the scope candidates whose wording includes the words: in "implants:

    a stent", "implants" names a scope.
    """
    if one.mention is not None or one.scene is None:
        return
    units, clauses = one.scene.sentence.units, one.scene.sentence.clauses
    denials = [cue.start for cue in one.scene.cues.found if cue.value == DENIAL]
    for candidate in scopes.get(one.scene.index, ()):
        # "No known conflicts" names a group from the "no" on.
        before = [at for at in denials if at < candidate.first and clauses[at] == clauses[candidate.first]]
        first, last = units[max(before, default=candidate.first)], units[candidate.last - 1]
        if first.start <= one.claim.place.start and one.claim.place.end <= last.end:
            yield candidate


def _detail(claim: TaughtClaim, name: str) -> Detail | None:
    found = [detail for detail in claim.details if detail.name == name]
    return max(found, key=lambda detail: detail.probability, default=None)
