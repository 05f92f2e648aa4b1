"""The table of suites: what `r-memory eval` knows by name."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from r_memory.evals import allergy, clinc150, facts, negex, orders, sentences
from r_memory.evals.outcomes import Outcome
from r_memory.evals.rows import Row
from r_memory.memory import Memory

Item = TypeVar("Item", bound=Row)
Guess = TypeVar("Guess", bound=Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite(Generic[Item, Guess]):
    """One way to measure the system."""

    title: str
    rows: Callable[[Path], Sequence[Item]]
    """Reads the data; raises `InvalidInput` where they are not of the suite's form."""
    run: Callable[[Memory, Sequence[Item], Callable[[], None]], Awaitable[Sequence[Guess]]]
    """Asks the system; calls back after each row."""
    outcome: Callable[[Sequence[Item], Sequence[Guess]], Outcome]
    """Compares; pure."""


SUITES: Mapping[str, Suite[Any, Any]] = {
    "allergy": Suite(title="allergies in whole dialogues", rows=allergy.rows, run=allergy.run, outcome=allergy.outcome),
    "sentences": Suite(
        title="facts in single utterances", rows=sentences.rows, run=sentences.run, outcome=sentences.outcome
    ),
    "facts": Suite(
        title="implants and family history in whole dialogues", rows=facts.rows, run=facts.run, outcome=facts.outcome
    ),
    "negex": Suite(title="assertion of given conditions", rows=negex.rows, run=negex.run, outcome=negex.outcome),
    "orders": Suite(title="action types of single sentences", rows=orders.rows, run=orders.run, outcome=orders.outcome),
    "clinc150": Suite(
        title="everyday requests taken for clinical ones",
        rows=clinc150.rows,
        run=clinc150.run,
        outcome=clinc150.outcome,
    ),
}
"""By the names of the folders of data."""
