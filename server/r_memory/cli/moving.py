"""`export` and `import`: all of a space as a file, and back into an empty space of the same name or another store.

`forget`: erasing a person on a legal request, the one operation that deletes; it asks, and it is logged.
"""

import importlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from r_memory.cli.options import AnotherThan, Subject, SubjectName
from r_memory.cli.printing import Answer, Grid, counted, on_settings, progress
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.changes import check_authority
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.space.file import Header, header_of
from r_memory.space.moving import Imported
from r_memory.text.inert import inert_name

File = Annotated[Path, Argument(metavar="FILE", help="The file, in JSON lines.")]


@on_settings
def export(
    settings: Settings,
    file: File,
    subject: Subject = "",
    fhir: Annotated[
        bool, Option("--fhir", help="Write the facts about --subject as a FHIR R4 Bundle instead.")
    ] = False,
    table: Annotated[bool, Option("--csv", help="Write the facts as a table instead.")] = False,
    cypher: Annotated[bool, Option("--cypher", help="Write the facts as statements of Cypher instead.")] = False,
) -> Answer:
    """Writes everything of a space, or about one subject, into a file that `import` reads.

    Facts with their whole history, statements, receipts, conversations, summaries, vectors and documents, one a line.
    The file takes the place of an older one when it is whole, and only you can read it; it holds people's words.

    With --fhir only facts go out, each with the words that it came from: what is unconfirmed as unconfirmed, and what
    FHIR has no resource for as a Flag. What still waits to be read is counted, and not in the file.

    With --csv or --cypher the facts alone go out as well, one a row or one a statement that makes both nodes.

    Example: r-memory export backup.jsonl
    """
    if fhir + table + cypher > 1:
        raise InvalidInput("a file has one form; give one of --fhir, --csv and --cypher")
    if table or cypher:
        records = importlib.import_module("r_memory.cli.records")
        facts: Answer = records.listed(settings, file, subject, cypher=cypher)
        return facts
    if fhir:
        records = importlib.import_module("r_memory.cli.records")
        of_facts: Answer = records.exported(settings, file, subject)
        return of_facts

    async def written(memory: Memory) -> Header:
        people = await memory.space.to_export(subject)
        with progress("exporting", len(people)) as step:
            return await memory.space.export(file, subject=subject, step=step)

    header = with_memory(settings, written, in_bulk=True)
    return Answer(
        data={"file": file, "space": header.space, "counts": header.counts, "sha256": header.sha256},
        shown=[f"Written: {_listed(header.counts)}."],
    )


@on_settings
def import_(
    settings: Settings,
    what: Annotated[
        list[str],
        Argument(metavar="[KIND] FILE", help="A file of `export`; or what kind of file it is, and the file."),
    ],
    subject: Subject = "",
    subject_name: SubjectName = "",
    another_than: AnotherThan = None,
    person: Annotated[
        str, Option("--person", metavar="ID", help="The id or number that the file has for whom --subject is.")
    ] = "",
    source: Annotated[
        str, Option("--source", metavar="NAME", help="Whose record it is, as facts show it. [default: the file's name]")
    ] = "",
    dated: Annotated[
        str,
        Option(
            "--dated", metavar="TIME", help="When the record was made, for entries without a date. [default: not known]"
        ),
    ] = "",
    mapping: Annotated[
        Path | None, Option("--mapping", metavar="FILE", help="What the columns of a table say, in YAML.")
    ] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only check the file against this space.")] = False,
    even_erased: Annotated[
        bool, Option("--even-erased", help="Bring back people who were erased here; it is logged.")
    ] = False,
    yes: Annotated[
        bool, Option("--yes", "-y", help="Agree to what the file decides about people who are known here.")
    ] = False,
) -> Answer:
    """Reads what `export` wrote into the space of the same name, here or in another store.

    Before anything is written all of the file is checked: that it is whole, that every chain of hashes holds, and that
    nothing here says otherwise, and that it holds nothing which no call would record. What it decides about people who
    are known here is named, and needs --yes. What is here already is not stored twice, so that the same command goes on
    where an import was killed. Whoever was erased here is left out, unless --even-erased. `r-memory verify` recomputes
    everything afterwards.

    With a KIND before it, FILE is a record: `fhir` (JSON, NDJSON or XML), `ccda`, or `table` (CSV, XLSX; with
    --mapping). Its fields become facts about --subject in the record's own voice, beside what was said; of a table each
    row about whom it names. `chat` reads the person's own words in an export of ChatGPT or Claude, `memory` what the
    reference memory server or mem0 holds about --person. Entries about others are refused, and all that was is named.

    Example: r-memory import backup.jsonl
    """
    if len(what) > 1:
        records = importlib.import_module("r_memory.cli.records")
        about = {"subject": subject, "subject_name": subject_name, "another_than": tuple(another_than or ())}
        how = {"person": person, "source": source, "dated": dated, "mapping": mapping, "dry_run": dry_run}
        record: Answer = records.imported(settings, what, **about, **how)
        return record
    return _moved_in(settings, Path(what[0]), even_erased=even_erased, yes=yes, dry_run=dry_run)


def _moved_in(settings: Settings, file: Path, *, even_erased: bool, yes: bool, dry_run: bool) -> Answer:
    """Reads a file of `export` into the space of the same name."""
    header = header_of(file)
    lines = sum(header.counts.values())

    decided: list[str] = []

    async def imported(memory: Memory) -> Imported | None:
        with progress("checking" if dry_run else "checking, importing", lines if dry_run else 2 * lines) as step:
            if not dry_run:
                return await memory.space.import_(file, even_erased=even_erased, yes=yes, step=step)
            decided.extend((await memory.space.check_import(file, even_erased=even_erased, step=step)).decisions)
            return None

    done = with_memory(settings, imported, in_bulk=True)
    added, known, left_out = (done.added, done.known, done.left_out) if done else ({}, 0, 0)
    data = {"space": header.space, "lines": lines, "added": added, "known": known, "left_out": left_out}
    data |= {"dry_run": dry_run, "decisions": decided}
    return Answer(data=data, shown=[*_shown(header, done), *(f"It decides: {item}." for item in decided)])


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
    subject: Annotated[str, Argument(metavar="SUBJECT", help="The id of whom to erase; a name is refused.")],
    reason: Annotated[
        str,
        Option("--reason", metavar="WHY", help="Why, for the log, such as the request's number; no names."),
    ] = "",
    actor: Annotated[str, Option("--actor", metavar="WHO", help="Who orders it, for the log.")] = "",
    dry_run: Annotated[bool, Option("--dry-run", help="Only count what would be erased.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask for the id again.")] = False,
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
        if dry_run:
            rows = [(shown, traces[name]) for name, shown in _NAMES.items()]
            return Answer(
                data={"subject": about.id, "erased": False, "counts": traces},
                shown=[Grid(("Would be erased", "Number"), rows), "Nothing was erased (--dry-run)."],
            )
        _ask(about.id, traces)
    done = with_memory(settings, lambda memory: memory.space.forget(subject, actor=actor, reason=reason))
    gone = done.traces
    kinds = ("statement", "fact", "item", "document")
    statements, facts, items, documents = (counted(gone[f"{kind}s"], kind) for kind in kinds)
    return Answer(
        data={"erased": True, "trace": done.trace.id, "event_id": done.event_id, "counts": gone},
        shown=[
            f"Erased: {statements}, {facts}, {items} of conversations, {documents}.",
            f"The log of it: r-memory history {done.event_id}",
        ],
    )


def _ask(id_: str, counts: Mapping[str, int]) -> None:
    """Shows what would be erased, and asks for the id."""
    for name, shown in _NAMES.items():
        typer.echo(f"{counts[name]:>8}  {shown}", err=True)
    typer.echo(f"Erase all of this for good? Type the id of the subject ({inert_name(id_)}): ", nl=False, err=True)
    # Not `typer.prompt`, which leaves a blank on standard output.
    if sys.stdin.readline().strip() != id_:
        raise InvalidInput("nothing was erased: what was typed is not the id")
