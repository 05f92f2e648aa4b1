"""What the other speaker asked, or told, last: the topic that a bare answer is about; and bare lists, as answers are.

A question is read with the rules for statements, only that nothing in it is asserted. Knows turns and topics; what is
answered is heard elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from r_memory.domain.facts import SCOPE_TYPE, Status
from r_memory.domain.schema import Schema
from r_memory.protocols import Turn, Utterance
from r_memory.reading.assertion import Act, Kind
from r_memory.reading.experiencer import PersonWord, Who
from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.arguments import Arguments, Filler
from r_memory.reading.rules.candidates import Candidate, Scene, named
from r_memory.reading.rules.triggers import Triggers
from r_memory.reading.sentences import Sentence

MARKS = frozenset({",", ".", "!", "-", "..."})
"""Units between the words of an answer that mean nothing."""


class BareLists:
    """Reads sentences that are only a list of things, in one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack, triggers: Triggers, arguments: Arguments) -> None:
        self._schema = schema
        self._triggers = triggers
        self._arguments = arguments
        self._leading, self._trailing = pack.phrases("answers", "leading"), pack.phrases("answers", "trailing")
        self._doubting = pack.phrases("assertion", "unconfirmed", "backward")

    def items(self, sentence: Sentence, start: int, relation: str) -> Iterator[tuple[Filler, bool]]:
        """Yields the items of a list that fills the rest of a sentence; with each, whether it is in doubt."""
        words, position = sentence.words, start
        while position < len(words) and (found := self._leading.at(words, position)) is not None:
            position = found.end
        items: Sequence[Filler] = ()
        if position < len(words):
            slot = self._triggers.slot(self._schema.relations[relation], many=True)
            items = next(self._arguments.fills(sentence, position, slot), ())
        if not items or items[0].pronoun or not self._ends(words, items[-1].end):
            return
        doubtful = self._doubting.stand_in(words)
        for item in items:
            yield item, doubtful

    def _ends(self, words: Sequence[str], position: int) -> bool:
        """Whether only "I think", "that's it" or the like stands behind the position."""
        while position < len(words):
            tail = self._trailing.at(words, position)
            if tail is None and words[position] not in MARKS | {"?"}:
                return False
            position = position + 1 if tail is None else tail.end
        return True


def named_by(
    item: Filler, scene: Scene, *, relation: str, relative: str, doubtful: bool = False
) -> Iterator[Candidate]:
    """Yields the candidates of a list item under a relation, of the subject or a relative.

    An ambiguous item is unconfirmed.
    """
    status = Status.UNCONFIRMED if doubtful else Status.ACTIVE
    base = Candidate(
        relation=relation,
        name="",
        status=Status.NEGATED if item.negated else status,
        who=Who.FAMILY if relative else Who.SUBJECT,
        relative=relative,
        source="answer",
        sentence=scene.index,
        first=item.first,
        last=item.last,
        at=item.first,
    )
    yield from named(base, item, scene.sentence)


FEW = 6
"""Most words of a short remark, which does not replace the question before it."""
_GROUPS = 2
"""Runs of the other speaker's turns that are read: the question, and the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRun:
    """One run of the other speaker's turns, read like an utterance."""

    scenes: tuple[Scene, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """The other speaker's last question or statement."""

    relation: str
    scope: str = ""
    """The group asked about."""
    negative: bool = False
    """It asks whether there is none."""
    named: tuple[Candidate, ...] = ()
    """The things asked about by name, each once."""
    taken: bool = False
    """The question presupposes it: "when did you get your stent?"."""
    told: bool = False
    """It is a statement to confirm: "you had your knee replaced for arthritis, right?"."""
    asked: bool = True
    """False for a statement, which only "and …" continues."""
    relative: str = ""
    """The relative asked about; empty for the subject."""


class Questions:
    """Finds the topic of questions, in one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack, triggers: Triggers) -> None:
        section = "answers"
        self._schema = schema
        self._triggers = triggers
        self._passing, self._tails = pack.words(section, "passing"), pack.words(section, "generic_tail")
        self._presupposing = pack.words("question", "words_before_auxiliary") | {"how", "why"}
        self._runs = pack.phrases("persons", "run_in_family")

    def topic(self, asked: Sequence[QuestionRun]) -> Topic | None:
        """Returns the topic of the newest run of turns; `None` without one."""
        if not asked:
            return None
        found = self._asked_last(asked[0])
        return self._of_family(found, asked) if found is not None and found.asked else found

    def _asked_last(self, asked: QuestionRun) -> Topic | None:
        """Returns the topic of the last sentence that asks about a relation; tags such as "right?" are skipped."""
        tail = False
        for scene in reversed(asked.scenes):
            asks = bool(scene.cues.regions) or tail
            found = self._asked_in(
                scene, [candidate for candidate in asked.candidates if candidate.sentence == scene.index], asks=asks
            )
            if found is not None:
                return found
            tail = asks and self._is_tail(scene.sentence)
            if asks and not tail:
                return None
        return None

    def _is_tail(self, sentence: Sentence) -> bool:
        return " ".join(unit.word for unit in sentence.units if unit.is_word) in self._tails

    def _asked_in(self, scene: Scene, candidates: Sequence[Candidate], *, asks: bool) -> Topic | None:
        words = scene.sentence.words
        scoped = [
            candidate
            for candidate in candidates
            if candidate.type == SCOPE_TYPE and not self._aside(words, candidate.first)
        ]
        read = (
            candidate
            for candidate in candidates
            if candidate.type != SCOPE_TYPE and candidate.name and not candidate.hint
        )
        named = list(
            {
                (candidate.relation, candidate.name): candidate for candidate in read if not _planned(scene, candidate)
            }.values()
        )
        if scoped and asks:
            whole = scoped[-1]
            scope = "" if whole.weak else whole.name
            relative = whole.relative if whole.who is Who.FAMILY else ""
            return Topic(
                relation=whole.relation, scope=scope, negative=whole.status is Status.NEGATED, relative=relative
            )
        if named:
            told = any(region.act is Act.TAG for region in scene.cues.regions)
            same = tuple(item for item in named if told or item.relation == named[-1].relation)
            taken = bool(scene.sentence.words) and scene.sentence.words[0] in self._presupposing
            negative = asks and any(cue.end <= same[0].last for cue in scene.cues.denials)
            relation = named[-1].relation
            return Topic(
                relation=relation, named=same, asked=asks, taken=asks and taken, negative=negative, told=asks and told
            )
        heading = next(
            (item for item in self._triggers.topic(scene.sentence) if not self._aside(words, item.start)), None
        )
        # "Tell me about your allergies."
        if heading is None or not (asks or scene.cues.regions or "about" in words[:4]):
            return None
        return Topic(relation=heading.value, relative=relative_in(scene.persons))

    def _aside(self, words: Sequence[str], position: int) -> bool:
        """Whether a heading is only mentioned in passing: "what do you take for your allergies?"."""
        return not self._passing.isdisjoint(words[max(position - 3, 0) : position])

    def _of_family(self, topic: Topic, asked: Sequence[QuestionRun]) -> Topic:
        """Returns the topic; a question without a person keeps the relative of the question before."""
        scenes = [scene for group in reversed(asked) for scene in group.scenes]
        if topic.relative or not scenes or scenes[-1].persons:
            return topic
        for scene in reversed(scenes[:-1]):
            relative = relative_in(scene.persons) or ("family" if self._runs.stand_in(scene.sentence.words) else "")
            if relative:
                named = tuple(replace(item, who=Who.FAMILY, relative=relative) for item in topic.named)
                return replace(topic, relative=relative, named=named)
            if scene.persons:
                return topic
        return topic


def runs_by_other(utterance: Utterance) -> tuple[tuple[Turn, ...], ...]:
    """Returns the other speaker's last runs of turns, newest first; in each, the oldest turn first."""
    runs = [tuple(run) for own, run in groupby(utterance.before, lambda turn: _same(turn, utterance)) if not own]
    return tuple(runs[::-1][:_GROUPS])


def relative_in(persons: Sequence[PersonWord]) -> str:
    """Returns the first relative who does not only report; empty if there is none."""
    return next((person.relative for person in persons if person.who is Who.FAMILY and not person.reports), "")


def _planned(scene: Scene, candidate: Candidate) -> bool:
    """Whether the question is about a future thing; a "yes" to it is no fact."""
    return candidate.source == "mention" and any(
        cue.value.kind is Kind.PLANNED and cue.end <= candidate.first for cue in scene.cues.found
    )


def _same(turn: Turn, utterance: Utterance) -> bool:
    """Whether the same speaker said both; without names, a question counts as the other speaker's."""
    if turn.role != utterance.role:
        return False
    named = turn.speaker not in {"", turn.role}
    return turn.speaker == utterance.speaker if named else "?" not in turn.text
