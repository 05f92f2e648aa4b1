"""How the days of a draft stand to the day by which something is due. Pure.

Only a sentence with one day is compared: of several the words would have to be understood.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from r_memory.domain.blocks import Line, Recall
from r_memory.domain.facts import DENIAL, Fact
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.facts.recall.ceilings import Comparison
from r_memory.facts.recall.dated import Dated
from r_memory.facts.recall.prepared import Prepared
from r_memory.facts.recall.waiting import words_of
from r_memory.reading.days import Days
from r_memory.text.sentences import stretches

__all__ = ["Due"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Compares days with those of relations whose things have one day (`single`), under one schema."""

    schema: Schema
    dated: Dated
    prepared: Prepared[Fact]

    def is_due(self, fact: Fact) -> bool:
        """Whether the fact says by which day something is due."""
        relation = self.schema.relations.get(fact.relation)
        return relation is not None and relation.attrs.get(relation.single) == "date"

    def of_place(self, text: str, fact: Fact, place: int, recall: Recall) -> Comparison:
        """How the day in the sentence at this place stands to the fact's day.

        A later day is open if the newest fact of the thing, or words that wait and may move it, name one as late.
        """
        end = 0
        for sentence in stretches(text):
            end += len(sentence)
            if place < end:
                days = self.dated.calendar.days(sentence, recall.checked_at)
                how = self._compared(days, fact)
                return "open" if how == "broken" and days[0].last <= self._moved_to(fact, recall) else how
        return "open"

    def _moved_to(self, fact: Fact, recall: Recall) -> date:
        of_it = [line for line in recall.lines if _of_one(line.fact, fact) and line.rank != "past"]
        newest = max((line.fact for line in of_it), key=lambda each: (each.said_at, each.last_seq), default=fact)
        moving = (change.episode for line in of_it for change in line.awaited)
        said = (days for item in moving for days in self.dated.calendar.days(words_of(item), item.said_at))
        return max((days.last for days in (*self.dated.noted(newest), *said)), default=date.min)

    def kept(self, text: str, lines: Sequence[Line], now: Instant) -> list[Line]:
        """The lines of what is due on or after every day of the draft; none if the draft names no day."""
        superseded = self.superseded(lines)
        dues = [line for line in lines if self.is_due(line.fact) and line.fact.fact_id not in superseded]
        days = self.dated.calendar.days(text, now) if dues else ()
        dues = [line for line in dues if line.rank == "critical"]
        return [line for line in dues if days and all(self._compared([day], line.fact) == "kept" for day in days)]

    def _compared(self, days: Sequence[Days], fact: Fact) -> Comparison:
        noted = self.prepared.of(self.dated.noted, fact)
        if len(days) != 1 or len(noted) != 1 or days[0].weekly or noted[0].weekly:
            return "open"
        due = noted[0]
        if due.yearless or days[0].yearless:
            due = due.in_year_of(days[0]) or due
        return "kept" if days[0].last <= due.last else "broken"

    def superseded(self, lines: Sequence[Line]) -> frozenset[str]:
        """Ids of facts with a day that was denied later, where another one of the same thing stands undisputed."""
        dues = [line for line in lines if self.is_due(line.fact)]
        standing = [line for line in dues if line.rank == "critical" and line.contrary is None]
        return frozenset(
            line.fact.fact_id
            for line in dues
            if line.contrary is not None
            and line.contrary.status in DENIAL
            and any(_is_newer(other.fact, line.fact) for other in standing)
        )


def _is_newer(one: Fact, other: Fact) -> bool:
    return _of_one(one, other) and one.said_at > other.said_at


def _of_one(one: Fact, other: Fact) -> bool:
    return (one.relation, one.object.uid) == (other.relation, other.object.uid)
