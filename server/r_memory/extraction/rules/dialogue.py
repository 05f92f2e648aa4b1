"""Question and answer: what the other speaker asked supplies the relation to a bare "yes", "no" or list.

Knows turns and topics; reads the question with the same rules as every statement, only without its being asserted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.facts import RISK, SCOPE_TYPE, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.extraction.experiencer import Who
from r_memory.extraction.language import LanguagePack
from r_memory.extraction.phrases import Found
from r_memory.extraction.rules.arguments import Arguments, Filler
from r_memory.extraction.rules.candidates import Candidate, Scene
from r_memory.extraction.rules.postrules import Doubt
from r_memory.extraction.rules.triggers import Triggers
from r_memory.extraction.sentences import Sentence
from r_memory.protocols import Turn, Utterance

_BACK = 3
"""Turns of the other speaker in a row that are one question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What was asked or told last by the other speaker."""

    relation: str
    scope: str = ""
    """A whole group was asked about."""
    named: tuple[Candidate, ...] = ()
    """What was asked about by name."""
    asked: bool = True
    """False: it was told, so that only "and …" goes on."""
    outcome: bool = False
    """Asked was what happened with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the first words of an answer say, and where the rest begins."""

    yes: bool = False
    no: bool = False
    hedged: bool = False
    goes_on: bool = False
    """"And", "also": it adds to what was said."""
    rest: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What an answer gives."""

    candidates: tuple[Candidate, ...] = ()
    doubts: tuple[Doubt, ...] = field(default=())


NOTHING = Heard()


class Dialogue:
    """Answers of one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack, triggers: Triggers, arguments: Arguments) -> None:
        self._schema = schema
        self._triggers = triggers
        self._arguments = arguments
        section = "answers"
        self._yes, self._no = pack.phrases(section, "yes"), pack.phrases(section, "no")
        self._hedged = pack.phrases(section, "hedged")
        self._leading, self._trailing = pack.phrases(section, "leading"), pack.phrases(section, "trailing")
        self._doubting = pack.phrases("assertion", "unconfirmed", "backward")
        self._adding = pack.words(section, "adding")
        self._only = pack.words(section, "only")
        self._outcome = pack.phrases(section, "outcome")
        self._passing = pack.words(section, "passing")
        self._tails = pack.words(section, "generic_tail")

    # what was asked

    def turns(self, utterance: Utterance) -> Sequence[Turn]:
        """The last turns of the other speaker, oldest first; none if the same speaker goes on alone."""
        found: list[Turn] = []
        for turn in reversed(utterance.before):
            if _same(turn, utterance):
                if found:
                    break
                continue
            found.append(turn)
            if len(found) == _BACK:
                break
        return found[::-1]

    def topic(self, scenes: Sequence[Scene], candidates: Sequence[Candidate]) -> Topic | None:
        """What the last sentence that asks something of a relation asks; tails like "right?" are passed over."""
        for scene in reversed(scenes):
            asked = bool(scene.cues.regions)
            found = self._topic(scene, [one for one in candidates if one.sentence == scene.index], asked=asked)
            if found is not None:
                return found
            if asked and not self._is_tail(scene.sentence):
                return None
        return None

    def _is_tail(self, sentence: Sentence) -> bool:
        text = " ".join(unit.word for unit in sentence.units if unit.is_word)
        return text in self._tails or len(sentence.units) <= 3

    def _topic(self, scene: Scene, candidates: Sequence[Candidate], *, asked: bool) -> Topic | None:
        words = scene.sentence.words
        outcome = any(True for _ in self._outcome.every(words))
        named = [one for one in candidates if one.type != SCOPE_TYPE and one.name]
        scoped = [one for one in candidates if one.type == SCOPE_TYPE and not self._aside(words, one.first)]
        if scoped and asked and not (outcome and named):
            widest = scoped[-1]
            return Topic(relation=widest.relation, scope=widest.name, named=tuple(named))
        if named:
            relation = named[-1].relation
            same = tuple(one for one in named if one.relation == relation)
            return Topic(relation=relation, named=same, asked=asked, outcome=outcome)
        heading = next((one for one in self._triggers.topic(scene.sentence) if not self._aside(words, one.start)), None)
        return Topic(relation=heading.value) if heading is not None and asked else None

    def _aside(self, words: Sequence[str], position: int) -> bool:
        """Named only in passing: "what do you take for your allergies?"."""
        return not self._passing.isdisjoint(words[max(position - 3, 0) : position])

    # what was answered

    def heard(self, topic: Topic, scenes: Sequence[Scene], stated: Sequence[Candidate], *, may_deny: bool) -> Heard:
        """What an answer adds to what its own words already state.

        `may_deny`: a "no" counts; that of a professional to a question of the subject's does not.
        """
        candidates: list[Candidate] = []
        doubts: list[Doubt] = []
        for scene in scenes[:4]:
            if scene.cues.regions:
                break
            answer = self._answer(scene.sentence)
            own = any(one.sentence == scene.index and one.relation == topic.relation for one in stated)
            if not own:
                candidates += self._listed(topic, scene, answer)
            given = [one for one in (*stated, *candidates) if one.status in RISK and one.relation == topic.relation]
            if scene.index == 0:
                plain = self._plain(topic, scene, answer, given=bool(given) or own, may_deny=may_deny)
                candidates += plain.candidates
                doubts += plain.doubts
        return Heard(candidates=tuple(candidates), doubts=tuple(doubts))

    def _answer(self, sentence: Sentence) -> Answer:
        words, position = sentence.words, 0
        answer = Answer()
        while position < len(words):
            hedged = self._hedged.at(words, position)
            no, yes = self._no.at(words, position), self._yes.at(words, position)
            found = max(
                (one for one in (hedged, no, yes) if one is not None and _whole(sentence, one)),
                key=lambda one: one.end,
                default=None,
            )
            if found is not None:
                answer = replace(
                    answer,
                    hedged=answer.hedged or found is hedged,
                    no=answer.no or (found is no and found is not hedged),
                    yes=answer.yes or (found is yes and found is not no and found is not hedged),
                )
            elif words[position] not in {",", ".", "!", "-", "..."}:
                break
            position = position + 1 if found is None else found.end
        goes_on = position < len(words) and words[position] in self._adding
        return replace(answer, goes_on=goes_on, rest=position)

    def _listed(self, topic: Topic, scene: Scene, answer: Answer) -> Iterator[Candidate]:
        """The items of an answer that is nothing but a list."""
        if not topic.asked and not answer.goes_on:
            return
        if topic.named and not topic.scope and topic.asked and not answer.goes_on:
            return
        relation = self._schema.relations[topic.relation]
        for item, doubtful in self._bare(scene.sentence, answer.rest, topic.relation):
            status = Status.UNCONFIRMED if doubtful or answer.hedged else Status.ACTIVE
            base = Candidate(
                relation=relation.name,
                name="",
                status=status,
                source="answer",
                sentence=scene.index,
                first=item.first,
                last=item.last,
                at=item.first,
            )
            yield from _items(base, item, scene.sentence)

    def _bare(self, sentence: Sentence, start: int, relation: str) -> Iterator[tuple[Filler, bool]]:
        """Items of a list that takes up the whole rest of a sentence; with each, whether doubt was said."""
        words, position, doubtful = sentence.words, start, False
        while position < len(words) and (found := self._leading.at(words, position)) is not None:
            doubtful = doubtful or any(True for _ in self._doubting.every(words[position : found.end]))
            position = found.end
        if position >= len(words):
            return
        slot = self._triggers.slot(self._schema.relations[relation], many=True)
        items = next(self._arguments.fills(sentence, position, slot), ())
        if not items or items[0].pronoun:
            return
        end = items[-1].end
        while end < len(words):
            tail = self._trailing.at(words, end)
            if tail is None and words[end] not in {",", ".", "!", "-"}:
                return
            end = end + 1 if tail is None else tail.end
        doubtful = doubtful or any(True for _ in self._doubting.every(words[items[-1].end :]))
        for item in items:
            yield item, doubtful

    def _plain(self, topic: Topic, scene: Scene, answer: Answer, *, given: bool, may_deny: bool) -> Heard:
        """A "yes" or "no" to what was asked by name or of a whole group."""
        if not topic.asked or topic.outcome or not (answer.yes or answer.no or answer.hedged):
            return Heard()
        critical = self._schema.relations[topic.relation].critical
        if answer.hedged and not given:
            return (
                Heard()
                if not critical
                else Heard(
                    doubts=(Doubt(sentence=scene.index, reason="an answer in doubt to a question about a risk"),)
                )
            )
        if answer.no and not answer.yes:
            return self._none(topic, scene, answer, given=given) if may_deny else Heard()
        return self._yes_to(topic, scene, given=given)

    def _none(self, topic: Topic, scene: Scene, answer: Answer, *, given: bool) -> Heard:
        words = scene.sentence.words[answer.rest :]
        if given or any(word in self._only for word in words):
            return Heard()
        denied = replace_all(topic.named, scene, Status.NEGATED) if not topic.scope else ()
        if not topic.scope:
            return Heard(candidates=tuple(denied))
        relation = topic.relation
        none = Candidate(
            relation=relation,
            name=topic.scope,
            type=SCOPE_TYPE,
            status=Status.NEGATED,
            source="answer",
            sentence=scene.index,
            first=0,
            last=len(scene.sentence.units),
        )
        return Heard(candidates=(none,))

    def _yes_to(self, topic: Topic, scene: Scene, *, given: bool) -> Heard:
        if topic.named and not topic.scope:
            status = Status.ACTIVE if len(topic.named) == 1 else Status.UNCONFIRMED
            return Heard(candidates=tuple(replace_all(topic.named, scene, status)))
        if given or not self._schema.relations[topic.relation].critical or not topic.scope:
            return Heard()
        return Heard(doubts=(Doubt(sentence=scene.index, reason="says yes to a question about a risk and names none"),))


def _whole(sentence: Sentence, found: Found[str]) -> bool:
    """Not the beginning of something else: the "I am" of "I am sorry"."""
    if found.end - found.start == 1 or found.end >= len(sentence.units):
        return True
    return not sentence.units[found.end].is_word or sentence.words[found.start] not in {"i", "he", "she"}


def replace_all(named: Sequence[Candidate], scene: Scene, status: Status) -> Iterator[Candidate]:
    """What was asked about, as answered in this sentence."""
    for candidate in named:
        if candidate.who is Who.FAMILY and status is Status.NEGATED:
            continue
        yield replace(
            candidate,
            status=status,
            asserted=True,
            why="",
            sentence=scene.index,
            first=0,
            last=len(scene.sentence.units),
            at=-1,
            flags=candidate.flags | {Flag.COREF},
            source="answer",
        )


def _items(base: Candidate, item: Filler, sentence: Sentence) -> Iterator[Candidate]:
    said = " ".join(sentence.words[item.first : item.last])
    if item.negated:
        base = replace(base, status=Status.NEGATED)
    if not item.mentions:
        yield replace(base, name=item.text, said=said, flags=frozenset({Flag.UNMAPPED}))
    for mention in item.mentions:
        flags = frozenset({Flag.FUZZY}) if item.fuzzy else frozenset()
        several = len(item.mentions) > 1 and base.status is Status.ACTIVE
        status = Status.UNCONFIRMED if several else base.status
        yield replace(base, name=mention.name, type=mention.type, said=said, flags=flags, status=status)


def _same(turn: Turn, utterance: Utterance) -> bool:
    """Said by the same speaker; where nobody is named, a question is taken to come from the other one."""
    if turn.role != utterance.role:
        return False
    named = turn.speaker not in {"", turn.role}
    return turn.speaker == utterance.speaker if named else "?" not in turn.text
