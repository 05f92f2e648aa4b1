"""How results reach people and programs: commands out of functions that give an `Answer`, tables and text without
markup, JSON, and progress on a terminal. No memory is opened here.

What it prints of stored text is made inert first; it never colours anything that a pipe or NO_COLOR would not have.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TypeVar

import typer
from pydantic_core import to_jsonable_python
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from r_memory.cli.app import Exit
from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.domain.instants import DATE_UNKNOWN, UNDATED, Instant, iso_seconds
from r_memory.text.inert import inert

CELL_LIMIT = 400
"""Most characters of a cell."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_GAP = 2
"""Characters between two columns."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table to print."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]
    styles: Sequence[str] = ()


Part = str | Text | Padding | Grid
"""Something to print: a plain line, a styled one, one that wraps, or a table."""


def print_parts(*parts: Part) -> None:
    """Prints each part on its own lines."""
    for part in parts:
        if isinstance(part, Grid):
            print_table(part.columns, part.rows, part.styles)
        else:
            a_console().print(Text(part) if isinstance(part, str) else part, soft_wrap=not isinstance(part, Padding))


def print_json(value: object) -> None:
    """Prints one JSON document; non-ASCII is escaped, so that it cannot control a terminal."""
    print(as_json(value))


def as_json(value: object, *, ascii_only: bool = True) -> str:
    """Returns the value as JSON: models and dataclasses by field, paths as text."""
    return json.dumps(to_jsonable_python(value, fallback=dict), indent=2, ensure_ascii=ascii_only)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], styles: Sequence[str] = ()) -> None:
    """Prints a table as wide as the terminal, or 80 columns in a pipe; cells wrap, nothing is cut off.

    If the columns are too narrow for words, each row becomes a paragraph of `column: value` lines. `styles` has one
    style for each row.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    console = a_console()
    looks = (*styles, *[""] * (len(cells) - len(styles)))
    with console.capture() as captured:
        if widths := _widths(columns, cells, console.width):
            console.print(_table(columns, cells, widths, looks))
        else:
            for row, style in zip(cells, looks, strict=True):
                console.print(_paragraph(columns, row, style), "")
    # Without the blanks that fill the last column, which would be noise in a file.
    print(*(line.rstrip() for line in captured.get().splitlines()), sep="\n")


def day_of(instant: Instant, *, time: bool = False) -> str:
    """Returns a day in UTC: `19 Nov 2026`; with the time `19 Nov 2026 10:15 UTC`."""
    if instant == UNDATED:
        return DATE_UNKNOWN
    iso = iso_seconds(instant)
    year, month, day = iso[:10].split("-")
    written = f"{int(day)} {_MONTHS[int(month) - 1]} {year}"
    return f"{written} {iso[11:16]} UTC" if time else written


def counted(number: int, thing: str) -> str:
    """Returns `1 row`, `2 rows`."""
    return f"1 {thing}" if number == 1 else f"{number} {thing}s"


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """Shows a bar on standard error during the body, if that is a terminal; yields a function that advances it."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda steps=1: bar.advance(task, steps)


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Sequence[int]:
    """Returns the width of each column, at least its longest word; empty if there is no room."""
    texts = list(zip(columns, *rows, strict=True))
    longest = [max(cell_len(word) for text in column for word in (text.split() or [""])) for column in texts]
    wanted = [max(map(cell_len, column)) for column in texts]
    left = width - sum(longest) - _GAP * (len(longest) - 1)
    if left < 0:
        return ()
    given = list(longest)
    while left and (short := [place for place, want in enumerate(wanted) if given[place] < want]):
        # One character at a time for the narrowest, so that short texts stay whole and long ones share the rest.
        neediest = min(short, key=given.__getitem__)
        given[neediest] += 1
        left -= 1
    return given


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int], looks: Sequence[str]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for name, width in zip(columns, widths, strict=True):
        table.add_column(name, overflow="fold", width=width)
    for row, style in zip(rows, looks, strict=True):
        table.add_row(*map(Text, row), style=style)
    return table


def _paragraph(columns: Sequence[str], row: Sequence[str], style: str) -> Table:
    lines = Table.grid(padding=(0, _GAP, 0, 0))
    lines.add_column(style="bold")
    lines.add_column(overflow="fold", style=style)
    for name, text in zip(columns, row, strict=True):
        lines.add_row(name, Text(text))
    return lines


def a_console() -> Console:
    """Returns standard output as a console, coloured on a terminal unless disabled."""
    return Console(markup=False, emoji=False, highlight=False)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_cell, value))
    return "" if value is None else inert(str(value), CELL_LIMIT)


# --- commands out of functions ---------------------------------------------------------------------------------------


Result = TypeVar("Result")
Command = Callable[..., None]
_AS_JSON = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=AsJson)
_WHERE = (
    Parameter("home", Parameter.KEYWORD_ONLY, default=None, annotation=Home),
    Parameter("space", Parameter.KEYWORD_ONLY, default=None, annotation=Space),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a command."""

    data: object
    """JSON value for `--json`."""
    shown: Iterable[Part] = ()
    """Parts for people; evaluated only when printed."""
    code: Exit = Exit.DONE


def answering(function: Callable[..., Answer]) -> Command:
    """Returns the function as a command with `--json`, which prints its answer and exits with its code."""
    own = dict(signature(function).parameters)

    def command(**given: object) -> None:
        as_json = given["as_json"] if "as_json" in own else given.pop("as_json")
        answer = function(**given)
        if as_json:
            print_json(answer.data)
        else:
            for part in answer.shown:
                print_parts(part)
        if answer.code is not Exit.DONE:
            raise typer.Exit(answer.code)

    options = [option for name, option in own.items() if name != "as_json"]
    return _with_options(command, function, [*options, _AS_JSON])


def on_settings(function: Callable[..., Answer]) -> Command:
    """Returns a function of settings as a command, with `--home`, `--space` and `--json`."""

    def configured(*, home: Path | None, space: str | None, **given: object) -> Answer:
        return function(settings_of(home, space), **given)

    _, *own = signature(function).parameters.values()
    return answering(_with_options(configured, function, [*own, *_WHERE]))


def _with_options(
    command: Callable[..., Result], of: Callable[..., object], options: list[Parameter]
) -> Callable[..., Result]:
    """Returns the command with the function's name and help, and with these options."""
    command = wraps(of)(command)
    command.__signature__ = signature(of).replace(parameters=options)  # type: ignore[attr-defined]  # `inspect` reads it
    return command
