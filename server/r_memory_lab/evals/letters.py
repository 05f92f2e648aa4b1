"""Suite `letters`: whole documents, each read as `ingest` reads it, and the facts that are recorded afterwards.

A file is YAML (`evals/sets/letters`): `letters`, each with `id`, `schema`, `text`, the `facts` that must be recorded
and those that `may` be. A fact is one line: RELATION, a form of the object (a regular expression, any case), a status
(`active` by default) and forms of attributes (`dose=2\\.5`). Every other fact that is recorded is false.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from r_memory.config.files import Source
from r_memory.config.yaml_lines import FileModel, load, parsed
from r_memory.documents.plain import read_text as read_document
from r_memory.domain.documents import Progress
from r_memory.domain.facts import Fact, Status
from r_memory.memory import Memory
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.play import memory_of
from r_memory_lab.evals.rows import DataRow, checked, read_text

_STATUSES = tuple(status.value for status in Status)
_EVERY = tuple(status for status in _STATUSES if status != Status.ENTERED_IN_ERROR)
_LINE = re.compile(rf"(?P<relation>\S+) (?P<object>.+?)(?: (?P<status>{'|'.join(_STATUSES)}))?(?P<attrs>(?: \w+=\S+)*)")

Found = Literal["right", "doubted", "waits", "silent"]


class Letter(BaseModel):
    """One document and what it states."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    id: str
    schema_name: str = Field(alias="schema")
    text: str
    subject: str = "Subject"
    """Name of whom it is about."""
    facts: list[str]
    may: list[str] = []


class LetterFile(FileModel):
    """One file."""

    letters: list[Letter] = Field(min_length=1)


class LetterRow(DataRow):
    """One document of a file."""

    letter: Letter


class Wrong(BaseModel):
    """A recorded fact that the document does not state."""

    fact: str
    critical: bool
    active: bool


class ReadLetter(DataRow):
    """What was recorded of one document."""

    found: dict[str, Found]
    """By expected fact."""
    recorded: int
    wrong: list[Wrong]
    waits: int
    """Sentences that wait, as `ingest` counts them."""
    reviewed: int
    """Sentences that wait, as `review` lists them."""
    longest: int
    """Characters of the longest sentence that waits."""


@dataclass(frozen=True, slots=True)
class _Expected:
    """A line of gold, in parts."""

    relation: str
    object: str
    status: str
    attrs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, line: str) -> "_Expected":
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"no fact: {line}")
        attrs = tuple((name, form) for name, _, form in (each.partition("=") for each in match["attrs"].split()))
        return cls(match["relation"], match["object"].removeprefix("(?i)"), match["status"] or "active", attrs)

    def names(self, fact: Fact) -> bool:
        """Whether relation, object and attributes are the expected ones, whatever the status."""
        held = [str(fact.attrs.get(name, fact.object.name)) for name, _ in self.attrs]
        return (
            re.fullmatch(self.relation, fact.relation) is not None
            and re.search(self.object, f"{fact.object.name}\n{fact.evidence}", re.IGNORECASE) is not None
            and all(re.search(form, value, re.IGNORECASE) for (_, form), value in zip(self.attrs, held, strict=True))
        )

    def allows(self, fact: Fact) -> bool:
        """Whether the fact may stand beside this expected fact: its status is the same, or more careful."""
        bare = _Expected(self.relation, self.object, self.status, ())
        return bare.names(fact) and fact.status.value in {self.status, Status.UNCONFIRMED.value}


def rows(path: Path) -> tuple[LetterRow, ...]:
    """Returns the documents of a file.

    Raises:
        InvalidInput: the file is missing or empty.
        ConfigurationError: it has another form; names line and remedy.
    """
    told = parsed(load(Source(path=path, content=read_text(path).encode())), LetterFile)
    return checked(tuple(LetterRow(id=each.id, letter=each) for each in told.letters), path)


async def run(
    memory: Memory,
    letters: Sequence[LetterRow],
    done: Callable[[], None],
    *,
    opened: Callable[[str], AbstractAsyncContextManager[Memory]],
) -> tuple[ReadLetter, ...]:
    """Reads each document into its own space; `opened` opens a memory of a schema."""
    read: dict[str, ReadLetter] = {}
    for schema in dict.fromkeys(row.letter.schema_name for row in letters):
        async with memory_of(memory, schema, opened) as whole:
            for row in (item for item in letters if item.letter.schema_name == schema):
                read[row.id] = await _read(whole.in_space(f"letter-{row.id}"), row.letter)
                done()
    return tuple(read[row.id] for row in letters)


async def _read(memory: Memory, letter: Letter) -> ReadLetter:
    steps: list[Progress] = [
        step
        async for step in memory.ingest(
            f"{letter.id}.txt",
            read_document(letter.text),
            subject="S1",
            subject_name=letter.subject,
            same_person=True,
        )
    ]
    page = await memory.list_facts(subject="S1", statuses=_EVERY)
    review = await memory.review(subject="S1")
    waiting = [item.episode.text for item in review.items if item.fact is None and item.episode is not None]
    pieces = [text for item in review.items if item.episode is not None for text in item.episode.review]
    must = {line: _Expected.of(line) for line in letter.facts}
    may = [*must.values(), *map(_Expected.of, letter.may)]
    relations = memory.schema.relations
    wrong = [
        Wrong(
            fact=f"{fact.relation} {fact.object.name} {fact.status.value}",
            critical=relations[fact.relation].critical,
            active=fact.status is Status.ACTIVE,
        )
        for fact in page.facts
        if not any(each.allows(fact) for each in may)
    ]
    return ReadLetter(
        id=letter.id,
        found={line: _found(each, page.facts, waiting) for line, each in must.items()},
        recorded=len(page.facts),
        wrong=wrong,
        waits=steps[-1].facts.waits,
        reviewed=len(pieces),
        longest=max(map(len, pieces), default=0),
    )


def _found(expected: _Expected, facts: Sequence[Fact], waiting: Sequence[str]) -> Found:
    held = {fact.status.value for fact in facts if expected.names(fact)}
    if expected.status in held:
        return "right"
    if Status.UNCONFIRMED.value in held:
        return "doubted"
    waits = any(re.search(expected.object, text, re.IGNORECASE) for text in waiting)
    if expected.status == Status.NEGATED and waits:
        return "right"  # no document takes a risk away: what it denies waits for a person (Z22)
    return "waits" if waits else "silent"


def outcome(letters: Sequence[LetterRow], read: Sequence[ReadLetter]) -> CaseOutcome:
    """Returns recall, precision, false critical facts and what waits, for all documents and by domain."""
    domains = dict.fromkeys(row.letter.schema_name for row in letters)
    named = [(row.letter.schema_name, letter) for row, letter in zip(letters, read, strict=True)]
    return CaseOutcome(
        figures=_figures([item for _, item in named]),
        groups={domain: _figures([item for of, item in named if of == domain]) for domain in domains},
        details={
            "not recorded": [
                f"{item.id}: {line} {how}" for _, item in named for line, how in item.found.items() if how != "right"
            ],
            "false": [f"{item.id}: {wrong.fact}" for _, item in named for wrong in item.wrong],
        },
    )


def _figures(read: Sequence[ReadLetter]) -> tuple[Figure, ...]:
    found = [how for letter in read for how in letter.found.values()]
    wrong = [wrong for letter in read for wrong in letter.wrong]
    recorded = sum(letter.recorded for letter in read)
    return (
        share("recall: recorded as stated", found.count("right"), len(found)),
        share("recall with doubt", found.count("right") + found.count("doubted"), len(found)),
        count("neither recorded nor waiting", found.count("silent"), len(found)),
        share("precision: recorded facts that are stated", recorded - len(wrong), recorded),
        count("false facts that are active", sum(item.active for item in wrong), recorded),
        count(
            "false critical facts that are active",
            sum(item.active and item.critical for item in wrong),
            recorded,
            aim="0",
        ),
        count(
            "documents whose counts of what waits differ",
            sum(letter.waits != letter.reviewed for letter in read),
            len(read),
            aim="0",
        ),
        count(
            "characters of the longest sentence that waits",
            max((letter.longest for letter in read), default=0),
            len(read),
        ),
    )
