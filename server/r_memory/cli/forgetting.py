"""`forget`: erasing a person on a legal request, the one operation that deletes; it asks, and it is logged."""

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import counted, print_json, print_line, print_table
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.changes import check_authority
from r_memory.domain.erasure import Traces
from r_memory.errors import InvalidInput
from r_memory.space.erasing import Erased
from r_memory.text.inert import inert_name

_NAMES = {
    "statements": "statements and requests",
    "events": "events of the ledger (what stays of them says nothing)",
    "facts": "facts",
    "receipts": "receipts (that something was shown stays)",
    "items": "turns, memories and parts of documents",
    "summaries": "summaries",
    "decisions": "decisions about turns",
    "documents": "documents",
}


def forget(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="The id of whom to erase; a name is refused.")],
    reason: Annotated[
        str,
        typer.Option("--reason", metavar="WHY", help="Why, for the log, such as the request's number; no names."),
    ] = "",
    actor: Annotated[str, typer.Option("--actor", metavar="WHO", help="Who orders it, for the log.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be erased.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for the id again.")] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Erases a person for good on a legal request; what stays is a logged trace without words.

    Words, evidence, names, facts, conversations, vectors, documents and summaries go. A chain of hashes under a made-up
    id stays, which `verify` still checks, with who erased, why and how much. What was recorded about others stays.
    There is no way back; an export made before still holds the person, and so does the database's own backup.

    Example: r-memory forget JD001 --reason "erasure request 2026-17" --actor "Dr Ada"
    """
    settings = settings_of(home, space)
    if not dry_run:
        check_authority(actor=actor, reason=reason)
    if dry_run or not yes:
        id_, traces = _counted(settings, subject)
        if dry_run:
            _show_dry(id_, traces, as_json=as_json)
            return
        _ask(id_, traces)
    done = with_memory(settings, lambda memory: memory.space.forget(subject, actor=actor, reason=reason))
    _show_done(done, as_json=as_json)


def _counted(settings: Settings, subject: str) -> tuple[str, Traces]:
    about, traces = with_memory(settings, lambda memory: memory.space.to_erase(subject))
    return about.id, traces


def _ask(id_: str, traces: Traces) -> None:
    for name, number in asdict(traces).items():
        typer.echo(f"{number:>8}  {_NAMES[name]}", err=True)
    typer.echo(f"Erase all of this for good? Type the id of the subject ({inert_name(id_)}): ", nl=False, err=True)
    # Not `typer.prompt`, which leaves a blank on standard output.
    if sys.stdin.readline().strip() != id_:
        raise InvalidInput("nothing was erased: what was typed is not the id")


def _show_dry(id_: str, traces: Traces, *, as_json: bool) -> None:
    if as_json:
        print_json({"subject": id_, "erased": False, "counts": asdict(traces)})
        return
    print_table(("Would be erased", "Number"), [(_NAMES[name], number) for name, number in asdict(traces).items()])
    print_line("Nothing was erased (--dry-run).")


def _show_done(done: Erased, *, as_json: bool) -> None:
    if as_json:
        print_json({"erased": True, "trace": done.trace.id, "event_id": done.event_id, "counts": asdict(done.traces)})
        return
    print_line(
        f"Erased: {counted(done.traces.statements, 'statement')}, {counted(done.traces.facts, 'fact')}, "
        f"{counted(done.traces.items, 'item')} of conversations, {counted(done.traces.documents, 'document')}."
    )
    print_line(f"The log of it: r-memory history {done.event_id}")
