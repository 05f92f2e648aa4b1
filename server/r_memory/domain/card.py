"""The card of a domain: one page with what a reader must know of the schema to state facts.

It is made from the schema only, so that the tool's description, the prompt of the model route and the skill agree.
It knows nothing of tools and models.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from r_memory.domain.facts import Status
from r_memory.domain.schema import Relation, Schema

LONGEST = 2_000
"""Maximum characters of a card."""
STATUSES: Mapping[Status, str] = {
    Status.ACTIVE: "so",
    Status.UNCONFIRMED: "doubted",
    Status.NEGATED: "never was",
    Status.REFUTED: "was believed, disproved",
    Status.RESOLVED: "was, is over",
}
"""Statuses that words can state, each with what distinguishes it from its neighbours."""
_HEAD = "Relations (! critical; [attrs]{shared}) and what belongs in each:"
_SHARED = 3
"""Number of relations from which on a shared attribute is described only once."""
_NOTHING = "State nothing: questions, one-off orders, plans, conditions, stories, other people."
_PART = re.compile(r"(?<=[.;])\s+")
_UNSHOWN = -1


def card(schema: Schema, *, most: int = LONGEST) -> str:
    """The card, in at most `most` characters.

    Each relation has what belongs to it and where it ends. If there is too little room, these are cut: first for
    relations that are not critical, from the end of the file. If that is not enough, only the first relations are
    shown.
    """
    text = ""
    for shown in _plans(schema):
        text = _text(schema, shown)
        if len(text) <= most:
            break
    return text[:most]


def _plans(schema: Schema) -> Iterator[Mapping[str, int]]:
    """For each plan: how many parts of each relation's description to show; the most complete plan first."""
    shown = {name: len(_parts(relation)) for name, relation in schema.relations.items()}
    yield dict(shown)
    others = [name for name in reversed(shown) if name not in schema.critical]
    critical = [name for name in reversed(shown) if name in schema.critical]
    # Where a critical relation ends matters more than what names such as TAKES say by themselves.
    order = ((others, 1), (critical, 2), (others, 0), (critical, 1), (critical, 0), ((*others, *critical), _UNSHOWN))
    for names, least in order:
        for name in names:
            while shown[name] > least:
                shown[name] -= 1
                yield dict(shown)


def _text(schema: Schema, shown: Mapping[str, int]) -> str:
    shared = _shared(schema)
    told = [_relation(schema.relations[name], parts, shared) for name, parts in shown.items() if parts != _UNSHOWN]
    others = ["Others: call memory_describe."] if len(told) < len(shown) else []
    head = _HEAD.format(shared=f", and {', '.join(shared)} where said" if shared else "")
    return "\n".join([head, *told, *others, *_rules(schema)])


def _shared(schema: Schema) -> tuple[str, ...]:
    """Attributes that several relations have."""
    held = Counter(name for relation in schema.relations.values() for name in relation.attrs)
    return tuple(name for name, number in held.items() if number >= _SHARED)


def _relation(relation: Relation, parts: int, shared: Collection[str]) -> str:
    own = [name for name in relation.attrs if name not in shared]
    details = f" [{', '.join(own)}]" if own else ""
    told = " ".join(_parts(relation)[:parts]).rstrip(".;:")
    return f"{'! ' if relation.critical else ''}{relation.name}{details}{f': {told}.' if told else ''}"


def _parts(relation: Relation) -> list[str]:
    """What belongs to the relation, examples, then where it ends."""
    first, *ends = _PART.split(relation.belongs)
    what, colon, examples = first.partition(": ") if "(" not in first else (first, "", "")
    return [part for part in (what + colon.strip(), examples, *ends) if part]


def _rules(schema: Schema) -> Iterator[str]:
    """Rules for all relations."""
    yield f"Status: {'; '.join(f'{status} = {meaning}' for status, meaning in STATUSES.items())}."
    if any("severity" in relation.attrs.values() for relation in schema.relations.values()):
        yield f"Severity: {', '.join(schema.severity.grades)}."
    if schema.scopes:
        yield f'"None at all": negated, object {", ".join(schema.scopes)}.'
    yield _of_family(schema)
    yield _NOTHING


def _of_family(schema: Schema) -> str:
    """How a relative's facts are recorded, and under which relation."""
    if any(relation.people for relation in schema.relations.values()):
        return "A relative's own, a friend's, a pet's: another call, with them as its subject."
    subject, family = schema.subject.casefold(), schema.family
    if family is None or not family.to:
        return f"A relative's own: nothing; a relative may speak for the {subject}."
    return f"A relative's own: {family.to}; a relative may speak for the {subject}."
