"""Every place in a sentence that states a relation of the schema: templates, cues, bare mentions, lists, absences.

Knows what the schema says of wording; not whether it is asserted, nor of whom.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from r_memory.domain.schema import Cue, Relation, Schema
from r_memory.protocols import Mention
from r_memory.reading.assertion import NamedStretch
from r_memory.reading.attributes import Measure, Measures, takes_parts
from r_memory.reading.language import LanguagePack, PhraseMatch, Phrases
from r_memory.reading.rules.arguments import Arguments, Filler
from r_memory.reading.rules.matching import TemplateMatch, TemplateMatcher
from r_memory.reading.rules.templates import Compiler, Cut, Slot, Template
from r_memory.reading.sentences import Sentence

_WHOLE = 3
"""Units before an exception in which "everything" reverses its meaning."""
_COUNTED = 12
"""Largest number that counts tablets; "max 400 ibuprofen" is no count."""
_CUE_NUMBER = 10
_CUE_OBJECT = 12
"""Units between a cue and its number, and between the number and the limited thing."""
_HEADER_WITHIN = 8
"""Units in which a heading must end."""
_SEPARATORS = frozenset({",", ";", "and", "&", "+", "*", ".", "/"})
_HEADER_MARKS = frozenset({":", "-", "--", "="})
_BULLETS = frozenset({"-", "*", ".", "#"})
_NUMBERED = frozenset({")", "."})
_NO_PARTS = False
Measured = Callable[[bool], tuple[Measure, ...]]
"""Returns the amounts of a sentence, with fractions or without; computed once for all its cues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """A place that states a relation."""

    relation: str
    source: str
    """The template, cue or heading, for the decision log."""
    template: str = ""
    """Name of the template; empty without one."""
    stretch: NamedStretch
    items: tuple[Filler, ...] = ()
    terms: Mapping[str, Mention] = field(default_factory=dict)
    """Attributes from slots."""
    measure: Measure | None = None
    weak: bool = False
    hint: bool = False
    """It counts only where the taught reader leans the same way."""
    ended: bool = False
    """It says that something was so and is over."""
    scope: str = ""
    """The scope named in place of an object."""
    denies: bool = False
    """The wording itself says "none"."""


class Triggers:
    """Finds the wordings of one schema in sentences."""

    def __init__(self, schema: Schema, pack: LanguagePack, arguments: Arguments, measures: Measures, cut: Cut) -> None:
        self._schema = schema
        self._arguments = arguments
        self._measures = measures
        self._matcher = TemplateMatcher(pack, arguments)
        compiler = Compiler(schema, cut)
        stated = [relation for relation in schema.relations.values() if not relation.derived]
        self.templates = tuple(template for relation in stated for template in compiler.templates(relation))
        self._proper = {template.relation for template in self.templates if template.takes_names}
        """Relations whose objects may be names that no lexicon knows, in lists too."""
        self._needed = tuple((template, template.needed, template.needed_types) for template in self.templates)
        self._by_word, self._anywhere = _by_rarest(template.needed for template in self.templates)
        self._cues = [
            (relation, cue, Phrases((cut(text.removesuffix("#")), text) for text in cue.words))
            for relation in stated
            if (cue := relation.phrasing.cue) is not None
        ]
        self._headers: Phrases[str] = pack.finder(
            {relation.name: relation.phrasing.headers for relation in schema.relations.values()}
        )
        self._none: Phrases[tuple[str, str]] = Phrases(
            (cut(text), (relation.name, scope))
            for relation in stated
            for scope, texts in relation.phrasing.none.items()
            for text in texts
        )
        self._elsewhere, self._determiners = pack.words("not_the_thing"), pack.words("determiners")
        self._exceptions, self._soft_exceptions = pack.phrases("exception"), pack.phrases("soft_exception")
        self._after_exception, self._wholes = pack.words("exception_to"), pack.words("wholes")
        self._opening = frozenset((word,) for word in pack.words("list_openers"))
        self._mentioned = {
            type_: relation.name for relation in stated if relation.phrasing.mention for type_ in relation.objects
        }

    @property
    def words(self) -> frozenset[str]:
        """Every word in the templates."""
        return frozenset(word for template in self.templates for word in template.words)

    def found(self, sentence: Sentence, heading: str = "") -> Iterator[Trigger]:
        """Yields every trigger; `heading` is the relation whose list the sentence continues."""
        worded = [*self._templates(sentence), *self._absences(sentence)]
        excepted = list(self._excepted(sentence, worded))
        yield from (trigger for trigger in worded if not any(_reads_over(trigger, item) for item in excepted))
        yield from (trigger for trigger in excepted if self._denied(sentence, trigger))
        yield from self._by_cue(sentence)
        headers = list(self._headers_of(sentence))
        if heading and not headers:
            headers.append(PhraseMatch(start=0, end=0, value=heading))
        end = len(sentence.words)
        for header in reversed(headers):
            yield from self._listed(sentence, header.value, (header.end, end))
            end = header.start
        yield from self._mentions(sentence)  # last: of two readings of one strength the first is kept

    # templates

    def _excepted(self, sentence: Sentence, worded: Sequence[Trigger]) -> Iterator[Trigger]:
        """Yields the exceptions of absences:

        "no allergies except penicillin", "not allergic to anything but penicillin".
        """
        for found, soft in self._left_out(sentence):
            names = dict.fromkeys(trigger.relation for trigger in worded if trigger.scope)
            for relation in (self._schema.relations[name] for name in names):
                items = self._left_out_items(sentence, found.end, self.slot(relation, many=True))
                if items and not items[0].pronoun and (items[0].mentions or not soft):
                    reach = (found.start, items[-1].end)
                    stretch = NamedStretch(first=items[0].first, last=items[-1].last, negation="absent", within=reach)
                    yield Trigger(relation=relation.name, source="exception", stretch=stretch, items=items)

    def _denied(self, sentence: Sentence, exception: Trigger) -> bool:
        """Whether the exception is excluded from "everything": "allergic to everything except penicillin"."""
        first = 0 if exception.stretch.within is None else exception.stretch.within[0]
        return self._wholes.isdisjoint(sentence.words[max(first - _WHOLE, 0) : first])

    def _left_out(self, sentence: Sentence) -> Iterator[tuple[PhraseMatch[str], bool]]:
        """Yields each exception phrase, and whether its words may mean something else."""
        yield from ((found, False) for found in self._exceptions.longest(sentence.words))
        yield from ((found, True) for found in self._soft_exceptions.longest(sentence.words))

    def _left_out_items(self, sentence: Sentence, position: int, slot: Slot) -> tuple[Filler, ...]:
        """Returns the list behind an exception and its "to", "for" or "maybe"."""
        while sentence.words[position : position + 1] and sentence.words[position] in self._after_exception:
            items = next(self._arguments.fills(sentence, position, slot), ())
            if items and items[0].mentions:
                return items
            position += 1
        return next(self._arguments.fills(sentence, position, slot), ())

    def _templates(self, sentence: Sentence) -> Iterator[Trigger]:
        words = {word for unit in sentence.units for word in (unit.word, unit.words[0])}
        types = {unit.mention.type for unit in sentence.units if unit.mention is not None}
        places = {*self._anywhere, *(place for word in words for place in self._by_word.get(word, ()))}
        for template, needed, kinds in (self._needed[place] for place in sorted(places)):
            if all(not options.isdisjoint(words) for options in needed) and all(
                not kind.isdisjoint(types) for kind in kinds
            ):
                for match in self._matcher.matches(template, sentence):
                    yield self._matched(template, match)

    def _matched(self, template: Template, match: TemplateMatch) -> Trigger:
        relation = self._schema.relations[template.relation]
        stretch = NamedStretch(
            first=match.first,
            last=match.last,
            gaps=match.gaps,
            negation=relation.negation,
            event=template.event and template.weak,
            state=not relation.open_object and relation.negation == "absent",
        )
        terms = {
            name: found[0].mentions[0] for name, found in match.slots.items() if name != "object" and found[0].mentions
        }
        items = match.slots.get("object", ())
        return Trigger(
            relation=template.relation,
            source=template.text,
            template=template.name,
            stretch=stretch,
            # Where a bare name tells enough, a pronoun does not: "that's it".
            items=tuple(item for item in items if not (item.pronoun and relation.phrasing.mention)),
            terms=terms,
            weak=template.weak,
            hint=template.hint,
            ended=template.ended,
            scope=template.scope,
        )

    # a cue with everything it needs, in any order

    def _by_cue(self, sentence: Sentence) -> Iterator[Trigger]:
        """Yields the triggers of cues.

        Of two numbers of one thing the nearer counts: "eGFR 28 today, was 41 in June".
        """
        measured = cache(lambda parts: tuple(self._measures.found(sentence, parts=parts)))
        for relation, declared, phrases in self._cues:
            # "At least a quarter in bonds, and no less than 5 % in cash" are two limits; of a dose there is one.
            cues, parts = phrases.longest(sentence.words), takes_parts(relation)
            found = [need for cue in cues for need in self._needs(relation, declared, sentence, cue, measured)]
            nearest = sorted(found, key=_length, reverse=True)
            yield from {(item.items[0].first, item.measure if parts else None): item for item in nearest}.values()

    def _needs(
        self, relation: Relation, declared: Cue, sentence: Sentence, cue: PhraseMatch[str], measured: Measured
    ) -> Iterator[Trigger]:
        needs = declared.needs
        types = self._types(relation, needs)
        measure = _measure(sentence, cue, measured(takes_parts(relation))) if "number" in needs else None
        if declared.counted and (measure is None or not measure.unit):
            measure = self._count(sentence, cue, types, declared.counted, measured) or measure
        centre = cue.start if measure is None else measure.first
        item = self._nearest(sentence, types, centre, measure)
        if item is None or ("number" in needs and measure is None) or abs(item.first - centre) > _CUE_OBJECT:
            return
        first = min(cue.start, item.first, centre)
        last = max(cue.end, item.last, centre if measure is None else measure.last)
        stretch = NamedStretch(first=first, last=last, negation=relation.negation)
        yield Trigger(
            relation=relation.name, source=f"cue: {cue.value}", stretch=stretch, items=(item,), measure=measure
        )

    def _types(self, relation: Relation, needs: Sequence[str]) -> frozenset[str]:
        narrowed = [need.partition(":")[2] for need in needs if need.startswith("object:")]
        return frozenset(type_ for name in narrowed for type_ in self._schema.concrete(name)) or frozenset(
            relation.objects
        )

    def _count(
        self, sentence: Sentence, cue: PhraseMatch[str], types: frozenset[str], unit: str, measured: Measured
    ) -> Measure | None:
        """Returns a small number right before a thing in the cue's clause, which counts tablets; `None` without one."""
        for found in measured(_NO_PARTS):
            thing = self._behind_of(sentence, found.last)
            mention = sentence.units[thing].mention if thing < len(sentence.units) else None
            counts = mention is not None and mention.type in types and found.value <= _COUNTED
            plain = found.last == found.first + 1 and sentence.words[found.first - 1] not in {"-", "to"}
            if counts and plain and sentence.clauses[found.first] == sentence.clauses[cue.start]:
                return replace(found, unit=unit)
        return None

    def _behind_of(self, sentence: Sentence, position: int) -> int:
        """Returns the unit behind "of those", if it stands there:

        "two of those co-codamol", not "two of co-codamol".
        """
        words = sentence.words
        if words[position : position + 1] != ("of",) or words[position + 1 : position + 2] in ((), ("of",)):
            return position
        return position + 2 if words[position + 1] in self._determiners else position

    def _nearest(
        self, sentence: Sentence, types: frozenset[str], centre: int, measure: Measure | None
    ) -> Filler | None:
        own = range(0) if measure is None else range(measure.first, measure.last)  # "50,000 euros"
        places = {at: mention for at, mention in sentence.terms(types) if at not in own}
        if not places:
            return None
        clause = sentence.clauses[centre]
        best = min(places, key=lambda position: (sentence.clauses[position] != clause, abs(position - centre)))
        return Filler(first=best, last=best + 1, mentions=(places[best],))

    # the bare mention

    def _mentions(self, sentence: Sentence) -> Iterator[Trigger]:
        for position, unit in enumerate(sentence.units):
            name = self._mentioned.get(unit.mention.type) if unit.mention is not None else None
            following = sentence.words[position + 1 : position + 2]
            if name is not None and unit.mention is not None and self._elsewhere.isdisjoint(following):
                item = Filler(first=position, last=position + 1, mentions=(unit.mention,))
                stretch = NamedStretch(
                    first=position,
                    last=position + 1,
                    negation=self._schema.relations[name].negation,
                    state=True,
                    mention=True,
                )
                yield Trigger(relation=name, source="mention", stretch=stretch, items=(item,))

    # "none"

    def _absences(self, sentence: Sentence) -> Iterator[Trigger]:
        for found in self._none.longest(sentence.words):
            relation, scope = found.value
            stretch = NamedStretch(first=found.start, last=found.end)
            source = " ".join(sentence.words[found.start : found.end])
            yield Trigger(relation=relation, source=f"none: {source}", stretch=stretch, scope=scope, denies=True)

    # headings and their lists

    def header(self, sentence: Sentence) -> PhraseMatch[str] | None:
        """Returns the heading that begins the sentence, with its relation; `None` if there is none."""
        head = sentence.words[:_HEADER_WITHIN]
        found = next(self._headers.longest(head), None)
        if found is None:
            return None
        whole = self._alone(sentence, found)
        if whole is not None:
            return whole
        if head[found.end : found.end + 1] in self._opening:
            return PhraseMatch(start=found.start, end=found.end + 1, value=found.value)
        if head[found.end : found.end + 1] == ("1",) and head[found.end + 1 : found.end + 2] in {(")",), (".",)}:
            return found
        colon = next((at for at in range(found.end, len(head)) if head[at] in _HEADER_MARKS), None)
        if colon is not None and "," not in head[:colon] and (head[colon] == ":" or colon == found.end):
            return PhraseMatch(start=found.start, end=colon + 1, value=found.value)
        return None

    def _alone(self, sentence: Sentence, found: PhraseMatch[str]) -> PhraseMatch[str] | None:
        """Returns the heading if it fills its line, is a form's question ("Food allergies?"), or has its own colon."""
        if found.start:
            return None
        if sentence.words[found.end - 1] in _HEADER_MARKS:
            return found
        rest = sentence.words[found.end :]
        if rest == ("?",) or (not rest and sentence.line):
            return PhraseMatch(start=0, end=len(sentence.words), value=found.value)
        return None

    def _headers_of(self, sentence: Sentence) -> Iterator[PhraseMatch[str]]:
        """Yields the heading that begins the sentence, and those behind a separator: "Allergies: none; meds: …"."""
        first = self.header(sentence)
        if first is not None:
            yield first
        words = sentence.words
        for found in self._headers.longest(words):
            later = found.start > (0 if first is None else first.end)
            if later and words[found.start - 1] in _SEPARATORS and words[found.end : found.end + 1] == (":",):
                yield PhraseMatch(start=found.start, end=found.end + 1, value=found.value)

    def topic(self, sentence: Sentence) -> Iterator[PhraseMatch[str]]:
        """Yields headings anywhere in the sentence, as the topics of a question."""
        return self._headers.longest(sentence.words)

    def _listed(self, sentence: Sentence, name: str, reach: tuple[int, int]) -> Iterator[Trigger]:
        relation = self._schema.relations[name]
        slot, behind = self.slot(relation), 0
        for first, last in _segments(sentence, *reach):
            doubted = sentence.words[first] == "?"
            # "Hale & Sons" is one item.
            for item in self._first_item(sentence, first + doubted, slot) if first >= behind else ():
                behind = item.last
                stretch = NamedStretch(
                    first=item.first, last=item.last, negation=relation.negation, within=(first, max(last, item.end))
                )
                yield Trigger(relation=name, source="heading", stretch=stretch, items=(item,))

    def _first_item(self, sentence: Sentence, first: int, slot: Slot) -> Iterator[Filler]:
        items = next(self._arguments.fills(sentence, first, slot), ())
        if not items or items[0].pronoun:
            return
        names_field = not items[0].mentions and sentence.words[items[0].end : items[0].end + 1] == (":",)
        if not names_field:  # "Criticality: high" is no allergen
            yield items[0]

    def slot(self, relation: Relation, *, many: bool = False) -> Slot:
        """Returns the object slot of a relation, for lists and answers."""
        return Slot(
            name="object",
            types=frozenset(relation.objects),
            open=relation.open_object,
            guess=True,
            many=many,
            named=relation.name in self._proper,
        )


def _length(trigger: Trigger) -> int:
    return trigger.stretch.last - trigger.stretch.first


def _by_rarest(needed: Iterable[Sequence[frozenset[str]]]) -> tuple[Mapping[str, Sequence[int]], Sequence[int]]:
    """Returns the indexes of templates by a required word, and of the templates without one.

    The cost of a sentence so depends on its own words, not on the number of templates.
    """
    by_word: dict[str, list[int]] = {}
    anywhere: list[int] = []
    for place, groups in enumerate(needed):
        if not groups:
            anywhere.append(place)
        for word in min(groups, key=len, default=frozenset()):
            by_word.setdefault(word, []).append(place)
    return by_word, anywhere


def _measure(sentence: Sentence, cue: PhraseMatch[str], measures: Iterable[Measure]) -> Measure | None:
    """Returns the amount nearest to the cue, preferably with a unit; for a cue with `#`, right behind it."""
    most = 1 if cue.value.endswith("#") else _CUE_NUMBER
    clause = sentence.clauses[cue.start]
    near = (
        found for found in measures if sentence.clauses[found.first] == clause and abs(found.first - cue.end) <= most
    )
    return min(near, key=lambda found: (not found.unit, abs(found.first - cue.start)), default=None)


def _reads_over(trigger: Trigger, exception: Trigger) -> bool:
    """Whether the trigger has the exception's relation and ignores the exception."""
    if trigger.relation != exception.relation or exception.stretch.within is None:
        return False
    return _skips(trigger, exception.stretch.within[0], exception.items[0].first)


def _skips(trigger: Trigger, first: int, last: int) -> bool:
    """Whether units `first` to `last` (excluded) lie inside a wording and match none of its words, or are a name."""
    if not trigger.items or trigger.items[-1].last <= first:
        return False
    named = any(item.first < last and first < item.last for item in trigger.items)
    return named or not trigger.stretch.gaps.isdisjoint(range(first, last))


def _segments(sentence: Sentence, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the stretches between the separators of a list; brackets are not cut."""
    first, depth = start, 0
    while first < end and sentence.words[first] in _BULLETS:
        first += 1
    for position in range(first, end):
        word = sentence.words[position]
        numbered = _numbers(sentence, position, end)
        depth += (word in {"(", "["}) - (word in {")", "]"} and depth > 0)
        if (word in _SEPARATORS or numbered) and depth <= 0:
            if position > first:
                yield first, position
            first = position + 1 + numbered
    if first < end:
        yield first, end


def _numbers(sentence: Sentence, position: int, end: int) -> bool:
    """Whether the unit is the number of an item: "1) latex 2) eggs"."""
    words = sentence.words
    return position + 1 < end and words[position].isdigit() and words[position + 1] in _NUMBERED
