"""Question and answer: what the other speaker asked supplies the relation to a bare "yes", "no" or list.

Knows turns, topics and answers. A question is read with the rules for statements, only that nothing in it is asserted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.facts import RISK, SCOPE_TYPE, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.extraction.assertion import Kind
from r_memory.extraction.experiencer import Person, Who
from r_memory.extraction.language import LanguagePack
from r_memory.extraction.phrases import Found
from r_memory.extraction.rules.arguments import Arguments, Filler
from r_memory.extraction.rules.candidates import Candidate, Scene
from r_memory.extraction.rules.postrules import Doubt, reassuring
from r_memory.extraction.rules.triggers import Triggers
from r_memory.extraction.sentences import Sentence
from r_memory.protocols import Mention, Turn, Utterance

_GROUPS = 2
"""Runs of turns by the other speaker that are looked at: the question, and the one before it."""
_SENTENCES = 4
"""Sentences of an answer that may still answer."""
_FEW = 6
"""Words of a remark that does not take the place of a question."""
_MARKS = frozenset({",", ".", "!", "-", "..."})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the other speaker said in one run of turns, read like any utterance."""

    scenes: tuple[Scene, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What was asked, or told, last by the other speaker."""

    relation: str
    scope: str = ""
    """A whole group was asked about."""
    negative: bool = False
    """Asked was whether there is none."""
    named: tuple[Candidate, ...] = ()
    """What was asked about by name, each once."""
    taken: bool = False
    """The question takes it for granted: "when did you get your stent?"."""
    asked: bool = True
    """False: it was told, so that only "and …" goes on."""
    agents: tuple[Mention, ...] = ()
    """Asked was what these do to the subject."""
    relative: str = ""
    """Asked was about this relative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
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
class Heard:
    """What an answer gives."""

    candidates: tuple[Candidate, ...] = ()
    doubts: tuple[Doubt, ...] = field(default=())


NOTHING = Heard()


class Dialogue:
    """Answers of one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack, triggers: Triggers, arguments: Arguments) -> None:
        section = "answers"
        self._schema = schema
        self._triggers = triggers
        self._arguments = arguments
        self._yes, self._no = pack.phrases(section, "yes"), pack.phrases(section, "no")
        self._confirming = pack.words(section, "confirming")
        self._hedged = pack.phrases(section, "hedged")
        self._past, self._choosing = pack.phrases(section, "past"), pack.phrases(section, "choosing")
        self._leading, self._trailing = pack.phrases(section, "leading"), pack.phrases(section, "trailing")
        self._doubting = pack.phrases("assertion", "unconfirmed", "backward")
        self._adding, self._only = pack.words(section, "adding"), pack.words(section, "only")
        self._outcome = pack.phrases(section, "outcome")
        self._passing, self._tails = pack.words(section, "passing"), pack.words(section, "generic_tail")
        self._reassuring = reassuring(schema)
        self._presupposing = pack.words("question", "words_before_auxiliary") | {"how", "why"}
        self._runs = pack.phrases("persons", "run_in_family")

    # who spoke before

    def groups(self, utterance: Utterance) -> tuple[tuple[Turn, ...], ...]:
        """The last runs of turns by the other speaker, newest first, each oldest turn first."""
        found: list[list[Turn]] = []
        own = True
        for turn in reversed(utterance.before):
            if _same(turn, utterance):
                own = True
                continue
            if own:
                found.append([])
            found[-1].insert(0, turn)
            own = False
        return tuple(tuple(group) for group in found[:_GROUPS])

    # what was asked

    def topic(self, asked: Sequence[Asked], own: Sequence[Mention] = ()) -> Topic | None:
        """What the newest run of turns asks; a bare name with a question mark finishes what was asked before.

        `own` is what the speaker named last, for "and what does it do?".
        """
        if not asked:
            return None
        found = self._topic_of(asked[0]) or self._does(asked[0], own)
        if found is not None and found.asked:
            return self._of_family(found, asked)
        earlier = self._topic_of(asked[1]) if len(asked) > 1 else None
        if earlier is None:
            return found
        return self._finished(earlier, asked[0]) or found or (earlier if self._only_explains(asked[0]) else None)

    def _does(self, asked: Asked, own: Sequence[Mention]) -> Topic | None:
        """ "What does it do to you?", asked of what the answering speaker named before."""
        rule = self._schema.bridging
        scene = asked.scenes[-1] if asked.scenes else None
        if rule is None or scene is None or not any(True for _ in self._outcome.every(scene.sentence.words)):
            return None
        types = self._schema.relations[rule.relation].objects
        agents = tuple(mention for mention in own if mention.type in types)
        return Topic(relation=rule.relation, agents=agents) if agents else None

    def _only_explains(self, asked: Asked) -> bool:
        """A few words that ask nothing leave the question before them open."""
        words = sum(unit.is_word for scene in asked.scenes for unit in scene.sentence.units)
        return words <= _FEW and not any(scene.cues.regions for scene in asked.scenes)

    def _topic_of(self, asked: Asked) -> Topic | None:
        """What the last sentence that asks something of a relation asks; tails like "right?" are passed over."""
        tail = False
        for scene in reversed(asked.scenes):
            asks = bool(scene.cues.regions) or tail
            found = self._topic(scene, [one for one in asked.candidates if one.sentence == scene.index], asks=asks)
            if found is not None:
                return found
            tail = asks and self._is_tail(scene.sentence)
            if asks and not tail:
                return None
        return None

    def _is_tail(self, sentence: Sentence) -> bool:
        return " ".join(unit.word for unit in sentence.units if unit.is_word) in self._tails

    def _topic(self, scene: Scene, candidates: Sequence[Candidate], *, asks: bool) -> Topic | None:
        words = scene.sentence.words
        agents = self._agents(scene.sentence) if asks else ()
        if agents:
            return Topic(relation=agents[0][0], agents=tuple(mention for _, mention in agents))
        scoped = [one for one in candidates if one.type == SCOPE_TYPE and not self._aside(words, one.first)]
        named = _once(one for one in candidates if one.type != SCOPE_TYPE and one.name and not _planned(scene, one))
        if scoped and asks:
            whole = scoped[-1]
            scope = "" if whole.weak else whole.name
            relative = whole.relative if whole.who is Who.FAMILY else ""
            return Topic(
                relation=whole.relation, scope=scope, negative=whole.status is Status.NEGATED, relative=relative
            )
        if named:
            same = tuple(one for one in named if one.relation == named[-1].relation)
            taken = bool(scene.sentence.words) and scene.sentence.words[0] in self._presupposing
            negative = asks and any(cue.value is Kind.NEGATED and cue.end <= same[0].last for cue in scene.cues.found)
            return Topic(relation=named[-1].relation, named=same, asked=asks, taken=asks and taken, negative=negative)
        heading = next((one for one in self._triggers.topic(scene.sentence) if not self._aside(words, one.start)), None)
        if heading is None or not (asks or scene.cues.regions or self._invites(words)):
            return None
        return Topic(relation=heading.value, relative=_relative(scene.persons))

    def _invites(self, words: Sequence[str]) -> bool:
        """ "Tell me about your allergies." """
        return "about" in words[:4]

    def _agents(self, sentence: Sentence) -> list[tuple[str, Mention]]:
        """The relation of effects, with what the question "what happens when you take …" names."""
        rule = self._schema.bridging
        if rule is None or not any(True for _ in self._outcome.every(sentence.words)):
            return []
        types = self._schema.relations[rule.relation].objects
        return [
            (rule.relation, unit.mention)
            for unit in sentence.units
            if unit.mention is not None and unit.mention.type in types
        ]

    def _aside(self, words: Sequence[str], position: int) -> bool:
        """Named only in passing: "what do you take for your allergies?"."""
        return not self._passing.isdisjoint(words[max(position - 3, 0) : position])

    def _of_family(self, topic: Topic, asked: Sequence[Asked]) -> Topic:
        """A question that names nobody goes on about the relative of the question before it."""
        scenes = [scene for group in reversed(asked) for scene in group.scenes]
        if topic.relative or not scenes or scenes[-1].persons:
            return topic
        for scene in reversed(scenes[:-1]):
            relative = _relative(scene.persons) or ("family" if self._in_family(scene.sentence) else "")
            if relative:
                named = tuple(replace(one, who=Who.FAMILY, relative=relative) for one in topic.named)
                return replace(topic, relative=relative, named=named)
            if scene.persons:
                return topic
        return topic

    def _in_family(self, sentence: Sentence) -> bool:
        return any(True for _ in self._runs.every(sentence.words))

    def _finished(self, earlier: Topic, asked: Asked) -> Topic | None:
        """The other speaker finishes a name: "something with ceph", then "Cephalexin?"."""
        last = asked.scenes[-1] if asked.scenes else None
        if last is None or not last.sentence.asks or not earlier.asked:
            return None
        items = [item for item, _ in self._bare(last.sentence, 0, earlier.relation)]
        named = tuple(
            candidate for item in items for candidate in self._items(earlier, last, item, doubtful=False, hedged=False)
        )
        return Topic(relation=earlier.relation, named=named, relative=earlier.relative) if named else None

    # what was answered

    def heard(self, topic: Topic, scenes: Sequence[Scene], stated: Sequence[Candidate], *, may_deny: bool) -> Heard:
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
            answer = self._answer(scene.sentence)
            if topic.agents:
                candidates += self._effects(topic, scene) if may_deny else ()
                continue
            own = any(one.sentence == scene.index and one.relation == topic.relation for one in stated)
            listed = [] if own else list(self._listed(topic, scene, answer))
            candidates += listed
            if position == 0:
                risky = any(self._is_risk(one) for one in (*stated, *listed))
                plain = self._plain(topic, scene, answer, listed, given=own or risky, may_deny=may_deny)
                candidates += plain.candidates
                doubts += plain.doubts
                if listed or plain.candidates or plain.doubts:
                    continue
                if self._names_unread(topic, scene, stated):
                    candidates += self._guessed(topic, scene)
                    doubts += self._unclear(topic, scene).doubts
                elif topic.asked and topic.named and not own and _denies(scene):  # "Sulfa?" "Not fine."
                    doubts += self._unclear(topic, scene).doubts
        return Heard(candidates=tuple(candidates), doubts=tuple(doubts))

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
                for one in self._items(topic, scene, item, doubtful=True, hedged=True):
                    yield one.flagged(Flag.NET)

    def _is_risk(self, candidate: Candidate) -> bool:
        return candidate.counts and candidate.status in RISK and self._schema.relations[candidate.relation].critical

    def _answer(self, sentence: Sentence) -> Answer:
        words, position = sentence.words, 0
        answer = Answer()
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
            if best is None and words[position] not in _MARKS:
                break
            answer = replace(
                answer,
                hedged=answer.hedged or (best is not None and best is hedged),
                no=answer.no or (best is not None and best is no),
                yes=answer.yes or (best is not None and best is yes),
                confirms=answer.confirms or (best is not None and best is yes and best.value in self._confirming),
            )
            position = position + 1 if best is None else best.end
        goes_on = position < len(words) and words[position] in self._adding
        return replace(answer, goes_on=goes_on, rest=position)

    def chosen(self, asked: Sequence[Asked], scenes: Sequence[Scene]) -> Sequence[Doubt]:
        """ "Which one was it, this or that?" "The second.": for a person, as nobody said what it is about."""
        question = asked[0].scenes[-1].sentence if asked and asked[0].scenes else None
        if question is None or not scenes:
            return ()
        named = {unit.mention.name for unit in question.units if unit.mention is not None}
        words = scenes[0].sentence.words
        picks = len(words) <= _FEW and any(True for _ in self._choosing.every(words))
        reason = "chooses among things that were asked about"
        return (Doubt(sentence=scenes[0].index, reason=reason),) if question.asks and len(named) > 1 and picks else ()

    # a list

    def _listed(self, topic: Topic, scene: Scene, answer: Answer) -> Iterator[Candidate]:
        """The items of an answer that is nothing but a list."""
        if not topic.asked and not answer.goes_on:
            return
        for item, doubtful in self._bare(scene.sentence, answer.rest, topic.relation):
            yield from self._items(topic, scene, item, doubtful=doubtful, hedged=answer.hedged)

    def _bare(self, sentence: Sentence, start: int, relation: str) -> Iterator[tuple[Filler, bool]]:
        """Items of a list that takes up the whole rest of a sentence; with each, whether doubt was said."""
        words, position = sentence.words, start
        while position < len(words) and (found := self._leading.at(words, position)) is not None:
            position = found.end
        items: Sequence[Filler] = ()
        if position < len(words):
            slot = self._triggers.slot(self._schema.relations[relation], many=True)
            items = next(self._arguments.fills(sentence, position, slot), ())
        if not items or items[0].pronoun or not self._ends(words, items[-1].end):
            return
        doubtful = any(True for _ in self._doubting.every(words))
        for item in items:
            yield item, doubtful

    def _ends(self, words: Sequence[str], position: int) -> bool:
        """Nothing but "I think", "that's it" and the like stands behind the position."""
        while position < len(words):
            tail = self._trailing.at(words, position)
            if tail is None and words[position] not in _MARKS | {"?"}:
                return False
            position = position + 1 if tail is None else tail.end
        return True

    def _items(self, topic: Topic, scene: Scene, item: Filler, *, doubtful: bool, hedged: bool) -> Iterator[Candidate]:
        status = Status.UNCONFIRMED if doubtful or hedged else Status.ACTIVE
        base = Candidate(
            relation=topic.relation,
            name="",
            said=" ".join(scene.sentence.words[item.first : item.last]),
            status=Status.NEGATED if item.negated else status,
            who=Who.FAMILY if topic.relative else Who.SUBJECT,
            relative=topic.relative,
            source="answer",
            sentence=scene.index,
            first=item.first,
            last=item.last,
            at=item.first,
        )
        if not item.mentions:
            yield replace(base, name=item.text, flags=frozenset({Flag.UNMAPPED}))
        several = len(item.mentions) > 1 and base.status is Status.ACTIVE
        for mention in item.mentions:
            named = replace(base, name=mention.name, type=mention.type)
            named = replace(named, status=Status.UNCONFIRMED) if several else named
            yield named.flagged(Flag.FUZZY) if item.fuzzy else named

    # what something does

    def _effects(self, topic: Topic, scene: Scene) -> Iterator[Candidate]:
        """The effect that answers "what happens when you take …"."""
        rule = self._schema.bridging
        effect = None
        if rule is not None:
            effect = next((unit.mention for unit in scene.sentence.units if _is(unit.mention, rule.needs)), None)
        if effect is None or self._denied_before(scene, effect):
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

    def _denied_before(self, scene: Scene, effect: Mention) -> bool:
        """A denial before the effect, not parted from it by a comma: "no rash", but "not good, a rash"."""
        at = next((at for at, unit in enumerate(scene.sentence.units) if unit.start == effect.start), 0)
        return any(
            cue.value is Kind.NEGATED and (cue.start >= at or "," not in scene.sentence.words[cue.end : at])
            for cue in scene.cues.found
        )

    # yes and no

    def _plain(
        self, topic: Topic, scene: Scene, answer: Answer, listed: Sequence[Candidate], *, given: bool, may_deny: bool
    ) -> Heard:
        """A "yes" or "no" to what was asked by name or of a whole group."""
        granted = self._granted(topic, scene, answer, listed, given=given) if may_deny else NOTHING
        if topic.asked and topic.named and not given and self._was_once(scene.sentence, answer):
            once = self._yes_to(topic, scene, listed, given=given).candidates
            granted = Heard(candidates=tuple(replace(one, status=Status.UNCONFIRMED) for one in once))
        if granted.candidates:
            return granted
        if not topic.asked or not (answer.yes or answer.no or answer.hedged):
            return self._of_relative(topic, scene) if topic.asked and not given else NOTHING
        critical = self._schema.relations[topic.relation].critical
        if answer.hedged:
            reason = "an answer in doubt to a question about a risk"
            return Heard(doubts=(Doubt(sentence=scene.index, reason=reason),)) if critical and not given else NOTHING
        if answer.no and not answer.yes:
            return self._none(topic, scene, answer, listed, given=given) if may_deny else NOTHING
        if topic.negative and answer.confirms and may_deny and not given:
            return self._absent(topic, scene)
        return self._yes_to(topic, scene, listed, given=given)

    def _was_once(self, sentence: Sentence, answer: Answer) -> bool:
        """ "I used to be." """
        return answer.rest < len(sentence.words) and self._past.at(sentence.words, answer.rest) is not None

    def _granted(
        self, topic: Topic, scene: Scene, answer: Answer, listed: Sequence[Candidate], *, given: bool
    ) -> Heard:
        """What the other speaker told, or took for granted in asking, and the answer does not deny."""
        denied = any(cue.value is Kind.NEGATED for cue in scene.cues.found)
        unsure = answer.hedged and answer.rest >= len(scene.sentence.words)
        if given or denied or unsure or answer.no or not topic.named:
            return NOTHING
        if topic.taken:  # "When did you get your stent?" "Years ago."
            doubtful = self._yes_to(topic, scene, listed, given=given).candidates
            return Heard(candidates=tuple(replace(one, status=Status.UNCONFIRMED) for one in doubtful))
        told = not topic.asked and answer.yes and answer.rest >= len(scene.sentence.words)
        return self._yes_to(topic, scene, listed, given=given) if told else NOTHING

    def _none(self, topic: Topic, scene: Scene, answer: Answer, listed: Sequence[Candidate], *, given: bool) -> Heard:
        names = {one.name for one in listed}
        if topic.relation in self._reassuring:  # "Any problem with it?" "No." is no denial of the relation
            more = any(unit.is_word for unit in scene.sentence.units[answer.rest :])
            reason = "a no, with more, to whether something is tolerated"
            return Heard(doubts=(Doubt(sentence=scene.index, reason=reason),)) if more and not given else NOTHING
        if topic.named and topic.negative:  # "So no problem with that?" "No." may mean either
            reason = "an answer that may mean either to a question whether there is none"
            return Heard(doubts=(Doubt(sentence=scene.index, reason=reason),))
        if topic.named:
            denied = [one for one in topic.named if one.name not in names and one.who is not Who.FAMILY]
            more = any(unit.is_word for unit in scene.sentence.units[answer.rest :])
            if not denied and more and not given:  # "Is it your son who …?" "No, me."
                return self._unclear(topic, scene)
            return Heard(candidates=tuple(_answered(denied, scene, Status.NEGATED)))
        if given or topic.relative:
            return NOTHING
        left = any(word in self._only for word in scene.sentence.words[answer.rest :])
        return self._unclear(topic, scene) if left else self._absent(topic, scene)

    def _unclear(self, topic: Topic, scene: Scene) -> Heard:
        """An answer to a question about a risk that a person must read."""
        if not self._schema.relations[topic.relation].critical:
            return NOTHING
        return Heard(doubts=(Doubt(sentence=scene.index, reason="an answer about a risk that is not understood"),))

    def _absent(self, topic: Topic, scene: Scene) -> Heard:
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
        return Heard(candidates=(none,))

    def _yes_to(self, topic: Topic, scene: Scene, listed: Sequence[Candidate], *, given: bool) -> Heard:
        if topic.named:
            chosen = {one.name for one in listed} & {one.name for one in topic.named}
            meant = [one for one in topic.named if not chosen or one.name in chosen]
            status = Status.ACTIVE if len(meant) == 1 or chosen else Status.UNCONFIRMED
            return Heard(candidates=tuple(_answered(self._whose(meant, scene), scene, status)))
        if given or not topic.scope or not self._schema.relations[topic.relation].critical:
            return NOTHING
        return Heard(doubts=(Doubt(sentence=scene.index, reason="says yes to a question about a risk and names none"),))

    def _of_relative(self, topic: Topic, scene: Scene) -> Heard:
        """ "My mother had it": the answer names a relative and nothing else."""
        relative = _relative(scene.persons)
        named = [one for one in topic.named if self._schema.relations[one.relation].phrasing.mention]
        if not relative or not named or len(scene.sentence.units) > 8:
            return NOTHING
        status = Status.ACTIVE if len(named) == 1 else Status.UNCONFIRMED
        return Heard(candidates=tuple(_answered(self._whose(named, scene), scene, status)))

    def _whose(self, named: Sequence[Candidate], scene: Scene) -> Iterator[Candidate]:
        """ "Yes, my mother": what was asked about is a relative's."""
        relative = _relative(scene.persons)
        for candidate in named:
            yield replace(candidate, who=Who.FAMILY, relative=relative) if relative else candidate


def _answered(named: Iterator[Candidate] | Sequence[Candidate], scene: Scene, status: Status) -> Iterator[Candidate]:
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


def _once(candidates: Iterator[Candidate]) -> list[Candidate]:
    """Each thing once, though several wordings found it."""
    return list({(one.relation, one.name): one for one in candidates}.values())


def _denies(scene: Scene) -> bool:
    return len(scene.sentence.words) <= _FEW and any(cue.value is Kind.NEGATED for cue in scene.cues.found)


def _planned(scene: Scene, candidate: Candidate) -> bool:
    """Asked about is something that is only to come: to say yes to it is no fact."""
    return candidate.source == "mention" and any(
        cue.value is Kind.PLANNED and cue.end <= candidate.first for cue in scene.cues.found
    )


def _relative(persons: Sequence[Person]) -> str:
    return next((person.relative for person in persons if person.who is Who.FAMILY and not person.reports), "")


def _is(mention: Mention | None, type_: str) -> bool:
    return mention is not None and mention.type == type_


def _whole(sentence: Sentence, found: Found[str]) -> bool:
    """Not the beginning of something else: the "I am" of "I am sorry"."""
    if found.end - found.start == 1 or found.end >= len(sentence.units):
        return True
    return not sentence.units[found.end].is_word or sentence.words[found.start] not in {"i", "he", "she"}


def _same(turn: Turn, utterance: Utterance) -> bool:
    """Said by the same speaker; where nobody is named, a question is taken to come from the other one."""
    if turn.role != utterance.role:
        return False
    named = turn.speaker not in {"", turn.role}
    return turn.speaker == utterance.speaker if named else "?" not in turn.text
