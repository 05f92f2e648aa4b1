"""The entry point of `r-memory`, the table of commands, and the one place where errors become messages and exit codes.

A command is a function in a module of this folder, loaded only when it is the one that was asked for: the help must
come at once, and the memory takes longer than that to import.
"""

import errno
import gc
import importlib
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Annotated, Any, NoReturn

import typer
from typer import Option
from typer.core import TyperGroup
from typing_extensions import override

from r_memory.errors import (
    ConfigurationError,
    FactMoved,
    InvalidInput,
    RMemoryError,
    StoreError,
    SubjectRequired,
    SubjectTaken,
    SubjectUnknown,
    adding,
)

__all__ = ["COMMANDS", "GROUPS", "READING", "Exit", "complain", "exit_code", "is_unread", "main", "message_of", "run"]

PROGRAM = "r-memory"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Exit(IntEnum):
    """Exit codes of commands."""

    DONE = 0
    CHECK_FAILED = 1
    USAGE = 2
    """Wrong usage or configuration."""
    UNAVAILABLE = 3
    """The store did not answer."""
    INTERRUPTED = 130


GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Remember and recall": {
        "remember": ("remembering", "Stores what somebody said, and the facts in it."),
        "recall": ("recalling", "Prints what must be known before acting on a request."),
        "check-text": ("recalling", "Holds a draft against what is recorded, before it is sent."),
        "chat": ("", "Talks with a model in three panels, and shows what stood before each prompt and why."),
        "ingest": ("ingesting", "Reads text, Markdown, PDF and DOCX files: their words, the facts in them, summaries."),
        "explain": ("", "Shows how a sentence is read: rules, taught reader, the row that decided; stores nothing."),
    },
    "Look at what is known": {
        "subjects": ("facts", "Lists everybody that something is remembered about."),
        "facts": ("facts", "Lists everything recorded about a subject, now or at an instant."),
        "history": ("facts", "Lists every event of one fact: who said it, when, and why it changed."),
        "search": ("facts", "Searches facts, statements, conversations and documents for words, the best first."),
        "across": ("facts", "Holds one party against everybody on record: a law firm's conflict check."),
        "reconcile": ("records", "Compares what was said with what is recorded: one row a matter, with a question."),
        "receipts": (
            "gating",
            "Lists what was shown about somebody, and what gates asked and decided.",
        ),
        "review": ("reviewing", "Shows what waits for a person, and takes the decisions."),
        "change": ("reviewing", "Decides about a fact: confirmed, refuted, resolved, an error, somebody else's."),
        "conversation": ("", "Shows and searches what conversations left, and why a turn got what it got."),
    },
    "Attach it to an assistant": {
        "install": (
            "installing.command",
            "Adds this server to an MCP client, and keeps everything else in its configuration.",
        ),
        "serve": ("serve", "Answers MCP clients over standard input and output, or over HTTP."),
        "web": ("paging", "Shows what is remembered, what waits, and what was shown, as pages in a browser."),
        "token": ("configuration", "Makes an access token for serving over HTTP."),
        "hook": ("hooking", "Answers a hook of Claude Code, Codex or Cursor, in the client's form."),
        "proxy": ("proxying", "Answers OpenAI clients in front of another server, with both gates in between."),
        "describe": (
            "",
            "Prints what a model reads of this server: names, descriptions, instructions, sizes.",
        ),
    },
    "Set it up": {
        "demo": ("", "Shows the main job: told once, talked over, killed, and still known."),
        "init": ("configuration", "Copies the files that you may edit into a folder."),
        "config": ("configuration", "Shows what is set, and where each setting comes from."),
        "check": ("configuration", "Checks schema, intents, queries and settings; names file and line."),
        "doctor": ("doctor", "Finds the usual troubles of this installation and says what to do."),
        "exam": (
            "examining",
            "Examines the language model that reads: its marks by kind of harm, and whether its reading counts.",
        ),
        "knowledge": ("", "Shows, compares and extends the knowledge pack."),
        "teach": ("", "Teaches the reader a domain of your own from labelled lines, or checks the lines."),
        "embed": ("integrity", "Gives every item of the conversational memory a vector of the present embedder."),
    },
    "Audit, move, erase": {
        "audit": ("querying", "Lists the audits, or runs one."),
        "cypher": ("querying", "Runs a read-only Cypher query over what is stored, and shows the rows of one space."),
        "verify": ("integrity", "Recomputes every log, every hash chain and every state, and reports differences."),
        "case": (
            "integrity",
            "Prints a receipt as one file that proves itself: facts, their words and history, proofs.",
        ),
        "checkpoint": (
            "integrity",
            "Writes a signed checkpoint, by which `verify` later proves that nothing was taken away.",
        ),
        "rebuild": ("integrity", "Recreates the present state from the ledger."),
        "relink": ("integrity", "Records facts of an earlier lexicon under the thing that was said, by events."),
        "export": ("moving", "Writes everything of a space, or about one subject, into a file that `import` reads."),
        "import": ("moving", "Reads what `export` wrote into the space of the same name, here or in another store."),
        "forget": (
            "moving",
            "Erases a person for good on a legal request; what stays is a logged trace without words.",
        ),
    },
    "Measure": {
        "eval": ("", "Measures quality on data: recall, false alarms, leaks, with 95 % intervals."),
        "bench": ("", "Measures speed and losses: percentiles, restarts, kills."),
    },
}
"""Commands by purpose: name to module and to its line in the list of commands. A command without a module is an entry
point of `_OFFERED` in another package."""
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
READING = {"recall", "check-text", "audit", "cypher"} | (set(GROUPS["Look at what is known"]) - {"change"})
"""Commands whose output is used in front of a request; each says so there if the memory could not be read."""
_OFFERED = "r_memory.commands"


def main() -> NoReturn:
    """Runs the command line of this process and exits with its exit code."""
    # Looking for garbage among what is only being loaded takes a fifth of a command's time (1.40 s against 1.13).
    gc.set_threshold(50_000, 20, 20)
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:
        # It was told already; what is left of the output must not be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code; an error is one line on standard error."""
    try:
        code = _ended(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except Exception as error:  # the process boundary: a mistake of ours is still one line, not a page
        if sys.flags.dev_mode:
            raise
        if told := _unforeseen(error):
            print(f"{PROGRAM}: {told}", file=sys.stderr)
        return Exit.CHECK_FAILED
    return code


def _ended(arguments: Sequence[str]) -> int:
    """Returns the exit code of a command line, after printing an expected error."""
    # Where a shell completes, the command is typed already.
    typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    asked = next((word for word in arguments or typed.split()[1:] if not word.startswith("-")), "")
    try:
        _app(asked)(list(arguments) or ["--help"], prog_name=PROGRAM)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except RMemoryError as error:
        complain(error)
        if asked not in READING or not is_unread(error):
            return exit_code(error)
        # The sentence where the answer would have stood, for people and for programs.
        reason = message_of(error)
        data = {"state": "COULD-NOT-CHECK", "complete": False, "unavailable": reason}
        said = json.dumps(data) if "--json" in arguments else f"SAFETY MEMORY UNAVAILABLE: {reason}. Ask before acting."
        print(said)
        return Exit.UNAVAILABLE
    return Exit.DONE


def _unforeseen(error: Exception) -> str:
    """Returns the message for an unexpected error, without its text, which may hold people's words.

    Empty if the reader closed the pipe.
    """
    if isinstance(error, BrokenPipeError):
        return ""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        place = error.filename or "the answer"
        return f"{place} cannot be written ({error.strerror}); make room or choose another place, and run it again"
    again = "run it again with `python -X dev -m r_memory.cli ...` for the details, and report them"
    return f"unexpected {type(error).__name__}; {again}"


def exit_code(error: RMemoryError) -> Exit:
    """Returns the exit code for an error."""
    if isinstance(error, StoreError):
        return Exit.UNAVAILABLE
    return Exit.USAGE if isinstance(error, (InvalidInput, ConfigurationError)) else Exit.CHECK_FAILED


def is_unread(error: RMemoryError) -> bool:
    """Whether the error kept the memory from being read: no store, or unusable settings and files."""
    return isinstance(error, (StoreError, ConfigurationError))


def complain(error: RMemoryError) -> None:
    """Prints one line on standard error for the error and for each other error that it carries."""
    others = error.others if isinstance(error, ConfigurationError) else ()
    for mistake in (error, *others):
        print(f"{PROGRAM}: {message_of(mistake)}", file=sys.stderr)


def message_of(error: RMemoryError) -> str:
    """Returns the error's message, with what a person at a shell can do.

    >>> message_of(SubjectRequired("no subject was given"))
    'no subject was given; give it with --subject'
    """
    return "; ".join(filter(None, (str(error), _way_out(error))))


def _way_out(error: RMemoryError) -> str:
    if isinstance(error, SubjectRequired):
        return "give it with --subject"
    if isinstance(error, SubjectUnknown):
        return "`r-memory subjects` lists everybody; `r-memory remember` with --subject-name declares somebody new"
    if isinstance(error, FactMoved):
        return "`r-memory history` with its id shows what changed; decide again with the new --version, or without one"
    if isinstance(error, SubjectTaken):
        yes = " ".join(f"--another-than {shlex.quote(id_)}" for id_ in error.candidates)
        other = f"add {yes}" if error.may_share else "give an id and a fuller name that nobody has"
        return f"if one of them is meant, give that --subject and no --subject-name; if somebody else is, {other}"
    return ""


class _Listed(TyperGroup):
    """Lists the commands with their full lines; the program's own commands in groups."""

    @override
    def format_commands(self, ctx: Any, formatter: Any) -> None:
        family = {name: ("", command.get_short_help_str(limit=500)) for name, command in self.commands.items()}
        for title, group in ({"Commands": family} if ctx.parent else GROUPS).items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (_, line) in group.items()])

    @override
    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")  # pydantic's word for it
            raise


def _app(asked: str) -> typer.Typer:
    """Returns all commands by name; only the requested one is loaded."""
    app = typer.Typer(
        cls=_Listed,
        help="Remembers the facts that an assistant must never forget, as a graph you can query.",
        epilog=(
            "Exit codes: 0 done, 1 a check failed, 2 usage or configuration, 3 store unavailable. What went wrong is "
            "one line on standard error, with --json as well."
        ),
        context_settings={"help_option_names": ["-h", "--help"]},
        # Plain help: the decorated one needs rich, which alone takes longer to import than the help may take.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for name, (module, line) in COMMANDS.items():
        command = _loaded(module, name) if name == asked else lambda: None
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, short_help=line, cls=_Listed)
        else:
            app.command(name, short_help=line)(command)
    return app


def _loaded(module: str, name: str) -> Callable[..., None] | typer.Typer:
    """Returns the command or group of a module in this folder, or of a package that offers it."""
    command: Callable[..., None] | typer.Typer
    if module:
        command = getattr(importlib.import_module(f"r_memory.cli.{module}"), name.replace("-", "_"))
        return command
    metadata = importlib.import_module("importlib.metadata")
    offers = tuple(metadata.entry_points(group=_OFFERED, name=name))
    if not offers:
        raise ConfigurationError(f"`{PROGRAM} {name}` is not part of this installation; install {PROGRAM} whole")
    try:
        command = offers[0].load()
    except ModuleNotFoundError as error:
        needed = f"run: {adding(offers[0].extras[0])} (docs/how-to/install.md)" if offers[0].extras else "reinstall"
        raise ConfigurationError(f"`{PROGRAM} {name}` needs the package {error.name}; {needed}") from error
    return command


def _version(asked: bool) -> None:
    if asked:
        metadata = importlib.import_module("importlib.metadata")
        print(f"{PROGRAM} {metadata.version(PROGRAM)}")
        raise typer.Exit


def _options(
    version: Annotated[bool, Option("--version", help="Print the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """Remembers the facts that an assistant must never forget."""
