"""How results reach people and programs: tables and text without markup, JSON, and progress on a terminal.

What it prints of stored text is made inert first; it never colours anything that a pipe or NO_COLOR would not have.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from r_memory.text.inert import inert

CELL_LIMIT = 400
"""Characters of one cell."""
_GAP = 2
"""Characters between two columns."""


def print_json(value: object) -> None:
    """One JSON document; non-ASCII is escaped, so that nothing in it can steer a terminal."""
    print(json.dumps(_plain(value), indent=2))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table as wide as the terminal, or 80 columns in a pipe; cells wrap, nothing is cut off.

    Where that would leave no room for words, each row becomes a paragraph of `column: value` lines.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    console = _console()
    with console.capture() as captured:
        if _room(columns, cells, console.width):
            console.print(_table(columns, cells))
        else:
            for row in cells:
                console.print(_paragraph(columns, row), "")
    # Without the blanks that fill the last column, which would be noise in a file.
    print(*(line.rstrip() for line in captured.get().splitlines()), sep="\n")


def print_line(text: str, *, style: str = "") -> None:
    """One line (or a block of lines) as it stands: no markup, no wrapping."""
    _console().print(Text(text, style=style), soft_wrap=True)


def counted(number: int, thing: str) -> str:
    """`1 row`, `2 rows`."""
    return f"1 {thing}" if number == 1 else f"{number} {thing}s"


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on standard error while the body runs, if that is a terminal; gives what to call after each step."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _room(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether every column gets as many characters as its longest word needs."""
    longest = [
        max(len(word) for text in column for word in (text.split() or [""]))
        for column in zip(columns, *rows, strict=True)
    ]
    return sum(longest) + _GAP * (len(longest) - 1) <= width


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for name, *texts in zip(columns, *rows, strict=True):
        table.add_column(name, overflow="fold", no_wrap=not any(" " in text for text in texts))
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _paragraph(columns: Sequence[str], row: Sequence[str]) -> Table:
    lines = Table.grid(padding=(0, _GAP, 0, 0))
    for column, text in zip(columns, row, strict=True):
        lines.add_row(Text(column, style="bold"), Text(text, overflow="fold"))
    return lines


def _console() -> Console:
    return Console(markup=False, emoji=False, highlight=False)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_cell, value))
    return "" if value is None else inert(str(value), CELL_LIMIT)


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
