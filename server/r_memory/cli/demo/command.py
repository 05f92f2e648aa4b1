"""`demo`: shows the main job on a folder of its own, and checks what it shows."""

import asyncio
import json
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import Exit
from r_memory.cli.demo.claims import Claim, claims
from r_memory.cli.demo.play import Asked, Told, ask, tell
from r_memory.cli.demo.story import Story, made_up, with_dialogues
from r_memory.cli.options import AsJson
from r_memory.cli.printing import print_json, print_line
from r_memory.config.settings import FILE, Settings, load_settings
from r_memory.domain.inert import inert_name
from r_memory.domain.instants import Instant, iso_day
from r_memory.errors import ConfigurationError
from r_memory.tools.models import RememberedOut

AUDIT = "active_severe_allergies"
"""The audit whose query is shown."""
LOG = "server.log"


def demo(
    filler: Annotated[
        Path | None,
        typer.Option("--filler", metavar="DIR", help="Real dialogues for the other patients: DIR/allergy/dialogues.jsonl."),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Folder for the demo's data. [default: a new one]")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Shows the main job: told once, talked over, killed, and still known.

    Starts a real server on a folder of its own, tells it over MCP that John Doe is allergic to Penicillin and then 300
    turns of other talk, kills it, starts it again and asks for an antibiotic. Needs no network, no model and no
    database. Exit code 1 means that it did not keep what it promises.
    """
    began = time.perf_counter()
    story = with_dialogues(made_up(), filler) if filler else made_up()
    home = _folder(keep)
    shown = _Quiet() if as_json else _Shown()
    told, asked = asyncio.run(_played(story, home, shown))
    kept = claims(asked.evidence)
    seconds = time.perf_counter() - began
    if as_json:
        print_json(_shape(story, told, asked, kept, home, seconds))
    else:
        _show_end(asked, kept, home, seconds)
    if not all(claim.holds for claim in kept):
        raise typer.Exit(Exit.CHECK_FAILED)
