"""Draws docs/images/cli-*.svg: the real commands over a real store, with a story of our own, as a terminal shows them.

python -m scripts.cli_screenshots docs/images
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

_JOHN = ("--subject", "JD001")
_TOLD = (
    "I am severely allergic to penicillin, I had anaphylaxis.",
    "I take warfarin every evening.",
    "My sister is allergic to sulfa drugs.",
    "I might be allergic to latex.",
    "I get hives from Mounjaro.",
)
_REQUEST = "He has tested positive for strep throat. Recommend the standard first-line antibiotic."
SHOTS = {
    "recall": ("recall", _REQUEST, *_JOHN),
    "facts": ("facts", *_JOHN),
    "review": ("review", *_JOHN),
    "audit": ("audit", "extractors"),
    "doctor": ("doctor",),
}
WIDTH = 100
_WEB_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""A picture asks no server for letters."""


def drawn(folder: Path) -> None:
    """Tells the story to a store of its own and draws what each command prints."""
    with tempfile.TemporaryDirectory() as data:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("R_MEMORY_")},
            "R_MEMORY_DATA_DIR": data,
            "COLUMNS": str(WIDTH),
            "FORCE_COLOR": "1",
            "TERM": "xterm-256color",
        }
        for words in _TOLD:
            _printed(("remember", words, *_JOHN, "--subject-name", "John Doe"), environment)
        for name, arguments in SHOTS.items():
            shown = " ".join(f'"{each}"' if " " in each else each for each in arguments)
            printed = _printed(arguments, environment).replace(data, "~/.local/share/r-memory")
            console = Console(record=True, force_terminal=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123 - until the end
            console.print(Text(f"$ r-memory {shown}", style="bold green"))
            console.print(Text.from_ansi(printed))
            svg = _WEB_FONT.sub("", console.export_svg(title=f"r-memory {name}", unique_id=name))
            (folder / f"cli-{name}.svg").write_text(svg, encoding="utf-8")


def _printed(arguments: tuple[str, ...], environment: Mapping[str, str]) -> str:
    command = [sys.executable, "-m", "r_memory.cli", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - our own command
    return "\n".join(line.rstrip() for line in done.stdout.splitlines())


if __name__ == "__main__":
    drawn(Path(sys.argv[1]))
