"""Lines of the corpus as values, with every span found; and what is wrong with those that cannot be read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import override

from r_memory.domain.facts import Status
from r_memory.reading.taught.claims import Person, Place
from r_memory_lab.teaching.domains import DOMAINS, NOTHING, Domain

_KEYS = frozenset({"q", "by", "t", "m"})
_FIXED = frozenset({"s", "r", "st", "who", "n", "in"})


class UnreadableLine(Exception):
    """The line does not follow the guide; the message says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusMark:
    """One mention and what it states."""

    place: Place
    words: str
    relation: str
    """Relation of the schema, or `NONE`."""
    status: Status | None
    """`None` only with `NONE`."""
    person: Person
    details: Mapping[str, Place] = field(default_factory=dict)
    """Attributes that are words of the line."""
    classes: Mapping[str, str] = field(default_factory=dict)
    """Attributes with closed values."""

    @property
    def states(self) -> bool:
        """Whether it states something."""
        return self.relation != NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusLine:
    """One labelled utterance."""

    domain: str
    file: str
    """`clinical/plain-1`"""
    number: int
    question: str
    speaker: str
    text: str
    marks: tuple[CorpusMark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineProblem:
    """A line that cannot be used for training."""

    file: str
    number: int
    message: str

    @override
    def __str__(self) -> str:
        return f"{self.file}:{self.number}: {self.message}"


def files_of(corpus: Path) -> tuple[Path, ...]:
    """Returns the files of the corpus, by domain and name."""
    return tuple(file for name in DOMAINS for file in sorted((corpus / name).glob("*.jsonl")))


def read_file(file: Path) -> tuple[tuple[CorpusLine, ...], tuple[LineProblem, ...]]:
    """Returns every readable line, and the problems of the others."""
    domain = DOMAINS[file.parent.name]
    name = f"{domain.name}/{file.stem}"
    lines, problems = [], []
    for number, raw in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            lines.append(read_line(raw, domain, name, number))
        except UnreadableLine as error:
            problems.append(LineProblem(file=name, number=number, message=str(error)))
    return tuple(lines), tuple(problems)


def read_line(raw: str, domain: Domain, file: str, number: int) -> CorpusLine:
    """Returns the line as a value.

    Raises:
        UnreadableLine: the line does not follow the guide; the message says how.
    """
    try:
        data = json.loads(raw)
    except ValueError as error:
        raise UnreadableLine(f"no JSON: {error}") from error
    if not isinstance(data, dict) or not data.keys() >= {"by", "t", "m"} or not data.keys() <= _KEYS:
        raise UnreadableLine("the keys are q, by, t and m; only q may be left out")
    question, text = data.get("q", ""), data["t"]
    if not isinstance(question, str) or not isinstance(text, str) or not text.strip():
        raise UnreadableLine("q and t are text, and t is not empty")
    _one_of("by", data["by"], domain.speakers)
    if not isinstance(data["m"], list) or not all(isinstance(mention, dict) for mention in data["m"]):
        raise UnreadableLine("m is a list of objects")
    marks = tuple(_mark(mention, domain, question, text) for mention in data["m"])
    _once(marks)
    return CorpusLine(
        domain=domain.name, file=file, number=number, question=question, speaker=data["by"], text=text, marks=marks
    )


def _one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise UnreadableLine(f"{name} is {value!r}; allowed: {', '.join(item for item in allowed if item)}")


def _once(marks: Sequence[CorpusMark]) -> None:
    seen = {(mark.place, mark.relation, mark.person, *sorted(mark.classes.items())) for mark in marks}
    if len(seen) < len(marks):
        raise UnreadableLine("the same mention is marked twice under one relation")


def _mark(mention: Mapping[str, object], domain: Domain, question: str, text: str) -> CorpusMark:
    unknown = mention.keys() - _FIXED - set(domain.attributes) - domain.classes.keys()
    missing = {"s", "r", "st", "who"} - mention.keys()
    if unknown or missing:
        raise UnreadableLine(f"unknown or missing keys of a mention: {', '.join(sorted(unknown | missing))}")
    _one_of("r", mention["r"], (*domain.relations, NOTHING))
    states = mention["r"] != NOTHING
    _one_of("st", mention["st"], [status.value for status in Status if status != Status.ENTERED_IN_ERROR] if states
            else ["none"])  # fmt: skip
    _one_of("who", mention["who"], tuple(domain.persons))
    _one_of("in", mention.get("in", "q"), ("q",))
    for name, allowed in domain.classes.items():
        _one_of(name, mention.get(name, ""), allowed)
    place = _thing(mention, question, text)
    return CorpusMark(
        place=place,
        words=str(mention["s"]),
        relation=domain.relations[str(mention["r"])] if states else NOTHING,
        status=Status(str(mention["st"])) if states else None,
        person=domain.persons[str(mention["who"])],
        details={name: _detail(name, mention[name], place, question, text) for name in domain.attributes
                 if name in mention},
        classes={name: str(mention[name]) for name in domain.classes if name in mention},
    )  # fmt: skip


def _thing(mention: Mapping[str, object], question: str, text: str) -> Place:
    words, number = mention["s"], mention.get("n", 1)
    if not isinstance(words, str) or not words.strip() or words != words.strip():
        raise UnreadableLine("s is text without spaces around it")
    if not isinstance(number, int) or number < 1:
        raise UnreadableLine("n counts from 1")
    in_question = "in" in mention
    where = question if in_question else text
    found = _occurrences(words, where)
    whole = [at for at in found if _is_whole(where, at, at + len(words))]
    if len(whole) >= number:
        found = whole
    if len(found) < number:
        raise UnreadableLine(f"{words!r} stands {len(found)} times in {'q' if in_question else 't'}, n is {number}")
    start = found[number - 1]
    return Place(start=start, end=start + len(words), in_question=in_question)


def _detail(name: str, words: object, thing: Place, question: str, text: str) -> Place:
    """Returns the place of an attribute's words: in the text, else in the question, and nearest to the thing."""
    if not isinstance(words, str) or not words.strip():
        raise UnreadableLine(f"{name} is text")
    for in_question, where in ((False, text), (True, question)):
        found = _occurrences(words, where)
        whole = [at for at in found if _is_whole(where, at, at + len(words))]
        if found:
            start = min(whole or found, key=lambda at: max(at - thing.end, thing.start - at - len(words)))
            return Place(start=start, end=start + len(words), in_question=in_question)
    raise UnreadableLine(f"{name} {words!r} stands neither in t nor in q")


def _occurrences(words: str, text: str) -> list[int]:
    found = []
    at = text.find(words)
    while at >= 0:
        found.append(at)
        at = text.find(words, at + 1)
    return found


def _is_whole(text: str, start: int, end: int) -> bool:
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return not before and not after
