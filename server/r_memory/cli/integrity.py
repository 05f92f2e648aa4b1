"""`verify` and `rebuild`: whether the ledger is whole and the present state follows from it, and making it follow."""

import typer

from r_memory.cli.app import Exit
from r_memory.cli.options import AsJson, Home, Space, Subject, settings_of
from r_memory.cli.printing import counted, print_json, print_line, print_table, progress
from r_memory.cli.running import with_memory
from r_memory.errors import LedgerBroken
from r_memory.memory import Memory
from r_memory.space.integrity import Verification


def verify(subject: Subject = "", home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Recomputes every log, every hash chain and every state, and reports differences.

    Without --subject, of everybody, and that nobody is missing. Exit code 1 means that something differs.
    """
    found = with_memory(settings_of(home, space), lambda memory: _verified(memory, subject), in_bulk=True)
    if as_json:
        print_json(_shape(found))
    else:
        _show(found)
    if not found.whole:
        raise typer.Exit(Exit.CHECK_FAILED)


def rebuild(subject: Subject = "", home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Recreates the present state from the ledger.

    Without --subject, of everybody. The ledger itself is never changed. A subject whose chain does not hold is left
    as it is, for what follows from altered events could hide a risk; exit code 1 says that there is one.
    """
    written, refused = with_memory(settings_of(home, space), lambda memory: _rebuilt(memory, subject), in_bulk=True)
    if as_json:
        print_json({"subjects": len(written), "facts": sum(written), "refused": [str(error) for error in refused]})
    else:
        for error in refused:
            print_line(f"NOT REBUILT: {error}.")
        print_line(f"Present state rebuilt: {counted(sum(written), 'fact')} of {counted(len(written), 'subject')}.")
    if refused:
        raise typer.Exit(Exit.CHECK_FAILED)


async def _verified(memory: Memory, subject: str) -> Verification:
    everyone = [subject] if subject else await memory.subjects(erased=True)
    with progress("verifying", len(everyone)) as step:
        return await memory.space.verify(subject=subject, step=step)


async def _rebuilt(memory: Memory, subject: str) -> tuple[list[int], list[LedgerBroken]]:
    """Facts of each subject, and why some are left as they are."""
    everyone = [subject] if subject else await memory.subjects(erased=True)
    written, refused = [], []
    with progress("rebuilding", len(everyone)) as step:
        for about in everyone:
            try:
                written.append(await memory.rebuild(subject=about))
            except LedgerBroken as error:
                refused.append(error)
            step()
    return written, refused


def _shape(found: Verification) -> dict[str, object]:
    differences = [
        {"subject_uid": item.subject_uid, "where": item.where, "problem": item.problem} for item in found.differences
    ]
    return {
        "whole": found.whole,
        "subjects": found.subjects,
        "events": found.events,
        "facts": found.facts,
        "records": found.records,
        "differences": differences,
    }


def _show(found: Verification) -> None:
    looked_at = ", ".join(
        [counted(found.subjects, "subject"), counted(found.events, "event"), counted(found.facts, "fact")]
    )
    if found.whole:
        print_line(f"{looked_at}: every chain and every state is whole.")
        return
    print_table(
        ("Subject", "Where", "Problem"), [(item.subject_uid, item.where, item.problem) for item in found.differences]
    )
    print_line(f"{looked_at}: {counted(len(found.differences), 'difference')}.")
