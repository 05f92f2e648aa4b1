"""`knowledge coverage`: how much of a list of names the lexicon and the pack know, and what they miss.

A name of several things ("a + b", "a; b") counts where the whole is known, or each of them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.app import Exit
from r_memory.cli.options import AsJson, Home, settings_of
from r_memory.cli.printing import print_json, print_parts
from r_memory.config.knowledge_file import load_knowledge
from r_memory.config.schema_file import load_schema
from r_memory.domain.facts import HAS_INGREDIENT, concept
from r_memory.domain.knowledge import MEMBER_OF, Knowledge
from r_memory.errors import InvalidInput
from r_memory.protocols import Linker
from r_memory.reading.linking import Gazetteer

_JOINED = re.compile(r"\s*[+;]\s*")
_STEPS = {MEMBER_OF: 1, HAS_INGREDIENT: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The known part of a list of names."""

    names: int
    unknown: tuple[str, ...]
    unclassified: tuple[str, ...]
    """Known names without a class, also of their ingredients."""

    @property
    def recognised(self) -> float:
        """Percentage of the names."""
        return 100 * (1 - len(self.unknown) / self.names)

    @property
    def classified(self) -> float:
        """Percentage of the names."""
        return 100 * (1 - (len(self.unknown) + len(self.unclassified)) / self.names)


def coverage_of(names: Sequence[str], linker: Linker, pack: Knowledge) -> Coverage:
    """Returns the coverage of the names, each counted once.

    Raises:
        InvalidInput: there are no names.
    """
    meant = {name: _meant(name, linker) for name in names}
    if not meant:
        raise InvalidInput("the file holds no names; write one a line")
    known = {name: uids for name, uids in meant.items() if uids}
    return Coverage(
        names=len(meant),
        unknown=tuple(name for name in meant if name not in known),
        unclassified=tuple(name for name, uids in known.items() if not all(_is_classified(uid, pack) for uid in uids)),
    )


def names_in(text: str) -> Iterator[str]:
    """Yields the lines with a name; empty lines and lines with # at the start are skipped."""
    lines = (line.strip() for line in text.splitlines())
    return (line for line in lines if line and not line.startswith("#"))


def _meant(name: str, linker: Linker) -> tuple[str, ...]:
    """Returns the uids of a name's meanings; empty if a part of it is unknown."""
    whole = _exact([name], linker)
    return whole or _exact(_JOINED.split(name), linker)


def _exact(parts: Iterable[str], linker: Linker) -> tuple[str, ...]:
    found: list[str] = []
    for part in parts:
        mentions = [each for each in linker.mentions(part) if (each.start, each.end) == (0, len(part))]
        if not mentions:
            return ()
        found.append(concept(mentions[0].type, mentions[0].name).uid)
    return tuple(found)


def _is_classified(uid: str, pack: Knowledge) -> bool:
    return any(link.relation == MEMBER_OF for path in pack.upward(uid, _STEPS).values() for link in path)


def coverage(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Names, one a line; # begins a remark.")],
    at_least: Annotated[
        float, typer.Option("--at-least", metavar="PERCENT", help="Exit code 1 where fewer are recognised.")
    ] = 0.0,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Says how much of a list of names is recognised and classified, and lists what is missing."""
    settings = settings_of(home)
    schema = load_schema(settings.files, settings.schema)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read as UTF-8 text; check the path") from error
    found = coverage_of(list(names_in(text)), Gazetteer(schema.lexicon), load_knowledge(settings.files, schema))
    if as_json:
        print_json(
            {
                "names": found.names,
                "recognised": round(found.recognised, 2),
                "classified": round(found.classified, 2),
                "unknown": list(found.unknown),
                "unclassified": list(found.unclassified),
            }
        )
    else:
        print_parts(f"{found.names} names: {found.recognised:.1f}% recognised, {found.classified:.1f}% classified.")
        for name in found.unknown:
            print_parts(f"not recognised  {name}")
        for name in found.unclassified:
            print_parts(f"not classified  {name}")
    if found.recognised < at_least:
        raise typer.Exit(Exit.CHECK_FAILED)
