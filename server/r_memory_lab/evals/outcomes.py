"""What a suite makes of its predictions: figures, the same by group, and the ids behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from r_memory_lab.evals.measures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """The result of a suite: numbers and ids, no sentence of the data."""

    figures: tuple[Figure, ...]
    groups: Mapping[str, Sequence[Figure]] = field(default_factory=dict)
    """Heading to figures of parts of the data, such as one phenomenon."""
    details: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Heading to ids of items, such as the missed ones."""
    notes: tuple[str, ...] = ()
