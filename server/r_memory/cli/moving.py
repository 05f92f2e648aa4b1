"""`export` and `import`: all of a space as a file, and back into an empty space of the same name or another store."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.answers import Answer, on_settings
from r_memory.cli.options import Subject
from r_memory.cli.printing import counted, progress
from r_memory.cli.running import on_memory, with_memory
from r_memory.config.settings import Settings
from r_memory.memory import Memory
from r_memory.space.file import Header, header_of
from r_memory.space.moving import Imported
from r_memory.text.inert import inert_name

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file, in JSON lines.")]


@on_memory(in_bulk=True)
async def export(memory: Memory, file: File, subject: Subject = "") -> Answer:
    """Writes everything of a space, or about one subject, into a file that `import` reads.

    Facts with their whole history, statements, receipts, conversations, summaries, vectors and documents, one a line.
    The file takes the place of an older one when it is whole, and only you can read it; it holds people's words.

    Example: r-memory export backup.jsonl
    """
    people = await memory.space.to_export(subject)
    with progress("exporting", len(people)) as step:
        header = await memory.space.export(file, subject=subject, step=step)
    return Answer(
        data={"file": file, "space": header.space, "counts": header.counts, "sha256": header.sha256},
        shown=[f"Written: {_listed(header.counts)}."],
    )


@on_settings
def import_(
    settings: Settings,
    file: File,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check the file against this space.")] = False,
    even_erased: Annotated[
        bool, typer.Option("--even-erased", help="Bring back people who were erased here; it is logged.")
    ] = False,
) -> Answer:
    """Reads what `export` wrote into the space of the same name, here or in another store.

    Before anything is written all of the file is checked: that it is whole, that every chain of hashes holds, and that
    nothing here says otherwise. What is here already is not stored twice, so that the same command goes on where an
    import was killed. Whoever was erased here is left out, unless --even-erased. `r-memory verify` recomputes
    everything afterwards.

    Example: r-memory import backup.jsonl
    """
    header = header_of(file)
    lines = sum(header.counts.values())

    async def imported(memory: Memory) -> Imported | None:
        with progress("checking" if dry_run else "checking, importing", lines if dry_run else 2 * lines) as step:
            if not dry_run:
                return await memory.space.import_(file, even_erased=even_erased, step=step)
            await memory.space.check_import(file, even_erased=even_erased, step=step)
            return None

    done = with_memory(settings, imported, in_bulk=True)
    added, known, left_out = (done.added, done.known, done.left_out) if done else ({}, 0, 0)
    data = {"space": header.space, "lines": lines, "added": added, "known": known, "left_out": left_out}
    return Answer(data={**data, "dry_run": dry_run}, shown=_shown(header, done))


# The command's name is a word of the language.
globals()["import"] = import_


def _shown(header: Header, done: Imported | None) -> Iterator[str]:
    if done is None:
        yield f"It can be imported: {_listed(header.counts)}. Nothing was written (--dry-run)."
        return
    if done.left_out:
        yield f"LEFT OUT: {counted(done.left_out, 'line')} about people who were erased here (--even-erased)."
    known = f"; {counted(done.known, 'line')} known already" if done.known else ""
    yield f"Imported into '{inert_name(header.space)}': {_listed(done.added)}{known}."


def _listed(counts: Mapping[str, int]) -> str:
    listed = [counted(number, kind) for kind, number in counts.items() if number]
    return ", ".join(listed).replace("summarys", "summaries") or "nothing new"
