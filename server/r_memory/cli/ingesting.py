"""`ingest`: reads files into the memory, and shows which were read and what their summaries say."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from r_memory.cli.app import Exit, complain, message_of
from r_memory.cli.options import AnotherThan, Subject, SubjectName
from r_memory.cli.printing import Answer, Grid, counted, on_settings, progress
from r_memory.cli.reviewing import on_terminal
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.documents.files import read_file
from r_memory.domain.documents import BLANK_PAGES, DID_NOT_SHRINK, ENCODING_GUESSED, FORCED_SPLIT, Plan, Progress
from r_memory.domain.instants import Instant, day_from, iso_seconds
from r_memory.domain.memories import Document, MemoryItem
from r_memory.errors import InvalidInput, RMemoryError, StoreError, StoreUnavailable
from r_memory.facts.remember.letters import own_date
from r_memory.memory import Memory
from r_memory.serving.tools.models import clashes_told, when
from r_memory.text.inert import inert, inert_name
from r_memory.text.structured import structured

_LISTED = 1000
_SUMMARY_LIMIT = 20_000
"""Characters of a summary that are shown: all of them."""
_SAID = {
    FORCED_SPLIT: "a sentence longer than a block was cut",
    DID_NOT_SHRINK: "a summary was no shorter than its text and was cut",
    ENCODING_GUESSED: "its encoding was guessed: look whether its letters are right",
}


@on_settings
def ingest(
    settings: Settings,
    files: Annotated[
        list[Path] | None, Argument(metavar="FILE", help="Text, Markdown, PDF or DOCX, told by their content.")
    ] = None,
    subject: Subject = "",
    subject_name: SubjectName = "",
    another_than: AnotherThan = None,
    said_at: Annotated[
        str,
        Option(
            "--said-at",
            metavar="DAY",
            help="When it was written. [default: the date that it gives plainly; else asked for on a terminal]",
        ),
    ] = "",
    speaker: Annotated[str, Option("--speaker", metavar="WHO", help="Who wrote it.")] = "",
    same_person: Annotated[
        bool, Option("--same-person", help="It is about --subject, although its heading names somebody else.")
    ] = False,
    meeting: Annotated[
        bool,
        Option("--meeting", help="Minutes or a transcript: a theme guides every summary."),
    ] = False,
    question: Annotated[
        str, Option("--question", metavar="TEXT", help="What the summaries are for. [default: everything]")
    ] = "",
    follow_links: Annotated[
        bool, Option("--follow-links", help="Read a link's file too; by default only files themselves are read.")
    ] = False,
    listing: Annotated[bool, Option("--list", help="List the documents that were read.")] = False,
    show: Annotated[str, Option("--show", metavar="ID", help="Print all summaries of a document.")] = "",
) -> Answer:
    """Reads text, Markdown, PDF and DOCX files: their words, the facts in them, summaries.

    Facts are looked for only if --subject says about whom, and have file and page as their source. The same file is
    read once; a command that broke off is gone on with by the same command. A record, a table, an export of chats and
    the like are refused, with the command that imports them.
    """
    if sum((bool(files), listing, bool(show))) != 1:
        raise InvalidInput("give the files to read, or --list, or --show with the id of a document; one of them")
    if listing:
        return _listed(with_memory(settings, lambda memory: memory.talk.documents.known(limit=_LISTED)))
    if show:
        return with_memory(settings, lambda memory: _levels(memory, show))
    about: dict[str, Any] = {
        "subject": subject,
        "subject_name": subject_name,
        "another_than": tuple(another_than or ()),
        "said_at": day_from(said_at),
        "speaker": speaker,
        "same_person": same_person,
    }
    plan = Plan(meeting=meeting, question=question.strip())

    async def read(memory: Memory) -> list[_Outcome]:
        return [await _read(memory, file, plan, about, follow_links=follow_links) for file in files or ()]

    return _answered(with_memory(settings, read, in_bulk=True))


def _answered(outcomes: Sequence["_Outcome"]) -> Answer:
    """Returns what became of the files; complains of those that could not be read."""
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    for error in errors:
        complain(error)
    done = all(outcome.last is not None and outcome.last.is_done for outcome in outcomes)
    return Answer(
        data={"documents": [_as_json(outcome) for outcome in outcomes]},
        shown=(line for outcome in outcomes if outcome.last for line in _lines(outcome, outcome.last)),
        code=Exit.USAGE if errors else Exit.DONE if done else Exit.CHECK_FAILED,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """The result of one file."""

    file: Path
    last: Progress | None = None
    blank_pages: tuple[int, ...] = ()
    error: RMemoryError | None = None
    """Why the file could not be read; other files are read anyway."""


async def _read(memory: Memory, file: Path, plan: Plan, about: dict[str, Any], *, follow_links: bool) -> _Outcome:
    last: Progress | None = None
    step: Callable[..., None] | None = None
    try:
        reading = await asyncio.to_thread(read_file, file, follow_links=follow_links)
        about = {**about, "said_at": about["said_at"] or _date_of(reading.text, file.name, memory)}
        with ExitStack() as bar:
            async for last in memory.ingest(file.name, reading, plan=plan, **about):
                step = step or bar.enter_context(progress(inert_name(file.name, 30), last.steps))
                step()
    except StoreError as error:
        told = f"{file.name}: {error} (what was read is stored; run the same command again)"
        raise StoreUnavailable(told) from error
    except RMemoryError as error:
        return _Outcome(file=file, error=error)
    return _Outcome(file=file, last=last, blank_pages=reading.blank_pages)


def _date_of(text: str, name: str, memory: Memory) -> Instant | None:
    """Returns the document's own date, or the answer of a person at a terminal; `None` if unknown."""
    found = own_date(text, memory.schema)
    if found is not None or not on_terminal() or structured(text, name) is not None:
        return found
    typer.echo(f"When was {inert_name(name)} written? YYYY-MM-DD, or Enter if nobody knows: ", nl=False, err=True)
    return day_from(sys.stdin.readline())


def _lines(outcome: _Outcome, last: Progress) -> Iterator[str]:
    document = last.document
    name = inert_name(document.name)
    if last.already:
        yield f"{name}: read before, nothing to do; {document.id}"
    else:
        yield f"{name}: {counted(document.parts, 'part')}, {_summary(last)}; {document.id}"
    if last.trouble:
        yield f"            {inert(last.trouble)}"
    yield from (f"            NOT TOGETHER {told}" for told in clashes_told(last.standing))
    if written := when(last.said_at):
        yield f"            written on {written[:10]}"
    elif document.subject_uid and not last.already:
        yield "            says no date plainly: what it states is of an unknown date; give one with --said-at"
    if not document.subject_uid:
        yield "            no subject was named, so no facts were looked for; name one with --subject"
    if pages := outcome.blank_pages:
        shown = ", ".join(map(str, pages[:20]))
        more = f" and {len(pages) - 20} more" if len(pages) > 20 else ""
        blank = f"page {shown} holds no text" if len(pages) == 1 else f"pages {shown}{more} hold no text"
        yield f"            {blank}: run text recognition (OCR) over them"
    for flag in document.flags:
        if flag in _SAID:
            yield f"            {_SAID[flag]}"


def _summary(last: Progress) -> str:
    facts = last.facts
    found = [
        f"{counted(facts.stored, 'fact')} stored" if last.document.subject_uid else "",
        f"{facts.duplicate} known" if facts.duplicate else "",
        f"{counted(facts.waits, 'sentence')} for a person" if facts.waits else "",
        f"{counted(len(facts.conflicts), 'conflict')}" if facts.conflicts else "",
        f"{counted(last.document.levels, 'level')} of summaries" if last.is_done else "no summaries yet",
    ]
    return ", ".join(part for part in found if part)


def _as_json(outcome: _Outcome) -> dict[str, Any]:
    last = outcome.last
    if last is None:
        return {"file": outcome.file.name, "error": None if outcome.error is None else message_of(outcome.error)}
    return {
        "file": outcome.file.name,
        **_document_json(last.document),
        "already": last.already,
        **asdict(last.facts),
        "not_together": clashes_told(last.standing),
        "said_at": when(last.said_at) or None,
        "pages_without_text": outcome.blank_pages if BLANK_PAGES in last.document.flags else [],
        "trouble": last.trouble,
    }


def _document_json(document: Document) -> dict[str, Any]:
    return {
        "document_id": document.id,
        "name": document.name,
        "subject": document.subject_uid,
        "state": document.state,
        "parts": document.parts,
        "read": document.read,
        "levels": document.levels,
        "theme": document.theme,
        "flags": document.flags,
        "made_at": iso_seconds(document.made_at),
    }


def _listed(documents: Sequence[Document]) -> Answer:
    columns = ("document", "name", "subject", "state", "parts", "levels")
    rows = [
        (
            document.id,
            document.name,
            document.subject_uid.rsplit("/", 1)[-1],
            f"{document.state.value} ({document.read})" if document.read < document.parts else document.state,
            document.parts,
            document.levels,
        )
        for document in documents
    ]
    return Answer(
        data={"documents": [_document_json(document) for document in documents]},
        shown=[Grid(columns, rows) if rows else "No document was read yet."],
    )


async def _levels(memory: Memory, id_: str) -> Answer:
    document, levels = await memory.talk.documents.levels(id_)
    summaries = [
        {
            "level": level,
            "items": [
                {"id": item.id, "source": item.speaker, "text": item.observation, "of": item.sources} for item in items
            ],
        }
        for level, items in levels.items()
    ]
    return Answer(data={**_document_json(document), "summaries": summaries}, shown=_told_levels(document, levels))


def _told_levels(document: Document, levels: dict[int, Sequence[MemoryItem]]) -> Iterator[str]:
    yield f"{inert_name(document.name)}: {counted(document.parts, 'part')}, {document.state.value}"
    if document.theme:
        yield f"Theme: {inert(document.theme)}"
    if not levels:
        yield "It is short enough to be its own summary." if document.root else "It has no summaries yet."
    for level in reversed(levels):
        yield f"\nLevel {level}"
        for item in levels[level]:
            yield f"- {inert_name(item.speaker)}: {inert(item.observation, _SUMMARY_LIMIT)}"
