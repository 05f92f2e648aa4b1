"""The policy of the gates: what happens to an answer or a tool call with findings. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from r_memory.domain.blocks import DraftCheck, Finding, MatchLevel

Decision = Literal["pass", "note", "annotate", "hold", "stop"]
"""`pass`: nothing was found. `note`: it goes out, and the receipt has the findings. `annotate`: it goes out with a
marked note. `hold`: it waits until it was read completely and a person allowed it, if the client can ask a person.
`stop`: it does not go out.
"""
GateKind = Literal["before", "after", "tool"]
"""Where a gate is: before a model, after its answer, at its tool call."""
DECISIONS: tuple[Decision, ...] = get_args(Decision)
Levels = Mapping[MatchLevel, Decision]


def gravest(decisions: Iterable[Decision]) -> Decision:
    """The strictest decision; `pass` if there is none.

    >>> gravest(["note", "stop", "annotate"])
    'stop'
    """
    return max(decisions, key=DECISIONS.index, default="pass")


def withheld(decision: Decision) -> bool:
    """Whether the checked text does not go out by itself."""
    return decision in {"hold", "stop"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reactions:
    """Decisions for a finding, by how certainly the recorded fact meets the named thing."""

    conflict: Levels
    warning: Levels

    def of(self, finding: Finding) -> Decision:
        """The decision for one finding."""
        return (self.conflict if finding.verdict == "conflict" else self.warning)[finding.level]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerKey:
    """A caller of the proxy, known by the hash of an API key."""

    sha256: str
    subject: str = ""
    """The subject of all requests of this caller; empty: each request names one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """`gates.yaml`."""

    unavailable: Literal["stop", "annotate"]
    """Decision if the memory could not be read completely, or no receipt could be written."""
    not_checkable: Decision
    """Decision if nothing was found and a named thing could not be compared."""
    usual: Reactions
    edges: Mapping[str, Reactions] = field(default_factory=dict)
    """Relations with decisions of their own."""
    no_content: frozenset[str] = frozenset()
    """Names, in lower case, of tool-call fields whose values are not checked: ids, dates, tokens."""
    keys: tuple[CallerKey, ...] = ()
    """Callers who may use the proxy; empty: any caller."""

    def decide(self, checked: DraftCheck) -> Decision:
        """The decision for a draft: the strictest of its findings."""
        if not checked.findings:
            return self.not_checkable if checked.verdict == "not_checkable" else "pass"
        relations = _relations(checked)
        reactions = (
            self.edges.get(relations.get(finding.fact_id, ""), self.usual).of(finding) for finding in checked.findings
        )
        return gravest(reactions)


def _relations(checked: DraftCheck) -> Mapping[str, str]:
    """Relations by fact id, for all facts behind the findings."""
    lines = ((line.fact.fact_id, line.fact.relation) for line in checked.recall.lines)
    rules = ((fact.fact_id, fact.relation) for rule in checked.recall.rules for fact in rule.facts)
    return dict((*rules, *lines))
