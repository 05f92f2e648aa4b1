"""Which recorded sums a request names: "90,000" beside a limit, a secret or a price of that sum. Pure.

A shared sum orders and explains a line; alone it forbids nothing.
"""

from collections.abc import Iterator, Mapping

from r_memory.domain.blocks import Match, MatchLevel
from r_memory.domain.facts import Fact
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.text.inert import inert_name

__all__ = ["matches_of_sums"]

_LEAST = 1_000
"""A number of a record without sign or scale is a sum only from here on."""


def matches_of_sums(names: FactNames, fact: Fact, asked: Mapping[str, str]) -> Iterator[Match]:
    """A match for each sum of a request that is one of the fact's; `asked` gives the sums as written by their
    figures.
    """
    if not asked or fact.is_absence or not speaks_for_risk(fact):
        return
    recorded = _figures(names, fact)
    for figure, written in asked.items():
        if figure in recorded:
            said = inert_name(written)
            yield Match(requested=said, level=MatchLevel.NAME_ONLY, text=f"{said} is recorded with it", tier="B")


def _figures(names: FactNames, fact: Fact) -> frozenset[str]:
    words = " ".join((fact.object.name, fact.evidence, *map(str, fact.attrs.values())))
    numbers = (value for value in fact.attrs.values() if isinstance(value, int | float) and value >= _LEAST)
    return frozenset((*names.sums(words), *(f"{number:.0f}" for number in numbers)))
