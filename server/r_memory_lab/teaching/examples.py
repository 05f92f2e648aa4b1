"""A line of the corpus as numbers to learn from: its pieces, their tags, and what each span of them states."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from r_memory.reading.taught.claims import Place
from r_memory.reading.taught.pieces import Pieces, tail
from r_memory_lab.teaching.corpus import CorpusLine, CorpusMark
from r_memory_lab.teaching.domains import DOMAINS, STATUSES, Domain

IGNORED = -100
"""Tag of a piece without a judgement: marks, the speaker, and pieces within a word."""
OUTSIDE, BEGINS, INSIDE = 0, 1, 2
Span = tuple[int, int]


class Tokenizer(Protocol):
    """Splits text into pieces."""

    begin: int
    stop: int

    def pieces(self, text: str) -> Pieces:
        """Returns the pieces of the whole text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """The annotation of one span."""

    span: Span
    relations: tuple[int, ...]
    """Indexes of the relations; empty if it states nothing."""
    statuses: tuple[int, ...] = ()
    """One status for each relation."""
    persons: tuple[int, ...] = ()
    """One person for each relation."""
    classes: tuple[int, ...] = ()
    """One value for each closed attribute of the domain; empty if unknown."""
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtBinding:
    """A detail and a thing, and whether they belong together."""

    thing: Span
    detail: Span
    kind: int
    belongs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingExample:
    """One line as numbers."""

    domain: Domain
    ids: tuple[int, ...]
    second: int
    """First piece of the utterance."""
    speaker: Span
    """Pieces of the speaker's name."""
    things: tuple[int, ...]
    """Tag of each piece."""
    details: tuple[int, ...]
    """Tag of each piece."""
    taught: tuple[Taught, ...]
    bindings: tuple[TaughtBinding, ...]
    words: tuple[Span, ...]
    """Every word of the question and the utterance."""


def example(line: CorpusLine, tokenizer: Tokenizer) -> TrainingExample:
    """Returns the line as numbers, without the part of the question that the reader never gets."""
    domain = DOMAINS[line.domain]
    speaker = tokenizer.pieces(f"{line.speaker} :")
    asked, said = tail(tokenizer.pieces(line.question)), tokenizer.pieces(line.text)
    first = 1 + len(speaker)
    second = first + len(asked) + 1
    stretches = {True: (first, asked), False: (second, said)}
    spans = {
        place: span
        for place in _places(line.marks)
        if (span := _span(place, *stretches[place.in_question])) is not None
    }
    words = tuple(
        (first + offset, last + offset) for offset, pieces in stretches.values() for first, last in pieces.whole_words()
    )
    length = second + len(said) + 1
    details = [
        (spans[place], domain.attributes.index(name))
        for mark in line.marks
        for name, place in mark.details.items()
        if place in spans
    ]
    return TrainingExample(
        domain=domain,
        ids=(tokenizer.begin, *speaker.ids, *asked.ids, tokenizer.stop, *said.ids, tokenizer.stop),
        second=second,
        speaker=(1, first),
        things=_tags(length, words, [(spans[mark.place], 0) for mark in line.marks if mark.place in spans]),
        details=_tags(length, words, details),
        taught=tuple(_taught(domain, line.marks, spans)),
        bindings=tuple(_bindings(domain, line.marks, spans)),
        words=words,
    )


def negatives(example_: TrainingExample, *, many: int, chance: random.Random) -> Iterator[Taught]:
    """Yields spans that state nothing: words of a detail, and others that overlap no mention."""
    marked = [item.span for item in example_.taught]
    candidates = [binding.detail for binding in example_.bindings]
    for _ in range(many):
        if example_.words:
            first = chance.randrange(len(example_.words))
            last = min(len(example_.words) - 1, first + chance.choice((0, 0, 0, 1, 1, 2)))
            candidates.append((example_.words[first][0], example_.words[last][1]))
    for span in candidates:
        if not any(span[0] < other[1] and other[0] < span[1] for other in marked):
            yield Taught(span=span, relations=(), weight=0.5)


def moved(taught: Taught, example_: TrainingExample, *, chance: random.Random) -> Span:
    """Returns the span as a dictionary might have it: one word less or more, if that overlaps no other span."""
    inside = [word for word in example_.words if taught.span[0] <= word[0] and word[1] <= taught.span[1]]
    if len(inside) > 1:
        kept = inside[1:] if chance.random() < 0.6 else inside[:-1]
        return kept[0][0], kept[-1][1]
    after = next((word for word in example_.words if word[0] == taught.span[1]), None)
    if after is None or any(other.span[0] < after[1] and after[0] < other.span[1] for other in example_.taught):
        return taught.span
    return taught.span[0], after[1]


def _places(marks: Sequence[CorpusMark]) -> Iterator[Place]:
    for mark in marks:
        yield mark.place
        yield from mark.details.values()


def _span(place: Place, offset: int, pieces: Pieces) -> Span | None:
    found = pieces.around(place.start, place.end)
    return None if found is None else (found[0] + offset, found[1] + offset)


def _tags(length: int, words: Sequence[Span], spans: Sequence[tuple[Span, int]]) -> tuple[int, ...]:
    """Returns the tag of each word's first piece: 0 outside; for kind k, 1 + 2k at the beginning and 2 + 2k inside."""
    tags = [IGNORED] * length
    for first, _ in words:
        tags[first] = OUTSIDE
    for (first, last), kind in spans:
        for word, _ in words:
            if first <= word < last:
                tags[word] = (BEGINS if word == first else INSIDE) + 2 * kind
    return tuple(tags)


def _taught(domain: Domain, marks: Sequence[CorpusMark], spans: dict[Place, Span]) -> Iterator[Taught]:
    names = tuple(domain.relations.values())
    by_span: dict[Span, list[CorpusMark]] = {}
    for mark in marks:
        if mark.place in spans:
            by_span.setdefault(spans[mark.place], []).append(mark)
    for span, together in by_span.items():
        stated = [mark for mark in together if mark.status is not None]
        yield Taught(
            span=span,
            relations=tuple(names.index(mark.relation) for mark in stated),
            statuses=tuple(STATUSES.index(mark.status) for mark in stated if mark.status is not None),
            persons=tuple(persons_of(domain).index(mark.person) for mark in stated),
            classes=tuple(
                values.index(next((mark.classes[name] for mark in stated if name in mark.classes), ""))
                for name, values in domain.classes.items()
            )
            if stated
            else (),
        )


def persons_of(domain: Domain) -> tuple[object, ...]:
    """Returns the possible persons of a fact in the domain, in the order of the heads."""
    return tuple(domain.persons.values())


def _bindings(domain: Domain, marks: Sequence[CorpusMark], spans: dict[Place, Span]) -> Iterator[TaughtBinding]:
    """Yields every pair of a detail and a thing of the line."""
    things = {spans[mark.place] for mark in marks if mark.place in spans}
    owners: dict[tuple[Span, int], set[Span]] = {}
    for mark in marks:
        for name, place in mark.details.items():
            if place in spans and mark.place in spans:
                key = (spans[place], domain.attributes.index(name))
                owners.setdefault(key, set()).add(spans[mark.place])
    for (detail, kind), own in owners.items():
        for thing in sorted(things):
            yield TaughtBinding(thing=thing, detail=detail, kind=kind, belongs=thing in own)
