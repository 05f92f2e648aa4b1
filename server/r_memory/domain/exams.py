"""Exams of language models: the lines, a model's answers, its marks, and whether its reading counts.

Pure; it calls no model and opens no file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from r_memory.domain.facts import Attributes, Status
from r_memory.domain.instants import Instant

LEAST_LINES = 100
"""Minimum number of lines: with fewer, single lines decide."""
RISKS_KEPT, UNSTATED = 0.95, 0.01
"""Minimum share of risks kept, and maximum share of unstated facts among all facts that the model gives."""
PERSON = "person"
"""Kind of lines that speak about another person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A fact that a line states, or that a reader may state."""

    relation: str
    object: str
    status: Status
    attrs: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamLine:
    """One utterance, and the facts that a person reads in it."""

    id: str
    kind: str
    """The difficulty: `risk`, `negation`, `person`, `time`, `question`, `order`, `none`."""
    text: str
    speaker: str = ""
    role: Literal["user", "assistant", "document"] = "user"
    before: tuple[tuple[str, str], ...] = ()
    """Earlier turns: speaker and words."""
    expect: tuple[Expected, ...] = ()
    allow: tuple[Expected, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Examinee:
    """The examined model; another model, address, schema or prompt is another examinee."""

    model: str
    address: str
    """Digest of the server's address."""
    schema: str
    schema_version: str
    prompt: str
    """Digest of the prompt with the schema in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineMark:
    """The mark of one line."""

    id: str
    kind: str
    risks: int = 0
    kept: int = 0
    """Number of its risks that were kept."""
    stated: int = 0
    """Number of facts that the model gave."""
    unstated: int = 0
    """Number of these that the line does not state."""
    false_absences: int = 0
    wrong_person: int = 0
    malformed: bool = False
    """Whether the answer was no list of facts."""
    seconds: float = 0.0
    tokens: int = 0
    """Estimated tokens of question and answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Sums over lines."""

    lines: int = 0
    risks: int = 0
    kept: int = 0
    stated: int = 0
    unstated: int = 0
    false_absences: int = 0
    wrong_person: int = 0
    malformed: int = 0
    seconds: float = 0.0
    tokens: int = 0

    @classmethod
    def of(cls, lines: Sequence[LineMark]) -> "Marks":
        """Sums over lines."""
        names = [each.name for each in fields(cls) if each.name not in {"lines", "seconds"}]
        sums = {name: sum(int(getattr(line, name)) for line in lines) for name in names}
        return cls(lines=len(lines), seconds=round(sum(line.seconds for line in lines), 1), **sums)

    @property
    def failings(self) -> tuple[str, ...]:
        """Reasons why the exam is not passed, each in a few words; empty if it is passed."""
        kept = self.kept / self.risks if self.risks else 0.0
        unstated = self.unstated / self.stated if self.stated else 0.0
        marks = {
            f"only {self.lines} lines, {LEAST_LINES} are needed": self.lines < LEAST_LINES,
            f"{kept:.1%} of {self.risks} risks kept, {RISKS_KEPT:.0%} are needed": kept < RISKS_KEPT,
            f"{unstated:.1%} of {self.stated} facts stated by nobody, {UNSTATED:.0%} are allowed": unstated > UNSTATED,
            f"{self.false_absences} false absences, none is allowed": self.false_absences > 0,
            f"{self.wrong_person} facts of the wrong person, none is allowed": self.wrong_person > 0,
        }
        return tuple(text for text, holds in marks.items() if holds)

    @property
    def passed(self) -> bool:
        """Whether the model's reading may count."""
        return not self.failings


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamRun:
    """A finished exam."""

    at: Instant
    examinee: Examinee
    marks: Marks
    kinds: Mapping[str, Marks] = field(default_factory=dict)
    """Sums for the lines of each kind."""


State = Literal["counts", "heard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStanding:
    """Whether the reading of the configured model counts, and why."""

    examinee: Examinee
    state: State
    why: str
    """The reason; it ends with what to do if there is a remedy."""
    run: ExamRun | None = None
    """The deciding exam."""

    @property
    def model(self) -> str:
        """The model's name."""
        return self.examinee.model

    @property
    def counts(self) -> bool:
        """Whether risks are stored as the model reads them, beside the local reader."""
        return self.state == "counts"


def standing(examinee: Examinee, runs: Iterable[ExamRun], *, wanted: bool = True, lines: bool = True) -> ModelStanding:
    """Whether the model counts: the last exam of the same model, address, schema and prompt decides.

    `wanted`: the settings allow it. `lines`: the domain has exam lines.
    """
    own = [run for run in runs if run.examinee == examinee]
    last = max(own, key=lambda run: run.at, default=None)

    def result(state: State, why: str) -> ModelStanding:
        return ModelStanding(examinee=examinee, state=state, why=why, run=last)

    if not wanted:
        return result("heard", "the setting model_reading says that it is only heard")
    if not lines:
        return result("heard", f"the schema {examinee.schema} has no exam lines, so no model can pass")
    if last is None:
        return result("heard", "it was not examined with this address, schema and prompt; run `r-memory exam`")
    if not last.marks.passed:
        return result("heard", f"it failed the exam: {'; '.join(last.marks.failings)}")
    return result("counts", "it passed the exam")
