"""`audit`: the queries that a clinician, a lawyer or a security officer would ask, as a table or as JSON."""

from collections.abc import Mapping
from typing import Annotated

import typer

from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import counted, print_json, print_line, print_table
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.errors import UnknownName
from r_memory.protocols import Audit, Table
from r_memory.store.audits import FOLDER, load_audits


def audit(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which audit to run; left out, all are listed.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100_000, help="Most rows to print.")] = 200,
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
        _show_list(_audits(settings), as_json=as_json)
        return
    about = _audit(_audits(settings), name)
    if cypher:
        _show_query(about, as_json=as_json)
    else:
        _show_rows(about, with_memory(settings, lambda memory: memory.audit(name, limit=limit)), as_json=as_json)


def _audits(settings: Settings) -> Mapping[str, Audit]:
    """Every audit of the files that the schema can use; the store is not asked."""
    files = settings.files
    return load_audits(files.listing(FOLDER, ".cypher"), lambda path: files.read(path).text, settings.schema)


def _audit(audits: Mapping[str, Audit], name: str) -> Audit:
    if name not in audits:
        raise UnknownName("audit", name, sorted(audits))
    return audits[name]


def _show_list(audits: Mapping[str, Audit], *, as_json: bool) -> None:
    if as_json:
        print_json([{"name": audit.name, "title": audit.title} for _, audit in sorted(audits.items())])
    else:
        print_table(("Audit", "What it shows"), [(audit.name, audit.title) for _, audit in sorted(audits.items())])


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
        # The first column is the space, the same in every row.
        print_table(table.columns[1:], [row[1:] for row in table.rows])
    more = "; there are more, see --limit" if table.truncated else ""
    print_line(f"{counted(len(table.rows), 'row')}{more}.")
