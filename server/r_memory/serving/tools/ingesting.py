"""The tool that reads a long text into the memory, in calls of bounded length; it takes words, no paths or addresses.

Knows how progress and results are told; how a document is read is `documents/`.
"""

from typing import Annotated, Literal
from urllib.parse import unquote

from mcp.types import CallToolResult
from pydantic import Field

from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.serving.tools.calls import Call, Subject, answer, memory_for
from r_memory.serving.tools.errors import saying
from r_memory.serving.tools.models import From, Out
from r_memory.serving.tools.viewing import changed
from r_memory.talk.documents.reading.files import claimed
from r_memory.talk.documents.reading.plain import read_text
from r_memory.talk.documents.values import Progress
from r_memory.text.inert import inert
from r_memory.text.markers import without_own_blocks

LIMIT_S = 20.0
"""After this a call ends with what is done: hosts give up on silent ones, some after a minute."""
LONGEST = 200_000
_CONFLICTS = 100
_BROKEN_OFF = "The document is not read to its end: {}. Call again with the same arguments: it goes on from there."
_NOBODY = "No subject: stored without looking for facts. Call again with one if it is about somebody."


def _note(of: Progress) -> str:
    notes = [inert(of.trouble)] if of.trouble else []
    if not of.document.subject_uid:
        notes.append(_NOBODY)
    if of.already:
        notes.append("It was read before; nothing was done.")
    return " ".join(notes)


class IngestedOut(Out):
    """How far a document is read."""

    document_id: Annotated[str, From("document.id")]
    state: Annotated[Literal["done", "partial"], From("document.state")]
    next_part: int = Field(default=0, description="Call again with it, the rest unchanged.")
    parts: Annotated[int, From("document.parts")]
    stored: Annotated[int, From("facts.stored")] = Field(description="Facts stored by this call.")
    quarantined: Annotated[int, From("facts.quarantined")] = 0
    conflicts: Annotated[list[str], From("facts.conflicts", lambda ids: ids[:_CONFLICTS])] = []
    note: Annotated[str, From(".", _note)] = ""


async def memory_ingest_document(
    ctx: Call,
    *,
    name: Annotated[str, Field(max_length=200, description="Its title or file name.")],
    text: Annotated[str, Field(description="Its words, at most 200000 characters; no path, no URL.")],
    subject: Subject = "",
    start_part: Annotated[int, Field(ge=0, description="next_part of the call before.")] = 0,
) -> Annotated[CallToolResult, IngestedOut]:
    """Read a letter, report, minutes or book into memory: stores its parts, the facts in them, and summaries.

    Without a subject it finds no facts. While `state` is partial, call again with next_part.
    """
    async with memory_for(ctx, saying(_BROKEN_OFF)) as memory:
        last = await _read(ctx, memory, name, _own_words(text), subject, start_part)
    if last.document.subject_uid:
        await changed(ctx, unquote(last.document.subject_uid.rsplit("/", 1)[-1]))
    return answer(IngestedOut.of(last))


async def _read(ctx: Call, memory: Memory, name: str, text: str, subject: str, start_part: int) -> Progress:
    reading = read_text(text, claimed(name) or "text")
    last: Progress | None = None
    async for report in memory.ingest(name, reading, subject=subject, start_part=start_part, limit_s=LIMIT_S):
        # Told once: a client may take a number that does not rise for an error.
        if last is None or report.done > last.done:
            await ctx.report_progress(report.done, report.steps)
        last = report
    if last is None:
        raise InvalidInput("the document gave no parts; report it")
    return last


def _own_words(text: str) -> str:
    """Raises:
    InvalidInput: it is too long, or holds nothing but our own blocks.
    """
    if len(text) > LONGEST:
        raise InvalidInput(
            f"the text has {len(text)} characters, at most {LONGEST} are taken; give it in several documents"
        )
    words = without_own_blocks(text)
    if text.strip() and not words:
        raise InvalidInput(
            "the text holds only a context block of this memory; call again with the words of a document"
        )
    return words
