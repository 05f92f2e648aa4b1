"""The rule route: every statement of an utterance as triples, offline and the same each time.

Composes the parts; each knows its own business. Implements `protocols.Extractor`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.facts import (
    RISK,
    SCOPE_TYPE,
    Attribute,
    Entity,
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
from r_memory.protocols import Mention, Utterance
from r_memory.reading.assertion import SPEAKING_AGAINST, UNREAL, Assertions
from r_memory.reading.attributes import Attributes, Measure, Measures, takes_parts
from r_memory.reading.budget import UNREAD, Budget, within
from r_memory.reading.experiencer import NOBODY, Experiencers, PersonWord, Who
from r_memory.reading.foreign import LanguageCheck
from r_memory.reading.language import LanguagePack, listed
from r_memory.reading.linking import Gazetteer
from r_memory.reading.normalise import plain
from r_memory.reading.rewording import Rewording
from r_memory.reading.rules.answers import Answers, Heard
from r_memory.reading.rules.arguments import Arguments
from r_memory.reading.rules.candidates import Candidate, Candidates, Scene, reassuring
from r_memory.reading.rules.net import Net
from r_memory.reading.rules.numbered import Numbered
from r_memory.reading.rules.postrules import Doubt, PostRules, by_fact
from r_memory.reading.rules.questions import BareLists, QuestionRun, Questions, runs_by_other
from r_memory.reading.rules.spelling import Spelling
from r_memory.reading.rules.triggers import Triggers
from r_memory.reading.sentences import Sentence, Splitter, spelt_out, units
from r_memory.text.markers import has_stray_marker, without_blocks
from r_memory.text.sentences import passages

_CHUNK = 4000
"""Characters read at once; keeps the time proportional to the length."""
_LONG_EVIDENCE = 400
_QUESTION = 600
"""Characters of an earlier turn that are read for what it asked last."""
_RECENT = 3
"""Earlier turns in which the cause of an effect may be named."""
_BULLETS = frozenset({"-", "*", "#"})
_HEARD = frozenset({"user", "document"})
"""Roles whose words are evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFindings:
    """What the rules found in an utterance, before it becomes proposals."""

    text: str
    """The text that was read."""
    scenes: tuple[Scene, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    """Every reading, asserted or not, of the subject or of others."""
    kept: tuple[Candidate, ...] = ()
    """The readings that stand."""
    hints: tuple[Candidate, ...] = ()
    """The standing readings of wordings that count only where the taught reader leans the same way."""
    doubts: tuple[Doubt, ...] = ()
    wide: bool = False
    """The speaker tells of the subject's own life, so that any unread word about a risk may be one."""
    foreign: Mapping[int, str] = field(default_factory=dict)
    """Index of each sentence in another language, to its language code."""
    orders: bool = False
    """Whether the text tells the memory what to record."""


class RuleExtractor:
    """Reads utterances by the rules of one schema in one language."""

    name = "rules/1"

    def __init__(self, schema: Schema, gazetteer: Gazetteer, budget: Budget | None = None) -> None:
        """`budget` is the most that is read of one utterance; the rest becomes an item for review."""
        self._budget = budget or Budget()
        pack = LanguagePack(schema.language, gazetteer.words)
        self._schema = schema
        self._gazetteer = gazetteer
        self._splitter = Splitter(pack)
        self._assertions = Assertions(pack)
        self._experiencers = Experiencers(pack, schema.voices)
        measures = self._measures = Measures(pack)
        arguments = Arguments(pack, gazetteer, schema.lexicon)
        self._triggers = Triggers(schema, pack, arguments, measures, gazetteer.words)
        self._spelling = Spelling(pack)
        reader = self._reader = Attributes(schema, pack, measures)
        self.rewording = Rewording(pack)
        self._candidates = Candidates(schema, pack, self._assertions, self._experiencers, reader)
        self._postrules = PostRules(schema, pack)
        lists = BareLists(schema, pack, self._triggers, arguments)
        self._questions = Questions(schema, pack, self._triggers)
        self._answers = Answers(schema, pack, lists)
        self._net, self._numbered = Net(schema, pack), Numbered(schema, pack)
        self._languages = LanguageCheck(pack, schema.languages.values(), self._triggers.words)
        self._orders, self._ordering = pack.phrases("injection"), pack.words("requests", "verbs")
        self._well, self._not_well = pack.phrases("went_well"), pack.phrases("not_well")
        self._outright = pack.phrases("assertion", "outright")
        self._rest, self._exceptions = pack.words("assertion", "of_the_rest"), pack.phrases("exception")
        self._reassuring = reassuring(schema)
        self._firms = frozenset(listed(schema.language, "proper_names", "firms"))

    def extract(self, utterance: Utterance) -> Extraction:
        """Returns every statement as proposals, and what a person must review. Never raises for any text."""
        return self.extraction(utterance, self.understand(utterance))

    def extraction(self, utterance: Utterance, understood: RuleFindings) -> Extraction:
        """Returns the proposals and review items of an understood utterance."""
        if not self.hears(utterance):
            return Extraction(language=self._schema.language.code, analysis=understood)
        proposals = tuple(self.proposal(utterance.text, understood, candidate) for candidate in self.facts(understood))
        review = [*self._review(utterance.text, understood)]
        if len(understood.text) < len(utterance.text):
            rest = Span(start=len(understood.text), end=len(utterance.text))
            review.append(ReviewItem(text=utterance.text[rest.start :], span=rest, reason=UNREAD))
        if has_stray_marker(utterance.text):
            review.append(_whole(utterance.text))
        alone = understood.foreign and len(understood.foreign) == len(understood.scenes)
        language = next(iter(understood.foreign.values())) if alone else self._schema.language.code
        claims = tuple(closed_claim(proposal, self._reassuring) for proposal in proposals)
        return Extraction(
            proposals=proposals, review=tuple(review), language=language, analysis=understood, claims=claims
        )

    def understand(self, utterance: Utterance) -> RuleFindings:
        """Returns what the rules find in an utterance."""
        text = plain(without_blocks(utterance.text))
        asked = self._questions_before(utterance)
        focus = asked[0].scenes[-1].focus_after if asked and asked[0].scenes else NOBODY
        sentences, end = within(self._budget, self._sentences(text))
        text = text[:end]
        scenes = self._scenes(sentences, utterance, utterance.speaker, focus)
        read = self._found(scenes)
        found = tuple(candidate for candidate in read if not candidate.hint)
        topic = self._questions.topic(asked)
        heard: Heard = ()
        if topic is not None:
            heard = self._answers.heard(topic, scenes, found, may_deny=self._may_deny(utterance))
        everything = (*found, *(item for item in heard if isinstance(item, Candidate)))
        orders = any(True for scene in scenes for _ in self._orders.every(scene.sentence.words))
        before = asked[0].scenes if asked else ()
        stated, doubts = self._postrules.applied(scenes, everything, orders=orders, asked=before)
        foreign = dict(self._foreign(utterance.text, (scene.sentence for scene in scenes)))
        return RuleFindings(
            text=text,
            scenes=scenes,
            candidates=everything,
            hints=self._hints(scenes, read, orders=orders, asked=before),
            kept=tuple(self._half_read(stated, foreign)),
            wide=utterance.role == "user" and not self._experiencers.is_professional(utterance.speaker),
            foreign=foreign,
            orders=orders,
            doubts=(
                *doubts,
                *(item for item in heard if isinstance(item, Doubt)),
                *self._causeless(utterance, scenes, everything),
                *(() if everything else self._answers.left_open(asked, scenes)),
            ),
        )

    def _hints(
        self, scenes: Sequence[Scene], read: Sequence[Candidate], *, orders: bool, asked: Sequence[Scene]
    ) -> tuple[Candidate, ...]:
        """Returns the hints about things of which no other wording says something or an end."""
        worded = (candidate for candidate in read if not candidate.hint and candidate.source != "mention")
        said = {(candidate.sentence, candidate.relation, candidate.name) for candidate in worded}
        hints = [
            candidate
            for candidate in read
            if candidate.hint
            and (candidate.ended or (candidate.sentence, candidate.relation, candidate.name) not in said)
        ]
        return self._postrules.applied(scenes, hints, orders=orders, asked=asked)[0] if hints else ()

    def _half_read(self, candidates: Sequence[Candidate], foreign: Collection[int]) -> Iterator[Candidate]:
        """Yields the readings, with those of half-foreign sentences unconfirmed at most and their absences dropped."""
        for candidate in candidates:
            if candidate.sentence not in foreign:
                yield candidate
            elif candidate.status in RISK and candidate.relation not in self._reassuring:
                yield candidate.doubted()

    def _causeless(
        self, utterance: Utterance, scenes: Sequence[Scene], candidates: Sequence[Candidate]
    ) -> Iterator[Doubt]:
        """Yields effects without a cause, for review, if an earlier turn names a possible cause."""
        effects = [scene for scene in scenes if self._net.tells(scene, candidates)] if utterance.before else []
        if effects and self._net.watches(self._named_before(utterance)):
            yield from (
                Doubt(sentence=scene.index, reason="an effect whose cause is not said here") for scene in effects
            )

    def _may_deny(self, utterance: Utterance) -> bool:
        """Whether absences may be taken from the utterance; a professional's "no" to a question is advice."""
        groups = runs_by_other(utterance)
        asked_by_other = bool(groups) and not self._experiencers.is_professional(groups[0][-1].speaker)
        return not (asked_by_other and self._experiencers.is_professional(utterance.speaker))

    def _named_before(self, utterance: Utterance) -> tuple[Mention, ...]:
        """Returns the terms in the newest of the last turns that names any."""
        named = (self._gazetteer.mentions(turn.text[-_QUESTION:]) for turn in utterance.before[: -_RECENT - 1 : -1])
        return next((mentions for mentions in named if mentions), ())

    def _questions_before(self, utterance: Utterance) -> tuple[QuestionRun, ...]:
        """Returns the questions in the other speaker's last words, newest first."""
        found: list[QuestionRun] = []
        focus = NOBODY
        for group in reversed(runs_by_other(utterance)):
            scenes: list[Scene] = []
            for turn in group:
                text = plain(without_blocks(turn.text))
                shown = " " * max(len(text) - _QUESTION, 0) + text[-_QUESTION:]
                scenes += self._scenes(self._sentences(shown), utterance, turn.speaker, focus, first=len(scenes))
                focus = scenes[-1].focus_after if scenes else focus
            found.append(QuestionRun(scenes=tuple(scenes), candidates=self._found(scenes)))
        return tuple(found[::-1])

    def _scenes(
        self, sentences: Iterable[Sentence], utterance: Utterance, label: str, focus: PersonWord, first: int = 0
    ) -> tuple[Scene, ...]:
        called = utterance.called if label == utterance.speaker else frozenset()
        speaker = self._experiencers.speaker(label, called)
        owned = utterance.role == "user" and bool(self._schema.owner) and utterance.subject.id == self._schema.owner
        if owned and speaker.i is Who.SUBJECT:
            speaker = replace(speaker, tells_own=True)
        scenes: list[Scene] = []
        for read in sentences:
            sentence = _naming_the_subject(read, utterance.subject, self._firms)
            persons = self._experiencers.persons(sentence, speaker, utterance.subject)
            after = self._experiencers.focus(persons, focus)
            scenes.append(
                Scene(
                    index=first + len(scenes),
                    sentence=sentence,
                    cues=self._assertions.cues(sentence),
                    persons=persons,
                    focus=focus,
                    focus_after=after,
                    subject=utterance.subject,
                )
            )
            focus = after
        return tuple(scenes)

    def _sentences(self, text: str) -> Iterator[Sentence]:
        for span in passages(text, _CHUNK):
            tokens, mentions = self._gazetteer.read(text[span.start : span.end], span.start)
            named = self._numbered.among(tokens, mentions)
            yield from self._splitter.sentences(tuple(self._spelling.corrected(spelt_out(units(tokens, named)))))

    def _found(self, scenes: Sequence[Scene]) -> tuple[Candidate, ...]:
        found: list[Candidate] = []
        heading, asked = "", False
        for scene in scenes:
            heading = self._heading(scene.sentence, heading, asked=asked)
            asked = scene.sentence.asks
            triggers = tuple(self._triggers.found(scene.sentence, heading))
            found += self._candidates.of(scene, triggers)
        return tuple(found)

    def _heading(self, sentence: Sentence, heading: str, *, asked: bool) -> str:
        """Returns the relation whose list the sentence continues, up to a blank line or another heading.

        `asked`: the sentence before is a question, as on a form: "Food allergies? Kiwi, banana."
        """
        header = self._triggers.header(sentence)
        if header is not None:
            return header.value
        item = sentence.words[0] in _BULLETS or sentence.words[0].isdigit() or sentence.units[0].mention is not None
        other = ":" in sentence.words[:4] and not item
        goes_on = sentence.line or (asked and not sentence.asks)
        return heading if goes_on and not sentence.apart and not other else ""

    # what comes out

    def hears(self, utterance: Utterance) -> bool:
        """Whether words of this role are evidence."""
        return utterance.role in _HEARD

    def facts(self, understood: RuleFindings) -> tuple[Candidate, ...]:
        """Returns one standing candidate for each fact."""
        return tuple(by_fact(understood.kept, self._schema))

    def denies_plainly(self, scene: Scene, understood: RuleFindings) -> bool:
        """Whether the sentence holds a plain denial, in an utterance that gives no orders."""
        return not understood.orders and scene.cues.say(SPEAKING_AGAINST)

    def supposes(self, scene: Scene, start: int) -> bool:
        """Whether the sentence asks, orders, supposes or generalises about the words at an offset.

        A supposition in a later clause does not count.
        """
        at = next((at for at, unit in enumerate(scene.sentence.units) if unit.end > start), 0)
        ends = scene.sentence.clause(at)[1]
        unreal = any(cue.value.kind in UNREAL and cue.start < ends for cue in scene.cues.found)
        unreal = unreal or scene.sentence.words[0] in self._ordering
        return unreal or any(at < region.last for region in scene.cues.regions)

    def doubts_outright(self, scene: Scene) -> bool:
        """Whether the sentence says outright that nothing is settled: "query latex allergy", "never proven"."""
        return self._outright.stand_in(scene.sentence.words)

    def sounds_risky(self, scene: Scene) -> bool:
        """Whether the sentence names a watched thing or holds a word that tells of a risk."""
        return self._net.sounds_risky(scene)

    def tells_well(self, scene: Scene, start: int) -> bool:
        """Whether the sentence says that the thing at an offset went well, and takes nothing back.

        If the sentence names another watched thing, only the clause of the words counts.
        """
        sentence = scene.sentence
        at = next((at for at, unit in enumerate(sentence.units) if unit.end > start), 0)
        alone = sum(self._net.watches([unit.mention]) for unit in sentence.units if unit.mention is not None) < 2
        first, last = (0, len(sentence.words)) if alone else sentence.clause(at)
        said = sentence.words[first:last]
        return self._well.stand_in(said) and not self._not_well.stand_in(sentence.words)

    def speaks_of_the_rest(self, scene: Scene | None) -> bool:
        """Whether the sentence speaks of what was not named, and of all of it: "no other allergies"."""
        if scene is None or self._rest.isdisjoint(scene.sentence.words):
            return False
        return not self._exceptions.stand_in(scene.sentence.words)

    def names_nothing(self, words: str) -> bool:
        """Whether they are only a word for any medicine or the like, as in "the tablets"."""
        return self._net.is_any(self._gazetteer.words(words.lower()))

    def is_professional(self, label: str) -> bool:
        """Whether the label names a clinician or another professional, as `Experiencers.is_professional`."""
        return self._experiencers.is_professional(label)

    def is_relative(self, label: str) -> bool:
        """Whether speakers with this label are relatives of the subject."""
        return self._experiencers.speaker(label).mine is Who.SUBJECT

    def measure(self, relation: Relation, scene: Scene | None, words: Span | None) -> Measure | None:
        """Returns the measure that overlaps the words; without `words`, the only measure of the sentence.

        `None` if none fits.
        """
        if scene is None:
            return None
        units = scene.sentence.units
        measures = [item for item in self._measures.found(scene.sentence, parts=takes_parts(relation)) if item.unit]
        for found in measures:
            start, end = units[found.first].start, units[min(found.last, len(units)) - 1].end
            if words is not None and start < words.end and words.start < end:
                return found
        return measures[0] if words is None and len(measures) == 1 and takes_parts(relation) else None

    def counts(self, relation: Relation, scene: Scene | None, words: Span) -> dict[str, Attribute]:
        """Returns the counts around the words, such as the weeks of a pregnancy; empty if there are none."""
        if scene is None:
            return {}
        held = [at for at, unit in enumerate(scene.sentence.units) if unit.start < words.end and words.start < unit.end]
        return self._reader.counted(relation, scene.sentence.words, (held[0], held[-1] + 1)) if held else {}

    def date(self, scene: Scene, words: Span) -> str | None:
        """Returns the date that overlaps the words; for a single character, the nearest date in its clause."""
        return self._reader.date(scene.sentence, words.start, words.end)

    def proposal(self, text: str, understood: RuleFindings, candidate: Candidate) -> Proposal:
        """Returns the proposal of one candidate."""
        relation = self._schema.relations[candidate.relation]
        span = _evidence(understood.scenes[candidate.sentence].sentence, candidate)
        status, flags = candidate.status, candidate.flags
        if relation.rule_status:
            status, flags = Status.UNCONFIRMED, flags | {Flag.RULE}
        return Proposal(
            relation=candidate.relation,
            object=candidate.name if candidate.type in relation.objects else relation.object_prefix + candidate.name,
            object_type=candidate.type,
            status=status,
            attrs=candidate.attrs,
            evidence=text[span.start : span.end],
            span=span,
            route=Route.RULES,
            extractor=self.name,
            template=candidate.source,
            confidence=_confidence(candidate),
            flags=flags,
        )

    def _review(self, text: str, understood: RuleFindings) -> Iterator[ReviewItem]:
        """Yields each sentence once, with the first reason for a review."""
        reasons: dict[int, str] = {index: f"in another language ({code})" for index, code in understood.foreign.items()}
        for doubt in understood.doubts:
            reasons.setdefault(doubt.sentence, doubt.reason)
        read = (*understood.candidates, *understood.kept)
        for scene, reason in self._net.caught(understood.scenes, read, wide=understood.wide):
            reasons.setdefault(scene.index, reason)
        for index, reason in sorted(reasons.items()):
            sentence = understood.scenes[index].sentence
            yield ReviewItem(
                text=text[sentence.start : sentence.end],
                span=Span(start=sentence.start, end=sentence.end),
                reason=reason,
            )

    def languages(self, text: str) -> tuple[str, ...]:
        """Returns the codes of the foreign languages among the sentences of a text, each once."""
        return tuple(dict.fromkeys(code for _, code in self._foreign(text, self._sentences(plain(text)))))

    def _foreign(self, text: str, sentences: Iterable[Sentence]) -> Iterator[tuple[int, str]]:
        for index, sentence in enumerate(sentences):
            code = self._languages.language(sentence, text[sentence.start : sentence.end])
            if code:
                yield index, code


def closed_claim(proposal: Proposal, reassuring: Collection[str]) -> LocalClaim:
    """Returns what a closed form proposes, as a claim for the table in `listening.py`.

    `reassuring` are the relations whose denial is a risk.
    """
    speaks_for_risk = (proposal.status in RISK) != (proposal.relation in reassuring)
    sure = LocalVoice.RISK if proposal.status is Status.ACTIVE else LocalVoice.DOUBT
    return LocalClaim(
        relation=proposal.relation,
        name=proposal.object.casefold(),
        span=proposal.span or Span(start=0, end=0),
        voice=sure if speaks_for_risk else LocalVoice.ABSENCE,
        scope=proposal.object_type == SCOPE_TYPE,
    )


def _whole(text: str) -> ReviewItem:
    span = Span(start=0, end=min(len(text), _LONG_EVIDENCE))
    return ReviewItem(text=text[span.start : span.end], span=span, reason="holds a marker of the memory's own")


def _evidence(sentence: Sentence, candidate: Candidate) -> Span:
    """Returns the place of the sentence.

    Of a very long sentence, the place of the clauses that state the fact, or as much around it as is shown.
    """
    if sentence.end - sentence.start <= _LONG_EVIDENCE:
        return Span(start=sentence.start, end=sentence.end)
    last = min(max(candidate.last, candidate.first + 1), len(sentence.units))
    first, end = sentence.clause(candidate.first)[0], sentence.clause(last - 1)[1]
    inner = (sentence.units[candidate.first].start, sentence.units[last - 1].end)
    start = max(sentence.units[first].start, inner[0] - _LONG_EVIDENCE // 2)
    stop = min(sentence.units[end - 1].end, inner[1] + _LONG_EVIDENCE // 2)
    return Span(
        start=next((unit.start for unit in sentence.units if unit.start >= start), sentence.start),
        end=max((unit.end for unit in sentence.units if unit.end <= stop), default=sentence.end),
    )


def _confidence(candidate: Candidate) -> float:
    """1 for a strong wording; less for weak ones and for each reservation."""
    return round((0.7 if candidate.weak else 1.0) * 0.9 ** len(candidate.flags), 3)


def _naming_the_subject(sentence: Sentence, subject: Entity, firms: Collection[str]) -> Sentence:
    """Returns the sentence without the terms inside the subject's full name: "Penny Cillin" is no antibiotic.

    A firm is also named without the word for what it is: "Acme" for Acme Ltd.
    """
    name, words = subject.name.casefold().split(), sentence.words
    short = name[:-1] if name and name[-1].rstrip(".") in firms else []
    own: set[int] = set()
    for called in (name if len(name) > 1 else [], short):
        starts = [
            at for at in range(len(words) - len(called) + 1) if called and list(words[at : at + len(called)]) == called
        ]
        own |= {at + step for at in starts for step in range(len(called))}
    if not own:
        return sentence
    units = (replace(unit, mention=None) if at in own else unit for at, unit in enumerate(sentence.units))
    return replace(sentence, units=tuple(units))
