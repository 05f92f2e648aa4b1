"""Rows of evaluation data and of predictions: JSON lines, checked against the form that a suite needs.

A message names file, line and field, never what stood there.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from r_memory.errors import InvalidInput


class DataRow(BaseModel):
    """One line; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True)

    id: str


AnyRow = TypeVar("AnyRow", bound=DataRow)


def read_rows(path: Path, form: type[AnyRow]) -> tuple[AnyRow, ...]:
    """Returns one row for each line that is not blank.

    Raises:
        InvalidInput: the file is missing, a line has another form, or an id is repeated.
    """
    lines = read_text(path).split("\n")
    rows = tuple(_row(line, form, f"{path}:{number}") for number, line in enumerate(lines, start=1) if line.strip())
    return checked(rows, path)


def reads(file: str, form: type[AnyRow]) -> Callable[[Path], tuple[AnyRow, ...]]:
    """Returns a function that reads this file from a data folder, as `read_rows`."""

    def rows(data: Path) -> tuple[AnyRow, ...]:
        return read_rows(data / file, form)

    return rows


def read_text(path: Path) -> str:
    """Returns the text of a data file.

    Raises:
        InvalidInput: the file cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidInput(f"{path} cannot be read ({reason}); say with --data where the data lie") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8; convert it first") from error


def checked(rows: tuple[AnyRow, ...], path: Path) -> tuple[AnyRow, ...]:
    """Returns the rows unchanged.

    Raises:
        InvalidInput: there are none, or an id is repeated, so that results would be assigned to the wrong row.
    """
    if not rows:
        raise InvalidInput(f"{path} holds no rows; say with --data where the data lie")
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise InvalidInput(f"{path}: the id '{row.id[:40]}' comes twice; each row needs an id of its own")
        seen.add(row.id)
    return rows


def as_lines(rows: Iterable[DataRow]) -> str:
    """Returns one line of JSON for each row."""
    return "".join(f"{row.model_dump_json()}\n" for row in rows)


def said(error: ValidationError) -> str:
    """Returns the first mistake of a row: the field and what was expected."""
    mistake = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(map(str, mistake["loc"]))
    return f"{place}: {mistake['msg']}" if place else str(mistake["msg"])


def _row(line: str, form: type[AnyRow], place: str) -> AnyRow:
    try:
        return form.model_validate_json(line)
    except ValidationError as error:
        raise InvalidInput(f"{place}: {said(error)}; see evals/README.md for the form of each suite") from error
