"""`forget`: erasing a person on a legal request, the one operation that deletes; it asks, and it is logged."""

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from r_memory.cli.answers import Answer, on_settings
from r_memory.cli.printing import Grid, counted
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.changes import check_authority
from r_memory.errors import InvalidInput
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


@on_settings
def forget(
    settings: Settings,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="The id of whom to erase; a name is refused.")],
    reason: Annotated[
        str,
        typer.Option("--reason", metavar="WHY", help="Why, for the log, such as the request's number; no names."),
    ] = "",
    actor: Annotated[str, typer.Option("--actor", metavar="WHO", help="Who orders it, for the log.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be erased.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for the id again.")] = False,
) -> Answer:
    """Erases a person for good on a legal request; what stays is a logged trace without words.

    Words, evidence, names, facts, conversations, vectors, documents and summaries go. A chain of hashes under a made-up
    id stays, which `verify` still checks, with who erased, why and how much. What was recorded about others stays.
    There is no way back; an export made before still holds the person, and so does the database's own backup.

    Example: r-memory forget JD001 --reason "erasure request 2026-17" --actor "Dr Ada"
    """
    if not dry_run:
        check_authority(actor=actor, reason=reason)
    if dry_run or not yes:
        about, traces = with_memory(settings, lambda memory: memory.space.to_erase(subject))
        counts = asdict(traces)
        if dry_run:
            rows = [(_NAMES[name], number) for name, number in counts.items()]
            return Answer(
                data={"subject": about.id, "erased": False, "counts": counts},
                shown=[Grid(("Would be erased", "Number"), rows), "Nothing was erased (--dry-run)."],
            )
        _ask(about.id, counts)
    done = with_memory(settings, lambda memory: memory.space.forget(subject, actor=actor, reason=reason))
    gone = done.traces
    kinds = ((gone.statements, "statement"), (gone.facts, "fact"), (gone.items, "item"), (gone.documents, "document"))
    statements, facts, items, documents = (counted(number, kind) for number, kind in kinds)
    return Answer(
        data={"erased": True, "trace": done.trace.id, "event_id": done.event_id, "counts": gone},
        shown=[
            f"Erased: {statements}, {facts}, {items} of conversations, {documents}.",
            f"The log of it: r-memory history {done.event_id}",
        ],
    )


def _ask(id_: str, counts: dict[str, int]) -> None:
    """Shows what would go, and lets the id be typed.

    Raises:
        InvalidInput: something else was typed.
    """
    for name, number in counts.items():
        typer.echo(f"{number:>8}  {_NAMES[name]}", err=True)
    typer.echo(f"Erase all of this for good? Type the id of the subject ({inert_name(id_)}): ", nl=False, err=True)
    # Not `typer.prompt`, which leaves a blank on standard output.
    if sys.stdin.readline().strip() != id_:
        raise InvalidInput("nothing was erased: what was typed is not the id")
