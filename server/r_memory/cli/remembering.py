"""`remember`: stores what was said, from an argument, a file or standard input, and says what became of it."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from r_memory.cli.options import AsJson, Home, Space, Subject
from r_memory.cli.printing import print_json, print_line, progress
from r_memory.cli.running import settings_of, with_memory
from r_memory.cli.utterances import Spoken, checked, utterances
from r_memory.domain.facts import Fact
from r_memory.domain.inert import inert, inert_name
from r_memory.domain.instants import Instant, parse_instant
from r_memory.errors import InvalidInput, NotStored, StoreUnavailable
from r_memory.memory import Memory
from r_memory.record.results import Remembered, Result
from r_memory.tools import shaping

Given = Literal["user", "assistant", "document"]


def remember(
    text: Annotated[str, typer.Argument(help="The words; left out (or `-`) they are read from standard input.")] = "",
    subject: Subject = "",
    subject_name: Annotated[
        str, typer.Option("--subject-name", metavar="NAME", help="Declares a new subject under the id of --subject.")
    ] = "",
    file: Annotated[Path | None, typer.Option("--file", "-f", metavar="FILE", help="Read the words from a file.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Take the whole text as one utterance, not each line.")] = False,
    dialogue: Annotated[
        bool, typer.Option("--dialogue", help="Lines begin with who speaks, as in `doctor: ...`.")
    ] = False,
    speaker: Annotated[str, typer.Option("--speaker", metavar="WHO", help="Who said it. [default: the role]")] = "",
    role: Annotated[Given, typer.Option("--role", help="Whose words they are; an assistant's are no evidence.")] = "user",
    conversation: Annotated[
        str, typer.Option("--conversation", metavar="ID", help="Conversation whose last turns help to read it.")
    ] = "",
    said_at: Annotated[
        str, typer.Option("--said-at", metavar="TIME", help="When, as ISO-8601 with zone. [default: now]")
    ] = "",
    key: Annotated[
        str, typer.Option("--key", metavar="KEY", help="Idempotency key: the same key stores nothing twice.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be stored; store nothing.")] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Stores what somebody said, and the facts in it.

    Prints each fact, each rejection and each sentence that a person must look at, and why. A file or standard input
    holds one utterance a line. Repeating a command stores nothing twice.
    """
    when = parse_instant(said_at) if said_at else None
    one = whole or _is_argument(text)
    spoken = utterances(_words(text, file), speaker=speaker, role=role, whole=one and not dialogue, dialogue=dialogue)

    async def tell(memory: Memory) -> list[Remembered]:
        checked(spoken, limit=memory.limits.text)
        about = Telling(
            subject=subject, name=subject_name, conversation=conversation, said_at=when, key=key, dry_run=dry_run
        )
        return await _told(memory, spoken, about)

    outcomes = with_memory(settings_of(home, space), tell)
    if as_json:
        print_json({"statements": [shaping.remembered(outcome) for outcome in outcomes], "counts": _counts(outcomes)})
    else:
        _show(outcomes)
