"""What an answer says: a bare "yes", "no" or list, under the relation that the question supplies.

Knows what answers are made of; what was asked is found elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.facts import RISK, SCOPE_TYPE, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.reading.experiencer import Who
from r_memory.reading.language import LanguagePack, PhraseMatch, Phrases
from r_memory.reading.rules.candidates import Candidate, Scene, reassuring
from r_memory.reading.rules.postrules import Doubt
from r_memory.reading.rules.questions import FEW, MARKS, BareLists, QuestionRun, Topic, named_by, relative_in
from r_memory.reading.sentences import Sentence

_SENTENCES = 4
"""Sentences of a turn that may still answer the question."""
_BRIEF = 8
"""Units of an answer that names only a relative."""

Heard = tuple[Candidate | Doubt, ...]
"""The candidates and doubts of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    """The meaning of the first words of an answer, and where the rest begins."""

    yes: bool
    confirms: bool
    """It is "right" or "correct", which also confirms a negative question."""
    no: bool
    hedged: bool
    rest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    """The first sentence of an answer, to be read as a yes or a no."""

    topic: Topic
    scene: Scene
    opening: _Opening
    listed: Sequence[Candidate]
    given: bool
    """Its own words state a risk, or something under the relation."""
    may_deny: bool

    @property
    def rest(self) -> Sequence[str]:
        """The words behind the opening."""
        return [unit.word for unit in self.scene.sentence.units[self.opening.rest :] if unit.is_word]

    @property
    def ends(self) -> bool:
        """Whether nothing stands behind the opening."""
        return self.opening.rest >= len(self.scene.sentence.units)


_EITHER = "an answer that may mean either to a question whether there is none"


class Answers:
    """Reads answers in one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack, lists: BareLists) -> None:
        section = "answers"
        self._schema = schema
        self._lists = lists
        self._openings: Phrases[tuple[str, str]] = Phrases(
            (pack.cut(text), (name, text))
            for name in ("hedged", "no", "yes", "neither")
            for text in pack.texts(section, name)
        )
        self._confirming = frozenset(pack.texts(section, "confirming"))
        self._able = pack.phrases(section, "able")
        self._past, self._choosing = pack.phrases(section, "past"), pack.phrases(section, "choosing")
        self._adding, self._only = pack.words(section, "adding"), pack.words(section, "only")
        self._reassuring = reassuring(schema)

    def heard(self, topic: Topic, scenes: Sequence[Scene], stated: Sequence[Candidate], *, may_deny: bool) -> Heard:
        """Returns what an answer states beyond its own words.

        `may_deny`: a "no" counts. It is false for a professional who answers the subject's question.
        """
        found: list[Candidate | Doubt] = []
        for position, scene in enumerate(scenes[:_SENTENCES]):
            if scene.cues.regions:
                break
            found += self._in_sentence(topic, scene, stated, first=not position, may_deny=may_deny)
        return tuple(found)

    def _in_sentence(
        self, topic: Topic, scene: Scene, stated: Sequence[Candidate], *, first: bool, may_deny: bool
    ) -> Heard:
        """Returns what one sentence of an answer states; later sentences only continue a list."""
        opening = self._opening(scene.sentence)
        own = any(candidate.sentence == scene.index and candidate.relation == topic.relation for candidate in stated)
        listed = () if own else tuple(self._listed(topic, scene, opening))
        if not first:
            return listed
        given = own or any(self._is_risk(candidate) for candidate in (*stated, *listed))
        reply = _Reply(topic=topic, scene=scene, opening=opening, listed=listed, given=given, may_deny=may_deny)
        found = (*listed, *self._yes_or_no(reply))
        if found:
            return found
        brief = len(scene.sentence.words) <= FEW
        denied = topic.asked and topic.named and not own and brief and scene.cues.denials  # "Sulfa?" "Not fine."
        words = scene.sentence.words[opening.rest :]
        some = topic.asked and topic.scope and not own and not self._only.isdisjoint(words[:1])  # "Only my brother."
        return self._unclear(topic, scene) if denied or some else ()

    def left_open(self, asked: Sequence[QuestionRun], scenes: Sequence[Scene]) -> Sequence[Doubt]:
        """Returns doubts for a bare answer whose object is unclear.

        "Which one was it, this or that?" "The second."; "Can you take it?" "No."
        """
        question = asked[0].scenes[-1].sentence if asked and asked[0].scenes else None
        if question is None or not scenes or not question.asks:
            return ()
        named = {unit.mention.name for unit in question.units if unit.mention is not None}
        sentence = scenes[0].sentence
        picks = len(named) > 1 and len(sentence.words) <= FEW and self._choosing.stand_in(sentence.words)
        unable = bool(named) and self._able.stand_in(question.words) and self._opening(sentence).no
        reasons = ((picks, "chooses among things that were asked about"), (unable, "a no to whether it can be taken"))
        return [Doubt(sentence=scenes[0].index, reason=reason) for holds, reason in reasons if holds]

    def _is_risk(self, candidate: Candidate) -> bool:
        return candidate.counts and candidate.status in RISK and self._schema.relations[candidate.relation].critical

    def _opening(self, sentence: Sentence) -> _Opening:
        words, position = sentence.words, 0
        said: set[tuple[str, str]] = set()
        while position < len(words):
            found = self._openings.at(words, position)
            if found is not None and found.value[0] == "neither":
                break
            if found is not None and _whole(sentence, found):
                said.add(found.value)
                position = found.end
            elif words[position] in MARKS:
                position += 1
            else:
                break
        kinds = {kind for kind, _ in said}
        return _Opening(
            yes="yes" in kinds,
            confirms=any(kind == "yes" and text in self._confirming for kind, text in said),
            no="no" in kinds,
            hedged="hedged" in kinds,
            rest=position,
        )

    def _listed(self, topic: Topic, scene: Scene, opening: _Opening) -> Iterator[Candidate]:
        """Yields the items of an answer that is only a list; without a question it must continue one:

        "and …", "also".
        """
        if not topic.asked and self._adding.isdisjoint(scene.sentence.words[opening.rest : opening.rest + 1]):
            return
        for item, doubtful in self._lists.items(scene.sentence, opening.rest, topic.relation):
            unsure = doubtful or opening.hedged
            yield from named_by(item, scene, relation=topic.relation, relative=topic.relative, doubtful=unsure)

    # yes and no

    def _yes_or_no(self, reply: _Reply) -> Heard:
        """Returns what a "yes" or "no" says about the named thing or the whole group."""
        topic, opening = reply.topic, reply.opening
        granted = self._granted(reply)
        if granted or not topic.asked:
            return granted
        if opening.hedged:
            doubted = self._schema.relations[topic.relation].critical and not reply.given
            return _doubt(reply.scene, "an answer in doubt to a question about a risk") if doubted else ()
        if not opening.yes and not opening.no:
            return self._of_relative(reply)
        if not opening.yes:
            return self._denied(reply) if reply.may_deny else ()
        if topic.negative and reply.may_deny and not reply.given:
            return self._yes_to_none(reply)
        return self._yes_to(reply)

    def _yes_to_none(self, reply: _Reply) -> Heard:
        """Returns the answer to a negative question ("You have no asthma, right?").

        "That's right" confirms it; a bare "yes" may mean either.
        """
        if not reply.topic.named:
            return self._absent(reply) if reply.opening.confirms else self._yes_to(reply)
        if reply.opening.confirms:
            return self._denied_by_name(reply)
        return _doubt(reply.scene, _EITHER)

    def _was_once(self, reply: _Reply) -> bool:
        """Whether the reply says that it was so in the past: "I used to be." """
        return not reply.ends and self._past.at(reply.scene.sentence.words, reply.opening.rest) is not None

    def _granted(self, reply: _Reply) -> Heard:
        """Returns what the other speaker told or presupposed, if the answer does not deny it."""
        topic, opening = reply.topic, reply.opening
        if topic.asked and topic.named and not reply.given and self._was_once(reply):
            return _doubted(self._yes_to(reply))
        if (
            not reply.may_deny
            or reply.given
            or reply.scene.cues.denials
            or opening.no
            or not topic.named
            or (opening.hedged and reply.ends)
        ):
            return ()
        if topic.taken:  # "When did you get your stent?" "Years ago."
            return _doubted(self._yes_to(reply))
        return self._yes_to(reply) if not topic.asked and opening.yes and reply.ends else ()

    def _denied(self, reply: _Reply) -> Heard:
        topic, scene = reply.topic, reply.scene
        if topic.relation in self._reassuring:  # "Any problem with it?" "No." is no denial of the relation
            unsure = reply.rest and not reply.given
            return _doubt(scene, "a no, with more, to whether something is tolerated") if unsure else ()
        if topic.named and topic.negative:  # "So no problem with that?" "No." may mean either
            return _doubt(scene, _EITHER)
        if topic.named:
            return self._denied_by_name(reply)
        if reply.given or topic.relative:
            return ()
        return self._unclear(topic, scene) if not self._only.isdisjoint(reply.rest) else self._absent(reply)

    def _denied_by_name(self, reply: _Reply) -> Heard:
        topic, scene = reply.topic, reply.scene
        names = {item.name for item in reply.listed}
        denied = [item for item in topic.named if item.name not in names and item.who is not Who.FAMILY]
        whose = not denied and reply.rest and not reply.given  # "Is it your son who …?" "No, me."
        which = topic.told and len(denied) > 1  # "You had it replaced for arthritis, right?" "No."
        return self._unclear(topic, scene) if whose or which else tuple(_answered(denied, scene, Status.NEGATED))

    def _unclear(self, topic: Topic, scene: Scene) -> Heard:
        """Returns a doubt for an answer to a question about a risk, for a person to read."""
        asked = {topic.relation, *(item.relation for item in topic.named)}
        critical = any(self._schema.relations[relation].critical for relation in asked)
        return _doubt(scene, "an answer about a risk that is not understood") if critical else ()

    def _absent(self, reply: _Reply) -> Heard:
        if not reply.topic.scope:
            return ()
        none = Candidate(
            relation=reply.topic.relation,
            name=reply.topic.scope,
            type=SCOPE_TYPE,
            status=Status.NEGATED,
            source="answer",
            sentence=reply.scene.index,
            first=0,
            last=len(reply.scene.sentence.units),
        )
        return (none,)

    def _yes_to(self, reply: _Reply) -> Heard:
        topic = reply.topic
        if topic.named:
            chosen = {item.name for item in reply.listed} & {item.name for item in topic.named}
            meant = [item for item in topic.named if not chosen or item.name in chosen]
            sure = len(meant) == 1 or chosen or topic.told
            status = Status.ACTIVE if sure else Status.UNCONFIRMED
            return tuple(_answered(_whose(meant, reply.scene), reply.scene, status))
        if reply.given or not topic.scope or not self._schema.relations[topic.relation].critical:
            return ()
        return _doubt(reply.scene, "says yes to a question about a risk and names none")

    def _of_relative(self, reply: _Reply) -> Heard:
        """Whether the answer names only a relative: "My mother had it"."""
        if reply.given:
            return ()
        named = [item for item in reply.topic.named if self._schema.relations[item.relation].phrasing.mention]
        if not relative_in(reply.scene.persons) or not named or len(reply.scene.sentence.units) > _BRIEF:
            return ()
        status = Status.ACTIVE if len(named) == 1 else Status.UNCONFIRMED
        return tuple(_answered(_whose(named, reply.scene), reply.scene, status))


def _doubt(scene: Scene, reason: str) -> Heard:
    return (Doubt(sentence=scene.index, reason=reason),)


def _doubted(heard: Heard) -> Heard:
    """Returns the same candidates and doubts, with every candidate unconfirmed."""
    return tuple(item.doubted() for item in heard if isinstance(item, Candidate))


def _whose(named: Sequence[Candidate], scene: Scene) -> Iterator[Candidate]:
    """Yields the candidates, as a relative's if the answer names one: "Yes, my mother"."""
    relative = relative_in(scene.persons)
    for candidate in named:
        yield replace(candidate, who=Who.FAMILY, relative=relative) if relative else candidate


def _answered(named: Iterable[Candidate], scene: Scene, status: Status) -> Iterator[Candidate]:
    """Yields the candidates of the question with the status of this answer."""
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


def _whole(sentence: Sentence, found: PhraseMatch[tuple[str, str]]) -> bool:
    """Whether the phrase is no beginning of another phrase, as "I am" of "I am sorry"."""
    if found.end - found.start == 1 or found.end >= len(sentence.units):
        return True
    return not sentence.units[found.end].is_word or sentence.words[found.start] not in {"i", "he", "she"}
