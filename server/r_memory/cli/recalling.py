"""`recall`: the block that stands in front of a request, or the sentence that memory could not be read; `check-text`:
the verdict on a draft.

A person at a terminal reads the block with what matters in colour, whole words, and dates as people write them. In a
pipe it goes out as it is: there it is a prompt. Nothing is left out but the names of what was looked for in vain, and
these only where all of it could be checked.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import TypeAdapter, ValidationError
from rich.padding import Padding
from rich.text import Text
from typer import Argument, Option

from r_memory.cli.app import Exit, complain, is_unread
from r_memory.cli.options import Home, Space, Subject, settings_of
from r_memory.cli.printing import Answer, Part, a_console, answering, day_of
from r_memory.cli.running import with_memory
from r_memory.config.loading import load_domain
from r_memory.domain.blocks import QUERY, DraftCheck, Judgement, Recall, State
from r_memory.domain.instants import parse_instant
from r_memory.errors import ConfigurationError, InvalidInput, RMemoryError
from r_memory.facts.recall.rendering import render
from r_memory.facts.recall.verdicts import told
from r_memory.memory import Memory
from r_memory.serving.tools.models import CheckOut, ContextOut
from r_memory.text.inert import without_secrets
from r_memory.text.markers import END, START

SHOWN_TO = "command line"
"""Recipient named in the receipt."""


About = Annotated[
    list[str] | None,
    Option(
        "--about", metavar="THING", help="What it involves in your knowledge, compared like its words; may be repeated."
    ),
]


@answering
def recall(
    query: Annotated[str, Argument(metavar="REQUEST", help="The request, unchanged.")],
    subject: Subject = "",
    intent: Annotated[
        list[str] | None,
        Option("--intent", metavar="NAME", help="Open this action type beside those recognised; may be repeated."),
    ] = None,
    about: About = None,
    max_chars: Annotated[
        int | None, Option("--max-chars", metavar="N", min=0, help="Cut lines below the critical ones to fit.")
    ] = None,
    cypher: Annotated[bool, Option("--cypher", help="Print the query that was run as well.")] = False,
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="On a terminal, list what was looked for in vain as well.")
    ] = False,
    home: Home = None,
    space: Space = None,
) -> Answer:
    """Prints what must be known before acting on a request.

    Put the block in front of the request. Exit code 3 means that memory could not be read, wholly or in part; the
    block then says so and is printed all the same.
    """

    async def ask(memory: Memory) -> Recall:
        return await memory.build_context(
            query, subject=subject, intents=intent or [], about=about or [], shown_to=SHOWN_TO, max_chars=max_chars
        )

    try:
        found = with_memory(settings_of(home, space), ask)
    except RMemoryError as error:
        return _unavailable(error, query, home, space)
    block = render(found)
    data = {**ContextOut.of(found, block=block).model_dump(mode="json"), "unavailable": found.unavailable}
    code = Exit.DONE if found.complete else Exit.UNAVAILABLE
    ran = f"The query that was run\n{found.traversal}" if found.traversal else "No query was run"
    return Answer(
        data=data, shown=[*block_lines(block, verbose=verbose), *([f"\n// {ran}"] if cypher else [])], code=code
    )


_JUDGEMENTS = TypeAdapter(list[Judgement])
Judged = Annotated[
    str,
    Option(
        "--judged",
        metavar="JSON",
        help='Your view of recorded facts: [{"fact": id or words, "verdict": conflict, bears or apart, "why": …}].',
    ),
]


def _judgements(given: str) -> Sequence[Judgement]:
    """Returns the judgements; none for an empty text.

    Raises:
        InvalidInput: it is no JSON of this form.
    """
    try:
        return _JUDGEMENTS.validate_json(given) if given else ()
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise InvalidInput(f"--judged: {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}") from error


@answering
def check_text(
    text: Annotated[str, Argument(metavar="TEXT", help="The draft; - reads it from standard input.")],
    subject: Subject = "",
    about: About = None,
    judged: Judged = "",
    home: Home = None,
    space: Space = None,
) -> Answer:
    """Holds a draft against what is recorded, before it is sent.

    The verdict is conflict, warning, not checkable (something could not be compared, and what) or nothing found. Exit
    code 0 means that nothing was found and everything named could be compared; 1 that somebody must look; 3 that memory
    could not be read, wholly or in part.
    """
    draft = sys.stdin.read() if text == "-" else text
    views = _judgements(judged)

    async def check(memory: Memory) -> DraftCheck:
        return await memory.check_text(draft, subject=subject, about=about or [], judged=views, shown_to=SHOWN_TO)

    try:
        checked = with_memory(settings_of(home, space), check)
    except RMemoryError as error:
        return _unavailable(error, draft, home, space)
    if not (checked.findings or checked.recall.complete):
        code = Exit.UNAVAILABLE
    else:
        code = Exit.DONE if checked.verdict == "nothing_found" else Exit.CHECK_FAILED
    return Answer(data=CheckOut.of(checked), shown=block_lines(told(checked)), code=code)


def _unavailable(error: RMemoryError, query: str, home: Path | None, space: str | None) -> Answer:
    """Returns the block that says that memory could not be read, for standard output."""
    if not is_unread(error):
        raise error
    complain(error)
    reason = without_secrets(str(error))
    try:
        # Often the files can be read even then.
        settings = settings_of(home, space)
        ask = load_domain(settings.files, settings.schema).schema.unavailable
    except ConfigurationError:
        ask = "Ask before acting."
    block = f"{START}\nSAFETY MEMORY UNAVAILABLE: {reason}. {ask}\n{END}\n{QUERY}\n{query}"
    data = {"state": State.COULD_NOT_CHECK, "block": block, "complete": False, "lines": [], "unavailable": reason}
    return Answer(data=data, shown=block_lines(block), code=Exit.UNAVAILABLE)


# --- the block on a terminal -----------------------------------------------------------------------------------------


_DAY = re.compile(r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?\b")
_STYLES = (
    (re.compile(r"SAFETY MEMORY|COULD NOT CHECK|THIS REQUEST NAMES|MORE THAN ONE|CONFLICT|STOP"), "bold white on red"),
    (re.compile(r"UNCONFIRMED|NOT YET READ|NOT UNDERSTOOD|WARNING|NOT CHECKABLE"), "bold yellow"),
    (re.compile(r"CRITICAL|CONTRADICTED"), "bold red"),
    # The label of a line of the schema.
    (re.compile(r"[A-Z][A-Z -]+: "), "bold"),
    (re.compile(r"  bears on|  against"), "yellow"),
    (re.compile(r"  |Checked|Not proof|" + "|".join(map(re.escape, (START, END, QUERY)))), "dim"),
)
"""Patterns of lines with their styles; the first match counts."""
_CHECKED = "Checked: "


def block_lines(block: str, *, verbose: bool = False) -> Iterator[Part]:
    """Yields the block; on a terminal styled, line by line, with every outcome if `verbose`."""
    if not a_console().is_terminal:
        yield block
        return
    for line in block.splitlines():
        lead = len(line) - len(line.lstrip())
        kept = line if verbose or not line.startswith(_CHECKED) else _folded(line)
        yield Padding(Text(_DAY.sub(_written, kept).lstrip(), style=style_of(line)), (0, 0, 0, lead))


def style_of(line: str) -> str:
    """Returns the style of a line of the block."""
    return next((style for begins, style in _STYLES if begins.match(line)), "")


def _folded(line: str) -> str:
    """Returns the line of outcomes with empty ones counted; complete if something could not be checked."""
    if "could not" in line.lower():
        return line
    parts = line.removeprefix(_CHECKED).split(" · ")
    found = [part for part in parts if " found " in part or "none asserted" in part]
    return f"{_CHECKED}{' · '.join(found) or 'nothing was found'}; all could be checked (-v lists them)"


def _written(found: re.Match[str]) -> str:
    iso = found[0]
    return day_of(parse_instant(iso if "T" in iso else f"{iso}T00:00:00Z"), time="T" in iso)
