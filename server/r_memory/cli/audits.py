"""`audit`: the queries that a clinician, a lawyer or a security officer would ask, as a table or as JSON."""

from typing import Annotated

import typer

from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import print_json, print_line, print_table
from r_memory.cli.running import with_memory
from r_memory.errors import UnknownName
from r_memory.memory import Memory
from r_memory.protocols import Audit, Table


def audit(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Which audit to run; left out, all are listed.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, max=100_000, help="Most rows to print.")] = 200,
    cypher: Annotated[
        bool, typer.Option("--cypher", help="Print the query instead, to paste into Neo4j Browser.")
    ] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Lists the audits, or runs one.

    An audit is a read-only query of a file in cypher/audit; a file of your own in the home's cypher/audit is one too.
    """
    settings = settings_of(home, space)
    if not name:
        _show_list(with_memory(settings, _audits), as_json=as_json)
    elif cypher:
        _show_query(with_memory(settings, lambda memory: _query(memory, name)), as_json=as_json)
    else:
        _show_rows(*with_memory(settings, lambda memory: _rows(memory, name, limit)), as_json=as_json)


async def _audits(memory: Memory) -> list[Audit]:
    return sorted(memory.audits().values(), key=lambda audit: audit.name)


async def _rows(memory: Memory, name: str, limit: int) -> tuple[Audit, Table]:
    table = await memory.audit(name, limit=limit)
    return memory.audits()[name], table


async def _query(memory: Memory, name: str) -> Audit:
    if name not in memory.audits():
        raise UnknownName("audit", name, sorted(memory.audits()))
    return memory.audits()[name]


def _show_list(audits: list[Audit], *, as_json: bool) -> None:
    if as_json:
        print_json([{"name": audit.name, "title": audit.title} for audit in audits])
    else:
        print_table(("Audit", "What it shows"), [(audit.name, audit.title) for audit in audits])


def _show_query(about: Audit, *, as_json: bool) -> None:
    if as_json:
        print_json({"name": about.name, "title": about.title, "cypher": about.text})
    else:
        print_line(about.text.rstrip())


def _show_rows(about: Audit, table: Table, *, as_json: bool) -> None:
    if as_json:
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        print_json({"name": about.name, "title": about.title, "rows": rows, "truncated": table.truncated})
        return
    print_line(about.title, style="bold")
    if table.rows:
        print_table(table.columns, table.rows)
    more = "; there are more, see --limit" if table.truncated else ""
    print_line(f"{len(table.rows)} rows{more}.")
