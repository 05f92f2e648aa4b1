"""`audit` and `cypher`: shipped queries and one's own over what is stored, as a table, JSON or CSV."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from rich.text import Text
from typer import Argument, Option

from r_memory.cli.options import AsJson, text_from
from r_memory.cli.printing import Answer, Grid, Part, counted, on_settings
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.errors import InvalidInput, UnknownName
from r_memory.protocols import Table
from r_memory.space.tables import as_csv_text
from r_memory.store.audits import FOLDER, load_audits
from r_memory.store.gate import check_read_only

_SUFFIXES = (".cypher", ".cql")
Limit = Annotated[int, Option("--limit", metavar="N", min=1, max=100_000, help="Most rows to print.")]


@on_settings
def audit(
    settings: Settings,
    name: Annotated[str, Argument(metavar="NAME", help="Which audit to run; left out, all are listed.")] = "",
    limit: Limit = 200,
    cypher: Annotated[bool, Option("--cypher", help="Print the query instead, to paste into Neo4j Browser.")] = False,
) -> Answer:
    """Lists the audits, or runs one.

    An audit is a read-only query of a file in cypher/audit; a file of your own in the home's cypher/audit is one too.
    """
    files = settings.files
    audits = load_audits(files.listing(FOLDER, ".cypher"), files.text, settings.schema)
    if not name:
        listed = [(each.name, each.title) for _, each in sorted(audits.items())]
        data = [{"name": each, "title": title} for each, title in listed]
        return Answer(data=data, shown=[Grid(("Audit", "What it shows"), listed)])
    if name not in audits:
        raise UnknownName("audit", name, sorted(audits))
    about = audits[name]
    known = {"name": about.name, "title": about.title}
    if cypher:
        return Answer(data={**known, "cypher": about.text}, shown=[about.text.rstrip()])
    table = with_memory(settings, lambda memory: memory.audit(name, limit=limit))
    shown = [Text(about.title, style="bold"), *_rows(table)]
    return Answer(data={**known, "rows": _named(table), "truncated": table.truncated}, shown=shown)


@on_settings
def cypher(
    settings: Settings,
    query: Annotated[
        str, Argument(metavar="FILE|-|QUERY", help="A file, - for standard input, or the query itself.")
    ] = "",
    limit: Limit = 200,
    as_csv: Annotated[bool, Option("--csv", help="Print CSV for spreadsheets, every row with its space.")] = False,
    as_json: AsJson = False,
) -> Answer:
    """Runs a read-only Cypher query over what is stored, and shows the rows of one space.

    The first column must be the space of the row, named `space`; rows of other spaces are dropped, and $space is this
    one. What could write, load or call is refused. cypher/README.md describes the graph, `r-memory audit` has examples.

    Example: r-memory cypher "MATCH (s:Patient {space: $space}) RETURN s.space AS space, s.id AS id ORDER BY id"
    """
    if as_csv and as_json:
        raise InvalidInput("--csv and --json were both given; give one of them")
    text = _read(query).strip().rstrip(";").strip()
    if not text:
        raise InvalidInput("there is no query; give it as an argument, as a file, or on standard input with -")
    check_read_only(text)
    table = with_memory(settings, lambda memory: memory.cypher(text, limit=limit))
    data = {"columns": table.columns, "rows": _named(table), "truncated": table.truncated}
    if not as_csv:
        return Answer(data=data, shown=_rows(table))
    _print_csv(table)
    return Answer(data=data)


def _named(table: Table) -> list[dict[str, object]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _rows(table: Table) -> Iterator[Part]:
    """Yields the table without its first column, the space, and then the number of rows."""
    if table.rows:
        yield Grid(table.columns[1:] or table.columns, [row[1:] or row for row in table.rows])
    more = "; there are more, see --limit" if table.truncated else ""
    yield f"{counted(len(table.rows), 'row')}{more}."


def _read(given: str) -> str:
    """Returns the query from its only source."""
    if not given and sys.stdin.isatty():
        return ""
    if given in {"", "-"}:
        return text_from(None)
    return text_from(Path(given)) if _is_file(given) else given


def _is_file(given: str) -> bool:
    """Whether a file is meant: an existing one, or a name in the form of a file."""
    if given.endswith(_SUFFIXES) and not any(character.isspace() for character in given):
        return True
    try:
        return Path(given).is_file()
    except (OSError, ValueError):
        # Longer than any name may be, or with a NUL: a query.
        return False


def _print_csv(table: Table) -> None:
    sys.stdout.write(as_csv_text(table))
    if table.truncated:
        print("r-memory: there are more rows, see --limit", file=sys.stderr)
