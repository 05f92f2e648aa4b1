"""Lines as somebody else might have said them, only for teaching: other names, no points, another question before.

The corpus holds no template with swapped names; here names are swapped, so that the reader learns the sentence around a
name and not the name, and nothing of it is written down.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from r_memory.reading.taught.claims import Place
from r_memory_lab.teaching.corpus import CorpusLine
from r_memory_lab.teaching.domains import CLINICAL, NOTHING

_SWAPPED, _UNPOINTED, _ASKED = 0.3, 0.1, 0.15
"""Shares of lines that are varied: names swapped, full stops removed, another question before."""
_TYPES = ("Drug", "DrugClass", "Food", "Material", "Environment", "Venom", "Condition", "Device")
"""Types of the lexicon whose names may replace each other."""
_LONGEST = 3
"""Most words of a name that may be replaced."""
_POINTS = re.compile(r"[,.](?=\s|$)")
_NAME = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")
_PROPER = re.compile(r"[A-Z]\w*(?: [A-Z]\w*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """Names that may replace each other."""

    kind: Mapping[str, str]
    """Name in small letters to its kind."""
    names: Mapping[str, Sequence[str]]
    """Names of each kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    start: int
    end: int
    words: str


def pools(terms: Mapping[str, Mapping[str, Sequence[str]]], lines: Iterable[CorpusLine]) -> Pools:
    """Returns names of the clinical lexicon, and proper names that lines of other domains mark under one relation."""
    kind: dict[str, str] = {}
    names: defaultdict[str, list[str]] = defaultdict(list)
    for type_ in _TYPES:
        for term, others in terms.get(type_, {}).items():
            for name in (term, *others):
                if _NAME.fullmatch(name) and len(name.split()) <= _LONGEST:
                    kind.setdefault(name.casefold(), type_)
                    names[type_].append(name)
    for line in lines:
        for mark in line.marks:
            own = f"{line.domain} {mark.relation}"
            if mark.states and line.domain != CLINICAL.name and _PROPER.fullmatch(mark.words):
                kind.setdefault(mark.words.casefold(), own)
                names[own].append(mark.words)
    return Pools(kind=kind, names={name: tuple(dict.fromkeys(found)) for name, found in names.items()})


def varied(line: CorpusLine, known: Pools, questions: Sequence[CorpusLine], chance: random.Random) -> CorpusLine:
    """Returns the line, or the same statement in another form; `questions` are lines with a question for it."""
    if chance.random() < _SWAPPED:
        line = _renamed(line, known, chance)
    if line.speaker != "note" and "[" not in line.text and chance.random() < _UNPOINTED:
        line = _edited(line, [_Edit(start=m.start(), end=m.end(), words="") for m in _POINTS.finditer(line.text)])
    if questions and not line.question and line.speaker != "note" and chance.random() < _ASKED:
        line = _after_question_of(line, chance.choice(questions))
    return line


def _renamed(line: CorpusLine, known: Pools, chance: random.Random) -> CorpusLine:
    chosen: dict[str, str] = {}
    edits = {False: list[_Edit](), True: list[_Edit]()}
    for place, words in dict.fromkeys((mark.place, mark.words) for mark in line.marks):
        kind = known.kind.get(words.casefold())
        taken = edits[place.in_question]
        if kind is None or any(place.start < item.end and item.start < place.end for item in taken):
            continue
        name = chosen.setdefault(words.casefold(), chance.choice(known.names[kind]))
        taken.append(_Edit(start=place.start, end=place.end, words=name))
    return _edited(_edited(line, edits[False]), edits[True], in_question=True)


def _after_question_of(line: CorpusLine, other: CorpusLine) -> CorpusLine:
    """Returns the line after a question that it does not answer, whose own things state nothing."""
    if other.domain != line.domain:
        return line
    idle = {
        mark.place: replace(mark, relation=NOTHING, status=None, details={}, classes={})
        for mark in other.marks
        if mark.place.in_question
    }
    return replace(line, question=other.question, marks=(*line.marks, *idle.values()))


def _edited(line: CorpusLine, edits: Iterable[_Edit], *, in_question: bool = False) -> CorpusLine:
    ordered = sorted(edits, key=lambda one: one.start)
    if not ordered:
        return line
    text = line.question if in_question else line.text
    parts, at = [], 0
    for item in ordered:
        parts += [text[at : item.start], item.words]
        at = item.end
    said = "".join((*parts, text[at:]))

    def moved(place: Place) -> Place:
        if place.in_question != in_question:
            return place
        return replace(place, start=_at(place.start, ordered, end=False), end=_at(place.end, ordered, end=True))

    marks = tuple(
        replace(mark, place=moved(mark.place), details={name: moved(place) for name, place in mark.details.items()})
        for mark in line.marks
    )
    return replace(line, question=said, marks=marks) if in_question else replace(line, text=said, marks=marks)


def _at(position: int, edits: Sequence[_Edit], *, end: bool) -> int:
    """Returns the offset of a character after the edits; within an edit, of its beginning or end."""
    shift = 0
    for edit in edits:
        if position >= edit.end:
            shift += len(edit.words) - (edit.end - edit.start)
        elif position > edit.start:
            return edit.start + shift + (len(edit.words) if end else 0)
    return position + shift
