"""`doctor`: the usual troubles of an installation, what they mean, and what to do."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from r_memory.cli.app import Exit
from r_memory.cli.checkups import Finding, local_findings, wrong_settings
from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import print_json, print_line
from r_memory.cli.running import keep_logs_quiet
from r_memory.cli.store_checkups import store_findings
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from r_memory.errors import ConfigurationError

_LOOK = {"fine": "green", "note": "yellow", "trouble": "bold red"}
_MARK = {"fine": "ok      ", "note": "note    ", "trouble": "TROUBLE "}


def doctor(home: Home = None, space: Space = None, as_json: AsJson = False) -> None:
    """Finds the usual troubles of this installation and says what to do.

    Changes nothing. Exit code 1 means that there is something to mend, 3 that the store cannot be used as it is.
    """
    keep_logs_quiet()
    found = _findings(home, space)
    if as_json:
        print_json({"healthy": not _troubles(found), "findings": [asdict(finding) for finding in found]})
    else:
        _show(found)
    if _troubles(found):
        down = any(finding.store_down for finding in found)
        raise typer.Exit(Exit.UNAVAILABLE if down else Exit.CHECK_FAILED)


def _findings(home: Path | None, space: str | None) -> Sequence[Finding]:
    try:
        settings = settings_of(home, space)
        here = local_findings(settings)
        # A store that cannot answer would be waited for, and say the same again.
        answering = not any(finding.store_down for finding in here)
        stored = asyncio.run(store_findings(settings)) if answering else ()
        return (*here, *stored, *_model(settings))
    except ConfigurationError as error:
        return (wrong_settings(error),)


def _model(settings: Settings) -> Sequence[Finding]:
    if Route.MODEL not in settings.routes:
        return ()
    # Imported late: its client comes with an extra, and an installation that asks no model needs none.
    from r_memory.cli.model_checkups import model_findings  # noqa: PLC0415

    return asyncio.run(model_findings(settings))


def _troubles(found: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.level == "trouble"]


def _show(found: Sequence[Finding]) -> None:
    for finding in found:
        print_line(f"{_MARK[finding.level]}{finding.check}: {finding.what}", style=_LOOK[finding.level])
        if finding.why:
            print_line(f"        why it matters: {finding.why}")
        if finding.remedy:
            print_line(f"        what to do: {finding.remedy}")
    troubles = len(_troubles(found))
    print_line("Nothing to mend." if not troubles else f"{troubles} to mend.", style="bold")
