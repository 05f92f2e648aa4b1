"""`verify` and `rebuild`: whether the ledger is whole and the present state follows from it, and making it follow."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import chain
from typing import TypeVar

import typer

from r_memory.cli.app import Exit
from r_memory.cli.options import AsJson, Home, Space, Subject, settings_of
from r_memory.cli.printing import counted, print_json, print_line, print_table, progress
from r_memory.cli.running import with_memory
from r_memory.domain.facts import Entity
from r_memory.memory import Memory
from r_memory.space.integrity import Verification

Part = TypeVar("Part")


def verify(subject: Subject = "", home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Recomputes every hash chain and every state, and reports differences.

    Without --subject, of everybody. Exit code 1 means that something differs.
    """
    parts = with_memory(
        settings_of(home, space),
        lambda memory: _each(memory, subject, "verifying", lambda about: memory.verify(subject=about)),
        in_bulk=True,
    )
    found = _sum(parts)
    if as_json:
        print_json(_shape(found))
    else:
        _show(found)
    if not found.whole:
        raise typer.Exit(Exit.CHECK_FAILED)


def rebuild(subject: Subject = "", home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Recreates the present state from the ledger.

    Without --subject, of everybody. The ledger itself is never changed.
    """
    written = with_memory(
        settings_of(home, space),
        lambda memory: _each(memory, subject, "rebuilding", lambda about: memory.rebuild(subject=about)),
        in_bulk=True,
    )
    if as_json:
        print_json({"subjects": len(written), "facts": sum(written)})
    else:
        print_line(f"Present state rebuilt: {counted(sum(written), 'fact')} of {counted(len(written), 'subject')}.")


async def _each(memory: Memory, subject: str, what: str, use: Callable[[str | Entity], Awaitable[Part]]) -> list[Part]:
    """What `use` gives for the subject, or for everybody, one after the other."""
    everyone = [subject] if subject else await memory.subjects(erased=True)
    parts = []
    with progress(what, len(everyone)) as step:
        for about in everyone:
            parts.append(await use(about))
            step()
    return parts


def _sum(parts: Sequence[Verification]) -> Verification:
    return Verification(
        subjects=sum(part.subjects for part in parts),
        events=sum(part.events for part in parts),
        facts=sum(part.facts for part in parts),
        differences=tuple(chain.from_iterable(part.differences for part in parts)),
    )


def _shape(found: Verification) -> dict[str, object]:
    differences = [
        {"subject_uid": item.subject_uid, "where": item.where, "problem": item.problem} for item in found.differences
    ]
    return {
        "whole": found.whole,
        "subjects": found.subjects,
        "events": found.events,
        "facts": found.facts,
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
