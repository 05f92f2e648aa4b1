"""What a draft states otherwise than the record: another amount, number or day of the same thing. Pure.

It compares what stands right behind the name of a thing with the details of each fact of that thing. Limits are not
compared here, and what replaces what is not decided: the reader of the draft is only told what the record says.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from r_memory.domain.blocks import Line
from r_memory.domain.facts import Fact
from r_memory.domain.schema import Schema
from r_memory.facts.recall.amounts import Amount, Amounts, number_of, without_unit
from r_memory.facts.recall.clock import ClockHours

_FAR = 60
"""Characters behind the name of a thing in which its amount or number is looked for."""
_FIRST_NUMBER = re.compile(r"(?:\W*[^\W\d]+){0,4}?\W*?(?<![\w.,/])(\d+(?:[.,]\d+)?)(?![\w/%]|[.,-]\d)")
_SLACK = 1e-4


class Stated:
    """Compares stated details under one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._amounts = Amounts(schema.language)
        self._clock = ClockHours(schema.language)

    def otherwise(self, text: str, line: Line, places: Iterable[range], of_it: Sequence[Fact]) -> Iterator[int]:
        """The positions at which the draft gives another amount or number of the line's thing.

        `places` are those of its name, each up to where its details end; `of_it` are the standing facts of the thing
        under the same relation: what one of them says is nothing else.
        """
        relation = self._schema.relations.get(line.fact.relation)
        if relation is None or relation.critical:
            return
        amounts = [amount for fact in of_it if (amount := self._amount(fact)) is not None]
        numbers = [float(value) for fact in of_it if isinstance(value := fact.attrs.get("value"), int | float)]
        for place in places:
            behind = text[place.start : min(place.stop, place.start + _FAR)]
            stated = self._amounts.read(behind)
            if "value" in line.fact.attrs:
                number = number_behind(behind)
                if number is not None and all(abs(number - known) > _SLACK for known in numbers):
                    yield place.start
            elif stated is not None and self._amount(line.fact) is not None:
                if _is_other(stated, amounts):
                    yield place.start
            elif self._without_unit(behind, of_it) or self._at_other_hours(behind, of_it):
                yield place.start

    def untold(self, text: str, places: Iterable[range], of_it: Sequence[Fact]) -> Iterator[tuple[str, str]]:
        """The recorded dose and the words of the draft where one has no unit and the two cannot be compared."""
        for place in places:
            behind = text[place.start : min(place.stop, place.start + _FAR)]
            doses = [dose for fact in of_it if (dose := self._dose(fact))]
            if doses and self._without_unit(behind, of_it) is None:
                yield doses[0], behind

    def _without_unit(self, behind: str, of_it: Sequence[Fact]) -> bool | None:
        """Whether the draft gives another dose than all recorded ones, where both are counted or one has no unit.

        `None` if a unit was not told; false if the units differ, or there is nothing to compare.
        """
        said, found = self._amounts.told(behind), list[bool | None]()
        for dose in filter(None, map(self._dose, of_it)):
            known = self._amounts.told(dose)
            if len(known) == len(said) == 1 and known[0][1] == said[0][1] != "":
                found.append(known != said)
                continue
            for bare, other in ((known, said), (said, known)):
                if len(bare) == 1 and not bare[0][1]:
                    found.append(without_unit(bare[0][0], other))
                    break
            else:
                return False
        if not found or False in found:
            return False
        return None if None in found else True

    def _at_other_hours(self, behind: str, of_it: Sequence[Fact]) -> bool:
        """Whether the draft gives what is in use at an hour of the clock at which no fact of the thing has it."""
        used = [fact for fact in of_it if self._schema.relations[fact.relation].in_use_against]
        told = (" ".join([fact.evidence, *map(str, fact.attrs.values())]) for fact in used)
        return self._clock.differs(behind, told)

    def leading(self, before: str, *, follows: bool) -> int | None:
        """Where the amount of a thing begins right before its name ("60 mg of"); `None` if there is none.

        `follows`: another thing stands before it, whose amount it is if nothing parts the two.
        """
        found = self._amounts.figures.leading(before)
        if found is None or (follows and not found[1] and not before[: found[0]].strip()):
            return None
        return found[0]

    def _dose(self, fact: Fact) -> str:
        """The first detail of what is in use, in the schema's order; empty for other relations."""
        relation = self._schema.relations[fact.relation]
        if not relation.in_use_against:
            return ""
        first = next((name for name, kind in relation.attrs.items() if kind == "text"), "")
        return str(fact.attrs.get(first, ""))

    def _amount(self, fact: Fact) -> Amount | None:
        """The first detail, in the schema's order, that is an amount."""
        relation = self._schema.relations[fact.relation]
        told = (fact.attrs[name] for name, kind in relation.attrs.items() if kind == "text" and name in fact.attrs)
        return next(filter(None, (self._amounts.read(str(value)) for value in told)), None)


def number_behind(words: str) -> float | None:
    """The number with which the words begin, at most four words before it; `None` if there is none."""
    found = _FIRST_NUMBER.match(words)
    return number_of(found[1]) if found else None


def _is_other(stated: Amount, known: Sequence[Amount]) -> bool:
    """Whether an amount of the same quantity is recorded, and none of this size."""
    alike = [amount.size for amount in known if amount.kind == stated.kind]
    return bool(alike) and all(abs(size - stated.size) > _SLACK * size for size in alike)
