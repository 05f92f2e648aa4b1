"""Laboratory lines of documents: the number, its unit and day, and not the range behind it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

from r_memory.domain.facts import Attribute, Proposal, Status
from r_memory.domain.schema import Schema
from r_memory.protocols import Linker, Mention
from r_memory.reading.dates import Dates
from r_memory.reading.language import all_texts, entries_of, listed
from r_memory.reading.orders import made
from r_memory.reading.sheet import Sheet
from r_memory.text.cutting import words_of

_SECTION = "sheets"
_NUMBER = re.compile(
    r"\s*[:=|]?\s*(?P<sign>[<>\u2264\u2265]=?)?\s*(?P<number>\d{1,6}(?:[.,]\d{1,3})?)(?![\d/]|\s*[-\u2013]\s*\d)"
)
_LED = re.compile(r"(?P<name>[^\W\d_][\w /'-]*?[\w)])(?=\s*[:=|]|\s+[<>\u2264\u2265(\[]?\s*\d)")
_RANGE = re.compile(r"\s*[:|]?\s*[(\[]?\s*\d[\d.,]*\s*[-\u2013]\s*\d")
_UNIT = re.compile(r"\s*(?P<unit>%|(?:x\s?)?10\^?\d+/\w+|[^\W\d_]{1,6}(?:/[\w.\u00b2]+)*)(?=[\s|,;.()]|$)")
_NEXT = re.compile(r"[,;]\s+(?=[^\W\d_])")
"""What stands between two values of a line."""
_LONGEST_REST = 32
"""Words behind a number from which a line is a sentence."""


class LaboratoryLines:
    """Reads lines of laboratory values under one schema."""

    def __init__(self, schema: Schema, linker: Linker) -> None:
        language = schema.language
        self._linker, self._dates = linker, Dates(language)
        self._measured = [
            each
            for each in schema.relations.values()
            if {"number", "date"} <= set(each.attrs.values()) and each.negation == "plain"
        ]
        self._levels = sorted(entries_of(language, _SECTION, "levels"))
        self._joining, self._telling = (entries_of(language, _SECTION, name) for name in ("joining", "telling"))
        self._laboratory = frozenset(listed(language, _SECTION, "laboratory"))
        doses = (language.sections.get("units", {}), listed(language, "measured", "taken"))
        # An L behind a value says that it is low.
        self._doses = frozenset(text.lower() for texts in doses for text in all_texts(texts)) - {"l"}

    def read(self, sheet: Sheet, line: str, start: int) -> bool:
        """Reads a line into the sheet; false, with nothing read, if it begins with nothing measured."""
        cuts = [0, *(found.end() for found in _NEXT.finditer(line)), len(line)]
        places = [*pairwise(cuts)] if len(cuts) > 2 else []
        parts = [self._value(line[first:last].rstrip(" ,;"), start + first) for first, last in places]
        values = [self._value(line, start)] if not parts or None in parts else parts
        if None in values:
            return False
        sheet.entries += chain.from_iterable(filter(None, values))
        sheet.take(start, start + len(line))
        return True

    def dated(self, proposal: Proposal, day: str) -> Proposal:
        """Returns a measured value with the year that a document of this day means; others unchanged."""
        measured = next((each for each in self._measured if each.name == proposal.relation), None)
        days = [name for name, kind in measured.attrs.items() if kind == "date"] if measured is not None else []
        told = {name: self._dates.last(str(proposal.attrs[name]), day) for name in days if name in proposal.attrs}
        return replace(proposal, attrs={**proposal.attrs, **told}) if told else proposal

    def _value(self, line: str, start: int) -> Sequence[Proposal] | None:
        """Returns the value of a line, none if it is a range; `None` for a line that begins with nothing measured."""
        lead = len(line) - len(line.lstrip(" \t|-*\u2022"))
        text = line[lead:]
        led = _LED.match(text)
        if led is None or not self._measured:
            return None
        relation, end = self._measured[0], led.end("name")
        names = (led["name"], *(f"{led['name']} {behind}" for behind in self._levels))
        known = [each for name in names for each in self._linker.resolve(name, relation.objects) if not each.fuzzy]
        found = _NUMBER.match(text, end)
        if found is None:
            return () if known and _RANGE.match(text, end) else None
        behind = text[found.end() :]
        if len(words_of(behind)) > _LONGEST_REST or any(word in self._telling for word in words_of(behind)):
            return None
        unit = _UNIT.match(re.sub(r"^\s*\|?\s*", " ", behind))
        said = "" if unit is None or unit["unit"].lower() in self._joining else unit["unit"].rstrip(".")
        by_name = any(not each.fuzzy for each in self._linker.resolve(led["name"], relation.objects))
        # A unit of a dose is of what is taken: "Magnesium 400 mg at night".
        if not (said.lower() in self._laboratory or by_name or (known and said.lower() not in self._doses)):
            return None
        # A laboratory line of a name that the lexicon does not hold, and of no medicine that is taken.
        named = known[0] if known else Mention(type="", name=led["name"], start=0, end=end, surface=led["name"])
        kinds = {kind: name for name, kind in relation.attrs.items()}
        attrs: dict[str, Attribute] = {kinds["number"]: float(found["number"].replace(",", "."))}
        attrs |= {"unit": said} if said and "unit" in relation.attrs else {}
        attrs |= {"comparator": found["sign"]} if found["sign"] and "comparator" in relation.attrs else {}
        day = next(iter(self._dates.found(behind)), None)
        attrs |= {kinds["date"]: self._dates.shown(day[0])} if day is not None else {}
        return (made(relation, named, Status.ACTIVE, attrs, text.rstrip(), start + lead),)
