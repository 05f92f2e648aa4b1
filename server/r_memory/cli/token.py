"""`token`: makes an access token for serving over HTTP."""

import datetime as dt
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.options import AsJson
from r_memory.cli.printing import Answer, on_settings
from r_memory.config.access_tokens import DEFAULT_SCOPES, FILE, SCOPES, add_token
from r_memory.config.settings import Settings
from r_memory.errors import InvalidInput

_SCOPE = f"What it allows, of {', '.join(SCOPES)}; may be repeated. Default: {' and '.join(DEFAULT_SCOPES)}."


@on_settings
def token(
    settings: Settings,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who bears it; appears in logs.")],
    scope: Annotated[list[str] | None, typer.Option("--scope", metavar="SCOPE", help=_SCOPE)] = None,
    expires: Annotated[
        str, typer.Option("--expires", metavar="DAY", help="Last day on which it counts, as YYYY-MM-DD; none: never.")
    ] = "",
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help=f"Where its hash goes. Default: {FILE} of the home.")
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
    if file is not None:
        return file.absolute()
    if settings.http_token_file is not None:
        return settings.http_token_file
    if settings.home is None:
        raise InvalidInput("there is no home for the file; name one with --home, or a file with --file")
    return settings.home / FILE


def _day(text: str) -> dt.date | None:
    try:
        day = dt.date.fromisoformat(text) if text else None
    except ValueError:
        raise InvalidInput("--expires is a day such as 2027-06-30") from None
    if day is not None and day < dt.datetime.now(dt.UTC).date():
        raise InvalidInput(f"--expires {text} is over, so the token would never count; give a day to come")
    return day
