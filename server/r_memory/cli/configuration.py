"""`init`, `check` and `config`: the files that people edit, copied out and looked over, and what is set in the end."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.answers import Answer, answering
from r_memory.cli.app import Exit
from r_memory.cli.inspection import findings
from r_memory.cli.options import Home, Space, settings_of
from r_memory.cli.printing import Grid, counted
from r_memory.config.files import Files
from r_memory.config.home import Finding, as_findings, copy_defaults
from r_memory.config.settings import DEFAULT, Settings, sources
from r_memory.errors import ConfigurationError

_FIRST = 10
"""Notices that are printed unasked."""
_ALWAYS = frozenset({"home", "data_dir", "schema"})
"""Settings that are shown whether they were set or not: where things lie is asked for most."""


@answering
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go; made if it does not exist.")],
    only: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Only this file, such as intents.yaml; several may be given."),
    ] = None,
) -> Answer:
    """Copies the files that you may edit into a folder.

    Copy only those that you change: what is not in the folder is read from the installation, and gets newer with it. A
    file that is there already is never touched. Use the folder with --home or R_MEMORY_HOME.
    """
    copied = copy_defaults(Files(), folder, only or ())
    return Answer(
        data={"folder": folder, "written": copied.written, "kept": copied.kept},
        shown=[
            *(f"written  {name}" for name in copied.written),
            *(f"kept     {name}" for name in copied.kept),
            f"{folder}: {len(copied.written)} written, {len(copied.kept)} were there and stay as they are.",
            f"Edit them, then run: r-memory check --home {folder}",
        ],
    )


@answering
def check(
    home: Home = None,
    every: Annotated[bool, typer.Option("--all", help="Print every notice, not only the first ten.")] = False,
) -> Answer:
    """Checks schema, intents, queries and settings; names file and line.

    Every example of every schema is read as an utterance would be, and must give what it says. Exit code 2 means that
    something must be mended: the server would refuse to start, or a schema does not do what it says. Warnings and
    notices, such as names that look alike, do not count.
    """
    try:
        everything = findings(settings_of(home), lint=True)
    except ConfigurationError as error:
        everything = as_findings(error)
    # What one wrote oneself comes before what was shipped.
    mine = None if home is None else home.absolute()
    found = sorted(everything, key=lambda each: mine is None or each.file is None or mine not in each.file.parents)
    usable = all(finding.severity != "error" for finding in found)
    return Answer(
        data={"usable": usable, "findings": found},
        shown=_findings(found, most=len(found) if every else _FIRST),
        code=Exit.DONE if usable else Exit.USAGE,
    )


@answering
def config(
    every: Annotated[bool, typer.Option("--all", help="Print what has its default as well.")] = False,
    home: Home = None,
    space: Space = None,
) -> Answer:
    """Shows what is set, and where each setting comes from.

    Passwords, keys and tokens are not shown. docs/reference/settings.md says what each setting is.
    """
    values, origin = _values(settings_of(home, space)), sources(os.environ, home=home, space=space)
    listed = [name for name in values if every or origin[name] != DEFAULT or name in _ALWAYS]
    rest = [] if every else [f"{counted(len(values) - len(listed), 'setting')} have their default; see --all"]
    table = Grid(("Setting", "Value", "From"), [(name, values[name], origin[name]) for name in listed])
    data = {name: {"value": value, "from": origin[name]} for name, value in values.items()}
    return Answer(data=data, shown=[table, *rest])


def _values(settings: Settings) -> Mapping[str, object]:
    """Each setting as it is written in a file; of what is secret only that it is set."""
    values = {each.name: (getattr(settings, each.name), each.repr) for each in fields(settings)}
    return {name: value if shown else "(set)" if value else "" for name, (value, shown) in values.items()}


def _findings(found: Sequence[Finding], most: int) -> Iterator[str]:
    notices = [finding for finding in found if finding.severity == "notice"]
    others = [finding for finding in found if finding.severity != "notice"]
    errors = sum(finding.severity == "error" for finding in others)
    for finding in (*others, *notices[:most]):
        yield f"{finding.severity}: {finding.text}"
    if len(notices) > most:
        yield f"{len(notices) - most} more notices; see --all"
    warned = f"{counted(errors, 'error')}, {counted(len(others) - errors, 'warning')}"
    noticed = f", {counted(len(notices), 'notice')}" if notices else ""
    yield f"{warned}{noticed}." if others else f"Everything fits together{noticed}."
