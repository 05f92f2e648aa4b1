"""Candidates: what a trigger states, with status, person and attributes, before the rules on what was found.

Knows how the parts fit together; each part knows its own business.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.facts import DENIAL, RISK, SCOPE_TYPE, Attribute, Attributes, Entity, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.protocols import Mention
from r_memory.reading.assertion import Assertions, Cues, NamedStretch, Stance
from r_memory.reading.attributes import Attributes as AttributeReader
from r_memory.reading.attributes import Measure, whole
from r_memory.reading.experiencer import Experiencers, PersonWord, Who, names_of
from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.arguments import Filler
from r_memory.reading.rules.denials import SafeForms
from r_memory.reading.rules.marks import FormMark, FormMarks
from r_memory.reading.rules.proper import ProperNames
from r_memory.reading.rules.triggers import Trigger
from r_memory.reading.sentences import Sentence

_MODAL_REACH = 5
"""Units before a state in which "would" and the like make it unreal."""
_BEFORE_END = 3
"""Units before a statement of an end in which a word may put it in the future."""
_BEFORE_NONE = 8
"""Units before a scope's name in which its denial must stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One reading of a relation at one place."""

    relation: str
    name: str
    """Canonical name, unknown words, or a scope; empty for an unresolved pronoun."""
    type: str = ""
    """Lexicon type, `Scope`, or empty for unknown words."""
    said: str = ""
    """The object's words as they stand."""
    status: Status = Status.ACTIVE
    asserted: bool = True
    why: str = ""
    quiet: bool = False
    who: Who = Who.SUBJECT
    relative: str = ""
    also: tuple[str, ...] = ()
    """Relatives of whom the same statement is made."""
    attrs: Attributes = field(default_factory=dict)
    flags: frozenset[Flag] = frozenset()
    weak: bool = False
    """Found by a weak wording. For a scope: words are left over, so it gives no absence."""
    doubtful: bool = False
    """Stays unconfirmed, even if the taught reader is certain."""
    hint: bool = False
    """Found by a wording that counts only where the taught reader leans the same way."""
    ended: bool = False
    """Found by a wording that says that it is over."""
    source: str
    template: str = ""
    """Name of the template; empty without one."""
    sentence: int
    first: int
    last: int
    at: int = -1
    """Unit of the object; -1 in an earlier turn."""
    ends: int = -1
    """Index behind the object's last unit, for a whole name; -1 if its first unit stands for it."""
    effect: int = -1
    """Offset of the effect that makes it an event; -1 for a state."""

    @property
    def counts(self) -> bool:
        """Whether it is asserted of the subject, certainly or perhaps."""
        return self.asserted and self.who in {Who.SUBJECT, Who.DOUBTFUL}

    def doubted(self) -> "Candidate":
        """Returns the candidate as unconfirmed, even if the taught reader is certain."""
        status = Status.UNCONFIRMED if self.status is Status.ACTIVE else self.status
        return replace(self, status=status, doubtful=True)

    def perhaps_of_another(self) -> "Candidate":
        """Returns the candidate of a speaker who may mean themselves: a risk in doubt, a denial not asserted."""
        if self.status in DENIAL:
            return replace(self, asserted=False, why="may be the speaker's own")
        return self.doubted()

    def flagged(self, *flags: Flag) -> "Candidate":
        """Returns the candidate with more flags."""
        return replace(self, flags=self.flags.union(flags))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One sentence with its mentions, cues and persons, each found once."""

    index: int
    sentence: Sentence
    cues: Cues
    persons: tuple[PersonWord, ...]
    focus: PersonWord
    """The person whom a pronoun may mean at the start of the sentence."""
    focus_after: PersonWord
    subject: Entity


class Candidates:
    """Turns triggers into candidates, under one schema."""

    def __init__(
        self,
        schema: Schema,
        pack: LanguagePack,
        assertions: Assertions,
        experiencers: Experiencers,
        reader: AttributeReader,
    ) -> None:
        self._schema = schema
        self._assertions = assertions
        self._experiencers = experiencers
        self._attributes = reader
        self._light = pack.words("assertion", "light")
        self._connectors = pack.words("list_connectors")
        self._leftovers = pack.phrases("assertion", "leftovers")
        self._partly = pack.phrases("assertion", "partly")
        self._coming = pack.phrases("assertion", "coming")
        self._denials = pack.phrases("assertion", "negated", "forward")
        self._exceptions = pack.phrases("exception")
        self._before = pack.words("assertion", "before_scope")
        self._idle = pack.words("assertion", "idle")
        self._narrowing = pack.words("assertion", "narrowing")
        self._elsewhere = pack.words("not_the_thing")
        self._particular = pack.words("particular")
        self._modals, self._somebody = pack.words("modals"), pack.words("clause_subjects")
        self._purposes, self._treating = pack.words("purposes"), pack.words("treating")
        self._giving = pack.words("giving")
        self._titles = pack.words("proper_names", "titles") | pack.words("persons", "titles")
        self._causing, self._reasons = pack.words("causing"), pack.words("reasons")
        self._following, self._stopping = pack.words("following"), pack.words("stopping")
        self._relief = pack.words("relief")
        self._after = pack.phrases("assertion", "negated", "none_after")
        self._forms, self._marks = SafeForms(pack), FormMarks(pack)
        self._names = ProperNames(pack)
        self._doing, self._helping = pack.words("persons", "doing"), pack.words("persons", "helping")
        self._reassuring = reassuring(schema)
        self._owned = pack.words("possessives")
        self._plural_verbs, self._singular_verbs = pack.words("plural_verbs"), pack.words("singular_verbs")

    def of(self, scene: Scene, triggers: Sequence[Trigger]) -> Iterator[Candidate]:
        """Yields the candidates of one sentence, one for each object of each trigger."""
        worded = (trigger for trigger in triggers if trigger.source != "mention" and not trigger.hint)
        taken = sorted({item.first for trigger in worded for item in trigger.items})
        scopes = [trigger.stretch for trigger in triggers if trigger.scope]
        for trigger in triggers:
            if trigger.scope:
                if not self._narrowed(scene.sentence, trigger, scopes):
                    yield self._absence(scene, trigger)
                continue
            if trigger.stretch.state and trigger.source != "mention" and self._possible(scene, trigger.stretch.first):
                continue
            stance = self._stance(scene, trigger)
            person = self._by_another(scene, trigger)
            person = person or self._about(self._without_recipients(scene, trigger), trigger.stretch)
            stance = self._safely(scene, trigger, stance, person)
            for item in trigger.items:
                yield from self._one(scene, trigger, item, stance, person, taken)

    def _stance(self, scene: Scene, trigger: Trigger) -> Stance:
        """Returns the stance of a trigger, by its cues and its purpose."""
        words, stretch = scene.sentence.words, trigger.stretch
        if stretch.negation == "ignore" and self._of_others(scene, trigger):
            return Stance(asserted=False, why="a rule for some group or place")
        if stretch.event and self._indicated(scene, trigger):
            return Stance(asserted=False, why="what it is given for", quiet=True)
        if stretch.event and self._given_for(words, self._effects(scene, trigger), trigger):
            return Stance(asserted=False, why="may be what the effect was treated with")
        cues = _outside(scene.cues, stretch) if trigger.ended else scene.cues
        stance = self._assertions.stance(scene.sentence, cues, stretch)
        if trigger.ended:
            stance = self._over(scene.sentence, stretch, stance)
        elif stretch.negation == "plain" and not self._modals.isdisjoint(words[stretch.first - 1 : stretch.first]):
            doubted = {Status.ACTIVE: Status.UNCONFIRMED}  # "may own shares in"
            stance = replace(stance, status=doubted.get(stance.status, stance.status))
        if trigger.source != "mention" and not self._elsewhere.isdisjoint(words[stretch.last : stretch.last + 1]):
            return Stance(asserted=False, why="only a test or the like is named", quiet=stance.quiet)
        return stance

    def _over(self, sentence: Sentence, stretch: NamedStretch, stance: Stance) -> Stance:
        """Returns the stance of an end: denied, it is active; future or partial, it is in doubt."""
        words = sentence.words
        left_open = (*words[max(stretch.first - _BEFORE_END, 0) : stretch.first], "|")
        inside = (words[at] if at in stretch.gaps else "|" for at in range(stretch.first, stretch.last))
        some = self._partly.stand_in(words) or self._coming.stand_in((*left_open, *inside))
        some = some or not self._forms.settled(sentence, stretch)
        over = Status.UNCONFIRMED if some else Status.RESOLVED
        changed = {Status.ACTIVE: over, Status.NEGATED: Status.ACTIVE}
        return replace(stance, status=changed.get(stance.status, stance.status))

    def _safely(self, scene: Scene, trigger: Trigger, stance: Stance, person: PersonWord) -> Stance:
        """Returns the stance, doubted if words before the statement are not understood."""
        relation = self._schema.relations[trigger.relation]
        if trigger.relation in self._reassuring and not self._forms.settled(scene.sentence, trigger.stretch):
            return replace(stance, asserted=False, why="was so only until something happened")
        if not stance.asserted or not relation.critical or person.who is not Who.SUBJECT:
            return stance
        if stance.status is Status.NEGATED:
            accepted = self._forms.accepts(scene.sentence, scene.cues, trigger.stretch, names_of(scene.subject))
            accepted = accepted and not self._taken_back(scene, trigger)
            return stance if accepted else Stance(asserted=False, why="a denial in words that are not safe to take")
        stated = stance.status is Status.ACTIVE and relation.negation == "absent"
        listed = trigger.stretch.within is not None or trigger.stretch.event
        if not stated or listed or self._forms.leads(scene.sentence, trigger.stretch, names_of(scene.subject)):
            return stance
        return replace(stance, status=Status.UNCONFIRMED)

    def _taken_back(self, scene: Scene, trigger: Trigger) -> bool:
        """Whether the sentence tells of an effect after denying that the thing has one."""
        relation, rule = self._schema.relations[trigger.relation], self._schema.bridging
        if rule is None or rule.needs not in relation.attrs.values():
            return False
        return self._forms.taken_back(scene.sentence, trigger.stretch, rule.needs, relation.objects)

    def _about(self, scene: Scene, stretch: NamedStretch) -> PersonWord:
        return self._experiencers.about(scene.sentence, scene.persons, scene.focus, stretch, scene.subject)

    def _by_another(self, scene: Scene, trigger: Trigger) -> PersonWord | None:
        """Returns the person named at the start of the clause as the actor: "Globex owns a third of Initech"."""
        sentence, at = scene.sentence, trigger.stretch.first
        begins = sentence.clause(at)[0]
        if sentence.words[at] not in self._doing or begins == at:
            return None
        mention = sentence.units[begins].mention
        known = mention is not None and mention.type in self._schema.relations[trigger.relation].objects
        end = begins + 1 if known else self._names.end(sentence, begins)
        named = known or end - begins > 1
        own = names_of(scene.subject).issuperset(sentence.words[begins:end])
        told = any(begins <= person.at < at and person.who is not Who.STRANGER for person in scene.persons)
        if not named or own or told or not self._helping.issuperset(sentence.words[end:at]):
            return None
        return PersonWord(at=begins, who=Who.STRANGER)

    def _without_recipients(self, scene: Scene, trigger: Trigger) -> Scene:
        """Returns the scene without persons from whom something is kept: "tell my wife nothing"."""
        if "recipient" not in self._schema.relations[trigger.relation].attrs:
            return scene
        stretch = trigger.stretch
        kept_from = stretch.gaps | {stretch.first - 1}
        return replace(scene, persons=tuple(person for person in scene.persons if person.at not in kept_from))

    def _of_others(self, scene: Scene, trigger: Trigger) -> bool:
        """Whether it is a rule for a group or a place: "contraindicated in children", "banned at school because …"."""
        named = max((item.last for item in trigger.items), default=trigger.stretch.first)
        words = scene.sentence.words
        behind = [at for at in trigger.stretch.gaps if at >= named and words[at + 1] not in {"the", "a", "an"}]
        pairs = [words[at : at + 2] for at in (*behind, trigger.stretch.last)]
        return any(
            len(pair) == 2
            and pair[0] in {"in", "during", "at"}
            and pair[1].isalpha()
            and pair[1] not in self._particular
            for pair in pairs
        )

    def _possible(self, scene: Scene, first: int) -> bool:
        """Whether the words say only what is possible: what can be taken is not what is taken."""
        near = scene.sentence.words[max(first - _MODAL_REACH, 0) : first]
        modal = max((at for at, word in enumerate(near) if word in self._modals), default=-1)
        return modal >= 0 and (self._somebody - {"you"}).isdisjoint(near[modal + 2 :])

    def _indicated(self, scene: Scene, trigger: Trigger) -> bool:
        """Whether the effect is the thing's purpose: "Reglan for your vomiting"."""
        places, words = self._effects(scene, trigger), scene.sentence.words
        stopped = (
            words[max(item.first - 2, 0) : item.first] + words[item.last : item.last + 2] for item in trigger.items
        )
        if any(not self._stopping.isdisjoint(near) for near in stopped):
            return False  # "stopped for a rash"
        if any(not self._purposes.isdisjoint(words[max(at - 3, 0) : at]) for at in places):
            return True
        return any(self._treated(words, at, item.first) for at in places for item in trigger.items)

    def _effects(self, scene: Scene, trigger: Trigger) -> list[int]:
        """Returns the units of the effects in a trigger."""
        starts = {mention.start for mention in trigger.terms.values()}
        return [at for at, unit in enumerate(scene.sentence.units) if unit.start in starts]

    def _given_for(self, words: Sequence[str], effects: Sequence[int], trigger: Trigger) -> bool:
        """Whether the thing was given as a remedy for the effect: "Hives, they had to give him …"."""
        first = words[trigger.stretch.first]
        return any(
            self._remedy(words[at + 1 : item.first])
            if at < item.first
            else self._follows(words[item.last : at], given=first in self._giving)
            for at in effects
            for item in trigger.items
        )

    def _follows(self, between: Sequence[str], *, given: bool) -> bool:
        """Whether the words between say that the thing was given because of, or after, the effect."""
        after = not self._following.isdisjoint(between[-2:]) and between[-1:] not in {(",",), ("that",), ("which",)}
        return after or (given and not self._reasons.isdisjoint(between))

    def _remedy(self, between: Sequence[str]) -> bool:
        """Whether the words between say that the thing was given, and not that it was the cause."""
        given = next((at for at, word in enumerate(between) if word in self._giving), -1)
        return given >= 0 and self._causing.isdisjoint(between[:given])

    def _treated(self, words: Sequence[str], effect: int, agent: int) -> bool:
        """Whether the effect was treated: "Hives, treated with …", "… helped the rash"."""
        between = words[effect + 1 : agent] if effect < agent else words[agent + 1 : effect]
        relieved = effect < agent and not self._relief.isdisjoint(between[:2])
        return relieved or not self._treating.isdisjoint(between)

    def _has_its_unit(self, relation: str, item: Filler, measure: Measure) -> bool:
        """Whether the number has the unit that the relation or the thing needs; an eGFR needs none."""
        if "unit" in self._schema.relations[relation].attrs.values():
            return bool(measure.unit)
        value_of = self._schema.lexicon.value_of
        wanted = (value_of(mention.type, "unit", mention.name) for mention in item.mentions)
        return all(unit in {None, measure.unit} for unit in wanted)

    def _one(
        self, scene: Scene, trigger: Trigger, item: Filler, stance: Stance, person: PersonWord, taken: Sequence[int]
    ) -> Iterator[Candidate]:
        if item.named and frozenset(item.text.split()) - self._titles <= names_of(scene.subject):
            return  # "Harper & Co act for Jane Doe", "Mr Doe's closed period"
        stance = self._noted(scene, trigger, item, stance)
        if stance.status is Status.NEGATED and _of_a_kind(scene.sentence.words, item):
            stance = Stance(asserted=False, why="denies that there are any of a kind, of whom is not said")
        mark = self._marks.of(scene.sentence, item, listed=trigger.source == "heading")
        if mark is FormMark.EMPTY:
            stance = Stance(asserted=False, why="a box that is not ticked", quiet=True)
        elif mark is FormMark.NO and stance.asserted and trigger.source in {"heading", "mention"}:
            stance = Stance(status=Status.NEGATED)
        if trigger.measure is not None and not self._has_its_unit(trigger.relation, item, trigger.measure):
            stance = replace(stance, asserted=False, why="a number without its unit")
        attrs = self._stated(scene, trigger, item, taken)
        base = Candidate(
            relation=trigger.relation,
            name="",
            status=stance.status,
            asserted=stance.asserted,
            why=stance.why,
            quiet=stance.quiet,
            who=person.who,
            relative=person.relative,
            also=person.also,
            attrs=attrs,
            weak=trigger.weak,
            hint=trigger.hint,
            ended=trigger.ended,
            source=trigger.source,
            template=trigger.template,
            sentence=scene.index,
            first=trigger.stretch.first,
            last=trigger.stretch.last,
            at=item.first,
            ends=item.last if item.named else -1,
            effect=min((mention.start for mention in trigger.terms.values()), default=-1)
            if trigger.stretch.event
            else -1,
        )
        yield from named(base.perhaps_of_another() if person.who is Who.DOUBTFUL else base, item, scene.sentence)

    def _noted(self, scene: Scene, trigger: Trigger, item: Filler, stance: Stance) -> Stance:
        """Returns the stance on one item; words in its brackets, or before it, may change it."""
        if item.negated and stance.status is Status.ACTIVE:
            return replace(stance, status=Status.NEGATED)
        if stance.status in RISK and self._in_general(scene.sentence, trigger):
            return Stance(asserted=False, why="may be said of all of its kind")
        owned = not self._owned.isdisjoint(scene.sentence.words[item.first - 1 : item.first])
        if owned and trigger.stretch.state and stance.status is Status.NEGATED:
            return Stance(asserted=False, why="denies the use of what is somebody's own", quiet=True)
        alternative = trigger.stretch.negation == "absent" and any(other.alternative for other in trigger.items)
        if alternative and stance.status is Status.ACTIVE:
            return replace(stance, status=Status.UNCONFIRMED)
        return stance

    def _in_general(self, sentence: Sentence, trigger: Trigger) -> bool:
        """Whether the sentence is about a kind in general: "pacemakers are …", "a pacemaker is …"."""
        at, words = trigger.stretch.first, sentence.words
        if trigger.source != "mention":
            return False
        first = sentence.clause(at)[0]
        several = at == first and words[at].endswith("s") and not words[at].endswith("is")
        one = words[first] in {"a", "an", "any", "every", "each"} and first < at <= first + 2
        if at == first and not self._modals.isdisjoint(words[at + 1 : at + 2]):  # "asthma can be set off by cold"
            return True
        verbs = self._singular_verbs if one else self._plural_verbs if several else frozenset()
        return not verbs.isdisjoint(words[at + 1 : at + 2])

    def _stated(self, scene: Scene, trigger: Trigger, item: Filler, taken: Sequence[int]) -> Mapping[str, Attribute]:
        relation = self._schema.relations[trigger.relation]
        noted = len(trigger.items) > 1 and item.note[1] > item.note[0]  # "amoxicillin - rash, ciprofloxacin - pain"
        found: dict[str, Mention] = {} if noted else dict(trigger.terms)
        around = lead = (trigger.stretch.first, trigger.stretch.last)
        if len(trigger.items) > 1 or trigger.stretch.within is not None:
            around, lead = (item.first, item.end), (lead[0], trigger.items[0].first)
        attrs = self._attributes.stated(
            relation, scene.sentence, found=found, around=around, lead=lead, window=_window(scene.sentence, item, taken)
        )
        return attrs if trigger.measure is None else {**attrs, **_measured(relation.attrs, trigger.measure)}

    # "none"

    def _absence(self, scene: Scene, trigger: Trigger) -> Candidate:
        """Returns the candidate of a scope: an absence if it is denied close by and no words are left over."""
        stance = self._assertions.stance(scene.sentence, scene.cues, trigger.stretch)
        person = self._about(scene, trigger.stretch)
        denied = trigger.denies or self._denied(scene.sentence, trigger.stretch)
        left = self._left_over(scene.sentence, trigger.stretch)
        safe = self._forms.accepts(scene.sentence, scene.cues, trigger.stretch, names_of(scene.subject))
        safe = safe and self._forms.covers(scene.sentence, trigger.stretch) and not self._taken_back(scene, trigger)
        plain = stance.asserted and stance.status in {Status.ACTIVE, Status.NEGATED} and safe
        critical = self._schema.relations[trigger.relation].critical
        several = trigger.stretch.last - trigger.stretch.first > 1
        return Candidate(
            relation=trigger.relation,
            name=trigger.scope,
            type=SCOPE_TYPE,
            status=Status.NEGATED if denied else Status.ACTIVE,
            asserted=plain and denied and not left,
            why=stance.why or ("an absence in doubt" if denied else "names a whole group without saying what of it"),
            quiet=stance.quiet or left or not (critical and (denied or several)),
            who=person.who,
            relative=person.relative,
            weak=left,
            source=trigger.source,
            sentence=scene.index,
            first=trigger.stretch.first,
            last=trigger.stretch.last,
        )

    def _narrowed(self, sentence: Sentence, trigger: Trigger, scopes: Sequence[NamedStretch]) -> bool:
        """Whether the scope's name is part of a longer one, or narrowed by a word: "food allergies"."""
        own = trigger.stretch
        longer = any(
            other.first <= own.first and own.last <= other.last and other.last - other.first > own.last - own.first
            for other in scopes
        )
        before = sentence.words[own.first - 1] if own.first else ""
        behind = " ".join(sentence.words[own.last : own.last + 2])
        longer = longer or (behind.startswith("to ") and behind not in self._idle)
        longer = longer or (
            behind not in self._idle and behind.split(" ")[0] in self._narrowing
        )  # "no restrictions on tobacco"
        return longer or not (trigger.denies or before == "" or before in self._before)

    def _denied(self, sentence: Sentence, stretch: NamedStretch) -> bool:
        """Whether a denial stands inside, close before with only light words between, or right behind ("allergies:

        none").
        """
        words = sentence.words
        if self._denials.stand_in(words[stretch.first : stretch.last]):
            return True
        colon = next(
            (at for at in range(stretch.last, min(stretch.last + 5, len(words))) if words[at] == ":"), stretch.last
        )
        if any(at < len(words) and self._after.at(words, at) is not None for at in (stretch.last, colon)):
            return True
        start = max(stretch.first - _BEFORE_NONE, 0)
        for found in self._denials.every(words[start : stretch.first]):
            between = sentence.units[start + found.end : stretch.first]
            if all(unit.word in self._light | self._connectors or unit.mention is not None for unit in between):
                return True
        return False

    def _left_over(self, sentence: Sentence, stretch: NamedStretch) -> bool:
        if self._exceptions.stand_in(sentence.words):
            return True
        first, last = max(stretch.first - 3, 0), min(stretch.last + 4, len(sentence.words))
        return self._leftovers.stand_in(sentence.words[first:last])


def reassuring(schema: Schema) -> frozenset[str]:
    """Returns the relations whose denial is a risk, such as a tolerance; they are not stored when in doubt."""
    return frozenset(rule.relation for rule in schema.reclassify if "negated" in rule.when.get("status", ()))


def _outside(cues: Cues, stretch: NamedStretch) -> Cues:
    """Returns the cues outside of the wording's own words: not "used to" in "used to act for"."""
    own = frozenset(range(stretch.first, stretch.last)) - stretch.gaps
    return replace(cues, found=tuple(cue for cue in cues.found if cue.start not in own))


def _of_a_kind(words: Sequence[str], item: Filler) -> bool:
    """Whether the item means several others, not the subject: "No US persons in this fund"."""
    several = any(words[item.first] == f"{mention.name.casefold()}s" for mention in item.mentions)
    return several and words[item.first - 1 : item.first] == ("no",) and words[item.last : item.last + 1] == ("in",)


def named(base: Candidate, item: Filler, sentence: Sentence) -> Iterator[Candidate]:
    """Yields one candidate for each term that the item may mean; all are in doubt if there are several."""
    said = " ".join(sentence.words[item.first : item.last])
    if item.pronoun:
        yield replace(base, said=said)
    elif not item.mentions:
        yield replace(base, name=item.text, said=said, flags=frozenset({Flag.UNMAPPED}))
    for mention in item.mentions:
        one = replace(base, name=mention.name, type=mention.type, said=said)
        one = one.flagged(Flag.FUZZY) if item.fuzzy else one
        yield one.doubted() if len(item.mentions) > 1 else one


def _window(sentence: Sentence, item: Filler, taken: Sequence[int]) -> tuple[int, int]:
    """Returns the units whose attributes belong to this object: up to the next one; before the first, too."""
    later = [position for position in taken if position > item.first]
    earlier = [position for position in taken if position < item.first]
    return (item.last if earlier else 0, later[0] if later else len(sentence.units))


def _measured(kinds: Mapping[str, str], measure: Measure) -> dict[str, Attribute]:
    """Returns the parts of a measure as the relation names them; empty without a required unit."""
    parts: dict[str, Attribute] = {"number": whole(measure.value), "unit": measure.unit, "period": measure.period}
    if not measure.unit and "unit" in kinds.values():
        return {}
    return {name: parts[kind] for name, kind in kinds.items() if kind in parts and parts[kind] != ""}
