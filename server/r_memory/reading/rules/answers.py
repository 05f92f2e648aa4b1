"""What an answer says: a bare "yes", "no" or list, under the relation that the question supplies.

Knows what answers are made of; what was asked is found elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.facts import RISK, SCOPE_TYPE, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.protocols import Mention
from r_memory.reading.assertion import Kind
from r_memory.reading.experiencer import Who
from r_memory.reading.language import LanguagePack
from r_memory.reading.phrases import PhraseMatch
from r_memory.reading.rules.arguments import Filler
from r_memory.reading.rules.candidates import Candidate, Scene, reassuring
from r_memory.reading.rules.lists import MARKS, BareLists, named_by
from r_memory.reading.rules.postrules import Doubt
from r_memory.reading.rules.questions import FEW, QuestionRun, Topic, relative_in
from r_memory.reading.sentences import Sentence

_SENTENCES = 4
"""Sentences of an answer that may still answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What the first words of an answer say, and where the rest begins."""

    yes: bool = False
    confirms: bool = False
    """"Right", "correct": also to a question whether there is none."""
    no: bool = False
    hedged: bool = False
    goes_on: bool = False
    """"And", "also": it adds to what was said."""
    rest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReading:
    """What an answer gives."""

    candidates: tuple[Candidate, ...] = ()
    doubts: tuple[Doubt, ...] = ()


NOTHING = AnswerReading()


class Answers:
    """Answers of one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack, lists: BareLists) -> None:
        section = "answers"
        self._schema = schema
        self._lists = lists
        self._yes, self._no = pack.phrases(section, "yes"), pack.phrases(section, "no")
        self._confirming = pack.words(section, "confirming")
        self._hedged = pack.phrases(section, "hedged")
        self._past, self._choosing = pack.phrases(section, "past"), pack.phrases(section, "choosing")
        self._adding, self._only = pack.words(section, "adding"), pack.words(section, "only")
        self._reassuring = reassuring(schema)

    def heard(
        self, topic: Topic, scenes: Sequence[Scene], stated: Sequence[Candidate], *, may_deny: bool
    ) -> AnswerReading:
        """What an answer adds to what its own words already state.

        `may_deny`: a "no" counts; that of a professional to a question of the subject's does not.
        """
        candidates: list[Candidate] = []
        doubts: list[Doubt] = []
        for position, scene in enumerate(scenes[:_SENTENCES]):
            if scene.cues.regions:
                if not position and self._names_unread(topic, scene, stated):
                    doubts += self._unclear(topic, scene).doubts
                break
            if topic.agents:
                candidates += self._effects(topic, scene) if may_deny else ()
                continue
            heard = self._in_sentence(topic, scene, stated, first=not position, may_deny=may_deny)
            candidates += heard.candidates
            doubts += heard.doubts
        return AnswerReading(candidates=tuple(candidates), doubts=tuple(doubts))

    def _in_sentence(
        self, topic: Topic, scene: Scene, stated: Sequence[Candidate], *, first: bool, may_deny: bool
    ) -> AnswerReading:
        """What one sentence of an answer gives; those behind the first only go on with a list."""
        opening = self._opening(scene.sentence)
        own = any(one.sentence == scene.index and one.relation == topic.relation for one in stated)
        listed = () if own else tuple(self._listed(topic, scene, opening))
        if not first:
            return AnswerReading(candidates=listed)
        risky = any(self._is_risk(one) for one in (*stated, *listed))
        plain = self._yes_or_no(topic, scene, opening, listed, given=own or risky, may_deny=may_deny)
        if listed or plain.candidates or plain.doubts:
            return AnswerReading(candidates=(*listed, *plain.candidates), doubts=plain.doubts)
        return self._not_understood(topic, scene, stated, own=own)

    def _not_understood(self, topic: Topic, scene: Scene, stated: Sequence[Candidate], *, own: bool) -> AnswerReading:
        """What to make of a first sentence that is no list, no "yes" and no "no".

        `own`: it states something of the relation in its own words.
        """
        if self._names_unread(topic, scene, stated):
            return AnswerReading(
                candidates=tuple(self._guessed(topic, scene)), doubts=self._unclear(topic, scene).doubts
            )
        if topic.asked and topic.named and not own and _denies(scene):  # "Sulfa?" "Not fine."
            return self._unclear(topic, scene)
        return NOTHING

    def chosen(self, asked: Sequence[QuestionRun], scenes: Sequence[Scene]) -> Sequence[Doubt]:
        """ "Which one was it, this or that?" "The second.": for a person, as nobody said what it is about."""
        question = asked[0].scenes[-1].sentence if asked and asked[0].scenes else None
        if question is None or not scenes:
            return ()
        named = {unit.mention.name for unit in question.units if unit.mention is not None}
        words = scenes[0].sentence.words
        picks = len(words) <= FEW and any(True for _ in self._choosing.every(words))
        reason = "chooses among things that were asked about"
        return (Doubt(sentence=scenes[0].index, reason=reason),) if question.asks and len(named) > 1 and picks else ()

    def _names_unread(self, topic: Topic, scene: Scene, stated: Sequence[Candidate]) -> bool:
        """An answer to a question names what it asks for, and nothing was read: "penicillin aside, nothing"."""
        types = self._schema.relations[topic.relation].objects
        named = any(unit.mention is not None and unit.mention.type in types for unit in scene.sentence.units)
        own = all(person.who is Who.SUBJECT for person in scene.persons)
        return topic.asked and named and own and not any(one.sentence == scene.index for one in stated)

    def _guessed(self, topic: Topic, scene: Scene) -> Iterator[Candidate]:
        """What an answer that is not understood names, unconfirmed, if all of a risk was asked about: "wrong, nuts"."""
        relation = self._schema.relations[topic.relation]
        if scene.cues.found or topic.relative or not relation.critical or relation.phrasing.mention:
            return
        for at, unit in enumerate(scene.sentence.units):
            if unit.mention is not None and unit.mention.type in relation.objects:
                item = Filler(first=at, last=at + 1, mentions=(unit.mention,))
                for one in named_by(item, scene, relation=topic.relation, relative=topic.relative, doubtful=True):
                    yield one.flagged(Flag.NET)

    def _is_risk(self, candidate: Candidate) -> bool:
        return candidate.counts and candidate.status in RISK and self._schema.relations[candidate.relation].critical

    def _opening(self, sentence: Sentence) -> Opening:
        words, position = sentence.words, 0
        opening = Opening()
        while position < len(words):
            hedged, no, yes = (
                found if found is not None and _whole(sentence, found) else None
                for found in (
                    self._hedged.at(words, position),
                    self._no.at(words, position),
                    self._yes.at(words, position),
                )
            )
            best = max((one for one in (hedged, no, yes) if one is not None), key=lambda one: one.end, default=None)
            if best is None and words[position] not in MARKS:
                break
            opening = replace(
                opening,
                hedged=opening.hedged or (best is not None and best is hedged),
                no=opening.no or (best is not None and best is no),
                yes=opening.yes or (best is not None and best is yes),
                confirms=opening.confirms or (best is not None and best is yes and best.value in self._confirming),
            )
            position = position + 1 if best is None else best.end
        goes_on = position < len(words) and words[position] in self._adding
        return replace(opening, goes_on=goes_on, rest=position)

    def _listed(self, topic: Topic, scene: Scene, opening: Opening) -> Iterator[Candidate]:
        """The items of an answer that is nothing but a list."""
        if not topic.asked and not opening.goes_on:
            return
        for item, doubtful in self._lists.items(scene.sentence, opening.rest, topic.relation):
            unsure = doubtful or opening.hedged
            yield from named_by(item, scene, relation=topic.relation, relative=topic.relative, doubtful=unsure)

    # what something does

    def _effects(self, topic: Topic, scene: Scene) -> Iterator[Candidate]:
        """The effect that answers "what happens when you take …"."""
        rule = self._schema.bridging
        effect = None
        if rule is not None:
            effect = next((unit.mention for unit in scene.sentence.units if _is(unit.mention, rule.needs)), None)
        if effect is None or _denied_before(scene, effect):
            return
        kinds = self._schema.relations[topic.relation].attrs
        name = next((name for name, kind in kinds.items() if kind == effect.type), "")
        single = len(topic.agents) == 1
        for agent in topic.agents:
            yield Candidate(
                relation=topic.relation,
                name=agent.name,
                type=agent.type,
                status=Status.ACTIVE if single else Status.UNCONFIRMED,
                attrs={name: effect.name} if name else {},
                flags=frozenset({Flag.COREF}),
                source="answer",
                sentence=scene.index,
                first=0,
                last=len(scene.sentence.units),
            )

    # yes and no

    def _yes_or_no(
        self, topic: Topic, scene: Scene, opening: Opening, listed: Sequence[Candidate], *, given: bool, may_deny: bool
    ) -> AnswerReading:
        """A "yes" or "no" to what was asked by name or of a whole group."""
        granted = self._granted(topic, scene, opening, listed, given=given) if may_deny else NOTHING
        if topic.asked and topic.named and not given and self._was_once(scene.sentence, opening):
            once = self._yes_to(topic, scene, listed, given=given).candidates
            granted = AnswerReading(candidates=tuple(replace(one, status=Status.UNCONFIRMED) for one in once))
        if granted.candidates:
            return granted
        if not topic.asked or not (opening.yes or opening.no or opening.hedged):
            return self._of_relative(topic, scene) if topic.asked and not given else NOTHING
        critical = self._schema.relations[topic.relation].critical
        if opening.hedged:
            reason = "an answer in doubt to a question about a risk"
            return _doubt(scene, reason) if critical and not given else NOTHING
        if opening.no and not opening.yes:
            return self._denied(topic, scene, opening, listed, given=given) if may_deny else NOTHING
        if topic.negative and opening.confirms and may_deny and not given:
            return self._absent(topic, scene)
        return self._yes_to(topic, scene, listed, given=given)

    def _was_once(self, sentence: Sentence, opening: Opening) -> bool:
        """ "I used to be." """
        return opening.rest < len(sentence.words) and self._past.at(sentence.words, opening.rest) is not None

    def _granted(
        self, topic: Topic, scene: Scene, opening: Opening, listed: Sequence[Candidate], *, given: bool
    ) -> AnswerReading:
        """What the other speaker told, or took for granted in asking, and the answer does not deny."""
        denied = any(cue.value is Kind.NEGATED for cue in scene.cues.found)
        unsure = opening.hedged and opening.rest >= len(scene.sentence.words)
        if given or denied or unsure or opening.no or not topic.named:
            return NOTHING
        if topic.taken:  # "When did you get your stent?" "Years ago."
            doubtful = self._yes_to(topic, scene, listed, given=given).candidates
            return AnswerReading(candidates=tuple(replace(one, status=Status.UNCONFIRMED) for one in doubtful))
        told = not topic.asked and opening.yes and opening.rest >= len(scene.sentence.words)
        return self._yes_to(topic, scene, listed, given=given) if told else NOTHING

    def _denied(
        self, topic: Topic, scene: Scene, opening: Opening, listed: Sequence[Candidate], *, given: bool
    ) -> AnswerReading:
        names = {one.name for one in listed}
        if topic.relation in self._reassuring:  # "Any problem with it?" "No." is no denial of the relation
            more = any(unit.is_word for unit in scene.sentence.units[opening.rest :])
            reason = "a no, with more, to whether something is tolerated"
            return _doubt(scene, reason) if more and not given else NOTHING
        if topic.named and topic.negative:  # "So no problem with that?" "No." may mean either
            reason = "an answer that may mean either to a question whether there is none"
            return _doubt(scene, reason)
        if topic.named:
            denied = [one for one in topic.named if one.name not in names and one.who is not Who.FAMILY]
            more = any(unit.is_word for unit in scene.sentence.units[opening.rest :])
            if not denied and more and not given:  # "Is it your son who …?" "No, me."
                return self._unclear(topic, scene)
            return AnswerReading(candidates=tuple(_answered(denied, scene, Status.NEGATED)))
        if given or topic.relative:
            return NOTHING
        left = any(word in self._only for word in scene.sentence.words[opening.rest :])
        return self._unclear(topic, scene) if left else self._absent(topic, scene)

    def _unclear(self, topic: Topic, scene: Scene) -> AnswerReading:
        """An answer to a question about a risk that a person must read."""
        if not self._schema.relations[topic.relation].critical:
            return NOTHING
        return _doubt(scene, "an answer about a risk that is not understood")

    def _absent(self, topic: Topic, scene: Scene) -> AnswerReading:
        if not topic.scope:
            return NOTHING
        none = Candidate(
            relation=topic.relation,
            name=topic.scope,
            type=SCOPE_TYPE,
            status=Status.NEGATED,
            source="answer",
            sentence=scene.index,
            first=0,
            last=len(scene.sentence.units),
        )
        return AnswerReading(candidates=(none,))

    def _yes_to(self, topic: Topic, scene: Scene, listed: Sequence[Candidate], *, given: bool) -> AnswerReading:
        if topic.named:
            chosen = {one.name for one in listed} & {one.name for one in topic.named}
            meant = [one for one in topic.named if not chosen or one.name in chosen]
            status = Status.ACTIVE if len(meant) == 1 or chosen else Status.UNCONFIRMED
            return AnswerReading(candidates=tuple(_answered(_whose(meant, scene), scene, status)))
        if given or not topic.scope or not self._schema.relations[topic.relation].critical:
            return NOTHING
        return _doubt(scene, "says yes to a question about a risk and names none")

    def _of_relative(self, topic: Topic, scene: Scene) -> AnswerReading:
        """ "My mother had it": the answer names a relative and nothing else."""
        relative = relative_in(scene.persons)
        named = [one for one in topic.named if self._schema.relations[one.relation].phrasing.mention]
        if not relative or not named or len(scene.sentence.units) > 8:
            return NOTHING
        status = Status.ACTIVE if len(named) == 1 else Status.UNCONFIRMED
        return AnswerReading(candidates=tuple(_answered(_whose(named, scene), scene, status)))


def _doubt(scene: Scene, reason: str) -> AnswerReading:
    return AnswerReading(doubts=(Doubt(sentence=scene.index, reason=reason),))


def _denied_before(scene: Scene, effect: Mention) -> bool:
    """A denial before the effect, not parted from it by a comma: "no rash", but "not good, a rash"."""
    at = next((at for at, unit in enumerate(scene.sentence.units) if unit.start == effect.start), 0)
    return any(
        cue.value is Kind.NEGATED and (cue.start >= at or "," not in scene.sentence.words[cue.end : at])
        for cue in scene.cues.found
    )


def _whose(named: Sequence[Candidate], scene: Scene) -> Iterator[Candidate]:
    """ "Yes, my mother": what was asked about is a relative's."""
    relative = relative_in(scene.persons)
    for candidate in named:
        yield replace(candidate, who=Who.FAMILY, relative=relative) if relative else candidate


def _answered(named: Iterable[Candidate], scene: Scene, status: Status) -> Iterator[Candidate]:
    """What was asked about, as answered in this sentence."""
    for candidate in named:
        yield replace(
            candidate,
            status=status,
            asserted=True,
            why="",
            quiet=False,
            sentence=scene.index,
            first=0,
            last=len(scene.sentence.units),
            at=-1,
            flags=candidate.flags | {Flag.COREF},
            source="answer",
        )


def _denies(scene: Scene) -> bool:
    return len(scene.sentence.words) <= FEW and any(cue.value is Kind.NEGATED for cue in scene.cues.found)


def _is(mention: Mention | None, type_: str) -> bool:
    return mention is not None and mention.type == type_


def _whole(sentence: Sentence, found: PhraseMatch[str]) -> bool:
    """Not the beginning of something else: the "I am" of "I am sorry"."""
    if found.end - found.start == 1 or found.end >= len(sentence.units):
        return True
    return not sentence.units[found.end].is_word or sentence.words[found.start] not in {"i", "he", "she"}
