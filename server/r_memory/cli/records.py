"""`import KIND FILE`: what a structured file says becomes facts with a voice of their own; `reconcile` compares."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from r_memory.cli.app import Exit
from r_memory.cli.printing import Answer, Grid, counted, on_settings, progress
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.facts import Fact
from r_memory.domain.instants import day_from
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.records import fhir, tables
from r_memory.records.importing import Report, known_to_be, notes, of_person, store, store_rows
from r_memory.records.mapping import load_mapping
from r_memory.records.reconciling import COLUMNS, Row, cells, voices, write_csv
from r_memory.records.reconciling import reconcile as compare
from r_memory.records.tables import load_table_mapping
from r_memory.records.values import Reading, Refused
from r_memory.talk.documents.reading.files import bytes_of
from r_memory.text.inert import inert, inert_name

KINDS = ("fhir", "table")
"""Kinds of files that `import` takes, beside what `export` wrote."""
_SHOWN = 200
"""Entries of a report that a terminal shows; --json has all."""


def imported(
    settings: Settings,
    what: Sequence[str],
    *,
    subject: str,
    subject_name: str,
    another_than: tuple[str, ...],
    person: str,
    source: str,
    dated: str,
    mapping: Path | None,
    dry_run: bool,
) -> Answer:
    """Stores what a file says, and tells what became of each entry."""
    if len(what) != 2:
        raise InvalidInput("give the kind and one file, such as: r-memory import fhir chart.json --subject ID")
    kind, file = what[0], Path(what[1])
    if kind not in KINDS:
        raise InvalidInput(f"'{kind}' is no kind of file that is imported; use one of: {', '.join(KINDS)}")
    undated = day_from(dated)
    if kind == "table" and mapping is None:
        raise InvalidInput("a table needs a mapping of its columns; give it with --mapping (docs/how-to/records.md)")

    async def stored(memory: Memory) -> Report:
        subjects = memory.facts.subjects
        now = memory.facts.clock.now()
        named = source or file.name
        as_of = now if undated is None else undated
        if mapping is not None and kind == "table":
            schema = memory.facts.reader.schema
            form = load_table_mapping(mapping, schema)
            rows = known_to_be(tables.read(bytes_of(file), file.name, form, schema), now)
            only = None
            if subject or not form.columns.subject:
                only = await subjects.resolve_or_declare(
                    subject, subject_name, another_than=another_than, dry_run=dry_run
                )
            with progress("checking" if dry_run else "importing", len(rows.entries)) as step:
                return await store_rows(
                    memory.facts, rows, only=only, source=named, undated=as_of, dry_run=dry_run, step=step
                )
        reading = await asyncio.to_thread(read_record, settings, memory, file)
        about = await subjects.resolve_or_declare(subject, subject_name, another_than=another_than, dry_run=True)
        reading = of_person(reading, about, person=person)
        reading = known_to_be(reading, now)
        if not dry_run:
            about = await subjects.resolve_or_declare(subject, subject_name, another_than=another_than)
        with progress("checking" if dry_run else "importing", len(reading.entries)) as step:
            return await store(memory.facts, about, reading, source=named, undated=as_of, dry_run=dry_run, step=step)

    return answer_of(with_memory(settings, stored, in_bulk=True))


def read_record(settings: Settings, memory: Memory, file: Path) -> Reading:
    """What a FHIR file says, by the table of this installation."""
    schema, linker = memory.facts.reader.schema, memory.facts.reader.linker
    form = load_mapping(settings.files, "fhir", schema)
    return fhir.read(fhir.resources_of(bytes_of(file), file.name), form, schema, linker)


def answer_of(report: Report) -> Answer:
    """A report as a person and as a program read it; not done where nothing could be imported."""
    rows = [
        {
            "entry": one.entry.id,
            "verdict": one.verdict,
            "facts": [
                {"fact_id": fact.fact_id, "relation": fact.relation, "object": fact.object.name, "status": fact.status}
                for fact in one.remembered.facts
            ],
            "note": one.entry.note,
        }
        for one in report.stored
    ]
    refused = [{"entry": one.id, "reason": one.reason} for one in report.refused]
    data = {"counts": report.counts, "dry_run": report.dry_run, "entries": rows, "refused": refused}
    return Answer(data=data, shown=_shown(report), code=Exit.DONE if report.stored else Exit.CHECK_FAILED)


def _shown(report: Report) -> Iterator[str | Grid]:
    told = [(one.entry.id, one.verdict, "; ".join(_fact(one.remembered.facts))) for one in report.stored[:_SHOWN]]
    if told:
        yield Grid(("Entry", "Outcome", "Facts"), told)
    if len(report.stored) > _SHOWN:
        yield f"… and {counted(len(report.stored) - _SHOWN, 'entry').replace('entrys', 'entries')}; --json lists all"
    yield from _listed("LOOK AT", notes([one.entry for one in report.stored]))
    yield from _listed("NOT IMPORTED", report.refused)
    counts = report.counts
    done = ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)
    yield f"{done or 'nothing to import'}{'. Nothing was written (--dry-run).' if report.dry_run else '.'}"


def _fact(facts: Iterable[Fact]) -> Iterator[str]:
    for fact in facts:
        yield f"{fact.relation} {inert_name(fact.object.name)} {fact.status}"


def _listed(title: str, items: tuple[Refused, ...]) -> Iterator[str]:
    for item in items[:_SHOWN]:
        yield f"{title}: {inert_name(item.id)}: {inert(item.reason)}"
    if len(items) > _SHOWN:
        yield f"{title}: … and {len(items) - _SHOWN} more; --json lists all"


@on_settings
def reconcile(
    settings: Settings,
    subject: Annotated[str, Argument(metavar="SUBJECT", help="Whom it is about: an id, or an exact name.")],
    record: Annotated[
        Path | None,
        Option("--record", metavar="FILE", help="A FHIR record to compare with; nothing of it is stored."),
    ] = None,
    person: Annotated[
        str, Option("--person", metavar="ID", help="The id or number that the file has for the subject.")
    ] = "",
    csv_file: Annotated[Path | None, Option("--csv", metavar="FILE", help="Write the table as CSV as well.")] = None,
) -> Answer:
    """Compares what was said with what is recorded: one row a matter, with a question.

    Agrees; said, not recorded; recorded, not said; contradicts; never asked. The record is what `import fhir` and
    `import table` stored, or --record. Nothing is decided and nothing is stored.

    Example: r-memory reconcile JD001 --csv visit.csv
    """

    async def compared(memory: Memory) -> tuple[Row, ...]:
        facts, schema = memory.facts, memory.facts.reader.schema
        about = await memory.find_subject(subject)
        said, recorded = voices(await facts.store.events(about.uid), schema)
        if record is not None:
            reading = of_person(await asyncio.to_thread(read_record, settings, memory, record), about, person=person)
            report = await store(facts, about, reading, source=record.name, undated=facts.clock.now(), dry_run=True)
            recorded = tuple(fact for one in report.stored for fact in one.remembered.facts)
        return compare(about, said, recorded, schema, facts.reader.knowledge)

    rows = with_memory(settings, compared)
    if csv_file is not None:
        write_csv(rows, csv_file)
    table = [dict(zip(COLUMNS, row, strict=True)) for row in cells(rows)]
    counts = Counter(row.cell.value for row in rows)
    shown = [(row.id, row.cell.value, row.relation, inert_name(row.thing), row.question) for row in rows]
    return Answer(
        data={"rows": table, "counts": counts},
        shown=[Grid(("Row", "Outcome", "Relation", "Thing", "To ask"), shown)],
    )
