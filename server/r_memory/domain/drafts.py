"""What checking a draft against the memory gives: findings, and never the word "safe"."""

from dataclasses import dataclass
from typing import Literal

from r_memory.domain.blocks import MatchLevel, Recall

Verdict = Literal["conflict", "warning", "not_checkable", "nothing_found"]
"""`not_checkable`: something could not be compared. `nothing_found` says that all that the draft names was recognised,
that everything that matters for it was asked, that nothing waits unread, and that nothing recorded meets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that the draft names and that meets what is recorded."""

    verdict: Literal["conflict", "warning"]
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
class DraftCheck:
    """The outcome of one check."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    """Conflicts first, each in the order of the block."""
    gaps: tuple[str, ...] = ()
    """What could not be compared and why, a sentence each; there whatever the verdict, which is never calmer."""
    recall: Recall
    """What the draft was checked against."""
