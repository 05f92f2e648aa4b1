"""From facts to lines: which facts are shown, in which group, in which words, in which order. Pure.

Words come from the relation's template, never from a model. What was denied, refuted or resolved is never put in the
words of a risk.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from r_memory.domain.blocks import Contrary, Line, Match, MatchLevel, Rank
from r_memory.domain.facts import DENIAL, RISK, Attribute, Entity, Fact, Flag, Status
from r_memory.domain.inert import inert_name
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Relation, Schema
from r_memory.recall.matching import strength
from r_memory.recall.wording import capitalised

RANKS: tuple[Rank, ...] = ("critical", "unconfirmed", "rule", "other", "past")
UNKNOWN_SEVERITY = "unknown, treat as severe"
NOT_STATED = "not stated"
_ATTRIBUTE_LIMIT = 160
_DAY_MS = 86_400_000
_LABELS = {
    Status.ACTIVE: "STATED",
    Status.UNCONFIRMED: "UNCONFIRMED",
    Status.NEGATED: "STATED ABSENT",
    Status.REFUTED: "REFUTED",
    Status.RESOLVED: "RESOLVED",
    Status.ENTERED_IN_ERROR: "ENTERED IN ERROR",
}


def lines_of(
    facts: Iterable[Fact],
    *,
    subject: Entity,
    schema: Schema,
    matches: Callable[[Fact], tuple[Match, ...]],
    contraries: Mapping[str, Contrary],
    first: Sequence[str] = (),
    now: Instant,
) -> tuple[Line, ...]:
    """The facts that are shown, as lines in their final order.

    `matches` says why a fact bears on the request; `contraries` gives the other side of contradicted facts by id;
    `first` names the edges of the opened action types, which come first among lines that are otherwise equal.
    """
    known = tuple(facts)
    at_risk = {fact.relation for fact in known if speaks_for_risk(fact)}
    lines = [
        Line(
            rank=rank_of(fact, schema),
            text=text_of(fact, subject, schema),
            fact=fact,
            matches=found,
            stale=is_stale(fact, schema, now),
            contrary=contraries.get(fact.fact_id),
        )
        for fact in known
        if _is_shown(fact, found := matches(fact), schema, at_risk)
    ]
    return tuple(sorted(lines, key=lambda line: _order(line, schema, first)))


def speaks_for_risk(fact: Fact) -> bool:
    """Believed, possible, or disputed: what counts as FOUND."""
    return fact.contradicted or fact.status in RISK


def carries_over(fact: Fact, schema: Schema) -> bool:
    """Whether its risk reaches siblings and cross-reacting concepts: a tolerance or a habit does not."""
    return _is_critical(fact, schema)


def rank_of(fact: Fact, schema: Schema) -> Rank:
    """The group of lines a fact belongs to; a relation that the schema no longer knows counts as critical."""
    if not speaks_for_risk(fact):
        return "past"
    if not _is_critical(fact, schema):
        return "rule" if Flag.RULE in fact.flags else "other"
    return "critical" if fact.contradicted or fact.status is Status.ACTIVE else "unconfirmed"


def is_stale(fact: Fact, schema: Schema, now: Instant) -> bool:
    """Past its period, or older than its relation allows."""
    relation = schema.relations.get(fact.relation)
    days = relation.review_after_days if relation is not None else None
    expired = fact.valid.end is not None and fact.valid.end <= now
    return expired or (days is not None and now - fact.said_at >= days * _DAY_MS)


def text_of(fact: Fact, subject: Entity, schema: Schema) -> str:
    """The sentence of a fact, inert: the relation's own words only where it speaks for a risk."""
    if fact.is_absence or not speaks_for_risk(fact):
        return f"{_LABELS[fact.status]}: {_bare(fact, subject, schema)}."
    risk = _risk_text(fact, subject, schema)
    if fact.status is Status.ACTIVE:
        return risk
    if fact.status is Status.UNCONFIRMED:
        return f"{_LABELS[fact.status]}: {risk}"
    return f"DISPUTED, recorded as {fact.status.value.replace('_', ' ')} and stated again: {risk}"


def scope_shown(fact: Fact, schema: Schema) -> str:
    """What a statement of absence covers, as shown; empty for the scope `any`."""
    if fact.object.id == "any":
        return ""
    return inert_name(schema.scopes.get(fact.object.id) or fact.object.name)


def _is_shown(fact: Fact, matches: tuple[Match, ...], schema: Schema, at_risk: set[str]) -> bool:
    """Risks always; what speaks against one only where it explains something."""
    if speaks_for_risk(fact):
        return True
    if fact.status not in DENIAL:
        return False
    if fact.is_absence:
        return fact.relation in at_risk
    undone = fact.status is not Status.NEGATED and _is_critical(fact, schema)
    return bool(matches) or undone or fact.relation not in at_risk


def _is_critical(fact: Fact, schema: Schema) -> bool:
    """By its relation, or because its own grade is the worst there is."""
    relation = schema.relations.get(fact.relation)
    return relation is None or relation.critical or _is_worst(fact, relation, schema)


def _is_worst(fact: Fact, relation: Relation, schema: Schema) -> bool:
    return bool(schema.severity.grades) and schema.severity.grades[-1] in _grades(fact, relation, schema)


def _grades(fact: Fact, relation: Relation | None, schema: Schema) -> set[str]:
    """Every known grade that its severity and its reactions give it."""
    told = [] if relation is None else [grade for _, grade in _graded_attributes(fact, relation, schema)]
    return {str(fact.attrs.get("severity")), *filter(None, told)}.intersection(schema.severity.grades)


def _graded_attributes(fact: Fact, relation: Relation, schema: Schema) -> list[tuple[str, str | None]]:
    """Values of attributes that the lexicon knows grades of (such as reactions), each with its grade."""
    return [
        (str(fact.attrs[name]), schema.lexicon.value_of(kind, "severity", str(fact.attrs[name])))
        for name, kind in relation.attrs.items()
        if name in fact.attrs and "severity" in schema.lexicon.values.get(kind, {})
    ]


def _risk_text(fact: Fact, subject: Entity, schema: Schema) -> str:
    relation = schema.relations.get(fact.relation)
    if relation is None:
        attrs = "; ".join(f"{inert_name(name)}: {_attribute(value)}" for name, value in sorted(fact.attrs.items()))
        return f"{_bare(fact, subject, schema)} ({attrs})." if attrs else f"{_bare(fact, subject, schema)}."
    slots: dict[str, str] = defaultdict(lambda: NOT_STATED)
    slots.update({name: _attribute(value) for name, value in fact.attrs.items()})
    slots.update(subject=inert_name(subject.name), object=inert_name(fact.object.name))
    slots["severity"] = _severity(fact, relation, schema)
    return relation.line.format_map(slots)


def _bare(fact: Fact, subject: Entity, schema: Schema) -> str:
    """The triple itself, for what has no words of its own."""
    object_ = scope_shown(fact, schema) or "anything" if fact.is_absence else inert_name(fact.object.name)
    return f"{inert_name(subject.name)} {inert_name(fact.relation)} {object_}"


def _severity(fact: Fact, relation: Relation, schema: Schema) -> str:
    """The reaction's name where it is itself of the worst grade, or else the grade, never less than was said."""
    grade = fact.attrs.get("severity")
    if not grade:
        return UNKNOWN_SEVERITY
    reactions = _graded_attributes(fact, relation, schema)
    worst = schema.severity.grades[-1:] == (grade,)
    if not worst:
        return capitalised(_attribute(grade))
    if not reactions:
        return capitalised(relation.severity_unstated or _attribute(grade))
    name, own = reactions[0]
    return capitalised(inert_name(name)) if own == grade else f"{capitalised(_attribute(grade))}, {inert_name(name)}"


def _attribute(value: Attribute) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    whole = isinstance(value, float) and value.is_integer()
    return inert_name(str(int(value) if whole else value), _ATTRIBUTE_LIMIT)


def _order(line: Line, schema: Schema, first: Sequence[str]) -> tuple[object, ...]:
    """A total order: group, severity, match, relevance to the action, stated before unknown severity, recency, id."""
    fact = line.fact
    grades = _grades(fact, schema.relations.get(fact.relation), schema)
    return (
        RANKS.index(line.rank),
        -max(map(schema.severity.rank, grades or {UNKNOWN_SEVERITY})),
        strength(line.matches[0])[:2] if line.matches else (len(MatchLevel), 0),
        fact.relation not in first,
        not grades,
        -fact.said_at,
        -fact.last_seq,
        fact.fact_id,
    )
