"""What checking a draft against the memory gives: findings, and never the word "safe"."""

from dataclasses import dataclass
from typing import Literal

from r_memory.domain.blocks import MatchLevel, Recall

Verdict = Literal["conflict", "warning", "nothing_found"]
"""`nothing_found` says that nothing recorded meets what the draft names; it says nothing of what was never recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that the draft names and that meets what is recorded."""

    verdict: Verdict
    """`conflict`: a critical fact stands against it. `warning`: somebody should look."""
    level: MatchLevel
    message: str
    """At most 140 characters, inert."""
    quote: str
    """The sentence of the draft, inert."""
    fact_id: str
    """The fact that stands against it, or that the rule rests on."""
    rule_id: str = ""
    """The domain rule, where it is one that says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The outcome of one check."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    """Conflicts first, each in the order of the block."""
    recall: Recall
    """What the draft was checked against."""
