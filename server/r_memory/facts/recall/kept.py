"""Which rules a draft keeps to: it names one amount of their thing, within every limit that they set. Pure.

A rule whose limit was not made for such a subject is kept beside another that was.
"""

from collections.abc import Collection, Iterator, Sequence

from r_memory.domain.blocks import MatchLevel, Recall, RuleLine
from r_memory.domain.facts import Status
from r_memory.facts.recall.ceilings import Ceilings
from r_memory.protocols import Mention
from r_memory.text.inert import inert_name

__all__ = ["KeptRules", "named_at"]


class KeptRules:
    """Compares the amounts of drafts with the limits of rules."""

    def __init__(self, ceilings: Ceilings, in_use: Collection[str]) -> None:
        """`in_use` are the relations whose things are in use: beside more of the thing a draft does not say it all."""
        self._ceilings = ceilings
        self._in_use = in_use

    def of(self, text: str, recall: Recall, named: Sequence[Mention]) -> tuple[RuleLine, ...]:
        """The rules that the draft keeps to."""
        kept = [rule for rule in recall.rules if rule.limits and self._is_kept(rule, text, recall, named)]
        things = {name for rule in kept for name in rule.requested}
        others = (rule for rule in recall.rules if rule.for_others and things.issuperset(rule.requested))
        return (*kept, *others) if things else ()

    def _is_kept(self, rule: RuleLine, text: str, recall: Recall, named: Sequence[Mention]) -> bool:
        sure = all(fact.status is Status.ACTIVE and not fact.contradicted for fact in rule.facts)
        if rule.level is not MatchLevel.EXACT or rule.open or rule.stale or not sure:
            return False
        places = [place for name in rule.requested for place in named_at(name, named)]
        if len(places) != 1 or self._is_in_use(rule.requested, recall):
            return False
        return all(self._ceilings.of_thing(text, limit, places[0], named) == "kept" for limit in rule.limits)

    def _is_in_use(self, names: Collection[str], recall: Recall) -> bool:
        """Whether one of the things, or a part of it, is in use already."""
        used = (line for line in recall.lines if line.fact.relation in self._in_use and line.rank != "past")
        return any(match.requested in names for line in used for match in line.matches)


def named_at(requested: str, mentions: Sequence[Mention]) -> Iterator[int]:
    """Positions of the name in the draft; a rule adds in brackets what the name stands for."""
    for mention in mentions:
        name = inert_name(mention.name).casefold()
        if requested.casefold() == name or requested.casefold().startswith(f"{name} ("):
            yield mention.start
