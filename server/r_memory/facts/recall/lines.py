"""Turns facts into lines: which facts are shown, in which group, words and order. Pure.

Words come from the relation's template, never from a model. A denied, refuted or resolved fact never has the words of a
risk.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias, get_args

from r_memory.domain.blocks import SURE, Contrary, Line, Match, MatchLevel, Rank, RuleLine
from r_memory.domain.changes import AwaitedChange
from r_memory.domain.facts import (
    DENIAL,
    MEANS,
    RISK,
    SAID,
    UNMAPPED_TYPE,
    Attribute,
    Entity,
    Fact,
    Flag,
    Status,
    entity_of_key,
)
from r_memory.domain.instants import UNDATED, Instant, iso_day, parse_instant
from r_memory.domain.knowledge import MEMBER_OF, Knowledge
from r_memory.domain.once import once_for
from r_memory.domain.schema import Relation, Schema
from r_memory.facts.recall.matching import strength
from r_memory.facts.recall.waiting import any_of
from r_memory.reading.language import listed
from r_memory.reading.rules.candidates import reassuring
from r_memory.reading.secrecy import secrecy_under
from r_memory.text.inert import NAME_LIMIT, clipped, inert, inert_name

Matches: TypeAlias = Callable[[Fact, bool, bool], tuple[Match, ...]]
"""The matches of a fact with the request. Arguments: the fact; whether its risk applies to siblings of its thing;
whether it speaks of that thing only.
"""

RANKS: tuple[Rank, ...] = get_args(Rank)
UNKNOWN_SEVERITY = "unknown, treat as severe"
NOT_GRADED = "not graded"
SEVERE_BY_WORDS = "severe by these words"
NOT_STATED = "not stated"
_PLACES = {rank: place for place, rank in enumerate(RANKS)}
_UNMATCHED = (len(MatchLevel), False, 0)
_ATTRIBUTE_LIMIT = 160
_DAY_MS = 86_400_000
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY_OR_MONTH = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_GROUPS = ((MEMBER_OF, 2),)
_HAS = re.compile(r"^(?:HAS|IS)_")
_BEFORE_OBJECTS = frozenset({"to", "with", "of", "in", "by", "for"})
_REVIEW = "review_after_days"
"""Property of terms in a lexicon; its values are whole numbers of days."""
DISPUTED = "DISPUTED"
_AGAINST = 50
NOT_TO_BE_TOLD = "NOT TO BE TOLD"
_MOST_DRAWN = 5_000
_LABELS = {status: status.value.replace("_", " ").upper() for status in Status} | {
    Status.ACTIVE: "STATED",
    Status.NEGATED: "STATED ABSENT",
}


def speaks_for_risk(fact: Fact) -> bool:
    """Whether the fact is believed, possible or disputed: it then counts as FOUND."""
    return fact.contradicted or fact.status in RISK


def shown_line(line: Line) -> str:
    """The text of a line; what is said against it first, so that a disputed value is never shown as the value."""
    if (line.contrary is None and not line.fact.contradicted) or line.text.startswith(DISPUTED):
        return line.text
    against = f', against it "{clipped(inert(line.contrary.evidence), _AGAINST)}"' if line.contrary else ""
    return f"{DISPUTED}{against}: {line.text}"


def measured_at(fact: Fact) -> tuple[str, int, int, int]:
    """When a result is from, to be compared: the day (or month) that it names, or else when it was said.

    Of results of one statement the one that tells least of when it was is from now: "0.92, was 0.64 in December".
    """
    days = (day for value in fact.attrs.values() if _DAY_OR_MONTH.fullmatch(day := str(value)))
    return max(days, default=iso_day(fact.said_at)), fact.said_at, -len(fact.attrs), fact.last_seq


def scope_shown(fact: Fact, schema: Schema) -> str:
    """The scope of a statement of absence, as shown; empty for the scope `any`."""
    if fact.object.id == "any":
        return ""
    return inert_name(schema.scopes.get(fact.object.id) or fact.object.name)


_SAID = 160
"""Characters of a thing that is only words, such as a note: as many as one may have."""


def object_shown(fact: Fact) -> str:
    """The object of a fact: a term, or words in quotation marks with their meaning if that is known."""
    name = inert_name(fact.object.name, _SAID if fact.object.is_said else NAME_LIMIT)
    shown = f'"{name}"' if fact.object.is_said and Flag.RULE not in fact.flags else name
    meaning = fact.attrs.get(MEANS)
    return f"{shown} ({inert_name(str(meaning))})" if meaning else shown


_RETIRED = Relation(name="", subjects=(), objects=(), critical=True, line="")
"""Stands for a relation that the schema no longer declares: it is critical and has no template."""


class _Severity(NamedTuple):
    """The severity of a fact."""

    rank: int
    """Rank of the grade; higher is worse, and unknown ranks worst."""
    known: bool
    worst: bool
    """Whether it is known to have the worst grade; false if the grade is unknown."""


OVER = frozenset({Status.REFUTED, Status.RESOLVED})
"""Statuses of what was said and holds no longer."""


class Drawn(NamedTuple):
    """The part of a fact's line that does not depend on the request, and its sort key."""

    line: Line
    severity: _Severity
    critical: bool


class Lines:
    """Makes lines of facts under one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        lexicon = schema.lexicon
        self._review_days = {
            (type_, name.casefold()): int(days)
            for type_, properties in lexicon.values.items()
            for name in (lexicon.terms.get(type_, ()) if _REVIEW in properties else ())
            if (days := lexicon.value_of(type_, _REVIEW, name)) is not None
        }
        """Days after which a fact about a term is reviewed, by type and id: a pregnancy ends by itself."""
        self._grave = any_of(listed(schema.language, "severe_words"))
        graded = {kind for kind, properties in lexicon.values.items() if "severity" in properties}
        self._graded_attrs = {
            relation.name: tuple((name, kind) for name, kind in relation.attrs.items() if kind in graded)
            for relation in schema.relations.values()
        }
        """By relation: the attributes whose values the lexicon grades, such as reactions, each with its kind."""
        self._reassuring = reassuring(schema)
        self._ranks = {grade: rank for rank, grade in enumerate(schema.severity.grades)}
        self._secrecy = secrecy_under(schema)
        self._templates: dict[tuple[str, ...], str] = {}
        """Lines without the parts that lack a value, by relation and attributes."""
        self._drawn_before: dict[tuple[str, str], Drawn] = {}
        """What was drawn before, by fact and name of the subject."""

    def of(
        self,
        facts: Iterable[Fact],
        *,
        subject: Entity,
        matches: Matches,
        contraries: Mapping[str, Contrary],
        awaited: Mapping[str, tuple[AwaitedChange, ...]] | None = None,
        first: Sequence[str] = (),
        now: Instant,
    ) -> tuple[Line, ...]:
        """The lines of the facts that are shown, in final order.

        `contraries` gives the other side of a contradicted fact, by id, and `awaited` what waits and may change a fact.
        `first` names the edges of the opened action types: they come first among lines that are otherwise equal.
        """
        known, name, asked = tuple(facts), inert_name(subject.name), frozenset(first)
        at_risk = {fact.relation for fact in known if speaks_for_risk(fact)}
        lines: list[tuple[tuple[object, ...], Line]] = []
        for fact in known:
            plain = self._kept(fact, name, now, contraries.get(fact.fact_id))
            found = _matched(fact, self._relation(fact), matches, critical=plain.critical)
            if fact.status in RISK or _is_shown(fact, found, at_risk, critical=plain.critical):
                changes = (awaited or {}).get(fact.fact_id, ()) if speaks_for_risk(fact) else ()
                line = replace(plain.line, matches=found, awaited=changes) if found or changes else plain.line
                lines.append((_order(line, plain.severity, asked), line))
        return tuple(line for _, line in sorted(lines, key=lambda pair: pair[0]))

    def over(self, facts: Iterable[Fact], subject: Entity, now: Instant) -> tuple[Line, ...]:
        """The lines of what was denied, refuted or has ended, which a request is not shown unless it names it."""
        name = inert_name(subject.name)
        gone = (fact for fact in facts if fact.status in DENIAL and not fact.contradicted)
        return tuple(self._kept(fact, name, now, None).line for fact in gone)

    def _kept(self, fact: Fact, subject: str, now: Instant, contrary: Contrary | None) -> Drawn:
        """What does not depend on the request; drawn once while the store gives the same fact."""
        key = fact.fact_id, subject
        found = self._drawn_before.get(key)
        if (
            found is None
            or (found.line.fact is not fact and found.line.fact != fact)
            or found.line.contrary != contrary
            or found.line.stale != self._is_stale(fact, self._relation(fact), now)
        ):
            if len(self._drawn_before) >= _MOST_DRAWN:
                self._drawn_before.clear()
            found = self._drawn_before[key] = self._drawn(fact, subject, now, contrary)
        return found

    def _drawn(self, fact: Fact, subject: str, now: Instant, contrary: Contrary | None) -> Drawn:
        relation = self._relation(fact)
        severity = self._severity(fact, relation)
        critical = relation.critical or severity.worst
        line = Line(
            rank=_rank(fact, critical=critical),
            text=self._with_order(self._text(fact, subject, relation), fact),
            fact=fact,
            unpleasant=self._is_unpleasant(fact, relation),
            stale=self._is_stale(fact, relation, now),
            contrary=contrary,
        )
        doubted = fact.contradicted or fact.relation in self._reassuring
        if doubted and fact.status is Status.ACTIVE and line.taken_back:
            line = replace(line, text=f"{DISPUTED}: {line.text}")
        return Drawn(line=line, severity=severity, critical=critical)

    def matched(self, fact: Fact, matches: Matches) -> tuple[Match, ...]:
        """The matches of a fact with the request, as its line shows them."""
        return _matched(fact, self._relation(fact), matches, critical=self.is_critical(fact))

    def is_critical(self, fact: Fact) -> bool:
        """Whether a risk of this fact is among the critical lines: by its relation or by its severity."""
        relation = self._relation(fact)
        return relation.critical or self._severity(fact, relation).worst

    def is_protected(self, fact: Fact) -> bool:
        """Whether words alone never end this fact: it is critical, and no instruction."""
        return self.is_critical(fact) and not self._relation(fact).revocable

    def is_stale(self, fact: Fact, now: Instant) -> bool:
        """Whether the fact is past its period, or was not said or confirmed within the days that its object or relation
        allows.
        """
        return self._is_stale(fact, self._relation(fact), now)

    def _is_stale(self, fact: Fact, relation: Relation, now: Instant) -> bool:
        if fact.valid.end is not None and fact.valid.end <= now:
            return True
        terms = (fact.object, *map(entity_of_key, (*fact.object.is_a, *fact.meant)))
        known = (self._review_days.get((term.type, term.id)) for term in terms)
        days = next((days for days in known if days is not None), relation.review_after_days)
        if days is None:
            return False
        last_heard = min(max(fact.said_at, fact.changed_at or fact.said_at), *self._dated(fact, relation))
        return now - last_heard >= days * _DAY_MS

    def _dated(self, fact: Fact, relation: Relation) -> Iterator[Instant]:
        """When the fact was said or last changed, then the dates that it names, such as that of a result.

        A year alone ("November 2021") counts as its last day, so that a fact is never called too old by mistake.
        """
        yield fact.changed_at or fact.said_at
        for name, kind in relation.attrs.items():
            day = str(fact.attrs.get(name, "")) if kind == "date" else ""
            if _DAY.fullmatch(day):
                yield parse_instant(f"{day}T00:00:00Z")
            elif years := _YEAR.findall(day):
                yield parse_instant(f"{max(years)}-12-31T00:00:00Z")

    def _relation(self, fact: Fact) -> Relation:
        return self._schema.relations.get(fact.relation, _RETIRED)

    def _graded(self, fact: Fact, relation: Relation) -> list[tuple[str, str | None]]:
        """Values of the fact that the lexicon grades, such as reactions, each with its grade or `None`."""
        graded, attrs = self._graded_attrs.get(relation.name, ()), fact.attrs
        if not (graded and attrs):
            return []
        lexicon = self._schema.lexicon
        return [
            (value := str(attrs[name]), lexicon.value_of(kind, "severity", value))
            for name, kind in graded
            if name in attrs
        ]

    def _severity(self, fact: Fact, relation: Relation) -> _Severity:
        top = len(self._ranks) - 1
        if self._is_grave(fact, relation):
            return _Severity(rank=top, known=True, worst=True)
        grades = [fact.attrs.get("severity"), *(grade for _, grade in self._graded(fact, relation))]
        ranks = [self._ranks[grade] for grade in grades if isinstance(grade, str) and grade in self._ranks]
        rank = max(ranks, default=top)
        return _Severity(rank=rank, known=bool(ranks), worst=bool(ranks) and rank == top)

    def _is_grave(self, fact: Fact, relation: Relation) -> bool:
        """Whether the words behind a fact show that it was severe although no grade was read: "in intensive care"."""
        return "severity" in relation.attrs and self._grave is not None and bool(self._grave.search(fact.evidence))

    def _is_unpleasant(self, fact: Fact, relation: Relation) -> bool:
        """Whether it was only an unpleasant experience: the reaction decides (terrible nausea is not dangerous,
        angioedema is).
        """
        if not relation.unpleasant or self._is_grave(fact, relation):
            return False
        named: list[Attribute | None] = [grade for _, grade in self._graded(fact, relation)]
        worst = self._schema.severity.grades[-1:]
        return not any(grade in worst for grade in named or [fact.attrs.get("severity")])

    def _text(self, fact: Fact, subject: str, relation: Relation) -> str:
        """The sentence of a fact, inert: the relation's template only if the fact speaks for a risk."""
        if fact.is_absence or not speaks_for_risk(fact):
            values = "".join(f" {_attribute(fact.attrs[name])}" for name in relation.identity if name in fact.attrs)
            return f"{_LABELS[fact.status]}: {self._bare(fact, subject)}{values}."
        risk = self._risk(fact, subject, relation)
        if fact.status is Status.ACTIVE:
            return risk
        if fact.status is Status.UNCONFIRMED:
            return f"{_LABELS[fact.status]}: {risk}"
        return f"{DISPUTED}, recorded as {fact.status.value.replace('_', ' ')} and stated again: {risk}"

    def _risk(self, fact: Fact, subject: str, relation: Relation) -> str:
        attrs = {name: _attribute(value) for name, value in sorted(fact.attrs.items())}
        if relation is _RETIRED:
            told = "; ".join(f"{inert_name(name)}: {value}" for name, value in attrs.items())
            return f"{self._bare(fact, subject)} ({told})." if told else f"{self._bare(fact, subject)}."
        shape = (relation.name, *attrs)
        if (line := self._templates.get(shape, "")) == "":
            line = self._templates[shape] = relation.told(attrs | {"subject": "", "object": "", "severity": ""})
        if SAID in attrs:
            line = f"{line.removesuffix('.')} ({{{SAID}}})."
        slots = defaultdict(lambda: NOT_STATED, attrs)
        slots |= {
            "subject": subject,
            "object": self._shown(fact),
            "severity": self._severity_shown(fact, relation),
        }
        return line.format_map(slots)

    def _severity_shown(self, fact: Fact, relation: Relation) -> str:
        """The grade as said or as the words show it, then the reaction.

        A reaction of the worst kind stands for both.
        """
        stated = str(fact.attrs.get("severity") or "")
        reaction = next((inert_name(name) for name, _ in self._graded(fact, relation) if name), "")
        worst = stated in self._schema.severity.grades[-1:]
        if worst and reaction.casefold() in {"", relation.severity_unstated.casefold()}:
            return _capitalised(relation.severity_unstated or _attribute(stated))
        if not worst and self._is_grave(fact, relation):
            grade = SEVERE_BY_WORDS
        elif stated:
            grade = _capitalised(_attribute(stated))
        else:
            grade = NOT_GRADED if reaction else UNKNOWN_SEVERITY
        return f"{grade}, {reaction}" if reaction else grade

    def _with_order(self, text: str, fact: Fact) -> str:
        """The line with the order not to tell it that was said with the fact, unless its thing holds the order."""
        order = self._secrecy.order_in(fact.evidence) if fact.status in RISK else ""
        if not order or self._secrecy.may_forbid_telling(fact.object.name):
            return text
        return f'{text.removesuffix(".")} ({NOT_TO_BE_TOLD}: "{inert_name(order)}").'

    def _bare(self, fact: Fact, subject: str) -> str:
        """The triple itself, for what has no words of its own; a relation that the schema lost stands by its name."""
        object_ = scope_shown(fact, self._schema) or "anything" if fact.is_absence else self._shown(fact)
        relation = inert_name(fact.relation)
        known = fact.relation in self._schema.relations
        return f"{subject}, {_plainly(relation)}{object_}" if known else f"{subject} {relation} {object_}"

    def _shown(self, fact: Fact) -> str:
        """The object as shown; a relative's "penicillin allergy" is not shown in quotation marks."""
        family = self._schema.family
        return inert_name(fact.object.name) if family and fact.relation == family.to else object_shown(fact)


lines_under = once_for(Lines)
"""Returns what makes the lines of facts under a schema."""


def named_by(lines: Iterable[Line]) -> frozenset[str]:
    """The words, in lower case, by which the request names things that are in no lexicon."""
    names = (match.requested for line in lines for match in line.matches if match.level is MatchLevel.NAME_ONLY)
    return frozenset(word for name in names for word in name.casefold().split())


def with_successors(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines; a disputed one names the fact that its speaker put in its place, if the request meets that as well.

    It is of the same relation, said with the words against the other: of the same thing, or in those very words.
    """
    return tuple(_behind(line, lines) if line.taken_back and line.fact.status in RISK else line for line in lines)


def _behind(line: Line, lines: Iterable[Line]) -> Line:
    other, fact = line.contrary, line.fact
    for new in lines:
        told, stands = new.fact, new.fact.status in RISK and not new.fact.contradicted
        if other is None or not stands or told.relation != fact.relation:
            continue
        same = told.object.uid == fact.object.uid or told.evidence == other.evidence
        at_once = (told.said_at, told.speaker) == (other.said_at, other.speaker)
        if same and at_once and (new.matches or not line.matches):
            return replace(line, replaced_by=told.fact_id)
    return line


def bearing_first(lines: Iterable[Line], rules: Iterable[RuleLine]) -> tuple[Line, ...]:
    """The lines, with those that bear on the request, or support a stop, first within each group, and a newer statement
    before the one that it speaks against.
    """
    rested = {fact.fact_id for rule in rules if rule.stop for fact in rule.facts}

    def place(line: Line) -> tuple[int, bool]:
        bears = bool(line.matches) or line.fact.fact_id in rested
        return -1 if line.rank in SURE else _PLACES[line.rank], not bears

    return _newer_first(sorted(lines, key=place))


def _newer_first(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines in their order, but each that later words speak against directly behind the line of these words."""
    against_none = [(float(place), line) for place, line in enumerate(lines) if line.contrary is None]
    places = {(line.rank, line.fact.evidence): place for place, line in reversed(against_none)}

    def place(at: tuple[int, Line]) -> float:
        index, line = at
        other = line.contrary
        if other is None or UNDATED in {line.fact.said_at, other.said_at} or other.said_at < line.fact.said_at:
            return index
        return max(index, places.get((line.rank, other.evidence), index) + 0.5)

    return tuple(line for _, line in sorted(enumerate(lines), key=place))


def kin_of(lines: Sequence[Line], knowledge: Knowledge) -> Mapping[str, frozenset[str]]:
    """Critical lines that bear on the request, by id, each with the ids of plain lines whose thing is of the same
    group.

    Each plain line is listed once, under the first critical line that it belongs to.
    """
    near = [line.fact for line in lines if line.rank in SURE and line.matches]
    plain = [line.fact for line in lines if line.rank == "other" and not line.stands_alone]
    found: dict[str, set[str]] = defaultdict(set)
    groups = {fact.fact_id: _groups(fact, knowledge) for fact in near} if plain else {}
    for fact in plain:
        own = _groups(fact, knowledge)
        if first := next((fact_id for fact_id, above in groups.items() if above & own), ""):
            found[first].add(fact.fact_id)
    return {fact_id: frozenset(kin) for fact_id, kin in found.items()}


def _groups(fact: Fact, knowledge: Knowledge) -> frozenset[str]:
    """The fact's thing and its groups."""
    above = knowledge.above(fact.object, _GROUPS, fact.meant)
    return frozenset({fact.object.uid, *above})


def _plainly(relation: str) -> str:
    """The relation in words, to stand before its object.

    >>> _plainly("HAS_ALLERGY_TO"), _plainly("TAKES"), _plainly("HAS_CONDITION"), _plainly("DOSE_LIMIT")
    ('allergy to ', 'takes ', 'condition: ', 'dose limit: ')
    """
    bare = _HAS.sub("", relation)
    words = bare.lower().replace("_", " ")
    is_verb = bare == relation and " " not in words
    return f"{words} " if is_verb or words.rpartition(" ")[2] in _BEFORE_OBJECTS else f"{words}: "


def _capitalised(words: str) -> str:
    """The words with a capital first letter, otherwise unchanged."""
    return words[:1].upper() + words[1:]


def absences_against(facts: Sequence[Fact], schema: Schema, knowledge: Knowledge) -> Mapping[str, Contrary]:
    """For each risk, by id, the newest statement of absence against it: of the whole relation ("NKDA"), of the same
    thing, or of a broader or narrower thing.
    """
    against: dict[str, Contrary] = {}
    denials = [fact for fact in facts if fact.status in DENIAL and not fact.contradicted]
    for denial in sorted(denials, key=lambda one: one.said_at):
        words = Contrary(status=denial.status, evidence=denial.evidence, speaker=denial.speaker, said_at=denial.said_at)
        for fact in facts:
            if fact.relation != denial.relation or fact.is_absence or not speaks_for_risk(fact):
                continue
            kind = fact.object.type
            # An unknown word may mean anything.
            covered = denial.is_absence and (kind == UNMAPPED_TYPE or schema.speaks_of(denial.object.id, kind))
            if covered or (not denial.is_absence and _is_one_kind(fact, denial, knowledge)):
                against[fact.fact_id] = words
    return against


def reactions_against(facts: Sequence[Fact], schema: Schema, knowledge: Knowledge) -> Mapping[str, Contrary]:
    """For each tolerance, by id, the newest later risk of the same thing, or of a kind of it."""
    against: dict[str, Contrary] = {}
    for name in reassuring(schema):
        tolerance = schema.relations[name]
        graded = {other.name for other in schema.relations.values() if other.critical and "severity" in other.attrs}
        speaking = graded.union(tolerance.suppressed_by)
        held = [fact for fact in facts if fact.relation in speaking and not fact.is_absence and speaks_for_risk(fact)]
        for risk in sorted(held, key=lambda each: each.said_at):
            above = knowledge.above(risk.object, (), risk.meant).keys() | {risk.object.uid}
            words = Contrary(status=Status.REFUTED, evidence=risk.evidence, speaker=risk.speaker, said_at=risk.said_at)
            for fact in facts:
                later = fact.relation == name and risk.said_at >= fact.said_at
                if later and fact.status in RISK and fact.object.uid in above:
                    against[fact.fact_id] = words
    return against


def _is_one_kind(one: Fact, other: Fact, knowledge: Knowledge) -> bool:
    """Whether one thing is a kind of the other, or both are the same under different names."""
    if one.object.uid == other.object.uid:  # told apart by what else was said of it
        return False
    above = [knowledge.above(fact.object, (), fact.meant).keys() for fact in (one, other)]
    return one.object.uid in above[1] or other.object.uid in above[0]


def _matched(fact: Fact, relation: Relation, matches: Matches, *, critical: bool) -> tuple[Match, ...]:
    """The matches of a fact; only a risk also matches siblings of its thing, a tolerance or habit does not."""
    return matches(fact, critical, not speaks_for_risk(fact) or bool(relation.suppressed_by))


def _rank(fact: Fact, *, critical: bool) -> Rank:
    """The group of lines of a fact."""
    if not speaks_for_risk(fact):
        return "past"
    if not critical:
        return "rule" if Flag.RULE in fact.flags else "other"
    return "critical" if fact.contradicted or fact.status is Status.ACTIVE else "unconfirmed"


def _is_shown(fact: Fact, matches: tuple[Match, ...], at_risk: set[str], *, critical: bool) -> bool:
    """Whether a fact is shown: risks always, facts against a risk only if they explain a line."""
    if speaks_for_risk(fact):
        return True
    if fact.status not in DENIAL:
        return False
    if fact.is_absence:
        return fact.relation in at_risk
    undone = critical and fact.status is not Status.NEGATED
    return bool(matches) or undone or fact.relation not in at_risk


def _attribute(value: Attribute) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    whole = isinstance(value, float) and value.is_integer()
    return inert_name(str(int(value) if whole else value), _ATTRIBUTE_LIMIT)


def _order(line: Line, severity: _Severity, first: frozenset[str]) -> tuple[object, ...]:
    """Sort key, a total order: group, severity, match, relevance to the action, what was taken back last, known before
    unknown severity, recency, id.
    """
    fact = line.fact
    return (
        _PLACES[line.rank],
        -severity.rank,
        strength(line.matches[0])[:3] if line.matches else _UNMATCHED,
        fact.relation not in first,
        bool(line.taken_back or line.awaited),
        not severity.known,
        -fact.said_at,
        -fact.last_seq,
        fact.fact_id,
    )
