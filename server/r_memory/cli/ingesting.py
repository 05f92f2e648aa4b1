"""`ingest`: reads files into the memory, and shows which were read and what their summaries say."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from r_memory.cli.app import Exit, complain, message_of
from r_memory.cli.options import AnotherThan, AsJson, Home, Space, Subject, SubjectName, settings_of
from r_memory.cli.printing import counted, print_json, print_line, print_table, progress
from r_memory.cli.running import with_memory
from r_memory.domain.documents import Document
from r_memory.domain.instants import iso_seconds
from r_memory.errors import InvalidInput, RMemoryError, StoreError
from r_memory.memory import Memory
from r_memory.talk.documents.reading.files import read_file
from r_memory.talk.documents.reading.values import BLANK_PAGES, ENCODING_GUESSED
from r_memory.talk.documents.summarising import DID_NOT_SHRINK, FORCED_SPLIT, NO_SCM, Plan
from r_memory.talk.documents.values import Level, Progress
from r_memory.text.inert import inert, inert_name

_LISTED = 1000
_SUMMARY_LIMIT = 20_000
"""Characters shown of a summary: all of it."""
_SAID = {
    FORCED_SPLIT: "a sentence longer than a block was cut",
    DID_NOT_SHRINK: "a summary was no shorter than its text and was cut",
    NO_SCM: "each block was summarised by itself",
    ENCODING_GUESSED: "its encoding was guessed: look whether its letters are right",
}


def ingest(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE...", help="Text, Markdown, PDF or DOCX, told by their content.")
    ] = None,
    subject: Subject = "",
    subject_name: SubjectName = "",
    another_than: AnotherThan = None,
    meeting: Annotated[
        bool,
        typer.Option("--meeting", help="Minutes or a transcript: a theme guides every summary."),
    ] = False,
    question: Annotated[
        str, typer.Option("--question", metavar="TEXT", help="What the summaries are for. [default: everything]")
    ] = "",
    no_scm: Annotated[
        bool, typer.Option("--no-scm", help="Summarise each block by itself, without the one before; to compare.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the documents that were read.")] = False,
    show: Annotated[str, typer.Option("--show", metavar="ID", help="Print all summaries of a document.")] = "",
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Reads text, Markdown, PDF and DOCX files: their words, the facts in them, summaries.

    Facts are looked for only if --subject says about whom, and have file and page as their source. The same file is
    read once; a command that broke off is gone on with by the same command.
    """
    if sum((bool(files), listing, bool(show))) != 1:
        raise InvalidInput("give the files to read, or --list, or --show with the id of a document; one of them")
    settings = settings_of(home, space)
    if listing:
        _print_list(with_memory(settings, lambda memory: memory.talk.documents.known(limit=_LISTED)), as_json=as_json)
    elif show:
        document, levels = with_memory(settings, lambda memory: _shown(memory, show))
        _print_levels(document, levels, as_json=as_json)
    else:
        plan = Plan(meeting=meeting, question=question.strip(), scm=not no_scm)
        wanted = _Wanted(
            files=tuple(files or ()),
            subject=subject,
            subject_name=subject_name,
            another_than=tuple(another_than or ()),
            plan=plan,
        )
        outcomes = with_memory(settings, lambda memory: _all_read(memory, wanted), in_bulk=True, reads=True)
        _print_outcomes(outcomes, as_json=as_json)
        raise typer.Exit(_code(outcomes))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What one command is to read."""

    files: tuple[Path, ...]
    subject: str
    subject_name: str
    another_than: tuple[str, ...]
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What came of one file."""

    file: Path
    last: Progress | None = None
    blank_pages: tuple[int, ...] = ()
    error: RMemoryError | None = None
    """Why it could not be read."""


async def _all_read(memory: Memory, wanted: _Wanted) -> list[_Outcome]:
    """One outcome for each file; one that cannot be read does not keep the others from it."""
    outcomes = []
    for file in wanted.files:
        try:
            outcomes.append(await _read(memory, file, wanted))
        except StoreError as error:
            raise type(error)(f"{file.name}: {error} (what was read is stored; run the same command again)") from error
        except RMemoryError as error:
            outcomes.append(_Outcome(file=file, error=error))
    return outcomes


async def _read(memory: Memory, file: Path, wanted: _Wanted) -> _Outcome:
    reading = await asyncio.to_thread(read_file, file)
    last: Progress | None = None
    step: Callable[[], None] | None = None
    with ExitStack() as bar:
        async for report in memory.ingest(
            file.name,
            reading,
            subject=wanted.subject,
            subject_name=wanted.subject_name,
            another_than=wanted.another_than,
            plan=wanted.plan,
        ):
            if step is None:
                step = bar.enter_context(progress(inert_name(file.name, 30), report.steps))
            step()
            last = report
    return _Outcome(file=file, last=last, blank_pages=reading.blank_pages)


async def _shown(memory: Memory, id_: str) -> tuple[Document, Sequence[Level]]:
    levels = await memory.talk.documents.levels(id_)
    (document,) = await memory.talk.documents.known(id_)
    return document, levels


def _code(outcomes: Sequence[_Outcome]) -> Exit:
    if any(outcome.error for outcome in outcomes):
        return Exit.USAGE
    done = all(outcome.last is not None and outcome.last.is_done for outcome in outcomes)
    return Exit.DONE if done else Exit.CHECK_FAILED


def _print_outcomes(outcomes: Sequence[_Outcome], *, as_json: bool) -> None:
    if as_json:
        print_json({"documents": [_as_json(outcome) for outcome in outcomes]})
    for outcome in outcomes:
        if outcome.error is not None:
            complain(outcome.error)
        elif outcome.last is not None and not as_json:
            for line in _lines(outcome, outcome.last):
                print_line(line)


def _lines(outcome: _Outcome, last: Progress) -> Iterator[str]:
    document = last.document
    name = inert_name(document.name)
    if last.already:
        yield f"{name}: read before, nothing to do; {document.id}"
    else:
        yield f"{name}: {counted(document.parts, 'part')}, {_told(last)}; {document.id}"
    if last.trouble:
        yield f"            {inert(last.trouble)}"
    if not document.subject_uid:
        yield "            no subject was named, so no facts were looked for; name one with --subject"
    if outcome.blank_pages:
        yield f"            {_pages(outcome.blank_pages)}: run text recognition (OCR) over them"
    for flag in document.flags:
        if flag in _SAID:
            yield f"            {_SAID[flag]}"


def _told(last: Progress) -> str:
    facts = last.facts
    found = [
        f"{counted(facts.stored, 'fact')} stored" if last.document.subject_uid else "",
        f"{facts.duplicate} known" if facts.duplicate else "",
        f"{counted(facts.quarantined, 'sentence')} for a person" if facts.quarantined else "",
        f"{counted(len(facts.conflicts), 'conflict')}" if facts.conflicts else "",
        f"{counted(last.document.levels, 'level')} of summaries" if last.is_done else "no summaries yet",
    ]
    return ", ".join(part for part in found if part)


def _pages(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:20]))
    more = f" and {len(numbers) - 20} more" if len(numbers) > 20 else ""
    return f"page {shown} holds no text" if len(numbers) == 1 else f"pages {shown}{more} hold no text"


def _as_json(outcome: _Outcome) -> dict[str, Any]:
    last = outcome.last
    if last is None:
        return {"file": outcome.file.name, "error": None if outcome.error is None else message_of(outcome.error)}
    return {
        "file": outcome.file.name,
        **_document_json(last.document),
        "already": last.already,
        "stored": last.facts.stored,
        "duplicate": last.facts.duplicate,
        "quarantined": last.facts.quarantined,
        "conflicts": list(last.facts.conflicts),
        "pages_without_text": list(outcome.blank_pages) if BLANK_PAGES in last.document.flags else [],
        "trouble": last.trouble,
    }


def _document_json(document: Document) -> dict[str, Any]:
    return {
        "document_id": document.id,
        "name": document.name,
        "subject": document.subject_uid,
        "state": document.state.value,
        "parts": document.parts,
        "read": document.read,
        "levels": document.levels,
        "theme": document.theme,
        "flags": list(document.flags),
        "made_at": iso_seconds(document.made_at),
    }


def _print_list(documents: Sequence[Document], *, as_json: bool) -> None:
    if as_json:
        print_json({"documents": [_document_json(document) for document in documents]})
    elif not documents:
        print_line("No document was read yet.")
    else:
        print_table(
            ("document", "name", "subject", "state", "parts", "levels"),
            [
                (
                    document.id,
                    document.name,
                    document.subject_uid.rsplit("/", 1)[-1],
                    f"{document.state.value} ({document.read})" if document.read < document.parts else document.state,
                    document.parts,
                    document.levels,
                )
                for document in documents
            ],
        )


def _print_levels(document: Document, levels: Sequence[Level], *, as_json: bool) -> None:
    if as_json:
        print_json({**_document_json(document), "summaries": [_level_json(level) for level in levels]})
        return
    print_line(f"{inert_name(document.name)}: {counted(document.parts, 'part')}, {document.state.value}")
    if document.theme:
        print_line(f"Theme: {inert(document.theme)}")
    if not levels:
        what = "It is short enough to be its own summary." if document.root else "It has no summaries yet."
        print_line(what)
    for level in reversed(levels):
        print_line(f"\nLevel {level.number}")
        for item in level.items:
            print_line(f"- {inert_name(item.speaker)}: {inert(item.observation, _SUMMARY_LIMIT)}")


def _level_json(level: Level) -> dict[str, Any]:
    return {
        "level": level.number,
        "items": [
            {"id": item.id, "source": item.speaker, "text": item.observation, "of": list(item.sources)}
            for item in level.items
        ],
    }
