"""`init`, `check` and `config`: the files that people edit, copied out and looked over, and what is set in the end."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import Exit
from r_memory.cli.inspection import as_findings, findings
from r_memory.cli.linting import intents_lint, schema_lint
from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import counted, print_json, print_line, print_table
from r_memory.config.files import Files
from r_memory.config.home import Finding, copy_defaults
from r_memory.config.settings import DEFAULT, Settings, sources
from r_memory.errors import ConfigurationError

_FIRST = 10
"""Notices that are printed unasked."""


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go; made if it does not exist.")],
    only: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Only this file, such as intents.yaml; several may be given."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copies the files that you may edit into a folder.

    Copy only those that you change: what is not in the folder is read from the installation, and gets newer with it. A
    file that is there already is never touched. Use the folder with --home or R_MEMORY_HOME.
    """
    copied = copy_defaults(Files(), folder, only or ())
    if as_json:
        print_json({"folder": str(folder), "written": copied.written, "kept": copied.kept})
        return
    for name in copied.written:
        print_line(f"written  {name}")
    for name in copied.kept:
        print_line(f"kept     {name}")
    print_line(f"{folder}: {len(copied.written)} written, {len(copied.kept)} were there and stay as they are.")
    print_line(f"Edit them, then run: r-memory check --home {folder}")


def check(
    home: Home = None,
    every: Annotated[bool, typer.Option("--all", help="Print every notice, not only the first ten.")] = False,
    as_json: AsJson = False,
) -> None:
    """Checks schema, intents, queries and settings; names file and line.

    Every example of every schema is read as an utterance would be, and must give what it says. Exit code 2 means that
    something must be mended: the server would refuse to start, or a schema does not do what it says. Warnings and
    notices, such as names that look alike, do not count.
    """
    # What one wrote oneself comes before what was shipped.
    mine = None if home is None else home.absolute()
    found = sorted(_findings(home), key=lambda each: mine is None or each.file is None or mine not in each.file.parents)
    errors = sum(finding.severity == "error" for finding in found)
    if as_json:
        print_json({"usable": not errors, "findings": [_shape(finding) for finding in found]})
    else:
        _print(found, most=len(found) if every else _FIRST)
    if errors:
        raise typer.Exit(Exit.USAGE)


def config(
    every: Annotated[bool, typer.Option("--all", help="Print what has its default as well.")] = False,
    home: Home = None,
    space: Space = None,
    as_json: AsJson = False,
) -> None:
    """Shows what is set, and where each setting comes from.

    Passwords, keys and tokens are not shown. docs/reference/settings.md says what each setting is.
    """
    settings = settings_of(home, space)
    values, origin = _values(settings), sources(os.environ, home=home, space=space)
    if as_json:
        print_json({name: {"value": value, "from": origin[name]} for name, value in values.items()})
        return
    # Where things lie is asked for most, whether it was set or not.
    shown = [name for name in values if every or origin[name] != DEFAULT or name in {"home", "data_dir", "schema"}]
    print_table(("Setting", "Value", "From"), [(name, values[name], origin[name]) for name in shown])
    if not every:
        print_line(f"{counted(len(values) - len(shown), 'setting')} have their default; see --all")


def _values(settings: Settings) -> Mapping[str, object]:
    """Each setting as it is written in a file; of what is secret only that it is set."""
    found: dict[str, object] = {}
    for each in fields(settings):
        value = getattr(settings, each.name)
        if not each.repr:
            found[each.name] = "(set)" if value else ""
        else:
            found[each.name] = (
                list(value) if isinstance(value, tuple) else str(value) if isinstance(value, Path) else value
            )
    return found


def _print(found: Sequence[Finding], most: int) -> None:
    notices = [finding for finding in found if finding.severity == "notice"]
    others = [finding for finding in found if finding.severity != "notice"]
    errors = sum(finding.severity == "error" for finding in others)
    for finding in (*others, *notices[:most]):
        print_line(f"{finding.severity}: {finding.text}")
    if len(notices) > most:
        print_line(f"{len(notices) - most} more notices; see --all")
    warned = f"{counted(errors, 'error')}, {counted(len(others) - errors, 'warning')}"
    noticed = f", {counted(len(notices), 'notice')}" if notices else ""
    print_line(f"{warned}{noticed}." if others else f"Everything fits together{noticed}.")


def _findings(home: Path | None) -> Sequence[Finding]:
    try:
        return findings(settings_of(home), lints=(schema_lint, intents_lint))
    except ConfigurationError as error:
        return as_findings(error)


def _shape(finding: Finding) -> dict[str, object]:
    file = None if finding.file is None else str(finding.file)
    return {"severity": finding.severity, "file": file, "line": finding.line, "text": finding.text}
