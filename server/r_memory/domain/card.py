"""The card of a domain: all that a reader of words must know of the schema to make facts of them, on one page.

Made from the schema alone, so that the description of the tool, the prompt of the model route and the skill say the
same. Knows nothing of tools and models.
"""

import re
from collections.abc import Iterator, Mapping

from r_memory.domain.facts import Status
from r_memory.domain.schema import Relation, Schema

LONGEST = 2_000
"""Characters of a card."""
STATUSES: Mapping[Status, str] = {
    Status.ACTIVE: "is so",
    Status.UNCONFIRMED: "doubted",
    Status.NEGATED: "never was",
    Status.REFUTED: "was believed, then disproved",
    Status.RESOLVED: "was so, is over",
}
"""Each status that words can state, with what decides between it and its neighbours."""
_HEAD = "Facts, what belongs in each (! critical; [attrs]):"
_NOTHING = "State nothing: questions, orders for once, plans, conditions, general knowledge, stories, other people."
_PART = re.compile(r"(?<=[.;])\s+")
_UNSHOWN = -1


def card(schema: Schema, *, most: int = LONGEST) -> str:
    """The card, in at most `most` characters.

    Of each relation stands what belongs in it; where it ends is left out where there is no room, of relations that are
    not critical first and from the end of the file. A schema that is too long even so is told by its first relations.
    """
    text = ""
    for shown in _plans(schema):
        text = _text(schema, shown)
        if len(text) <= most:
            break
    return text[:most]


def _plans(schema: Schema) -> Iterator[Mapping[str, int]]:
    """How many parts of each relation's description to show, the fullest plan first."""
    shown = {name: len(_parts(relation)) for name, relation in schema.relations.items()}
    yield dict(shown)
    critical = set(schema.critical)
    last_first = [*(name for name in reversed(shown) if name not in critical), *reversed(schema.critical)]
    for least in (1, 0, _UNSHOWN):
        for name in last_first:
            while shown[name] > least:
                shown[name] -= 1
                yield dict(shown)


def _text(schema: Schema, shown: Mapping[str, int]) -> str:
    relations = [_relation(schema.relations[name], parts) for name, parts in shown.items() if parts != _UNSHOWN]
    others = ["Others: call memory_describe."] if len(relations) < len(shown) else []
    return "\n".join([_HEAD, *relations, *others, *_rules(schema)])


def _relation(relation: Relation, parts: int) -> str:
    details = f" [{', '.join(relation.attrs)}]" if relation.attrs else ""
    told = " ".join(_parts(relation)[:parts]).rstrip(".;")
    return f"{'! ' if relation.critical else ''}{relation.name}{details}{f': {told}.' if told else ''}"


def _parts(relation: Relation) -> list[str]:
    return [part for part in _PART.split(relation.belongs) if part]


def _rules(schema: Schema) -> Iterator[str]:
    """What holds for every relation."""
    yield f"Status: {'; '.join(f'{status} = {meaning}' for status, meaning in STATUSES.items())}."
    if any("severity" in relation.attrs.values() for relation in schema.relations.values()):
        yield f"Severity: {', '.join(schema.severity.grades)}."
    if schema.scopes:
        yield f'"None at all": negated, object {", ".join(schema.scopes)}.'
    yield _of_family(schema)
    yield _NOTHING


def _of_family(schema: Schema) -> str:
    """Whose a relative's words are, and where what happened to a relative goes."""
    subject, family = schema.subject.casefold(), schema.family
    if family is None or not family.to:
        return f"A relative's own is nothing of the {subject}'s; a relative may speak for the {subject}."
    detail = next((name for name in schema.relations[family.to].attrs if name == "relative"), "")
    with_whom = f" with {detail}" if detail else ""
    return f"A relative's own: {family.to}{with_whom}; a relative may speak for the {subject}."
