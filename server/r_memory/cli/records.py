"""`import KIND FILE`: what a structured file says becomes facts with a voice of their own; `reconcile` compares."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from r_memory.cli.app import Exit
from r_memory.cli.printing import Answer, Grid, counted, on_settings, progress
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.documents.files import bytes_of
from r_memory.documents.values import clean
from r_memory.domain.documents import DocumentText, TextSection
from r_memory.domain.erasure import is_trace
from r_memory.domain.facts import Entity, Fact, Status
from r_memory.domain.instants import UNDATED, day_from
from r_memory.errors import ConfigurationError, InvalidInput, StoreUnavailable
from r_memory.facts.listing import FactPage
from r_memory.facts.reconciling import Reconciled, table_of
from r_memory.memory import Memory
from r_memory.records import ccda, chats, fhir, leaving, tables
from r_memory.records.exporting import Bundle, bundle, load_out_table
from r_memory.records.importing import Report, known_to_be, notes, of_person, store, store_rows, store_words
from r_memory.records.mapping import load_mapping
from r_memory.records.tables import TableForm, load_table_mapping
from r_memory.records.values import FileReading, Refused
from r_memory.space.file import for_owner
from r_memory.space.tables import as_csv_text
from r_memory.text.inert import inert, inert_name

KINDS = ("fhir", "ccda", "table", "chat", "memory")
"""Kinds of files that `import` takes, beside those of `export`."""
_WORDS = {"chat": chats.read_chats, "memory": chats.read_memories}
"""Kinds of which the words are read."""
_SHOWN = 200
"""Entries of a report shown on a terminal; --json has all."""


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
    """Stores the content of a file, and returns the result of each entry."""
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
        as_of = UNDATED if undated is None else undated
        declared = partial(subjects.resolve_or_declare, subject, subject_name, another_than=another_than)
        if mapping is not None and kind == "table":
            form, read_rows = _rows(memory, file, mapping)
            rows = known_to_be(read_rows, now)
            only = await declared(dry_run=dry_run) if subject or not form.columns.subject else None
            with progress("checking" if dry_run else "importing", len(rows.entries)) as step:
                return await store_rows(
                    memory.facts, rows, only=only, source=named, undated=as_of, dry_run=dry_run, step=step
                )
        read = _WORDS.get(kind)
        reading = (
            await asyncio.to_thread(lambda: read(_exported(file), file.name))
            if read
            else await asyncio.to_thread(read_record, settings, memory, file, kind)
        )
        about = await declared(dry_run=True)
        reading = known_to_be(of_person(reading, about, person=person), now)
        about = about if dry_run else await declared()
        with progress("checking" if dry_run else "importing", len(reading.entries)) as step:
            if kind in _WORDS:
                said_by = source or (about.name if kind == "chat" else file.name)
                return await store_words(memory.facts, about, reading, speaker=said_by, dry_run=dry_run, step=step)
            report = await store(memory.facts, about, reading, source=named, undated=as_of, dry_run=dry_run, step=step)
        if not dry_run:
            await _read_as_prose(memory, about, reading, source=named, file=file.name)
        return report

    return answer_of(with_memory(settings, stored, in_bulk=True))


def _exported(file: Path) -> bytes:
    """Returns the content of an export of words; an archive is a folder."""
    return chats.archived(file, bytes_of) if file.is_dir() else bytes_of(file)


async def _read_as_prose(memory: Memory, about: Entity, reading: FileReading, *, source: str, file: str) -> None:
    """Reads the prose parts as one document, with the titles of their sections."""
    parts = [TextSection(text=f"{clean(part.text)}\n\n", heading=part.title) for part in reading.narratives]
    if parts:
        words, said_at = DocumentText(sections=tuple(parts)), reading.narratives[0].said_at
        async for _ in memory.ingest(file, words, subject=about.id, said_at=said_at, speaker=source):
            pass


def read_record(settings: Settings, memory: Memory, file: Path, kind: str = "") -> FileReading:
    """Returns what a FHIR or C-CDA record says, by this installation's table; `kind` defaults to its content."""
    schema, linker = memory.facts.reader.schema, memory.facts.reader.linker
    data = bytes_of(file)
    if (kind or ("ccda" if b"urn:hl7-org:v3" in data[:4096] else "fhir")) == "ccda":
        return ccda.read(data, file.name, load_mapping(settings.files, "ccda", schema), schema, linker)
    form = load_mapping(settings.files, "fhir", schema)
    return fhir.read(fhir.resources_of(data, file.name), form, schema, linker)


def _rows(memory: Memory, file: Path, mapping: Path) -> tuple[TableForm, FileReading]:
    """Returns a mapping and the table read by it."""
    schema = memory.facts.reader.schema
    try:
        form = load_table_mapping(mapping, schema)
    except ConfigurationError as error:  # the mapping is given with the call; the memory is not to blame
        raise InvalidInput(str(error)) from error
    return form, tables.read(bytes_of(file), file.name, form, schema, now=memory.facts.clock.now())


def exported(settings: Settings, file: Path, subject: str) -> Answer:
    """Writes the facts about a subject as a FHIR bundle.

    Raises:
        StoreUnavailable: some facts could not be read; nothing is written.
    """

    async def made(memory: Memory) -> tuple[FactPage, Bundle]:
        table = load_out_table(settings.files, memory.schema)
        page = await memory.list_facts(subject=subject, statuses=list(Status))
        if page.failed:
            raise StoreUnavailable(f"could not read {', '.join(page.failed)}; nothing was written, try again")
        return page, bundle(page.subject, page.facts, table, now=memory.facts.clock.now())

    page, whole = with_memory(settings, made, in_bulk=True)
    with for_owner(file) as body:
        body.write(json.dumps(whole.resource, ensure_ascii=False, indent=1).encode())
    waiting = f"; {counted(len(page.pending), 'statement')} not yet read, and not in it" if page.pending else ""
    written = ", ".join(f"{number} {kind}" for kind, number in sorted(whole.counts.items())) or "no facts"
    data = {"file": file, "subject": page.subject.id, "counts": whole.counts, "waiting": len(page.pending)}
    return Answer(data=data, shown=[f"Written about {inert_name(page.subject.name)}: {written}{waiting}."])


def listed(settings: Settings, file: Path, subject: str, *, cypher: bool) -> Answer:
    """Writes the facts about a subject, or about everybody, as a table or as statements of Cypher.

    Raises:
        StoreUnavailable: some facts could not be read; nothing is written.
    """

    async def read(memory: Memory) -> list[tuple[Entity, Fact]]:
        people = [entity for entity in await memory.space.to_export(subject) if not is_trace(entity)]
        found: list[tuple[Entity, Fact]] = []
        with progress("exporting", len(people)) as step:
            for about in people:
                page = await memory.list_facts(subject=about, statuses=list(Status))
                if page.failed:
                    raise StoreUnavailable(f"could not read {', '.join(page.failed)}; nothing was written, try again")
                found += ((about, fact) for fact in page.facts)
                step()
        return found

    facts = with_memory(settings, read, in_bulk=True)
    text = "".join(f"{line}\n" for line in leaving.cypher_of(facts)) if cypher else as_csv_text(leaving.table_of(facts))
    with for_owner(file) as body:
        body.write(text.encode())
    return Answer(data={"file": file, "facts": len(facts)}, shown=[f"Written: {counted(len(facts), 'fact')}."])


def answer_of(report: Report) -> Answer:
    """Returns a report as an answer; its exit code is not 0 if nothing could be imported."""
    rows = [
        {
            "entry": item.entry.id,
            "verdict": item.verdict,
            "facts": [
                {"fact_id": fact.fact_id, "relation": fact.relation, "object": fact.object.name, "status": fact.status}
                for fact in item.remembered.facts
            ],
            "note": item.entry.note,
        }
        for item in report.stored
    ]
    refused = [{"entry": item.id, "reason": item.reason} for item in report.refused]
    data = {"counts": report.counts, "dry_run": report.dry_run, "entries": rows, "refused": refused}
    data["narratives"] = [part.title for part in report.narratives]
    return Answer(
        data=data, shown=_shown(report), code=Exit.DONE if report.stored or report.narratives else Exit.CHECK_FAILED
    )


def _shown(report: Report) -> Iterator[str | Grid]:
    listed = [item for item in report.stored if item.verdict != "no facts"]
    told = [(item.entry.id, item.verdict, "; ".join(_fact(item.remembered.facts))) for item in listed[:_SHOWN]]
    if told:
        yield Grid(("Entry", "Outcome", "Facts"), told)
    if len(listed) > _SHOWN:
        yield f"… and {counted(len(listed) - _SHOWN, 'entry').replace('entrys', 'entries')}; --json lists all"
    yield from _listed("LOOK AT", notes([item.entry for item in report.stored]))
    yield from _listed("NOT IMPORTED", report.refused)
    if report.narratives:
        titles = ", ".join(inert_name(part.title) for part in report.narratives)
        yield f"{'WOULD BE READ' if report.dry_run else 'READ'} AS PROSE, as a document: {titles}"
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
        Option("--record", metavar="FILE", help="A record or a table to compare with; nothing of it is stored."),
    ] = None,
    mapping: Annotated[
        Path | None, Option("--mapping", metavar="FILE", help="Of a table: which column says what.")
    ] = None,
    person: Annotated[
        str, Option("--person", metavar="ID", help="The id or number that the file has for the subject.")
    ] = "",
    csv_file: Annotated[Path | None, Option("--csv", metavar="FILE", help="Write the table as CSV as well.")] = None,
) -> Answer:
    """Compares what was said with what is recorded: one row a matter, with a question.

    Agrees; said, not recorded; recorded, not said; contradicts; never asked. The record is what `import fhir` and
    `import table` stored, or --record: a FHIR or C-CDA file, or a table with --mapping. Nothing is decided or stored.

    Example: r-memory reconcile JD001 --csv visit.csv
    """

    async def compared(memory: Memory) -> Reconciled:
        about, recorded = await memory.find_subject(subject), None
        if record is not None:
            read = partial(read_record, settings, memory, record)
            reading = await asyncio.to_thread(read) if mapping is None else _rows(memory, record, mapping)[1]
            reading = of_person(reading, about, person=person)
            report = await store(memory.facts, about, reading, source=record.name, undated=UNDATED, dry_run=True)
            recorded = tuple(fact for item in report.stored for fact in item.remembered.facts)
        return await memory.reconcile(about, recorded=recorded)

    found = with_memory(settings, compared)
    if found.failed:
        raise StoreUnavailable(f"could not read {', '.join(found.failed)}; nothing was compared, try again")
    rows, table = found.rows, table_of(found.rows)
    if csv_file is not None:
        with csv_file.open("w", encoding="utf-8", newline="") as file:
            file.write(as_csv_text(table))
    told = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    counts = Counter(row.cell.value for row in rows)
    shown: list[str | Grid] = [
        Grid(
            ("Row", "Outcome", "Relation", "Thing", "To ask"),
            [(row.id, row.cell.value, row.relation, inert_name(row.thing), row.question) for row in rows],
        )
    ]
    if found.pending:
        shown.append(f"{counted(len(found.pending), 'statement')} not yet read, and in no row; see `r-memory review`.")
    return Answer(data={"rows": told, "counts": counts, "waiting": len(found.pending)}, shown=shown)
