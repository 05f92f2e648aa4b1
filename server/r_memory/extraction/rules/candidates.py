"""Candidates: what a trigger states, with status, person and attributes, before the rules on what was found.

Knows how the parts fit together; each part knows its own business.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.facts import SCOPE_TYPE, Attribute, Attributes, Entity, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.extraction.assertion import Assertions, Cues, Stance, Stretch
from r_memory.extraction.attributes import Attributes as AttributeReader
from r_memory.extraction.attributes import Measure, whole
from r_memory.extraction.experiencer import Experiencers, Focus, Person, Who
from r_memory.extraction.language import LanguagePack
from r_memory.extraction.rules.arguments import Filler
from r_memory.extraction.rules.triggers import Trigger
from r_memory.extraction.sentences import Sentence
from r_memory.protocols import Mention

_BEFORE_NONE = 8
"""Units before the name of a scope in which its denial must stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One reading of one place."""

    relation: str
    name: str
    """Canonical name, unknown words, a scope; empty for a pronoun that is not resolved yet."""
    type: str = ""
    """Type of the lexicon, `Scope`, or empty for unknown words."""
    said: str = ""
    """The words of the object as they stand."""
    status: Status = Status.ACTIVE
    asserted: bool = True
    why: str = ""
    quiet: bool = False
    who: Who = Who.SUBJECT
    relative: str = ""
    attrs: Attributes = field(default_factory=dict)
    flags: frozenset[Flag] = frozenset()
    weak: bool = False
    """Found by a weak wording; of a scope: something is left over, so that it gives no absence."""
    source: str
    sentence: int
    first: int
    last: int
    at: int = -1
    """Unit of the object; -1 if it stands in an earlier turn."""
    effect: int = -1
    """Character at which the effect stands that makes it an event; -1 for what is simply the case."""

    @property
    def counts(self) -> bool:
        """Something was stated of the subject."""
        return self.asserted and self.who in {Who.SUBJECT, Who.DOUBTFUL}

    def flagged(self, *flags: Flag) -> "Candidate":
        """With more reservations."""
        return replace(self, flags=self.flags.union(flags))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One sentence with everything that is found in it once."""

    index: int
    sentence: Sentence
    cues: Cues
    persons: tuple[Person, ...]
    focus: Focus
    """Whom a pronoun may mean when the sentence begins."""
    focus_after: Focus
    subject: Entity


class Candidates:
    """Turns triggers into candidates."""

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
        self._leftovers = pack.phrases("assertion", "leftovers")
        self._denials = pack.phrases("assertion", "negated", "forward")
        self._exceptions = pack.phrases("exception")
        self._before = pack.words("assertion", "before_scope")
        self._idle = pack.words("assertion", "idle")
        self._elsewhere = pack.words("not_the_thing")
        self._particular = pack.words("particular")
        self._modals = pack.words("modals")
        self._purposes = pack.words("purposes")
        self._after = pack.phrases("assertion", "negated", "none_after")

    def of(self, scene: Scene, triggers: Sequence[Trigger]) -> Iterator[Candidate]:
        """The candidates of one sentence, one for each object of each trigger."""
        taken = sorted({item.first for trigger in triggers for item in trigger.items if trigger.source != "mention"})
        scopes = [trigger.stretch for trigger in triggers if trigger.scope]
        for trigger in triggers:
            if trigger.stretch.negation == "ignore" and self._of_others(scene, trigger.stretch.last):
                continue
            if trigger.scope:
                if not self._narrowed(scene.sentence, trigger, scopes):
                    yield self._absence(scene, trigger)
                continue
            if trigger.stretch.state and trigger.source != "mention" and self._possible(scene, trigger.stretch.first):
                continue
            stance = self._assertions.stance(scene.sentence, scene.cues, trigger.stretch)
            behind = scene.sentence.words[trigger.stretch.last : trigger.stretch.last + 1]
            if trigger.source != "mention" and not self._elsewhere.isdisjoint(behind):
                stance = Stance(asserted=False, why="only a test or the like is named", quiet=stance.quiet)
            if trigger.stretch.event and self._indicated(scene, trigger):
                stance = Stance(asserted=False, why="what it is given for", quiet=True)
            person = self._about(scene, trigger.stretch)
            for item in trigger.items:
                yield from self._one(scene, trigger, item, stance, person, taken)

    def _about(self, scene: Scene, stretch: Stretch) -> Person:
        return self._experiencers.about(scene.sentence, scene.persons, scene.focus, stretch, scene.subject)

    def _of_others(self, scene: Scene, last: int) -> bool:
        """A rule for some group: "contraindicated in children"."""
        behind = scene.sentence.words[last : last + 2]
        general = len(behind) == 2 and behind[0] in {"in", "during"} and behind[1].isalpha()
        return general and behind[1] not in self._particular

    def _possible(self, scene: Scene, first: int) -> bool:
        """What can be taken is not what is taken, asked or told."""
        return not self._modals.isdisjoint(scene.sentence.words[max(first - 2, 0) : first])

    def _indicated(self, scene: Scene, trigger: Trigger) -> bool:
        """The effect is what the thing is given for: "Reglan for your vomiting"."""
        starts = {mention.start for mention in trigger.terms.values()}
        places = [at for at, unit in enumerate(scene.sentence.units) if unit.start in starts]
        words = scene.sentence.words
        return any(not self._purposes.isdisjoint(words[max(at - 3, 0) : at]) for at in places)

    def _one(
        self, scene: Scene, trigger: Trigger, item: Filler, stance: Stance, person: Person, taken: Sequence[int]
    ) -> Iterator[Candidate]:
        stance = self._noted(scene, trigger, item, stance)
        if trigger.measure is not None and not trigger.measure.unit:
            stance = replace(stance, asserted=False, why="a number without its unit")
        attrs = self._stated(scene, trigger, item, taken)
        base = Candidate(
            relation=trigger.relation,
            name="",
            status=_doubted(stance.status, person),
            asserted=stance.asserted,
            why=stance.why,
            quiet=stance.quiet,
            who=person.who,
            relative=person.relative,
            attrs=attrs,
            weak=trigger.weak,
            source=trigger.source,
            sentence=scene.index,
            first=trigger.stretch.first,
            last=trigger.stretch.last,
            at=item.first,
            effect=min((mention.start for mention in trigger.terms.values()), default=-1)
            if trigger.stretch.event
            else -1,
        )
        yield from _named(base, item, scene.sentence)

    def _noted(self, scene: Scene, trigger: Trigger, item: Filler, stance: Stance) -> Stance:
        """The stance on one item of a list: what stands in its brackets, or before it, may differ."""
        if item.negated and stance.status is Status.ACTIVE:
            return replace(stance, status=Status.NEGATED)
        alternative = trigger.stretch.negation == "absent" and any(other.alternative for other in trigger.items)
        if alternative and stance.status is Status.ACTIVE:
            return replace(stance, status=Status.UNCONFIRMED)
        if item.note[1] and trigger.stretch.within is None:
            own = Stretch(first=item.first, last=item.last, negation=trigger.stretch.negation, within=item.note)
            noted = self._assertions.stance(scene.sentence, scene.cues, own)
            if noted.status is not Status.ACTIVE and stance.status is Status.ACTIVE:
                return replace(stance, status=noted.status)
        return stance

    def _stated(self, scene: Scene, trigger: Trigger, item: Filler, taken: Sequence[int]) -> Mapping[str, Attribute]:
        relation = self._schema.relations[trigger.relation]
        found: dict[str, Mention] = dict(trigger.terms)
        around = lead = (trigger.stretch.first, trigger.stretch.last)
        if len(trigger.items) > 1 or trigger.stretch.within is not None:
            around, lead = (item.first, item.end), (lead[0], trigger.items[0].first)
        attrs = self._attributes.stated(
            relation, scene.sentence, found=found, around=around, lead=lead, window=_window(scene.sentence, item, taken)
        )
        return attrs if trigger.measure is None else {**attrs, **_measured(relation.attrs, trigger.measure)}

    # "none"

    def _absence(self, scene: Scene, trigger: Trigger) -> Candidate:
        """A statement about a whole scope: an absence where it is denied close by, and nothing is left over."""
        stance = self._assertions.stance(scene.sentence, scene.cues, trigger.stretch)
        person = self._about(scene, trigger.stretch)
        denied = trigger.denies or self._denied(scene.sentence, trigger.stretch)
        left = self._left_over(scene.sentence, trigger.stretch)
        plain = stance.asserted and stance.status in {Status.ACTIVE, Status.NEGATED}
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

    def _narrowed(self, sentence: Sentence, trigger: Trigger, scopes: Sequence[Stretch]) -> bool:
        """The name of a scope is only part of a longer one, or a word before it narrows it: "food allergies"."""
        own = trigger.stretch
        longer = any(
            other.first <= own.first and own.last <= other.last and other.last - other.first > own.last - own.first
            for other in scopes
        )
        before = sentence.words[own.first - 1] if own.first else ""
        behind = " ".join(sentence.words[own.last : own.last + 2])
        longer = longer or (behind.startswith("to ") and behind not in self._idle)
        return longer or not (trigger.denies or before == "" or before in self._before)

    def _denied(self, sentence: Sentence, stretch: Stretch) -> bool:
        """A word of denial inside, close before with only light words between, or right behind ("allergies: none")."""
        words = sentence.words
        if any(True for _ in self._denials.every(words[stretch.first : stretch.last])):
            return True
        colon = next(
            (at for at in range(stretch.last, min(stretch.last + 5, len(words))) if words[at] == ":"), stretch.last
        )
        if any(at < len(words) and self._after.at(words, at) is not None for at in (stretch.last, colon)):
            return True
        start = max(stretch.first - _BEFORE_NONE, 0)
        for found in self._denials.every(words[start : stretch.first]):
            between = words[start + found.end : stretch.first]
            if all(word in self._light for word in between):
                return True
        return False

    def _left_over(self, sentence: Sentence, stretch: Stretch) -> bool:
        if any(True for _ in self._exceptions.every(sentence.words)):
            return True
        first, last = max(stretch.first - 3, 0), min(stretch.last + 4, len(sentence.words))
        return any(True for _ in self._leftovers.every(sentence.words[first:last]))


def _doubted(status: Status, person: Person) -> Status:
    return Status.UNCONFIRMED if person.who is Who.DOUBTFUL and status is Status.ACTIVE else status


def _named(base: Candidate, item: Filler, sentence: Sentence) -> Iterator[Candidate]:
    """One candidate for each term that the item may mean; more than one is doubt, and all are kept."""
    said = " ".join(sentence.words[item.first : item.last])
    if item.pronoun:
        yield replace(base, said=said)
    elif not item.mentions:
        yield replace(base, name=item.text, said=said, flags=frozenset({Flag.UNMAPPED}))
    for mention in item.mentions:
        named = replace(base, name=mention.name, type=mention.type, said=said)
        if item.fuzzy:
            named = named.flagged(Flag.FUZZY)
        if len(item.mentions) > 1 and named.status is Status.ACTIVE:
            named = replace(named, status=Status.UNCONFIRMED)
        yield named


def _window(sentence: Sentence, item: Filler, taken: Sequence[int]) -> tuple[int, int]:
    """Units in which an attribute belongs to this object: behind it up to the next one, before the first one too."""
    later = [position for position in taken if position > item.first]
    earlier = [position for position in taken if position < item.first]
    return (item.last if earlier else 0, later[0] if later else len(sentence.units))


def _measured(kinds: Mapping[str, str], measure: Measure) -> dict[str, Attribute]:
    """The parts of a measure under the names that the relation gives them; nothing without a unit."""
    parts: dict[str, Attribute] = {"number": whole(measure.value), "unit": measure.unit, "period": measure.period}
    if not measure.unit:
        return {}
    return {name: parts[kind] for name, kind in kinds.items() if kind in parts and parts[kind] != ""}
