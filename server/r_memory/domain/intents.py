"""The table of action types: which edges a request opens. The table is law; a classifier may open rows and never
closes an edge.

Knows the meaning of `intents.yaml` (design, section 5), not its syntax and not how a request is classified.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    needs: tuple[str, ...] = ()
    """Edges that must have been asked before nothing found means anything for a request of this kind."""
    extends: str = ""
    expand: Mapping[str, int] = field(default_factory=dict)
    """Relation of the knowledge pack to how many steps the closure takes along it, in both directions."""
    keywords: tuple[str, ...] = ()
    """Words; `*` at an end matches any ending; `{Type}` is any lexicon term of that type."""
    weak_keywords: tuple[str, ...] = ()
    """Everyday words: they open the row like keywords, but name what is asked for only beside other evidence."""
    phrases: tuple[str, ...] = ()
    """Wordings (see `wordings.py`) that ask for it by themselves, such as "see you back in"."""
    named: tuple[str, ...] = ()
    """Wordings in which the name of something stands at `{}`: there a word that nothing knows is a name, not a slip."""
    name_endings: tuple[str, ...] = ()
    """In what such names end: a word that nothing knows and that ends so is one wherever it stands."""
    short_names: bool = False
    """Capitals of two to five letters may be such a name (a ticker), unless the table calls them everyday."""
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
    everyday: tuple[str, ...] = ()
    """Terms of the lexicon that are everyday words as well (salt, oxygen): weak wherever `{Type}` is a keyword."""

    def intent(self, name: str) -> Intent:
        """The action type of this name; raises UnknownName, which lists the known ones."""
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
    asked: bool = False
    """Recognised: the words order, plan or ask for it, rather than only bear on it."""
    opinions: tuple[str, ...] = ()
    """Names of further opinions that hold it possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """Scores for every action type, best first."""

    scores: tuple[IntentScore, ...]
    recognised: bool
    """False: low confidence, or the classifier failed; everything critical is then read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRows:
    """The rows that a request opens."""

    intents: tuple[Intent, ...]
    """Most probable first; those that the caller named come before all others."""
    edges: tuple[str, ...]
    """Every edge to read: those of the rows, then all critical ones, each once."""
    expand: Mapping[str, int]
    recognised: bool


def with_opinion(classification: Classification, opinion: str, names: Iterable[str]) -> Classification:
    """The classification with one more opinion: the action types that it names are opened too, and nothing is closed.

    A name that was not classified is left out. Whether the request counts as recognised stays as it was, so that an
    opinion never narrows what is read of a request that was not.
    """
    held = set(names)
    scores = (
        replace(score, opinions=(*score.opinions, opinion)) if score.name in held else score
        for score in classification.scores
    )
    return replace(classification, scores=tuple(scores))


def any_of(parts: Sequence[Classification]) -> Classification:
    """What a request asks for whose parts were classified one by one: whatever any of them does; at least one.

    It counts as recognised only if every part was, so that no part narrows what is read for another.
    """
    if len(parts) == 1:
        return parts[0]
    by_name: dict[str, list[IntentScore]] = {}
    for part in parts:
        for score in part.scores:
            by_name.setdefault(score.name, []).append(score)
    scores = (
        IntentScore(
            name=name,
            probability=max(score.probability for score in scores),
            keywords=tuple(dict.fromkeys(word for score in scores for word in score.keywords)),
            asked=any(score.asked for score in scores),
        )
        for name, scores in by_name.items()
    )
    return Classification(
        scores=tuple(sorted(scores, key=lambda score: -score.probability)),
        recognised=all(part.recognised for part in parts),
    )


def opened(
    classification: Classification, table: IntentTable, *, critical: tuple[str, ...], named: tuple[str, ...] = ()
) -> OpenedRows:
    """The rows that a classified request opens under the table's policy; `named` are opened in any case.

    Raises:
        UnknownName: a named action type is not in the table.
    """
    names = _selected(classification, table.policy)
    rows = tuple(table.intent(name) for name in dict.fromkeys((*named, *names)))
    read = (*rows, *(table.intent(name) for name in _beside_silence(classification, table)))
    edges = dict.fromkeys(edge for row in read for edge in row.edges)
    sure = classification.recognised
    certain = {score.name for score in classification.scores if sure or score.keywords or score.opinions}
    shown = tuple(row for row in rows if row.name in named or (row.name in certain and not row.silent))
    return OpenedRows(
        intents=shown,
        edges=tuple(dict.fromkeys((*edges, *critical))),
        # What opens no row of its own still meets critical facts, and these must be matched to the request.
        expand=widest(shown if shown and classification.recognised else table.intents.values()),
        recognised=classification.recognised or bool(named),
    )


def both(rows: OpenedRows, more: OpenedRows) -> OpenedRows:
    """The rows with further ones: nothing that was opened is closed, and no expansion takes fewer steps."""
    expand = {name: max(rows.expand.get(name, 0), more.expand.get(name, 0)) for name in (*rows.expand, *more.expand)}
    names = {row.name for row in rows.intents}
    return OpenedRows(
        intents=(*rows.intents, *(row for row in more.intents if row.name not in names)),
        edges=tuple(dict.fromkeys((*rows.edges, *more.edges))),
        expand=expand,
        recognised=rows.recognised,
    )


def _beside_silence(classification: Classification, table: IntentTable) -> tuple[str, ...]:
    """Names that would be plausible if no row were silent: their edges are read, for no statement closes an edge."""
    if table.policy.select != "plausible":
        return ()
    loud = [score for score in classification.scores if not table.intent(score.name).silent]
    share = table.policy.plausible_above * sum(score.probability for score in loud)
    return tuple(score.name for score in loud if 0.0 < share <= score.probability)


def widest(rows: Iterable[Intent]) -> dict[str, int]:
    """The most steps that any of the rows takes along each relation."""
    expand: dict[str, int] = {}
    for row in rows:
        for relation, steps in row.expand.items():
            expand[relation] = max(steps, expand.get(relation, 0))
    return expand


def _selected(classification: Classification, policy: Policy) -> tuple[str, ...]:
    """Names under the policy; a row that the request names by keyword is always plausible, as is a further opinion's.

    A request that is not recognised still opens what is plausible: an edge too many is noise, one too few is a risk.
    """
    scores = classification.scores
    if policy.select == "all_critical":
        return tuple(score.name for score in scores if score.keywords or score.opinions)
    if policy.select == "top1" and classification.recognised:
        return tuple(score.name for place, score in enumerate(scores) if place == 0 or score.opinions)
    return tuple(
        score.name
        for score in scores
        if score.keywords or score.opinions or score.probability >= policy.plausible_above
    )
