"""Which files are taught from: whole files, so that no author's lines stand on both sides."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from r_memory_lab.teaching.corpus import CorpusLine

HELD_OUT = frozenset(
    {
        "clinical/consultation-1",
        "clinical/carers-1",
        "clinical/triage-1",
        "clinical/strangers-1",
        "clinical/newcomers-1",
        "law/callers-1",
        "law/newcomers-1",
        "finance/clients-1",
        "finance/newcomers-1",
    }
)
"""Files that are never used for training, choices or calibration; the reported figures are theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Lines by what they are for."""

    taught: tuple[CorpusLine, ...]
    calibrating: tuple[CorpusLine, ...]
    """Lines for choosing temperatures and thresholds."""
    reported: tuple[CorpusLine, ...]


def split(lines: Iterable[CorpusLine], *, calibrating: Collection[str]) -> Split:
    """Returns the lines by use; those neither held out nor for calibration are for training."""
    every = tuple(lines)
    return Split(
        taught=tuple(line for line in every if line.file not in HELD_OUT and line.file not in calibrating),
        calibrating=tuple(line for line in every if line.file in calibrating and line.file not in HELD_OUT),
        reported=tuple(line for line in every if line.file in HELD_OUT),
    )
