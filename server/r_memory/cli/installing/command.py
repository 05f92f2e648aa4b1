"""`install`: adds this server to a client, or takes it out."""

import os
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from r_memory.cli.installing.clients import NAME, NAMES, REMOTE, client_named
from r_memory.cli.installing.files import FileChange, changed, write
from r_memory.cli.installing.gates import hooked
from r_memory.cli.printing import Answer, as_json, on_settings, print_parts
from r_memory.config.settings import PREFIX, Settings
from r_memory.errors import ConfigurationError, InvalidInput

_PASSWORD = PREFIX + "STORE_PASSWORD"
_KEYS = (PREFIX + "MODEL_KEY", PREFIX + "SMALL_MODEL_KEY")
_INSTALL = "install it first: `uv tool install .`, or `pipx install .`, in the folder of its code"
_SECRETS = ("PASSWORD", "TOKEN", "KEY")
_ASK = "Is this one person's own assistant, so that everything it hears is about that person?"
_ASK_ID = "The id of that person, such as jane-doe"
_PERSONAL = "personal"
"""Schema of a personal assistant, which names the subject for calls without one."""
_ASK_SCHEMA = "Remember family and friends, preferences, dates, plans, instructions and health of theirs"
_NO_ID = frozenset({"y", "yes", "n", "no", "true", "false"})
"""Answers to a question that are no id."""
_EPHEMERAL = ("archive-v0", "builds-v0", "pipx/.cache")
"""Parts of paths where runners keep temporary installations."""


@on_settings
def install(
    settings: Settings,
    client: Annotated[str, Argument(metavar="CLIENT", help=f"One of {', '.join(NAMES)}.")],
    uninstall: Annotated[bool, Option("--uninstall", help="Take the server out instead.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would change; change nothing.")] = False,
    show: Annotated[bool, Option("--print", help="Print the entry, for pasting; change nothing.")] = False,
    project: Annotated[
        Path | None, Option("--project", metavar="DIR", help="For this project only, not for the person.")
    ] = None,
    file: Annotated[
        Path | None, Option("--file", metavar="FILE", help="The client's file, if it lies elsewhere.")
    ] = None,
    single_subject: Annotated[
        str | None,
        Option("--single-subject", metavar="ID", help="One person's own assistant: the id of that person."),
    ] = None,
    personal: Annotated[
        bool, Option("--personal", help="One person's own assistant, with the schema for it: no id is needed.")
    ] = False,
    many_subjects: Annotated[bool, Option("--many-subjects", help="Do not ask: every call names one.")] = False,
    with_password: Annotated[
        bool, Option("--with-password", help="Write the store's password into the client's file.")
    ] = False,
    gates: Annotated[
        bool, Option("--gates", help="Hooks as well: at the start, before prompts and tool calls, after answers.")
    ] = False,
    url: Annotated[str, Option("--url", metavar="URL", help="For chatgpt: where this server answers over HTTPS.")] = "",
) -> Answer:
    """Adds this server to an MCP client, and keeps everything else in its configuration.

    Shows what changes, and keeps the earlier file beside the new one. A file that cannot be understood is left alone.
    """
    chosen = client_named(client)
    if client == REMOTE:
        return _steps(chosen.then, url, settings)
    path = file.absolute() if file else chosen.path(_places(), project.absolute() if project else None)
    if uninstall and gates:
        hooks, change = hooked(client, "", {}, project.absolute() if project else None)
        return _carried_out(change, f"{hooks.title} no longer calls them.", "No hook of it is there.", dry_run=dry_run)
    if uninstall:
        then = f"{chosen.title} no longer starts it, once it was started again."
        return _carried_out(changed(chosen, path, None), then, f"{NAME} is not in {path}.", dry_run=dry_run)
    if personal and many_subjects:
        raise InvalidInput("--personal is for one person's own assistant; leave out --many-subjects")
    settings = replace(settings, schema=_PERSONAL) if personal else settings
    settings = _offered(settings, single_subject, many=many_subjects or show or dry_run)
    given = _environment(settings, os.environ, with_password=with_password)
    entry = chosen.entry(_program(), given)
    _tell_of_keys()
    if show:
        pasted = {chosen.key: {NAME: entry}}
        return Answer(data=pasted, shown=[as_json(pasted, ascii_only=False)])
    present = f"{NAME} is in {path} already, as it should be."
    made = _carried_out(changed(chosen, path, entry), chosen.then, present, dry_run=dry_run)
    if not gates:
        return made
    hooks, change = hooked(client, _program(), given, project.absolute() if project else None)
    stood = f"The hooks are in {change.path} already, as they should be."
    more = _carried_out(change, hooks.then, stood, dry_run=dry_run)
    return Answer(data={"server": made.data, "hooks": more.data}, shown=[*made.shown, *more.shown])


def _steps(then: str, url: str, settings: Settings) -> Answer:
    """Returns what a person does in ChatGPT, which no file tells of servers."""
    if url and not url.startswith("https://"):
        raise InvalidInput("--url must begin with https://, as ChatGPT calls no other")
    steps = then.format(url=url or settings.http_resource or "https://YOUR.NAME/mcp")
    return Answer(data={"client": REMOTE, "steps": steps.splitlines()}, shown=[steps])


def _tell_of_keys() -> None:
    """Names the keys of this environment that the client's file does not get."""
    for key in filter(os.environ.get, _KEYS):
        told = f"{key} is set here and is not written into the client's file, nor passed on by the client"
        typer.echo(f"{told}; put `{key.removeprefix(PREFIX).lower()}:` into config.yaml of the home.", err=True)


def _carried_out(change: FileChange, then: str, otherwise: str, *, dry_run: bool) -> Answer:
    """Makes the change and returns what to do `then`; or returns `otherwise`, why there is no change."""
    data = {"file": change.path, "needed": change.needed, "changed": change.needed and not dry_run, "backup": None}
    if not change.needed:
        return Answer(data=data, shown=[otherwise])
    if dry_run:
        return Answer(data=data, shown=[change.diff, "Nothing was changed."])
    backup = write(change, stamp=time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()))
    kept = f" The earlier file is {backup.name}, beside it." if backup else ""
    return Answer(data={**data, "backup": backup}, shown=[change.diff, f"Changed {change.path}.{kept}", then])


def _places() -> Mapping[str, Path]:
    """Returns the folders of a person's configuration, by their names in `clients.toml`."""
    home = Path.home()
    if sys.platform == "win32":
        config = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
        return {"home": home, "config": config, "zed": config / "Zed"}
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    usual = home / ("Library/Application Support" if sys.platform == "darwin" else ".config")
    config = named if named.is_absolute() and sys.platform != "darwin" else usual
    return {"home": home, "config": config, "zed": home / ".config" / "zed"}


def _offered(settings: Settings, given: str | None, *, many: bool) -> Settings:
    """Returns the settings with the single subject, or a personal schema; asks a person at a terminal."""
    if given is not None:
        return replace(settings, single_subject=given)
    if many or settings.single_subject or settings.schema == _PERSONAL or not sys.stdin.isatty():
        return settings
    if not typer.confirm(_ASK, default=False):
        return settings
    if typer.confirm(_ASK_SCHEMA, default=True):
        return replace(settings, schema=_PERSONAL)
    while not (answer := str(typer.prompt(_ASK_ID)).strip()) or answer.casefold() in _NO_ID:
        print_parts(f"'{answer}' names nobody; give an id, or end with Ctrl+C.")
    return replace(settings, single_subject=answer)


def _program() -> str:
    """Returns the absolute path of this program."""
    name = f"{NAME}.exe" if sys.platform == "win32" else NAME
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(NAME)
    if found is None:
        raise ConfigurationError(f"there is no command r-memory beside this Python; {_INSTALL}")
    if any(part in Path(found).as_posix() for part in _EPHEMERAL):
        raise ConfigurationError(f"this r-memory is a passing one; {_INSTALL}")
    return str(Path(found).absolute())


def _environment(settings: Settings, environ: Mapping[str, str], *, with_password: bool) -> dict[str, str]:
    """Returns all variables that define the memory; secrets only if requested."""
    given = {
        name: value
        for name, value in sorted(environ.items())
        if name.startswith(PREFIX) and not name.startswith(PREFIX + "HTTP_") and not name.endswith(_SECRETS)
    }
    if environ.get(_PASSWORD):
        if not with_password:
            raise InvalidInput(
                f"{_PASSWORD} is set here, and the client will not pass it on; put `store_password:` into config.yaml "
                "of the home (see `r-memory init`), or write it into the client's file with --with-password"
            )
        given[_PASSWORD] = environ[_PASSWORD]
    decided: dict[str, object] = {
        "HOME": settings.home,
        "DATA_DIR": settings.data_dir if settings.embedded else None,
        "SPACE": settings.space,
        "SCHEMA": settings.schema if settings.schema == _PERSONAL else None,
        "SINGLE_SUBJECT": settings.single_subject,
    }
    return given | {PREFIX + name: str(value) for name, value in decided.items() if value}
