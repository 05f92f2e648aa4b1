"""The table of action types: which edges a request opens. A classifier may open rows and never closes an edge.

It knows the meaning of `intents.yaml` (design, section 5); its syntax and the classification are elsewhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from r_memory.errors import UnknownName

Selection = Literal["plausible", "top1", "all_critical"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Thresholds that decide which rows a classification opens."""

    select: Selection = "plausible"
    plausible_above: float = 0.05
    """Minimum probability of a plausible row."""
    confident_above: float = 0.5
    """If the top probability is below this and no keyword matches, the request counts as not recognised."""
    unknown: Literal["all_critical"] = "all_critical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One action type, including everything it inherits."""

    name: str
    description: str
    edges: tuple[str, ...]
    """Inherited edges, then its own, each once."""
    needs: tuple[str, ...] = ()
    """Edges that must have been asked about before an empty result means anything for such a request."""
    noted: tuple[str, ...] = ()
    """Those of the needed edges that are only noted if they were never asked about (`unasked: note`)."""
    needs_named: bool = False
    """Whether that holds only where the words name a thing that an edge could be about: letters are written of much."""
    extends: str = ""
    expand: Mapping[str, int] = field(default_factory=dict)
    """By relation of the knowledge pack: maximum steps of the closure, in both directions."""
    keywords: tuple[str, ...] = ()
    """Words; `*` matches any ending; `{Type}` matches any lexicon term of that type."""
    weak_keywords: tuple[str, ...] = ()
    """Everyday words: they open the row like keywords, but name the action only together with other evidence."""
    phrases: tuple[str, ...] = ()
    """Wordings (see `wordings.py`) that ask for it by themselves, such as "see you back in"."""
    named: tuple[str, ...] = ()
    """Wordings with the name of a thing at `{}`: an unknown word there is a name, and no misspelling."""
    name_endings: tuple[str, ...] = ()
    """Endings of such names: an unknown word with this ending is a name everywhere."""
    short_names: bool = False
    """Whether two to five capital letters may be such a name (a ticker), unless the table lists them as
    everyday words.
    """
    examples: tuple[str, ...] = ()
    traversal: str = ""
    """Path of its own query below the home; empty if it has none."""
    silent: bool = False
    """Whether such a request alone (small talk, a plain statement) opens no row of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentTable:
    """The loaded `intents.yaml`."""

    version: str
    """First twelve digits of a sha256 over the file."""
    policy: Policy
    intents: Mapping[str, Intent]
    everyday: tuple[str, ...] = ()
    """Lexicon terms that are everyday words too (salt, oxygen); they are weak wherever `{Type}` is a keyword."""
    elsewhere: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """By code of another language, then by action type: words that open the row in a request in that language."""

    def intent(self, name: str) -> Intent:
        """The action type with this name.

        Raises:
            UnknownName: there is none; the message lists the known names.
        """
        try:
            return self.intents[name]
        except KeyError:
            raise UnknownName("action type", name, sorted(self.intents)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentScore:
    """The score of one action type."""

    name: str
    probability: float
    """Calibrated, 0 to 1."""
    keywords: tuple[str, ...] = ()
    """The words of the request that match its keywords."""
    asked: bool = False
    """Whether the words order, plan or ask for it; false if they only bear on it."""
    opinions: tuple[str, ...] = ()
    """Names of further opinions that consider it possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """Scores of all action types, best first."""

    scores: tuple[IntentScore, ...]
    recognised: bool
    """False if the confidence is low or the classifier failed; everything critical is then read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRows:
    """The rows that a request opens."""

    intents: tuple[Intent, ...]
    """Most probable first; action types named by the caller come before all others."""
    edges: tuple[str, ...]
    """All edges to read: those of the rows, then all critical ones, each once."""
    expand: Mapping[str, int]
    recognised: bool


def with_opinion(classification: Classification, opinion: str, names: Iterable[str]) -> Classification:
    """The classification with a further opinion: the action types that it names are opened as well, and none is closed.

    Names that were not classified are left out. `recognised` stays, so that an opinion never narrows what is read.
    """
    held = set(names)
    scores = (
        replace(score, opinions=(*score.opinions, opinion)) if score.name in held else score
        for score in classification.scores
    )
    return replace(classification, scores=tuple(scores))


def any_of(parts: Sequence[Classification]) -> Classification:
    """The classification of a request from those of its parts (at least one): all action types of any part.

    It counts as recognised only if all parts are, so that no part narrows what is read for another.
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
    """The rows that a classified request opens under the table's policy; `named` are always opened.

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
    """The rows with those of `more`: opened rows stay open, and no expansion takes fewer steps."""
    expand = {name: max(rows.expand.get(name, 0), more.expand.get(name, 0)) for name in (*rows.expand, *more.expand)}
    names = {row.name for row in rows.intents}
    return OpenedRows(
        intents=(*rows.intents, *(row for row in more.intents if row.name not in names)),
        edges=tuple(dict.fromkeys((*rows.edges, *more.edges))),
        expand=expand,
        recognised=rows.recognised,
    )


def _beside_silence(classification: Classification, table: IntentTable) -> tuple[str, ...]:
    """Action types that would be plausible if no row were silent.

    Their edges are read, because no statement closes an edge.
    """
    if table.policy.select != "plausible":
        return ()
    loud = [score for score in classification.scores if not table.intent(score.name).silent]
    share = table.policy.plausible_above * sum(score.probability for score in loud)
    return tuple(score.name for score in loud if 0.0 < share <= score.probability)


def widest(rows: Iterable[Intent]) -> dict[str, int]:
    """The maximum steps of the rows along each relation."""
    expand: dict[str, int] = {}
    for row in rows:
        for relation, steps in row.expand.items():
            expand[relation] = max(steps, expand.get(relation, 0))
    return expand


def _selected(classification: Classification, policy: Policy) -> tuple[str, ...]:
    """Action types under the policy; rows named by a keyword or a further opinion, or asked for, are always plausible.

    A request that is not recognised also opens plausible rows: an unneeded edge is noise, a missing edge is a risk.
    """
    scores = classification.scores
    if policy.select == "all_critical":
        return tuple(score.name for score in scores if score.keywords or score.opinions or score.asked)
    if policy.select == "top1" and classification.recognised:
        return tuple(score.name for place, score in enumerate(scores) if place == 0 or score.opinions)
    return tuple(
        score.name
        for score in scores
        if score.keywords or score.opinions or score.asked or score.probability >= policy.plausible_above
    )
