"""`demo`: shows the main job on a folder of its own, and checks what it shows."""

import asyncio
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import Exit
from r_memory.cli.options import AsJson
from r_memory.cli.printing import print_json, print_parts
from r_memory.config.settings import FILE, load_settings
from r_memory.errors import ConfigurationError
from r_memory_lab.demo.claims import Promise, claims
from r_memory_lab.demo.play import FirstHalf, SecondHalf, ask, tell
from r_memory_lab.demo.programme import asked_text, closing_text, intake_text, next_text, talk_text
from r_memory_lab.demo.story import Story, made_up, with_dialogues

AUDIT = "severe_allergies"
"""Audit whose query is shown."""
LOG = "server.log"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRun:
    """A whole run."""

    story: Story
    home: Path
    told: FirstHalf
    asked: SecondHalf
    audit: str
    """Text of the audit's query."""
    seconds: float

    @property
    def claims(self) -> tuple[Promise, ...]:
        """The promises, and whether they were kept."""
        return claims(self.asked.evidence)


def demo(
    filler: Annotated[
        Path | None,
        typer.Option("--filler", metavar="DIR", help="Real dialogues for the others: DIR/allergy/dialogues.jsonl."),
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
    story = with_dialogues(made_up(), filler) if filler else made_up()
    played = asyncio.run(_played(story, _folder(keep), aloud=not as_json))
    if as_json:
        print_json(_shape(played))
    else:
        print_parts(closing_text(played.claims, played.seconds))
        print_parts(next_text(played.home, played.story.subject, played.asked.evidence.context, AUDIT))
    if not all(claim.holds for claim in played.claims):
        raise typer.Exit(Exit.CHECK_FAILED)


def _folder(keep: Path | None) -> Path:
    """Returns an empty folder as a home with its own data.

    Raises:
        ConfigurationError: the given folder is not empty, or cannot be made.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="r-memory-demo-")) if keep is None else keep.absolute()
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ConfigurationError("is not empty; name a new folder", file=folder)
        # JSON strings are YAML strings.
        settings = f"data_dir: {json.dumps(str(folder / 'data'))}\nspace: demo\n"
        (folder / FILE).write_text(settings, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"cannot be used ({error.strerror}); name another folder", file=keep) from error
    return folder


async def _played(story: Story, home: Path, *, aloud: bool) -> DemoRun:
    def say(text: str) -> None:
        if aloud:
            print_parts(text)

    began = time.perf_counter()
    settings = load_settings({}, home=home)
    audit = settings.files.read(f"cypher/audit/{AUDIT}.cypher").text.rstrip()
    with (home / LOG).open("w", encoding="utf-8") as log:
        say(intake_text(story, home))
        told = await tell(story, settings, home, log, now=int(time.time() * 1000))
        say(talk_text(story, told))
        asked = await ask(story, told, home, log)
        say(asked_text(asked, AUDIT, audit))
    seconds = time.perf_counter() - began
    return DemoRun(story=story, home=home, told=told, asked=asked, audit=audit, seconds=seconds)


def _shape(played: DemoRun) -> dict[str, object]:
    context = played.asked.evidence.context
    return {
        "folder": str(played.home),
        "turns": len(played.story.turns),
        "patients": len(played.story.others) + 1,
        "seconds": {
            "all": round(played.seconds, 3),
            "turns": round(played.told.seconds, 3),
            "restart": round(played.asked.start_seconds, 3),
        },
        "intake": played.told.intake,
        "context": context,
        "audit": {"name": AUDIT, "cypher": played.audit},
        "claims": [{"claim": claim.text, "holds": claim.holds} for claim in played.claims],
    }
