"""One of four outcomes for each edge type that was read. Pure.

FOUND has priority over all statements of absence; an edge without records is "never asked", not "none".
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from r_memory.domain.blocks import Outcome, State
from r_memory.domain.events import Episode
from r_memory.domain.facts import DENIAL, Fact
from r_memory.domain.schema import Schema
from r_memory.facts.recall.lines import scope_shown, speaks_for_risk
from r_memory.text.inert import inert_name, without_secrets

_NAMES_SHOWN = 3
_ENDS = re.compile(r"^(?:HAS|IS)_|_(?:TO|WITH|OF|IN)$")


def outcomes_of(
    edges: Iterable[str],
    facts: Iterable[Fact],
    failed: Mapping[str, str],
    schema: Schema,
    waiting: Iterable[Episode] = (),
) -> tuple[Outcome, ...]:
    """An outcome for each edge in the given order, then for other relations that have facts or failed.

    Others are relations that the schema no longer declares, and traversals of an action type. An edge with a statement
    that waits because it was read in two ways, or by the local reader only, counts as found.
    """
    disputed = Counter(name.partition(" ")[0] for episode in waiting for name in episode.disputed)
    by_edge: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_edge[fact.relation].append(fact)
    every = dict.fromkeys((*edges, *by_edge, *failed, *disputed))
    found = (_outcome(edge, by_edge.get(edge, ()), failed.get(edge), schema) for edge in every)
    return tuple(_with_disputed(outcome, disputed[outcome.relation]) for outcome in found)


def in_words(relation: str) -> str:
    """The relation as what a person may be asked about.

    >>> in_words("HAS_ALLERGY_TO"), in_words("IS_CONTRAINDICATED_WITH"), in_words("DOSE_LIMIT")
    ('allergy', 'contraindicated', 'dose limit')
    """
    return inert_name(_ENDS.sub("", relation).lower().replace("_", " "))


def unasked(
    needed: Iterable[str], outcomes: Iterable[Outcome], facts: Sequence[Fact], types: Iterable[str], schema: Schema
) -> tuple[str, ...]:
    """A sentence for each needed edge that the subject was never asked about.

    `types` are the types of the named things. "No known drug allergies" answers for drugs, not for latex; "not allergic
    to latex" answers for latex alone.
    """
    by_edge = {outcome.relation: outcome for outcome in outcomes}
    found = (_unasked(by_edge[edge], facts, frozenset(types), schema) for edge in needed if edge in by_edge)
    return tuple(sentence for sentence in found if sentence)


def _unasked(outcome: Outcome, facts: Sequence[Fact], types: frozenset[str], schema: Schema) -> str:
    edge = inert_name(outcome.relation)
    if outcome.state is State.NOT_ASKED:
        return f"{edge} was never asked."
    if outcome.state is not State.NONE_ASSERTED:
        return ""
    scopes = [
        fact.object.id for fact in facts if fact.relation == outcome.relation and fact.is_absence and _denies(fact)
    ]
    relation = schema.relations.get(outcome.relation)
    own = types & frozenset(relation.objects if relation is not None else ())
    answered = all(any(schema.speaks_of(scope, type_) for scope in scopes) for type_ in own)
    return "" if scopes and answered else f"{edge} was asked of {outcome.scope or 'something else'} only."


def _outcome(edge: str, facts: Sequence[Fact], failure: str | None, schema: Schema) -> Outcome:
    if failure is not None:
        return Outcome(relation=edge, state=State.COULD_NOT_CHECK, reason=without_secrets(failure))
    if not facts:
        return Outcome(relation=edge, state=State.NOT_ASKED)
    count = sum(speaks_for_risk(fact) for fact in facts)
    denials = sorted((fact for fact in facts if _denies(fact)), key=lambda fact: (-fact.said_at, -fact.last_seq))
    absences = [fact for fact in denials if fact.is_absence]
    if count:
        return _with_absence(edge, State.FOUND, count, absences, schema)
    if denials:
        return _with_absence(edge, State.NONE_ASSERTED, 0, absences or denials, schema)
    return Outcome(relation=edge, state=State.NOT_ASKED)


def _with_disputed(outcome: Outcome, waiting: int) -> Outcome:
    if not waiting or outcome.state is State.COULD_NOT_CHECK:
        return outcome
    return replace(outcome, state=State.FOUND, waiting=waiting)


def _denies(fact: Fact) -> bool:
    return fact.status in DENIAL and not speaks_for_risk(fact)


def _with_absence(edge: str, state: State, count: int, denials: Sequence[Fact], schema: Schema) -> Outcome:
    """The outcome with the newest statement of absence, if there is one."""
    if not denials:
        return Outcome(relation=edge, state=state, count=count)
    newest = denials[0]
    scope = scope_shown(newest, schema) if newest.is_absence else _only(denials)
    return Outcome(relation=edge, state=state, count=count, said_at=newest.said_at, speaker=newest.speaker, scope=scope)


def _only(denials: Sequence[Fact]) -> str:
    """The things that single denials cover, which is never the whole edge."""
    names = list(dict.fromkeys(inert_name(fact.object.name) for fact in denials))
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"{', '.join(names[:_NAMES_SHOWN])}{more} only"
