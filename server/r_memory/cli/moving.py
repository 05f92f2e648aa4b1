"""`export` and `import`: all of a space as a file, and back into an empty space of the same name or another store."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.options import AsJson, Home, Space, Subject, settings_of
from r_memory.cli.printing import counted, print_json, print_line, progress
from r_memory.cli.running import with_memory
from r_memory.memory import Memory
from r_memory.space.transfer.file import header_of
from r_memory.space.transfer.importing import Imported
from r_memory.space.transfer.values import Checked, Header
from r_memory.text.inert import inert_name

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file, in JSON lines.")]


def export(file: File, subject: Subject = "", home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Writes everything of a space, or about one subject, into a file that `import` reads.

    Facts with their whole history, statements, receipts, conversations, summaries, vectors and documents, one a line.
    The file takes the place of an older one when it is whole, and only you can read it; it holds people's words.

    Example: r-memory export backup.jsonl
    """
    header = with_memory(settings_of(home, space), lambda memory: _exported(memory, file, subject), in_bulk=True)
    if as_json:
        print_json({"file": str(file), "space": header.space, "counts": dict(header.counts), "sha256": header.sha256})
    else:
        print_line(f"Written: {_listed(header.counts)}.")


def import_(
    file: File,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check the file against this space.")] = False,
    even_erased: Annotated[
        bool, typer.Option("--even-erased", help="Bring back people who were erased here; it is logged.")
    ] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Reads what `export` wrote into the space of the same name, here or in another store.

    Before anything is written all of the file is checked: that it is whole, that every chain of hashes holds, and that
    nothing here says otherwise. What is here already is not stored twice, so that the same command goes on where an
    import was killed. Whoever was erased here is left out, unless --even-erased. `r-memory verify` recomputes
    everything afterwards.

    Example: r-memory import backup.jsonl
    """
    settings = settings_of(home, space)
    header = header_of(file)
    if dry_run:
        with_memory(settings, lambda memory: _checked(memory, file, header, even_erased), in_bulk=True)
        _show(header, None, as_json=as_json)
    else:
        done = with_memory(settings, lambda memory: _imported(memory, file, header, even_erased), in_bulk=True)
        _show(header, done, as_json=as_json)


# The command's name is a word of the language.
globals()["import"] = import_


async def _exported(memory: Memory, file: Path, subject: str) -> Header:
    people = await memory.space.to_export(subject)
    with progress("exporting", len(people)) as step:
        return await memory.space.export(file, subject=subject, step=step)


async def _checked(memory: Memory, file: Path, header: Header, even_erased: bool) -> Checked:
    with progress("checking", sum(header.counts.values())) as step:
        return await memory.space.check_import(file, even_erased=even_erased, step=step)


async def _imported(memory: Memory, file: Path, header: Header, even_erased: bool) -> Imported:
    with progress("checking, importing", 2 * sum(header.counts.values())) as step:
        return await memory.space.import_(file, even_erased=even_erased, step=step)


def _show(header: Header, done: Imported | None, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "space": header.space,
                "lines": sum(header.counts.values()),
                "added": {} if done is None else dict(done.added),
                "known": 0 if done is None else done.known,
                "left_out": 0 if done is None else done.left_out,
                "dry_run": done is None,
            }
        )
    elif done is None:
        print_line(f"It can be imported: {_listed(header.counts)}. Nothing was written (--dry-run).")
    else:
        known = f"; {counted(done.known, 'line')} known already" if done.known else ""
        if done.left_out:
            print_line(f"LEFT OUT: {counted(done.left_out, 'line')} about people who were erased here (--even-erased).")
        print_line(f"Imported into '{inert_name(header.space)}': {_listed(done.added)}{known}.")


def _listed(counts: Mapping[str, int]) -> str:
    listed = [counted(number, kind) for kind, number in counts.items() if number]
    return ", ".join(listed).replace("summarys", "summaries") or "nothing new"
