"""The table of action types: which edges a request opens. The table is law; a classifier may open rows and never
closes an edge.

Knows the meaning of `intents.yaml` (design, section 5), not its syntax and not how a request is classified.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from r_memory.errors import UnknownName

Selection = Literal["plausible", "top1", "all_critical"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which rows a classification opens."""

    select: Selection = "plausible"
    plausible_above: float = 0.05
    """Probability from which a row counts as plausible."""
    confident_above: float = 0.5
    """Below this top probability, and without a keyword, the request counts as not recognised."""
    unknown: Literal["all_critical"] = "all_critical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One action type with everything it inherits already joined in."""

    name: str
    description: str
    edges: tuple[str, ...]
    """Own edges after inherited ones, each once."""
    extends: str = ""
    expand: Mapping[str, int] = field(default_factory=dict)
    """Relation of the knowledge pack to how many steps the closure takes along it, in both directions."""
    keywords: tuple[str, ...] = ()
    """Words; `*` at an end matches any ending; `{Type}` is any lexicon term of that type."""
    examples: tuple[str, ...] = ()
    traversal: str = ""
    """Path of an own query below the home, or empty."""
    silent: bool = False
    """A request of this kind alone (small talk, a plain statement) opens no row of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentTable:
    """`intents.yaml`, loaded."""

    version: str
    """First twelve digits of a sha256 over the file."""
    policy: Policy
    intents: Mapping[str, Intent]

    def intent(self, name: str) -> Intent:
        """The action type of this name.

        Raises:
            UnknownName: not in the table; the known ones are listed.
        """
        try:
            return self.intents[name]
        except KeyError:
            raise UnknownName("action type", name, sorted(self.intents)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentScore:
    """How much speaks for one action type."""

    name: str
    probability: float
    """Calibrated, 0 to 1."""
    keywords: tuple[str, ...] = ()
    """The words of the request that name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """Scores for every action type, best first."""

    scores: tuple[IntentScore, ...]
    recognised: bool
    """False: low confidence, or the classifier failed; everything critical is then read."""
    note: str = ""
    """Why it was not recognised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The rows that a request opens."""

    intents: tuple[Intent, ...]
    """Most probable first; those that the caller named come before all others."""
    edges: tuple[str, ...]
    """Every edge to read: those of the rows, then all critical ones, each once."""
    expand: Mapping[str, int]
    recognised: bool


def opened(
    classification: Classification, table: IntentTable, *, critical: tuple[str, ...], named: tuple[str, ...] = ()
) -> Opened:
    """The rows that a classified request opens under the table's policy; `named` are opened in any case.

    Raises:
        UnknownName: a named action type is not in the table.
    """
    names = _selected(classification, table.policy)
    rows = tuple(table.intent(name) for name in dict.fromkeys((*named, *names)))
    edges = dict.fromkeys(edge for row in rows for edge in row.edges)
    certain = {score.name for score in classification.scores if classification.recognised or score.keywords}
    shown = tuple(row for row in rows if row.name in named or (row.name in certain and not row.silent))
    return Opened(
        intents=shown,
        edges=tuple(dict.fromkeys((*edges, *critical))),
        # What opens no row of its own still meets critical facts, and these must be matched to the request.
        expand=_widest(shown if shown and classification.recognised else table.intents.values()),
        recognised=classification.recognised or bool(named),
    )


def _widest(rows: Iterable[Intent]) -> dict[str, int]:
    """The most steps that any of the rows takes along each relation."""
    expand: dict[str, int] = {}
    for row in rows:
        for relation, steps in row.expand.items():
            expand[relation] = max(steps, expand.get(relation, 0))
    return expand


def _selected(classification: Classification, policy: Policy) -> tuple[str, ...]:
    """Names under the policy; a row that the request names by keyword is always plausible.

    A request that is not recognised still opens what is plausible: an edge too many is noise, one too few is a risk.
    """
    if policy.select == "all_critical":
        return tuple(score.name for score in classification.scores if score.keywords)
    if policy.select == "top1" and classification.recognised:
        return tuple(score.name for score in classification.scores[:1])
    return tuple(
        score.name for score in classification.scores if score.keywords or score.probability >= policy.plausible_above
    )
