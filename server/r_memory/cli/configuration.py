"""`init`, `check` and `config`: the files that people edit, copied out and looked over, and what is set in the end.

`token` adds an access token to the file of those that may call over HTTP.
"""

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from r_memory.cli.app import Exit
from r_memory.cli.checking import FileFinding, as_findings, findings
from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import Answer, Grid, answering, counted, on_settings
from r_memory.config.access_tokens import DEFAULT_SCOPES, FILE, SCOPES, add_token
from r_memory.config.files import Files, copy_defaults
from r_memory.config.settings import DEFAULT, Settings, sources
from r_memory.errors import ConfigurationError, InvalidInput

_FIRST = 10
"""Notices on the user's own files that are printed by default."""
_ALWAYS = frozenset({"home", "data_dir", "schema"})
"""Settings that are shown whether they were set or not: where things lie is asked for most."""


@answering
def init(
    folder: Annotated[Path, Argument(metavar="DIR", help="Where the files go; made if it does not exist.")],
    only: Annotated[
        list[str] | None,
        Argument(metavar="FILE", help="Only this file, such as intents.yaml; several may be given."),
    ] = None,
) -> Answer:
    """Copies the files that you may edit into a folder.

    Copy only those that you change: what is not in the folder is read from the installation, and gets newer with it. A
    file that is there already is never touched. Use the folder with --home or R_MEMORY_HOME.
    """
    copied = copy_defaults(Files(), folder, only or ())
    written, kept = ([name for name, was in copied.items() if was is new] for new in (True, False))
    return Answer(
        data={"folder": folder, "written": written, "kept": kept},
        shown=[
            *(f"written  {name}" for name in written),
            *(f"kept     {name}" for name in kept),
            f"{folder}: {len(written)} written, {len(kept)} were there and stay as they are.",
            f"Edit them, then run: r-memory check --home {folder}",
        ],
    )


@answering
def check(
    home: Home = None,
    every: Annotated[
        bool, Option("--all", help="Print every notice, not only the first ten about files of your own.")
    ] = False,
) -> Answer:
    """Checks schema, intents, queries and settings; names file and line.

    Every example of every schema is read as an utterance would be, and must give what it says. Exit code 2 means that
    something must be mended: the server would refuse to start, or a schema does not do what it says. Warnings and
    notices, such as names that look alike, do not count.
    """
    mine = home
    try:
        settings = settings_of(home)
        mine, found = settings.home, findings(settings, lint=True)
    except ConfigurationError as error:
        found = as_findings(error)
    usable = all(finding.severity != "error" for finding in found)
    return Answer(
        data={"usable": usable, "findings": found},
        shown=_findings(found, mine, every=every),
        code=Exit.DONE if usable else Exit.USAGE,
    )


@answering
def config(
    every: Annotated[bool, Option("--all", help="Print what has its default as well.")] = False,
    home: Home = None,
    space: Space = None,
) -> Answer:
    """Shows what is set, and where each setting comes from.

    Passwords, keys and tokens are not shown. docs/reference/settings.md says what each setting is.
    """
    settings, origin = settings_of(home, space), sources(os.environ, home=home, space=space)
    # As it is written in a file; of what is secret only that it is set.
    written = {each.name: (getattr(settings, each.name), each.repr) for each in fields(settings)}
    values = {name: value if shown else "(set)" if value else "" for name, (value, shown) in written.items()}
    listed = [name for name in values if every or origin[name] != DEFAULT or name in _ALWAYS]
    rest = [] if every else [f"{counted(len(values) - len(listed), 'setting')} have their default; see --all"]
    table = Grid(("Setting", "Value", "From"), [(name, values[name], origin[name]) for name in listed])
    data = {name: {"value": value, "from": origin[name]} for name, value in values.items()}
    return Answer(data=data, shown=[table, *rest])


def _findings(found: Sequence[FileFinding], mine: Path | None, *, every: bool) -> Iterator[str]:
    """Errors, warnings, and the first notices about files of the folder, which one can mend; or every notice."""
    notices = [finding for finding in found if finding.severity == "notice"]
    others = [finding for finding in found if finding.severity != "notice"]
    errors = sum(finding.severity == "error" for finding in others)
    own = [finding for finding in notices if mine and finding.file and mine in finding.file.parents]
    listed = notices if every else own[:_FIRST]
    for finding in (*others, *listed):
        yield f"{finding.severity}: {finding.text}"
    if rest := len(notices) - len(listed):
        shipped = len(notices) - len(own)
        yield f"{rest} more notices, {shipped} of them about shipped files; see --all"
    warned = f"{counted(errors, 'error')}, {counted(len(others) - errors, 'warning')}"
    noticed = f", {counted(len(notices), 'notice')}" if notices else ""
    yield f"{warned}{noticed}." if others else f"Everything fits together{noticed}."


_SCOPE = f"What it allows, of {', '.join(SCOPES)}; may be repeated. Default: {' and '.join(DEFAULT_SCOPES)}."


@on_settings
def token(
    settings: Settings,
    name: Annotated[str, Argument(metavar="NAME", help="Who bears it; appears in logs.")],
    scope: Annotated[list[str] | None, Option("--scope", metavar="SCOPE", help=_SCOPE)] = None,
    expires: Annotated[
        str, Option("--expires", metavar="DAY", help="Last day on which it counts, as YYYY-MM-DD; none: never.")
    ] = "",
    file: Annotated[
        Path | None, Option("--file", metavar="FILE", help=f"Where its hash goes. Default: {FILE} of the home.")
    ] = None,
    as_json: AsJson = False,
) -> Answer:
    """Makes an access token for serving over HTTP.

    It is printed once. Only its hash is kept, in a file from which you may delete entries by hand: their tokens stop to
    count at once.
    """
    where = _where(settings, file)
    made = add_token(where, name, space=settings.space, scopes=scope or DEFAULT_SCOPES, expires=_day(expires))
    if not as_json:
        typer.echo(f"Its hash is in {where}. Keep the token now: it is not shown again.", err=True)
    return Answer(data={"name": name, "space": settings.space, "token": made, "file": where}, shown=[made])


def _where(settings: Settings, file: Path | None) -> Path:
    where = file or settings.http_token_file or (settings.home and settings.home / FILE)
    if where is None:
        raise InvalidInput("there is no home for the file; name one with --home, or a file with --file")
    return where.absolute()


def _day(text: str) -> dt.date | None:
    try:
        day = dt.date.fromisoformat(text) if text else None
    except ValueError:
        raise InvalidInput("--expires is a day such as 2027-06-30") from None
    if day is not None and day < dt.datetime.now(dt.UTC).date():
        raise InvalidInput(f"--expires {text} is over, so the token would never count; give a day to come")
    return day
