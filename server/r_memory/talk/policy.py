"""How a conversation is remembered, as named sets of switches: the four systems, their variants and the baselines.

Sources: SCM, its published code and MemEngine (memory-systems 1), CIM (2), Mimir (4), the ablations of 1.6 and 10.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from r_memory.talk.controller.gate import GatePolicy
from r_memory.talk.controller.reorganising import ReorganisePolicy
from r_memory.talk.stream.layers import Layer
from r_memory.talk.stream.profiles import DEFAULT

EVERY = 1_000_000
"""More turns than a conversation has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPolicy:
    """The switches of one way to remember."""

    scoring: str = DEFAULT
    """Scoring profile of the stream."""
    layer: Layer = Layer.LATEST
    """What is searched: SCM and CIM know turns only; Mimir memories, and turns that none covers yet (MIM 7)."""
    gate: GatePolicy = GatePolicy.JUDGE
    reorganise: ReorganisePolicy = field(default_factory=ReorganisePolicy)
    k: int = 6
    """Items to activate, 0 for none (SCM 21)."""
    most_k: int = 10
    """`k` of a call is clamped to this."""
    documents: float = 0.5
    """Share of these that may stand in documents about the subject or nobody in particular, at least one; 0 for none:
    a long document would crowd out what was said."""
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


_BARE = ConversationPolicy(layer=Layer.TURNS, gate=GatePolicy.ALWAYS, flash_turns=0, summary=False)
"""Nothing but a search."""
MODES: Mapping[str, ConversationPolicy] = {
    "default": ConversationPolicy(),
    "scm": ConversationPolicy(scoring="scm", layer=Layer.TURNS, summary=False),
    "scm_code": ConversationPolicy(
        scoring="scm",
        layer=Layer.TURNS,
        gate=GatePolicy.ALWAYS,
        reorganise=ReorganisePolicy(rule="code"),
        k=4,
        summary=False,
    ),
    "memengine": ConversationPolicy(
        scoring="scm",
        layer=Layer.TURNS,
        gate=GatePolicy.JUDGE_WITH_FLASH,
        reorganise=ReorganisePolicy(rule="once"),
        k=3,
        flash_turns=3,
        summary=False,
    ),
    "cim": ConversationPolicy(scoring="cim", layer=Layer.TURNS, gate=GatePolicy.ALWAYS, k=5, flash_turns=0, window=0),
    "mimir": ConversationPolicy(
        scoring="mimir",
        layer=Layer.MEMORIES,
        gate=GatePolicy.ALWAYS,
        flash_turns=20,
        flash_in_budget=False,
        summary=False,
    ),
    "full_history": ConversationPolicy(
        gate=GatePolicy.NEVER, k=0, flash_turns=EVERY, raw_below=EVERY, summary=False, max_tokens=0
    ),
    "last_window": ConversationPolicy(
        gate=GatePolicy.NEVER,
        k=0,
        flash_turns=EVERY,
        raw_below=EVERY,
        summaries=False,
        summary=False,
        max_tokens=2_500,
    ),
    "naive": replace(
        _BARE, scoring="naive", reorganise=ReorganisePolicy(rule="raw"), summaries=False, max_tokens=2_500
    ),
    "rag": replace(_BARE, scoring="rag", k=5, reorganise=ReorganisePolicy(rule="raw")),
    "summary_only": ConversationPolicy(gate=GatePolicy.NEVER, k=0, flash_turns=0),
    "by_kind": ConversationPolicy(by_kind=True),
    "no_gate": ConversationPolicy(gate=GatePolicy.ALWAYS),
    "no_flash": ConversationPolicy(flash_turns=0),
    "no_activation": ConversationPolicy(gate=GatePolicy.NEVER, k=0),
}
"""By the name that a call gives as `profile`."""
