"""Searches a sentence for a template: one start after another, one element after another.

Knows elements and units. A template costs nothing unless the words it cannot do without are in the sentence.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.arguments import Arguments, Filler
from r_memory.reading.rules.templates import Day, Edge, Element, Gap, Literal, Number, Slot, Template
from r_memory.reading.sentences import Sentence, Unit

_EDGES = frozenset({",", ";", ".", "!", "?", ":", "-", "(", ")", "->", "=>", ">", "/"})
_QUOTE = '"'


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateMatch:
    """A template found at units `first` to `last` (excluded)."""

    template: Template
    first: int
    last: int
    slots: Mapping[str, tuple[Filler, ...]] = field(default_factory=dict)
    literals: frozenset[int] = frozenset()
    """Units that match the template's own words."""

    def moved(self, last: int, slots: Mapping[str, tuple[Filler, ...]]) -> "TemplateMatch":
        """Returns the match extended to `last`.

        Built by hand, as `dataclasses.replace` took a third of all matching.
        """
        return TemplateMatch(template=self.template, first=self.first, last=last, slots=slots, literals=self.literals)

    @property
    def gaps(self) -> frozenset[int]:
        """The units inside that match neither a word nor a slot."""
        filled = {at for items in self.slots.values() for at in range(items[0].first, items[-1].end)}
        return frozenset(range(self.first, self.last)) - self.literals - filled


class TemplateMatcher:
    """Finds templates in sentences, in one language."""

    def __init__(self, pack: LanguagePack, arguments: Arguments) -> None:
        self._arguments = arguments
        self._barriers = pack.words("clause_breaks") - pack.words("relative_words") | pack.words("turns") | {";"}
        self._days = pack.words("dates", "weekdays") | {
            name for number in range(1, 13) for name in pack.words("dates", "months", str(number))
        }
        self._also_words = pack.words("dates", "also_words")
        self._softeners = pack.words("after_clause") | pack.words("joiners")

    def matches(self, template: Template, sentence: Sentence) -> Iterator[TemplateMatch]:
        """Yields a match at every place of the template; at each start the one with the longest lists."""
        for start in self._starts(template, sentence):
            state = TemplateMatch(template=template, first=start, last=start)
            found = next(self._walk(template.elements, sentence, state, leading=True), None)
            if found is not None and found.last > found.first:
                yield found

    def _starts(self, template: Template, sentence: Sentence) -> Iterator[int]:
        first = template.elements[0]
        if isinstance(first, Literal) and not first.optional:
            heads = {option[0] for option in first.options}
            for position, unit in enumerate(sentence.units):
                if unit.word in heads or unit.words[0] in heads:
                    yield position
        else:
            yield from range(len(sentence.units))

    def _walk(
        self, elements: tuple[Element, ...], sentence: Sentence, state: TemplateMatch, *, leading: bool = False
    ) -> Iterator[TemplateMatch]:
        if not elements:
            yield state
            return
        element, rest = elements[0], elements[1:]
        for onward in self._step(element, sentence, state, leading=leading):
            yield from self._walk(rest, sentence, onward)

    def _step(
        self, element: Element, sentence: Sentence, state: TemplateMatch, *, leading: bool
    ) -> Iterator[TemplateMatch]:
        match element:
            case Literal():
                yield from self._literal(element, sentence, state)
            case Gap():
                yield from self._gap(element, sentence, state)
            case Slot():
                yield from self._slot(element, sentence, state, leading=leading)
            case Number():
                if state.last < len(sentence.units) and element.fits(sentence.words[state.last]):
                    yield self._taken(state)
            case Day():
                words = sentence.words[state.last : state.last + 2]
                if words and element.fits(words, self._days, self._also_words):
                    yield self._taken(state)
            case Edge():
                if self._at_edge(element, sentence, state.last):
                    yield state

    def _taken(self, state: TemplateMatch) -> TemplateMatch:
        """Returns the match with the next unit among its own words."""
        return replace(state.moved(state.last + 1, state.slots), literals=state.literals | {state.last})

    def _literal(self, element: Literal, sentence: Sentence, state: TemplateMatch) -> Iterator[TemplateMatch]:
        for option in element.options:
            end = _consumed(sentence, state.last, option)
            if end is not None:
                literals = state.literals.union(range(state.last, end))
                yield TemplateMatch(
                    template=state.template, first=state.first, last=end, slots=state.slots, literals=literals
                )
        if element.optional:
            yield state

    def _gap(self, element: Gap, sentence: Sentence, state: TemplateMatch) -> Iterator[TemplateMatch]:
        yield state
        position, skipped = state.last, 0
        while skipped < element.most and position < len(sentence.units):
            if sentence.words[position] in self._barriers or _another(sentence.units[position], state):
                return
            skipped += sentence.words[position] != _QUOTE
            position += 1
            yield state.moved(position, state.slots)

    def _slot(
        self, element: Slot, sentence: Sentence, state: TemplateMatch, *, leading: bool
    ) -> Iterator[TemplateMatch]:
        if state.last >= len(sentence.units):
            return
        for items in self._arguments.fills(sentence, state.last, element, leading=leading):
            yield state.moved(items[-1].end, {**state.slots, element.name: items})

    def _at_edge(self, element: Edge, sentence: Sentence, position: int) -> bool:
        words = sentence.words
        if element.opening:
            return position == 0 or words[position - 1] in _EDGES | self._softeners
        return position >= len(words) or words[position] in _EDGES | self._softeners


def _consumed(sentence: Sentence, position: int, option: tuple[str, ...]) -> int | None:
    """Returns the index behind the last unit of the option; `None` if it does not match. Terms count word by word."""
    taken = 0
    while taken < len(option):
        if position >= len(sentence.units):
            return None
        words = sentence.units[position].words
        if option[taken : taken + len(words)] != words:
            return None
        taken, position = taken + len(words), position + 1
    return position


def _another(unit: Unit, state: TemplateMatch) -> bool:
    """Whether an event would pass over another thing of the object's kind: "X gave a rash and … stopped Y due to"."""
    if not state.template.event or unit.mention is None:
        return False
    named = (mention.type for filler in state.slots.get("object", ()) for mention in filler.mentions)
    return unit.mention.type in named
