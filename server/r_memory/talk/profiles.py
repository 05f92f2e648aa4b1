"""How a conversation is remembered, as named sets of switches: our own and the published systems.

Sources: SCM (memory-systems 1), CIM (2), Mimir (4).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from r_memory.talk.controller.gate import GateRule
from r_memory.talk.controller.reorganising import ReorganiseSettings
from r_memory.talk.stream.layers import Layer
from r_memory.talk.stream.scoring import DEFAULT, SCORINGS, Scoring


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The switches of remembering."""

    scoring: Scoring = SCORINGS[DEFAULT]
    """How the stream orders what it finds."""
    layer: Layer = Layer.LATEST
    """What is searched: SCM and CIM know turns only; Mimir memories, and behind them the turns they were made of."""
    gate: GateRule = GateRule.JUDGE
    reorganise: ReorganiseSettings = field(default_factory=ReorganiseSettings)
    k: int = 6
    """Items to activate, 0 for none (SCM 21)."""
    most_k: int = 10
    """`k` of a call is clamped to this."""
    documents: float = 0.5
    """Share of these that may stand in documents about the subject or nobody in particular, at least one; 0 for none:
    a long document would crowd out what was said."""
    elsewhere: float = 1 / 3
    """Share of these that may stand in other conversations about the same subject, and those that the conversation
    itself cannot fill; 0 for none."""
    flash_turns: int = 1
    """Last turns shown as they are: SCM's flash memory is 1, Mimir's short-term memory 20."""
    raw_below: int = 500
    """Tokens: a previous turn of at most so many stands raw, a longer one by its summary (SCM 28)."""
    summaries: bool = True
    """Whether a turn may be shortened to its summary; cut otherwise."""
    summary: bool = True
    """Whether the structured summary stands in the context (CIM)."""
    history_budget: int = 2_500
    """Tokens of activated items and the previous turn (SCM 29)."""
    flash_in_budget: bool = True
    """Whether the previous turns count towards it."""
    max_tokens: int = 3_000
    """Tokens of all sections together, where a call does not say; 0 for no limit."""
    window: int = 4
    """Recent messages that belong to the question (A-6)."""
    by_kind: bool = False
    """Whether the kind of talk tunes these switches (CIM 27; see `kinds.py`)."""


PROFILES: Mapping[str, Profile] = {
    "default": Profile(),
    "scm": Profile(scoring=SCORINGS["scm"], layer=Layer.TURNS, summary=False),
    "cim": Profile(scoring=SCORINGS["cim"], layer=Layer.TURNS, gate=GateRule.ALWAYS, k=5, flash_turns=0, window=0),
    "mimir": Profile(
        scoring=SCORINGS["mimir"],
        layer=Layer.BEHIND,
        gate=GateRule.ALWAYS,
        flash_turns=20,
        flash_in_budget=False,
        summary=False,
    ),
    "by_kind": Profile(by_kind=True),
}
"""By the name that a call gives as `profile`; those that only reports compare stand in `r_memory_lab.profiles`."""
