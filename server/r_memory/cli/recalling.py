"""`recall`: the block that stands in front of a request, or the sentence that memory could not be read; `check-text`:
the verdict on a draft.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import Exit, is_unread
from r_memory.cli.blocks import print_block
from r_memory.cli.options import AsJson, Home, Space, Subject, settings_of
from r_memory.cli.printing import print_json, print_line
from r_memory.cli.running import with_memory
from r_memory.config.loading import load_domain
from r_memory.domain.blocks import Recall, State
from r_memory.domain.drafts import DraftCheck
from r_memory.errors import ConfigurationError, RMemoryError
from r_memory.facts.recall.rendering import render
from r_memory.facts.recall.verdicts import told
from r_memory.memory import Memory
from r_memory.serving.tools import shaping
from r_memory.text.inert import without_secrets
from r_memory.text.markers import END, QUERY, START

SHOWN_TO = "command line"
"""Whom the receipt names."""


def recall(
    query: Annotated[str, typer.Argument(help="The request, unchanged.")],
    subject: Subject = "",
    intent: Annotated[
        list[str] | None,
        typer.Option(
            "--intent", metavar="NAME", help="Open this action type beside those recognised; may be repeated."
        ),
    ] = None,
    max_chars: Annotated[
        int | None, typer.Option("--max-chars", metavar="N", min=0, help="Cut lines below the critical ones to fit.")
    ] = None,
    cypher: Annotated[bool, typer.Option("--cypher", help="Print the query that was run as well.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="On a terminal, list what was looked for in vain as well.")
    ] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Prints what must be known before acting on a request.

    Put the block in front of the request. Exit code 3 means that memory could not be read, wholly or in part; the
    block then says so and is printed all the same.
    """

    async def ask(memory: Memory) -> Recall:
        return await memory.build_context(
            query, subject=subject, intents=intent or [], shown_to=SHOWN_TO, max_chars=max_chars
        )

    with _unavailable_shown(query, home, space, as_json=as_json):
        found = with_memory(settings_of(home, space), ask, reads=True)
    if as_json:
        print_json({**shaping.context(found, render(found)).model_dump(mode="json"), "unavailable": found.unavailable})
    else:
        _show(found, cypher=cypher, verbose=verbose)
    if not found.complete:
        raise typer.Exit(Exit.UNAVAILABLE)


def check_text(
    text: Annotated[str, typer.Argument(help="The draft; - reads it from standard input.")],
    subject: Subject = "",
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Holds a draft against what is recorded, before it is sent.

    The verdict is conflict, warning, not checkable (something could not be compared, and what) or nothing found. Exit
    code 0 means that nothing was found and everything named could be compared; 1 that somebody must look; 3 that memory
    could not be read, wholly or in part.
    """
    draft = sys.stdin.read() if text == "-" else text

    async def ask(memory: Memory) -> DraftCheck:
        return await memory.check_text(draft, subject=subject, shown_to=SHOWN_TO)

    with _unavailable_shown(draft, home, space, as_json=as_json):
        checked = with_memory(settings_of(home, space), ask)
    if as_json:
        print_json(shaping.checked(checked).model_dump(mode="json"))
    else:
        print_block(told(checked))
    if not (checked.findings or checked.recall.complete):
        raise typer.Exit(Exit.UNAVAILABLE)
    if checked.verdict != "nothing_found":
        raise typer.Exit(Exit.CHECK_FAILED)


def _show(found: Recall, *, cypher: bool, verbose: bool) -> None:
    print_block(render(found), verbose=verbose)
    if cypher:
        print_line(f"\n// The query that was run\n{found.traversal}" if found.traversal else "\n// No query was run")


@contextmanager
def _unavailable_shown(query: str, home: Path | None, space: str | None, *, as_json: bool) -> Iterator[None]:
    """Where memory cannot be read, the block says so on standard output, where the facts would have stood."""
    try:
        yield
    except RMemoryError as error:
        if is_unread(error):
            _show_unavailable(query, error, _what_to_ask(home, space), as_json=as_json)
        raise


def _what_to_ask(home: Path | None, space: str | None) -> str:
    """The schema's sentence on what to ask when memory is unavailable; often the files can be read even then."""
    try:
        settings = settings_of(home, space)
        return load_domain(settings.files, settings.schema).schema.unavailable
    except ConfigurationError:
        return "Ask before acting."


def _show_unavailable(query: str, error: RMemoryError, ask: str, *, as_json: bool) -> None:
    reason = without_secrets(str(error))
    block = f"{START}\nSAFETY MEMORY UNAVAILABLE: {reason}. {ask}\n{END}\n{QUERY}\n{query}"
    if as_json:
        state = State.COULD_NOT_CHECK.value
        print_json({"state": state, "block": block, "complete": False, "lines": [], "unavailable": reason})
    else:
        print_block(block)
