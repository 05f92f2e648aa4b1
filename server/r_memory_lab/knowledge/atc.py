"""Reads a user's own ATC table (`code,name`): substances and the classes above them, levels 1 to 5.

ATC belongs to the WHO Collaborating Centre for Drug Statistics Methodology and is free for non-commercial use only;
nothing of it is shipped. A class becomes a concept by name and code, never a word to be looked for in texts.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from r_memory.errors import ConfigurationError
from r_memory_lab.knowledge.rows import Progressed, lines_of
from r_memory_lab.knowledge.vocabulary import Vocabulary, usable

NOTICE = "ATC: WHO Collaborating Centre for Drug Statistics Methodology. Non-commercial use only; keep this notice."
_LEVELS = (1, 3, 4, 5, 7)
"""Characters of a code at each level."""
_CODES = ("code", "atccode", "atc")
_NAMES = ("name", "atcname", "atclevelname", "title", "label", "preflabel", "substance")
_INDEFINITE = ("combinations", "various", "other ", "incl.", "excl.", "and derivatives")
"""Parts of names that are no single substance."""


def read_atc(path: Path, *, stop: frozenset[str], progressed: Progressed) -> Vocabulary:
    """Returns substances (level 5) as names, and classes (levels 1 to 4) as groups below each other.

    Raises:
        ConfigurationError: there is no column of codes or names, or a code has another form; names file and line.
    """
    codes = dict(_rows(path, progressed))
    if not codes:
        raise ConfigurationError("no rows below the header; export the table with codes and names", file=path)
    names: dict[str, tuple[str, ...]] = {}
    groups: dict[str, dict[str, None]] = {}
    skipped = 0
    for code, name in codes.items():
        substance = len(code) == _LEVELS[-1]
        if substance and not (usable(name, stop) and _definite(name)):
            skipped += 1
            continue
        if substance:
            names.setdefault(name, ())
        above = _class_above(code, codes)
        if above:
            groups.setdefault(above, {})[name if substance else _class_name(code, name)] = None
    return Vocabulary(names=names, groups={group: tuple(all_) for group, all_ in groups.items()}, skipped=skipped)


def _definite(name: str) -> bool:
    return not any(part in name for part in _INDEFINITE)


def _class_name(code: str, name: str) -> str:
    """Returns the name with the code, as names repeat between branches."""
    return f"{name} ({code})"


def _class_above(code: str, codes: dict[str, str]) -> str:
    """Returns the nearest higher class in the table; empty at the top."""
    for length in reversed(_LEVELS):
        if length < len(code) and code[:length] in codes:
            return _class_name(code[:length], codes[code[:length]])
    return ""


def _rows(path: Path, progressed: Progressed) -> Iterator[tuple[str, str]]:
    lines = lines_of(path, progressed)
    first = next(lines, None)
    if first is None:
        raise ConfigurationError("the file is empty; export the table with codes and names", file=path)
    dialect = ";" if first[1].count(";") > first[1].count(",") else ","
    header = next(csv.reader([first[1]], delimiter=dialect))
    at_code, at_name = _column(header, _CODES, path), _column(header, _NAMES, path)
    for number, line in lines:
        if not line.strip():
            continue
        row = next(csv.reader([line], delimiter=dialect))
        if len(row) <= max(at_code, at_name):
            raise ConfigurationError(f"{len(row)} columns, expected {len(header)}", file=path, line=number)
        code = row[at_code].strip().upper()
        if len(code) not in _LEVELS or not code.isalnum():
            message = f"'{code[:20]}' is no ATC code; a code has 1, 3, 4, 5 or 7 letters and digits"
            raise ConfigurationError(message, file=path, line=number)
        yield code, " ".join(row[at_name].casefold().split())


def _column(header: Sequence[str], wanted: Sequence[str], path: Path) -> int:
    """Returns the index of the first column with one of these names; spaces, dashes and case do not count."""
    plain = ["".join(char for char in name.casefold() if char.isalpha()) for name in header]
    for name in wanted:
        if name in plain:
            return plain.index(name)
    known = ", ".join(header)
    raise ConfigurationError(f"no column '{wanted[0]}' among: {known}; rename a column", file=path, line=1)
