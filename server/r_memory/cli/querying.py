"""`cypher`: a reading query of one's own over what is stored, confined to one space, as a table, JSON or CSV."""

import csv
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.options import AsJson, Home, Space, settings_of, text_from
from r_memory.cli.printing import counted, print_json, print_line, print_table
from r_memory.cli.running import with_memory
from r_memory.errors import InvalidInput
from r_memory.protocols import Table
from r_memory.store.gate import check_read_only

_SUFFIXES = (".cypher", ".cql")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def cypher(
    query: Annotated[
        str, typer.Argument(metavar="FILE|-|QUERY", help="A file, - for standard input, or the query itself.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100_000, help="Most rows to print.")] = 200,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV for spreadsheets, every row with its space.")
    ] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Runs a read-only Cypher query over what is stored, and shows the rows of one space.

    The first column must be the space of the row, named `space`; rows of other spaces are dropped, and $space is this
    one. What could write, load or call is refused. cypher/README.md describes the graph, `r-memory audit` has examples.

    Example: r-memory cypher "MATCH (s:Patient {space: $space}) RETURN s.space AS space, s.id AS id ORDER BY id"
    """
    if as_csv and as_json:
        raise InvalidInput("--csv and --json were both given; give one of them")
    text = _query(query)
    check_read_only(text)
    table = with_memory(settings_of(home, space), lambda memory: memory.cypher(text, limit=limit))
    if as_json:
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        print_json({"columns": list(table.columns), "rows": rows, "truncated": table.truncated})
    elif as_csv:
        _print_csv(table)
    else:
        _show(table)


def _query(given: str) -> str:
    """The query, from the one place that gives it, without a semicolon at its end."""
    text = _read(given).strip().rstrip(";").strip()
    if not text:
        raise InvalidInput("there is no query; give it as an argument, as a file, or on standard input with -")
    return text


def _read(given: str) -> str:
    if not given and sys.stdin.isatty():
        return ""
    if given in {"", "-"}:
        return text_from(None)
    return text_from(Path(given)) if _is_file(given) else given


def _is_file(given: str) -> bool:
    """Whether a file is meant: one that is there, or the name of one that is not."""
    if given.endswith(_SUFFIXES) and not any(character.isspace() for character in given):
        return True
    try:
        return Path(given).is_file()
    except (OSError, ValueError):
        # Longer than any name may be, or with a NUL: a query.
        return False


def _show(table: Table) -> None:
    if table.rows:
        # The first column is the space, the same in every row.
        print_table(table.columns[1:] or table.columns, [row[1:] or row for row in table.rows])
    more = "; there are more, see --limit" if table.truncated else ""
    print_line(f"{counted(len(table.rows), 'row')}{more}.")


def _print_csv(table: Table) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_csv_cell(value) for value in row] for row in table.rows)
    if table.truncated:
        print("r-memory: there are more rows, see --limit", file=sys.stderr)


def _csv_cell(value: object) -> object:
    """A text that no spreadsheet computes and no terminal obeys; lists and maps as JSON."""
    if isinstance(value, list | tuple | dict):
        return json.dumps(value)
    if not isinstance(value, str):
        return value
    shown = "".join(character if character.isprintable() or character == "\n" else " " for character in value)
    return f"'{shown}" if value.startswith(_FORMULA) else shown
