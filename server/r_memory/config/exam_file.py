"""Reads the exam of a domain: `schema/exam/DOMAIN.jsonl`, one line an utterance; and keeps the runs in the data folder.

What a line expects is held against the schema when it is read.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from r_memory.config.files import Files, write_whole
from r_memory.domain.exams import ExamLine, ExamRun, Expected
from r_memory.domain.facts import Status
from r_memory.domain.schema import Schema
from r_memory.errors import ConfigurationError, InvalidInput

RUNS = "exams.jsonl"
"""Name of the file in the data folder."""
_RUN = TypeAdapter(ExamRun)


class _Fact(BaseModel):
    model_config = ConfigDict(extra="forbid")

    relation: str
    object: str
    status: Literal["active", "unconfirmed", "negated", "refuted", "resolved"] = "active"
    attrs: dict[str, str | int | float | bool] = {}


class _ExamTurn(BaseModel):
    model_config = ConfigDict(extra="ignore")

    speaker: str = ""
    text: str


class _ExamLine(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    kind: str
    text: str
    speaker: str = ""
    role: Literal["user", "assistant", "document"] = "user"
    before: tuple[_ExamTurn, ...] = ()
    expect: tuple[_Fact, ...] = ()
    allow: tuple[_Fact, ...] = ()


def exam_of(domain: str) -> str:
    """Returns the path of a domain's exam, below the home."""
    return f"schema/exam/{domain}.jsonl"


def has_exam(files: Files, domain: str) -> bool:
    """Whether the domain has an exam."""
    return files.find(exam_of(domain)) is not None


def load_exam(files: Files, schema: Schema) -> tuple[ExamLine, ...]:
    """Returns the lines of the schema's exam; empty if it has none.

    Raises:
        ConfigurationError: a line has the wrong form, or expects what the schema does not have.
    """
    if not has_exam(files, schema.name):
        return ()
    source = files.read(exam_of(schema.name))
    lines: list[ExamLine] = []
    for number, text in enumerate(source.text.splitlines(), start=1):
        if not text.strip():
            continue
        try:
            line = _line(_ExamLine.model_validate_json(text), schema)
        except ValidationError as error:
            mistake = error.errors(include_input=False, include_url=False, include_context=False)[0]
            problem = f"{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}; mend the line"
            raise ConfigurationError(problem, file=source.path, line=number) from None
        except InvalidInput as error:
            raise ConfigurationError(str(error), file=source.path, line=number) from None
        if any(line.id == other.id for other in lines):
            raise ConfigurationError(f"the id '{line.id}' comes twice; give another", file=source.path, line=number)
        lines.append(line)
    return tuple(lines)


def _line(given: _ExamLine, schema: Schema) -> ExamLine:
    return ExamLine(
        id=given.id,
        kind=given.kind,
        text=given.text,
        speaker=given.speaker,
        role=given.role,
        before=tuple((turn.speaker, turn.text) for turn in given.before),
        expect=tuple(_expected(fact, schema) for fact in given.expect),
        allow=tuple(_expected(fact, schema) for fact in given.allow),
    )


def _expected(given: _Fact, schema: Schema) -> Expected:
    relation = schema.relation(given.relation)
    if unknown := sorted(set(given.attrs) - set(relation.attrs)):
        raise InvalidInput(f"{relation.name} has no attribute {', '.join(unknown)}; known: {', '.join(relation.attrs)}")
    return Expected(relation=given.relation, object=given.object, status=Status(given.status), attrs=given.attrs)


class ExamRuns:
    """The exam runs of this machine, in one file of the data folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / RUNS

    def all(self) -> tuple[ExamRun, ...]:
        """Returns every run, in order.

        Raises:
            ConfigurationError: the file cannot be read.
        """
        return tuple(self._read())

    def add(self, run: ExamRun) -> None:
        """Appends a run, completely or not at all.

        Raises:
            ConfigurationError: the file cannot be written; earlier runs stay.
        """
        kept = [*self.all(), run]
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file, "".join(f"{json.dumps(asdict(each))}\n" for each in kept))
        except OSError as error:
            problem = f"the result cannot be kept ({error.strerror}); make the folder writable and run the exam again"
            raise ConfigurationError(problem, file=self._file) from error

    def _read(self) -> Iterator[ExamRun]:
        try:
            lines = self._file.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError) as error:
            problem = "cannot be read; mend or remove it, and run `r-memory exam` again"
            raise ConfigurationError(problem, file=self._file) from error
        for number, line in enumerate(lines, start=1):
            try:
                data: Mapping[str, Any] = json.loads(line)
                yield _RUN.validate_python(data)
            except (ValueError, ValidationError):
                problem = "is no result of an exam; remove the line, and run `r-memory exam` again"
                raise ConfigurationError(problem, file=self._file, line=number) from None
