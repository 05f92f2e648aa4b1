"""What becomes of an answer or a tool call that something recorded stands against: the policy of the gates. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from r_memory.domain.blocks import DraftCheck, Finding, MatchLevel

Decision = Literal["pass", "note", "annotate", "hold", "stop"]
"""`pass`: nothing stands against it. `note`: it goes out, and the receipt says what was found. `annotate`: it goes out,
followed by a marked note. `hold`: nothing of it goes out before it is read whole, and then only what a person allows,
where the client can ask one. `stop`: it does not go out."""
GateKind = Literal["before", "after", "tool"]
"""Where a gate stands: before a model, after its answer, at a tool call of it."""
DECISIONS: tuple[Decision, ...] = get_args(Decision)
Levels = Mapping[MatchLevel, Decision]


def gravest(decisions: Iterable[Decision]) -> Decision:
    """The one that lets the least out; `pass` where there is none.

    >>> gravest(["note", "stop", "annotate"])
    'stop'
    """
    return max(decisions, key=DECISIONS.index, default="pass")


def withheld(decision: Decision) -> bool:
    """Whether what was checked does not go out by itself."""
    return decision in {"hold", "stop"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reactions:
    """What a finding leads to, by how surely the recorded fact meets what the draft names."""

    conflict: Levels
    warning: Levels

    def of(self, finding: Finding) -> Decision:
        """The decision for one finding."""
        return (self.conflict if finding.verdict == "conflict" else self.warning)[finding.level]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerKey:
    """Somebody who may use the proxy, known by the hash of an API key."""

    sha256: str
    subject: str = ""
    """Whom all its requests are about; empty: each request names somebody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """`gates.yaml`."""

    unavailable: Literal["stop", "annotate"]
    """Where the memory could not be read, wholly or in part, or no receipt could be written."""
    not_checkable: Decision
    """Where nothing was found and something that is named could not be compared."""
    usual: Reactions
    edges: Mapping[str, Reactions] = field(default_factory=dict)
    """Relations that differ from the usual."""
    no_content: frozenset[str] = frozenset()
    """Names of fields of a tool call whose values are no content: ids, dates, tokens. In small letters."""
    keys: tuple[CallerKey, ...] = ()
    """Who may use the proxy; empty: whoever reaches it."""

    def decide(self, checked: DraftCheck) -> Decision:
        """What becomes of a draft: the gravest that any finding leads to."""
        if not checked.findings:
            return self.not_checkable if checked.verdict == "not_checkable" else "pass"
        relations = _relations(checked)
        reactions = (self.edges.get(relations.get(one.fact_id, ""), self.usual).of(one) for one in checked.findings)
        return gravest(reactions)


def _relations(checked: DraftCheck) -> Mapping[str, str]:
    """Fact to its relation, of all that findings rest on."""
    lines = ((line.fact.fact_id, line.fact.relation) for line in checked.recall.lines)
    rules = ((fact.fact_id, fact.relation) for rule in checked.recall.rules for fact in rule.facts)
    return dict((*rules, *lines))
