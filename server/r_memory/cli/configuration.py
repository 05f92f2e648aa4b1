"""`init` and `check`: the files that people edit, copied out and looked over."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import Exit
from r_memory.cli.inspection import as_findings, findings
from r_memory.cli.options import AsJson, Home, settings_of
from r_memory.cli.printing import counted, print_json, print_line
from r_memory.config.files import Files
from r_memory.config.home import Finding, copy_defaults
from r_memory.errors import ConfigurationError


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go; made if it does not exist.")],
    as_json: AsJson = False,
) -> None:
    """Copies the files that you may edit into a folder.

    A file that is there already is never touched. Use the folder with --home or R_MEMORY_HOME.
    """
    copied = copy_defaults(Files(), folder)
    if as_json:
        print_json({"folder": str(folder), "written": copied.written, "kept": copied.kept})
        return
    for name in copied.written:
        print_line(f"written  {name}")
    for name in copied.kept:
        print_line(f"kept     {name}")
    print_line(f"{folder}: {len(copied.written)} written, {len(copied.kept)} were there and stay as they are.")
    print_line(f"Edit them, then run: r-memory check --home {folder}")


def check(home: Home = None, as_json: AsJson = False) -> None:
    """Checks schema, intents, queries and settings; names file and line.

    Exit code 2 means that the server would refuse to start with these files; warnings do not count.
    """
    found = _findings(home)
    errors = sum(finding.severity == "error" for finding in found)
    if as_json:
        print_json({"usable": not errors, "findings": [_shape(finding) for finding in found]})
    else:
        for finding in found:
            print_line(f"{finding.severity}: {finding.text}")
        warnings = len(found) - errors
        print_line(
            f"{counted(errors, 'error')}, {counted(warnings, 'warning')}." if found else "Everything fits together."
        )
    if errors:
        raise typer.Exit(Exit.USAGE)


def _findings(home: Path | None) -> Sequence[Finding]:
    try:
        return findings(settings_of(home))
    except ConfigurationError as error:
        return as_findings(error)


def _shape(finding: Finding) -> dict[str, object]:
    file = None if finding.file is None else str(finding.file)
    return {"severity": finding.severity, "file": file, "line": finding.line, "text": finding.text}
