"""Which recorded days a request meets: the days that it names, by the day it is made, against those of each fact, by
the day it was said. Pure.

The schema says which relations have days (`bears: dated`, attributes of the kinds `date` and `end`). A meeting orders
and explains a line; it forbids nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from r_memory.domain.blocks import Line, Match, MatchLevel
from r_memory.domain.facts import Fact
from r_memory.domain.instants import UNDATED, Instant, iso_day
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.reading.days import Calendar, Days
from r_memory.reading.reader import Reader
from r_memory.text.inert import inert_name

_LONGEST = 2_000
"""Characters of a fact's words that are searched for days."""
_WORD = re.compile(r"\w{4,}")
"""A word that tells what is noted: no article, no preposition."""
_KINDS = frozenset({"date", "end"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """Compares days under one schema."""

    reader: Reader
    calendar: Calendar
    relations: tuple[str, ...]
    """Relations that every request reads that names a day."""

    @classmethod
    def under(cls, reader: Reader) -> "Dated":
        """The comparison under the schema of this reader."""
        relations = tuple(name for name, relation in reader.schema.relations.items() if relation.bears == "dated")
        return cls(reader=reader, calendar=Calendar(reader.schema.language), relations=relations)

    def asked(self, words: str, now: Instant) -> tuple[Days, ...]:
        """The days that a request names; empty if the schema has no days."""
        return self.calendar.days(words, now) if self.relations else ()

    def matches(self, fact: Fact, asked: Sequence[Days]) -> tuple[Match, ...]:
        """A match for each day of the request that meets one of the fact's, each once; none if the fact is denied."""
        if not asked or fact.is_absence or not speaks_for_risk(fact):
            return ()
        noted = self.noted(fact)
        found = {each.said.casefold(): match for each in asked if (match := _met(each, noted)) is not None}
        return tuple(found.values())

    def is_new_to(self, line: Line, draft: str) -> bool:
        """Whether a draft names a day of a note without naming what is noted: it may not know of it."""
        levels = {match.level for match in line.matches}
        said = frozenset(_WORD.findall(draft.casefold()))
        named = said.issuperset(_WORD.findall(line.fact.object.name.casefold()))
        return line.fact.relation in self.relations and levels == {MatchLevel.DAY} and not named

    def ended(self, fact: Fact) -> tuple[date, bool]:
        """The last day on which what a fact says may have held, and whether its words say that day.

        If they do not, it is the day on which it was said to be over.
        """
        if fact.valid.end is not None:
            return date.fromisoformat(iso_day(fact.valid.end)), True
        on = fact.last_recorded_at if fact.said_at == UNDATED else fact.said_at
        said = (str(fact.attrs.get("until", "")), fact.evidence[:_LONGEST])
        day = next((day for words in said if (day := self.calendar.last_past(words, on)) is not None), None)
        latest = date.fromisoformat(iso_day(max(on, fact.changed_at or on)))
        return (latest, False) if day is None else (day, True)

    def noted(self, fact: Fact) -> tuple[Days, ...]:
        """The days of a fact: those of its attributes, or those that its words name."""
        relation = self.reader.schema.relations.get(fact.relation)
        if relation is None:
            return ()
        is_dated = relation.bears == "dated"
        names = [name for name, kind in relation.attrs.items() if kind == "date" or (is_dated and kind in _KINDS)]
        said = [str(fact.attrs[name]) for name in names if name in fact.attrs]
        until = str(fact.attrs.get("until", "")) if is_dated else ""
        on = 0 if fact.said_at == UNDATED else fact.said_at
        found = [days for text in said for days in self.calendar.days(text, on)]
        ends = self.calendar.days(until, on) if until else ()
        if found and ends and ends[-1].last >= found[0].first:
            found = [replace(found[0], last=ends[-1].last, yearless=found[0].yearless and ends[-1].yearless)]
        elif not found and is_dated:
            words = f"{fact.object.name}. {fact.evidence}"[:_LONGEST]
            found = list(ends or self.calendar.days(words, on))
        return tuple(found)


def _met(asked: Days, noted: Sequence[Days]) -> Match | None:
    """The match of a day with the first noted day that it meets: in its own year, or else in a later one."""
    for days in noted:
        if days.meets(asked):
            return _match(asked, days, "")
    for days in noted:
        if (moved := days.in_year_of(asked)) is not None and moved.meets(asked):
            return _match(asked, moved, ", if it returns each year: no year was said")
    return None


def _match(asked: Days, noted: Days, doubt: str) -> Match:
    said = inert_name(asked.said)
    day = "" if asked.said == asked.shown() else f" is {asked.shown()}"
    if asked.weekly or noted.weekly:
        how = "the same day of the week"
    elif asked.first == noted.first and asked.last == noted.last:
        how = "the day of it" if noted.first == noted.last else "the time of it"
    elif noted.first <= asked.first and asked.last <= noted.last:
        how = f"within {noted.shown()}"
    else:
        how = f"which meets {noted.shown()}"
    return Match(requested=said, level=MatchLevel.DAY, text=f"{said}{day}, {how}{doubt}")
