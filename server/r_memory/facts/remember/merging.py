"""What several routes read in one utterance becomes what is recorded of it (decision 0015).

Pure; knows observations, which the validator has let through already.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from r_memory.domain.facts import DENIAL, Flag, Observation, Route, Status

_CAUTION = (Status.ACTIVE, Status.UNCONFIRMED)


def merged(observations: Iterable[Observation]) -> tuple[Observation, ...]:
    """At most one observation for each fact that is a risk, and one beside it that denies it.

    No route lowers what the rules read: an active fact stays active, and who reads it otherwise leaves the flag
    `disagree` on it. Of routes that agree the first counts. What a model alone says of a triple that another route
    read is not another fact, whatever details tell it apart.
    """
    by_fact: dict[str, list[Observation]] = {}
    for seen in observations:
        by_fact.setdefault(seen.fact_id, []).append(seen)
    others = {_triple(seen) for group in by_fact.values() for seen in group if seen.route is not Route.MODEL}
    return tuple(seen for group in by_fact.values() if _is_new(group, others) for seen in _of_one_fact(group))


def _triple(seen: Observation) -> tuple[str, str]:
    return seen.relation, seen.object.uid


def _is_new(group: Sequence[Observation], others: set[tuple[str, str]]) -> bool:
    return any(seen.route is not Route.MODEL for seen in group) or _triple(group[0]) not in others


def _of_one_fact(group: Sequence[Observation]) -> Iterator[Observation]:
    risks = [seen for seen in group if seen.status not in DENIAL]
    denials = [seen for seen in group if seen.status in DENIAL]
    if denials:
        yield next((seen for seen in denials if seen.route is Route.RULES), denials[0])
    if risks:
        # Stable: among equals the first route.
        best = min(risks, key=lambda seen: _CAUTION.index(seen.status))
        doubted = any(Flag.DISAGREE in seen.flags for seen in risks)
        yield replace(best, flags=best.flags | {Flag.DISAGREE}) if doubted else best
