"""The block as a person reads it on a terminal: what matters in colour, whole words, dates as people write them.

In a pipe the block goes out as it is: there it is a prompt. Nothing is left out here but the names of what was looked
for in vain, and these only where all of it could be checked.
"""

import re
from collections.abc import Iterator

from rich.padding import Padding
from rich.text import Text

from r_memory.cli.printing import Part, a_console, day_of
from r_memory.domain.instants import parse_instant
from r_memory.text.markers import END, QUERY, START

_DAY = re.compile(r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?\b")
_STYLES = (
    (re.compile(r"SAFETY MEMORY|COULD NOT CHECK|THIS REQUEST NAMES|MORE THAN ONE|CONFLICT|STOP"), "bold white on red"),
    (re.compile(r"UNCONFIRMED|NOT YET READ|NOT UNDERSTOOD|WARNING|NOT CHECKABLE"), "bold yellow"),
    (re.compile(r"CRITICAL|CONTRADICTED"), "bold red"),
    # The label of a line of the schema.
    (re.compile(r"[A-Z][A-Z -]+: "), "bold"),
    (re.compile(r"  bears on|  against"), "yellow"),
    (re.compile(r"  |Checked|Not proof|" + "|".join(map(re.escape, (START, END, QUERY)))), "dim"),
)
"""The first that a line begins with decides how it looks."""
_CHECKED = "Checked: "


def block_lines(block: str, *, verbose: bool = False) -> Iterator[Part]:
    """The block; on a terminal line by line for a person, with every outcome if `verbose`."""
    if not a_console().is_terminal:
        yield block
        return
    for line in block.splitlines():
        lead = len(line) - len(line.lstrip())
        shown = Text(_dated(line if verbose else _folded(line)).lstrip(), style=style_of(line))
        yield Padding(shown, (0, 0, 0, lead))


def style_of(line: str) -> str:
    """How a line of the block looks."""
    return next((style for begins, style in _STYLES if begins.match(line)), "")


def _folded(line: str) -> str:
    """The line of outcomes, with those counted that found nothing; whole where something could not be checked."""
    if not line.startswith(_CHECKED) or "could not" in line.lower():
        return line
    parts = line.removeprefix(_CHECKED).split(" · ")
    found = [part for part in parts if " found " in part or "none asserted" in part]
    return f"{_CHECKED}{' · '.join(found) or 'nothing was found'}; all could be checked (-v lists them)"


def _dated(line: str) -> str:
    return _DAY.sub(lambda found: _written(found[0]), line)


def _written(iso: str) -> str:
    return day_of(parse_instant(iso if "T" in iso else f"{iso}T00:00:00Z"), time="T" in iso)
