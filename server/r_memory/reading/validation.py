"""The one gate between any route and the memory (clinical-safety 1.3): a proposal becomes an observation or is refused.

Knows the schema and the lexicon. What it lets through quotes its evidence and names an object that the words hold; what
is only heard claims no more certainty than the local reader sees in the words.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial

from r_memory.domain.facts import (
    DENIAL,
    MEANS,
    RISK,
    SAID,
    SCOPE_TYPE,
    Attribute,
    Attributes,
    Entity,
    Extraction,
    Fact,
    Flag,
    LocalVoice,
    Observation,
    Proposal,
    Rejection,
    Route,
    Span,
    Status,
    concept,
)
from r_memory.domain.instants import ALWAYS, Period
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Utterance
from r_memory.reading.ages import Ages
from r_memory.reading.attributes import implied_grade
from r_memory.reading.dates import Dates
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain
from r_memory.reading.own_words import OwnWords
from r_memory.reading.quantities import Quantities
from r_memory.reading.rules.candidates import reassuring
from r_memory.reading.things import LONGEST, LONGEST_RECORDED, NoThing, Thing, Things, spoken

_SAYABLE = tuple(status for status in Status if status is not Status.ENTERED_IN_ERROR)
"""Statuses that an utterance can state; `entered_in_error` is a decision about a record."""
_NEAREST = 3
"""Similar relations that the error for an unknown relation lists."""
_STOP = re.compile(r"[.!?](?:\s|\Z)|\n")
_NUMBERS = frozenset({"number", "count", "hours", "year"})
_VALUES = frozenset({"number", "count", "text"})
"""Kinds of attributes that hold a value; a day or a year is none."""
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_PARTS = re.compile(r"[^\W_]+|[&+]")
_AND_DAYS = re.compile(r"\s*(\d+)\s*\+\s*([0-6])\b(?!\s*[-+./\d])")
"""Whole weeks, and the days of the one that has begun: "26+3"."""
_WITH_DAYS, _DAYS = "week", "days"
_UNIT = "unit"
_MEASURES = {"unit": "units", "period": "periods"}
"""Kind of attribute to the section of the language file with its names."""
_RISKY = frozenset({LocalVoice.RISK, LocalVoice.NAME, LocalVoice.DOUBT})
_PLAIN_KINDS = frozenset({"severity", "number", "count", "unit", "period", "hours", "year", "date", "end", "text"})


class _Refused(Exception):
    """The proposal is no observation; the message says why."""


class Validator:
    """Checks proposals of every route under one schema. Implements `protocols.Validation`."""

    def __init__(self, schema: Schema, linker: Linker) -> None:
        self._schema = schema
        self._linker = linker
        self._things = Things(schema, linker)
        self._ages = Ages(schema)
        self._own_words = OwnWords(schema)
        self._dates = Dates(schema.language)
        self._quantities = Quantities(schema.language)
        persons = schema.language.sections.get("persons")
        called = persons.get("called") if isinstance(persons, Mapping) else None
        self._called: Mapping[str, Sequence[str]] = called if isinstance(called, Mapping) else {}
        self._reassuring = reassuring(schema)
        self._joining = frozenset(listed(schema.language, "whose", "joining"))
        woman, man = listed(schema.language, "persons", "she"), listed(schema.language, "persons", "he")
        self._genders = [frozenset(woman), frozenset(man)]
        self._possessors = frozenset(listed(schema.language, "listening", "possessors"))

    def check(
        self, utterance: Utterance, proposal: Proposal, read_before: Extraction | None = None
    ) -> Observation | Rejection:
        """Returns the observation to record, or a rejection with the reason.

        The local reader and a person are taken at their word. Every other voice is only heard: `read_before` is what
        the local reader reads in the same words, and what it reads otherwise is unconfirmed.
        """
        try:
            return self._checked(utterance, proposal, read_before)
        except _Refused as refused:
            return Rejection(relation=proposal.relation, object=proposal.object, reason=str(refused))

    def form(self, utterance: Utterance, proposal: Proposal) -> tuple[Observation, str] | Rejection:
        """Returns the observation that a voice that counts gave, and which attributes were left out and why.

        A rejection if it has no valid form. An invalid attribute is left out; the fact stays.
        """
        try:
            seen, left_out = self._formed(utterance, proposal)
        except _Refused as refused:
            return Rejection(relation=proposal.relation, object=proposal.object, reason=str(refused))
        return seen, "; ".join(f"left out {name}: {reason}" for name, reason in left_out.items())

    def is_without(self, thing: str, words: str) -> bool:
        """Whether the name of a thing holds these words only as what it is without: "gluten" in "gluten-free bread"."""
        return self._things.is_lacking_in(thing, words)

    def is_note(self, relation: Relation) -> bool:
        """Whether the relation holds whatever is said, and no risk: a note, a plan, a place."""
        return not relation.critical and self._things.in_own_words(relation)

    def _checked(self, utterance: Utterance, proposal: Proposal, read_before: Extraction | None) -> Observation:
        given = self._quoted(proposal) if proposal.route is Route.MODEL else proposal
        seen, left_out = self._formed(utterance, given)
        if left_out and proposal.route is not Route.MODEL:
            raise _Refused("; ".join(f"{name}: {reason}" for name, reason in left_out.items()))
        if Flag.RULE in seen.flags:
            seen = replace(seen, status=Status.UNCONFIRMED)
        if proposal.route is Route.PERSON:
            return seen
        if seen.status in DENIAL and (objection := self.objection(utterance, seen)):
            raise _Refused(f"no risk is taken away by words that are not a person's own: {objection}; a person decides")
        if proposal.route is not Route.RULES:
            return self._heard(proposal, seen, read_before)
        if seen.status in RISK and self._things.is_lacking_in(seen.evidence, seen.object.name):
            raise _Refused("the words name something that is without it; whether it is meant itself, a person decides")
        return seen

    def _formed(self, utterance: Utterance, proposal: Proposal) -> tuple[Observation, dict[str, str]]:
        """Returns the observation as given, and why each attribute that is left out has no valid form."""
        relation = self._relation(proposal.relation, utterance.subject)
        span = _span(utterance.text, proposal)
        if proposal.route is not Route.RECORD:  # a record withdraws what it held
            _require_sayable(proposal.status)
        linked = self._linked(relation, proposal, utterance)
        relation = self._filed(relation, proposal, linked)
        given = self._counted(relation, proposal, self._aged(relation, proposal))
        attrs, left_out = self._attributes(relation, given, utterance.text)
        _require_told(relation, given, attrs, left_out)
        linked = self._things.told_in(relation, linked, attrs.get(_UNIT))
        status = Status(proposal.status)
        seen = Observation(
            subject=utterance.subject,
            relation=relation.name,
            object=linked.entity,
            status=status,
            attrs={**attrs, **linked.attrs},
            evidence=utterance.text[span.start : span.end],
            span=span,
            valid=self._period(utterance.text, span, proposal.object) if status in RISK else ALWAYS,
            route=proposal.route,
            extractor=proposal.extractor,
            prompt_digest=proposal.prompt_digest,
            confidence=proposal.confidence,
            flags=proposal.flags | linked.flags | ({Flag.RULE} if relation.rule_status else set()),
            identity=relation.identity,
        )
        return seen, left_out

    def against(self, utterance: Utterance, proposal: Proposal, fact: Fact, status: Status) -> Observation | Rejection:
        """Returns an observation against the recorded fact that the words correct, or a rejection.

        Only the evidence must stand in the text.
        """
        relation = self._schema.relations.get(fact.relation)
        identity = () if relation is None else relation.identity
        try:
            span = _span(utterance.text, proposal)
        except _Refused as refused:
            return Rejection(relation=proposal.relation, object=proposal.object, reason=str(refused))
        made = Observation(
            subject=utterance.subject,
            relation=fact.relation,
            object=fact.object,
            status=status,
            attrs={name: fact.attrs[name] for name in identity if name in fact.attrs},
            evidence=utterance.text[span.start : span.end],
            span=span,
            route=proposal.route,
            extractor=proposal.extractor,
            identity=identity,
        )
        if made.fact_id == fact.fact_id:
            return made
        reason = "it was recorded under another schema; change it with memory_change_fact"
        return Rejection(relation=proposal.relation, object=proposal.object, reason=reason)

    def objection(self, utterance: Utterance, seen: Observation, words: str = "") -> str:
        """Returns why words against a risk are no plain statement of a person (Z22); empty if they are, or need not be.

        `words` name the thing as said.
        """
        relation = self._schema.relations[seen.relation]
        if not relation.critical:
            return ""
        told = "" if utterance.role == "user" else "nobody in the conversation says it"
        told_by = {"speaker": utterance.speaker, "name": utterance.subject.name}
        return told or self._own_words.objection(utterance.text, seen.span, words, **told_by)

    def _attributes(
        self, relation: Relation, given: Attributes, text: str
    ) -> tuple[dict[str, Attribute], dict[str, str]]:
        """Returns the attributes that the schema knows, and the reason for each that is left out.

        Others that the text says are kept as they were said.
        """
        taken: dict[str, Attribute] = {}
        left_out: dict[str, str] = {}
        said: list[str] = []
        for name, value in given.items():
            if value in {"", None}:
                continue
            if self._is_aside(relation, name, value, text):
                said.append(f"{name}: {value}")
            elif name not in relation.attrs:
                known = ", ".join(relation.attrs) or "none"
                left_out[name] = f"{relation.name} has no such attribute; known: {known}"
            else:
                try:
                    taken.update(self._attribute(relation, name, relation.attrs[name], value))
                except _Refused as refused:
                    left_out[name] = str(refused)
        kinds = {relation.attrs[name]: name for name in taken}
        unit = next((name for name, kind in relation.attrs.items() if kind == "unit"), "")
        if unit and "number" in kinds and "unit" not in kinds:  # Z31
            left_out["the number"] = f"a number without its unit; give it as attribute '{unit}', such as mg"
            del taken[kinds["number"]]
        aside: dict[str, Attribute] = {SAID: "; ".join(said)} if said else {}
        return {**self._implied(relation, taken), **taken, **aside}, left_out

    def _is_aside(self, relation: Relation, name: str, value: Attribute, text: str) -> bool:
        """Whether it is a detail in words of the text, short, for which the relation has no attribute."""
        if name in relation.attrs or not isinstance(value, str) or not value.strip() or not name.isidentifier():
            return False
        return len(value) <= LONGEST and plain(value).casefold() in plain(text).casefold()

    def _relative(self, words: str) -> str:
        """Returns the word by which a relative is stored: "father" for "my dad"."""
        said = [word for word in plain(words).casefold().split() if word not in self._possessors]
        called = " ".join(said) or words
        return next((name for name, others in self._called.items() if called in others), called)

    def _period(self, text: str, span: Span, words: str) -> Period:
        """Returns the period of the fact: it ends at the only date of the sentence that ends something."""
        stop = _STOP.search(text, span.end)
        sentence = text[span.start : stop.start() if stop else len(text)]
        ends = self._dates.end(sentence)
        if ends is None or sentence.casefold().find(words.casefold()) > ends[0]:
            return ALWAYS
        return Period(end=ends[1])

    def _relation(self, name: str, subject: Entity) -> Relation:
        relation = self._schema.relations.get(name)
        if relation is None:
            near = get_close_matches(name.upper(), self._schema.relations, n=_NEAREST, cutoff=0.4)
            nearest = f"nearest: {', '.join(near)}; " if near else ""
            raise _Refused(
                f"relation '{name}' is not in the schema; {nearest}known: {', '.join(self._schema.relations)}"
            )
        if subject.type not in relation.subjects:
            raise _Refused(f"{name} is not about a {subject.type}; it is about: {', '.join(relation.subjects)}")
        return relation

    # the object

    def _linked(self, relation: Relation, proposal: Proposal, utterance: Utterance) -> Thing:
        words = proposal.object.strip()
        if not words:
            raise _Refused("the object is empty; give the words that name it")
        if proposal.object_type == SCOPE_TYPE or words.casefold() in self._schema.scopes:
            return Thing(entity=self._scope(words.casefold(), proposal.status))
        space = utterance.subject.space
        reassures = proposal.status in DENIAL or bool(relation.suppressed_by)
        if proposal.corrects is not None and self._is_named(words, relation, proposal.corrects.fact.object):
            return Thing(entity=proposal.corrects.fact.object)
        if proposal.route is Route.RULES:
            return self._of_rules(relation, proposal, space, reassures=reassures)
        # A model quotes the clause that it read, and its object must be what that clause speaks of. A person may name
        # what the words mean, whatever language they are in. An answer's thing stands in the question before it.
        asked = [turn.text for turn in utterance.before[-1:]]
        # A record's entry is made of the name that the record gives.
        own = {Route.MODEL: [proposal.evidence, *asked], Route.PERSON: [words], Route.RECORD: [words]}
        within = own.get(proposal.route, [proposal.evidence, utterance.text, *asked])
        if relation.rule_status:
            return self._of_rule(relation, words, within, space, proposal.evidence)
        named = partial(
            self._things.named,
            relation,
            words,
            space=space,
            means=proposal.means,
            # A record is not misspelt: what is near to another name is another thing.
            reassures=reassures or proposal.route is Route.RECORD,
            whole=relation.name in self._reassuring or (relation.critical and proposal.status in DENIAL),
            valued=Flag.MEANT in proposal.flags or self._tells_a_value(relation, proposal),
            of_two=self._is_of_two(utterance),
            longest=LONGEST_RECORDED if proposal.route is Route.RECORD else 0,
        )
        try:
            return self._of_family(relation, words, within, space) or named(within=within)
        except NoThing as none:
            if (old := self._old_names(relation, proposal)) and (thing := self._of_old(named, [*old, *within])):
                return thing
            raise _Refused(str(none)) from none

    def _is_of_two(self, utterance: Utterance) -> bool:
        """Whether a record is of two people ("Ann and Ben Moss"), or the words speak of a woman and of a man.

        Never where relatives have illnesses of their own: such a record is one person's.
        """
        if self._schema.family is not None and self._schema.family.object_suffix:
            return False
        called = {word.casefold() for word in _PARTS.findall(utterance.subject.name)}
        said = {word.casefold() for word in _PARTS.findall(utterance.text)}
        return not called.isdisjoint(self._joining) or not any(said.isdisjoint(words) for words in self._genders)

    @staticmethod
    def _of_old(named: Callable[..., Thing], within: Sequence[str]) -> Thing | None:
        try:
            return named(within=within)
        except NoThing:
            return None

    def _old_names(self, relation: Relation, proposal: Proposal) -> list[str]:
        """Returns what the corrected fact's thing is called, as a new value need not repeat it."""
        if proposal.corrects is None or not proposal.attrs or relation.critical:
            return []
        if not self._things.in_own_words(relation):
            return []
        old = proposal.corrects.fact
        return [old.object.name, str(old.attrs.get(MEANS, ""))]

    def _tells_a_value(self, relation: Relation, proposal: Proposal) -> bool:
        """Whether the evidence holds the value by which facts of this relation are told apart: "3.41 kg" of a weight.

        The value is what was said; what it measures is often named by whoever reads it.
        """
        if relation.critical or proposal.status in DENIAL:
            return False
        held = set(map(_float, _DIGITS.findall(plain(proposal.evidence))))
        values = (proposal.attrs.get(name) for name in relation.identity if relation.attrs[name] in _VALUES)
        told = [set(map(_float, _DIGITS.findall(plain(str(value))))) for value in values if value is not None]
        return any(numbers and numbers <= held for numbers in told)

    def _is_named(self, words: str, relation: Relation, thing: Entity) -> bool:
        """Whether the words are a name of a recorded thing; "No, 850." need not repeat it."""
        if words.casefold() in {thing.id, thing.name.casefold()}:
            return True
        meant = self._linker.resolve(words, relation.objects)
        return len(meant) == 1 and not meant[0].fuzzy and meant[0].name.casefold() == thing.id

    def _filed(self, relation: Relation, proposal: Proposal, linked: Thing) -> Relation:
        """Returns the relation under which the schema stores an object of this type; the rules' own stays."""
        if proposal.route not in {Route.MODEL, Route.RECORD}:
            return relation
        for rule in self._schema.reclassify:
            types = rule.when.get("object.type", ())
            wanted = (types,) if isinstance(types, str) else types
            if rule.relation == relation.name and set(rule.when) == {"object.type"} and linked.entity.type in wanted:
                return self._schema.relations[rule.to]
        return relation

    def _scope(self, scope: str, status: str) -> Entity:
        """Returns the object of a statement of absence."""
        if scope not in self._schema.scopes:
            raise _Refused(f"scope '{scope}' is not in the schema; known: {', '.join(self._schema.scopes)}")
        if status != Status.NEGATED:
            raise _Refused(f"'{scope}' is the scope of an absence; its status must be negated")
        return concept(SCOPE_TYPE, scope)

    def _of_rules(self, relation: Relation, proposal: Proposal, space: str, *, reassures: bool) -> Thing:
        """Returns the thing that the rules linked; an unknown name gets a thing in the speaker's space."""
        if reassures and Flag.FUZZY in proposal.flags:
            raise _Refused("its object was read as a misspelling, which takes no risk away; a person decides")
        if relation.rule_status:
            return Thing(entity=self._things.own(relation.objects[0], proposal.object, space))
        if proposal.object in self._schema.lexicon.terms.get(proposal.object_type, {}):
            return Thing(entity=concept(proposal.object_type, proposal.object))
        if proposal.object_type:
            return Thing(entity=self._things.own(proposal.object_type, proposal.object, space))
        return self._things.said(relation, proposal.object, space)

    def _of_rule(self, relation: Relation, words: str, within: Sequence[str], space: str, evidence: str) -> Thing:
        named = words.removeprefix(relation.object_prefix)
        if not any(self._things.in_text(text, named, ()) for text in within):
            raise _Refused(f"the object '{words}' is not in the text; quote it as it was said")
        return Thing(entity=self._things.own(relation.objects[0], relation.prefixed(named, evidence), space))

    def _of_family(self, relation: Relation, words: str, within: Sequence[str], space: str) -> Thing | None:
        """Returns the thing of a relative's "penicillin allergy": the term with the schema's suffix."""
        rule = self._schema.family
        if rule is None or relation.name != rule.to:
            return None
        for suffix in dict.fromkeys(rule.object_suffix.values()):
            named = words.casefold().removesuffix(suffix)
            meant = self._linker.resolve(named, relation.objects) if named != words.casefold() else ()
            if len(meant) == 1 and any(self._things.in_text(text, named, relation.objects) for text in within):
                return Thing(entity=self._things.own(relation.objects[0], meant[0].name + suffix, space))
        return None

    # what is only heard

    def _heard(self, proposal: Proposal, seen: Observation, read_before: Extraction | None) -> Observation:
        """Returns what a voice that does not count may add beside the local reader.

        Raises:
            _Refused: its reading would reassure, or names what the local reader knows nothing of.
        """
        names = {seen.object.id, proposal.object.casefold()}
        about = [
            claim
            for claim in (read_before.claims if read_before is not None else ())
            if claim.name in names or claim.words.casefold() in names
        ]
        voices = {claim.voice for claim in about if claim.relation == seen.relation}
        tolerates = bool(self._schema.relations[seen.relation].suppressed_by)
        reassures = (seen.status in DENIAL) != tolerates
        wanted = {LocalVoice.RISK} if seen.status is Status.ACTIVE else {LocalVoice.RISK, LocalVoice.DOUBT}
        if voices & ({LocalVoice.ABSENCE} if reassures else wanted):
            return seen
        if seen.object.type == SCOPE_TYPE:
            raise _Refused("a statement of absence must be said plainly by a person; ask, and quote the answer")
        if tolerates or (reassures and voices.isdisjoint(_RISKY)):
            raise _Refused("only this voice reads it so, and it speaks against a risk; a person may record it")
        alone = proposal.route is Route.MODEL and not about
        if alone and Flag.UNMAPPED in seen.flags:
            raise _Refused(f"'{proposal.object}' is no known term, and the local reader reads nothing of it")
        flag = Flag.MODEL_ONLY if alone else Flag.DISAGREE
        return replace(seen, status=Status.UNCONFIRMED, flags=seen.flags | {flag})

    def _quoted(self, proposal: Proposal) -> Proposal:
        """Returns the proposal of a model with only the details that its evidence holds, and without a grade.

        An unknown grade ranks as the worst, so a model could only lower it.
        """
        relation = self._schema.relations.get(proposal.relation)
        kinds = relation.attrs if relation is not None else {}
        held = {
            name: value
            for name, value in proposal.attrs.items()
            if kinds.get(name, "severity") != "severity"
            and self._things.in_text(proposal.evidence, str(value), self._types(kinds[name]))
        }
        return replace(proposal, attrs=held)

    # attributes

    def _aged(self, relation: Relation, proposal: Proposal) -> Attributes:
        """Returns the attributes with number and unit of an age apart; what is not given is taken from the thing."""
        name = self._things.counted(relation) if proposal.route is not Route.RECORD else ""
        if not name or proposal.object_type == SCOPE_TYPE:
            return proposal.attrs
        given, attrs = proposal.attrs.get(name), dict(proposal.attrs)
        told = [self._ages.told(str(words)) for words in (given, proposal.object) if words]
        if _UNIT not in relation.attrs:  # such as weeks: five months are not five of them
            told = [(value, unit) for value, unit in told if f"{unit}s" == name]
            whole = _AND_DAYS.match(str(given)) if f"{_WITH_DAYS}s" == name else None
            if whole is not None:
                told = [(int(whole[1]), _WITH_DAYS), *told]
                attrs |= {_DAYS: whole[2]} if _DAYS in relation.attrs and whole[2] != "0" else {}
        number = next((value for value, _ in told if value is not None), None)
        if number is not None and (given in {"", None} or (isinstance(given, str) and not _is_number(given))):
            attrs[name] = number
        said = [unit for value, unit in (*told, self._ages.told(proposal.evidence)) if unit and value == number]
        if _UNIT in relation.attrs and (unit := str(attrs.get(_UNIT) or next(iter(said), ""))):
            attrs[_UNIT] = self._ages.unit(unit)
        return attrs

    def _counted(self, relation: Relation, proposal: Proposal, given: Attributes) -> Attributes:
        """Returns the attributes with each number as one, and its unit and period apart if the relation has them.

        A number under a name that the relation does not have is its only number, if that is not given; a value that is
        none ("150/95", "O negative") is the text by which the relation is known as well, if it has one.
        """
        numbers = [name for name, kind in relation.attrs.items() if kind == "number"]
        if numbers:
            given = self._renamed(given, numbers, relation.attrs, proposal.evidence)
        attrs = dict(given)
        for name in numbers:
            if (said := given.get(name)) is None:
                continue
            if (found := self._quantities.of(str(said))) is None:
                spare = next((key for key in relation.identity if relation.attrs.get(key) == "text"), None)
                if spare is not None and not attrs.get(spare) and not _is_number(str(said)) and str(said)[:1].isalnum():
                    attrs[spare] = attrs.pop(name)
                continue
            attrs[name] = found.value
            told = found if found.unit or attrs.get("unit") else self._quantities.told(proposal.evidence, found.value)
            for kind, part in (("unit", told.unit), ("period", told.period)) if told is not None else ():
                if part and relation.attrs.get(kind) and not attrs.get(kind):
                    attrs[kind] = part
        return attrs

    def _renamed(
        self, given: Attributes, numbers: Sequence[str], known: Mapping[str, str], evidence: str
    ) -> Attributes:
        """Returns the attributes; an amount of the evidence under an unknown name has that of the only number."""
        found = {name: self._quantities.of(str(value)) for name, value in given.items() if name not in known}
        others = [name for name, of in found.items() if of and self._quantities.told(evidence, of.value)]
        if len(numbers) != 1 or len(others) != 1 or given.get(numbers[0]) not in {None, ""}:
            return given
        return {numbers[0] if name == others[0] else name: value for name, value in given.items()}

    def _types(self, kind: str) -> Sequence[str]:
        """Returns the lexicon types of an attribute's values; none for values of a plain kind."""
        return () if kind in _PLAIN_KINDS else self._schema.concrete(kind)

    def _attribute(self, relation: Relation, name: str, kind: str, value: Attribute) -> Mapping[str, Attribute]:
        if kind in _NUMBERS:
            return {name: _number(name, value)}
        if kind == "severity":
            return self._severity(relation, name, str(value))
        if kind in _MEASURES:
            return {name: self._measure(kind, str(value))}
        if kind in {"date", "end"}:
            return {name: self._dates.shown(str(value))}
        if kind in _PLAIN_KINDS:
            return {name: self._relative(str(value)) if name == "relative" else value}
        meant = self._linker.resolve(str(value), self._types(kind))
        return {name: meant[0].name if len(meant) == 1 else value}

    def _measure(self, kind: str, value: str) -> str:
        """Returns a unit or period by the language file's name ("g" for "grams"); else as given."""
        table = self._schema.language.sections.get(_MEASURES[kind])
        known = table.items() if isinstance(table, Mapping) else ()
        spoken = value.casefold().strip()
        for name, texts in known:
            if spoken in {name.casefold(), *texts} or f"per {spoken}" in texts:
                return str(name)
        return value

    def _severity(self, relation: Relation, name: str, value: str) -> Mapping[str, Attribute]:
        """Returns a grade, or a term for another attribute that implies a grade."""
        for grade, words in self._schema.severity.words.items():
            if value.casefold() in {grade, *words}:
                return {name: grade}
        for attribute, kind in relation.attrs.items():
            types = self._types(kind)
            for mention in self._linker.resolve(value, types) if types else ():
                implied = self._schema.lexicon.value_of(mention.type, "severity", mention.name)
                return {attribute: mention.name, **({name: implied} if implied else {})}
        raise _Refused(f"{name} '{value}' is no grade; use one of: {', '.join(self._schema.severity.grades)}")

    def _implied(self, relation: Relation, attrs: Attributes) -> Mapping[str, Attribute]:
        """Returns the grade that a reaction implies, if no grade was given."""
        severity = next((name for name, kind in relation.attrs.items() if kind == "severity"), "")
        grade = implied_grade(self._schema, relation, attrs) if severity and severity not in attrs else None
        return {severity: grade} if grade else {}


def _require_sayable(given: str) -> None:
    if given not in {status.value for status in _SAYABLE}:
        raise _Refused(f"status '{given}' cannot be stated; use one of: {', '.join(_SAYABLE)}")


def _span(text: str, proposal: Proposal) -> Span:
    """Returns the place of the evidence; quotes and dashes may differ in form.

    Raises:
        _Refused: the words are not in the text.
    """
    if not proposal.evidence.strip():
        raise _Refused("the evidence is empty; quote the words that say so")
    heard, quoted = spoken(text), plain(proposal.evidence)
    at = proposal.span
    start = at.start if at is not None and heard[at.start : at.end] == quoted else heard.find(quoted)
    if start < 0:
        raise _Refused("the evidence is not in the text; quote it word for word")
    return Span(start=start, end=start + len(quoted))


def _float(digits: str) -> float:
    """Returns the number that digits write: "2,500" and "3,4" with the comma as the text has it."""
    whole = digits.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits) else digits
    try:
        return float(whole.replace(",", "."))
    except ValueError:  # "1.2.2026" is a day
        return -1.0


def _is_number(words: str) -> bool:
    try:
        float(words)
    except ValueError:
        return False
    return True


def _require_told(
    relation: Relation, given: Attributes, taken: Mapping[str, Attribute], left_out: Mapping[str, str]
) -> None:
    """Checks that no number was lost without which the relation says nothing: a limit is never empty."""
    for name, kind in relation.attrs.items():
        if kind == "number" and name in relation.identity and name not in taken and given.get(name) is not None:
            raise _Refused(left_out.get(name) or left_out.get("the number") or f"{name} must be a number")


def _number(name: str, value: Attribute) -> int | float:
    if isinstance(value, bool):
        raise _Refused(f"{name} must be a number")
    try:
        number = float(value)
    except ValueError:
        raise _Refused(f"{name} '{value}' is no number; give digits and put the unit into its own attribute") from None
    return int(number) if number.is_integer() else number
