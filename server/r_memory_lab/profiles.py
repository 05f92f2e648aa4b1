"""Profiles that only reports compare: variants of the published systems, baselines, and the ablations.

Sources: SCM's published code and MemEngine (memory-systems 1), the ablations of 1.6 and 10.
"""

from collections.abc import Mapping
from dataclasses import replace

from r_memory.domain.memories import Layer
from r_memory.domain.turns import Form
from r_memory_lab.reorganising import Code, Forced, Once
from r_memory_lab.scorings import COMPARED as SCORINGS
from r_memory_talk.controller.gate import GateRule
from r_memory_talk.profiles import PROFILES, Profile

EVERY = 1_000_000
"""More turns than any conversation has."""
_BARE = Profile(layer=Layer.TURNS, gate=GateRule.ALWAYS, flash_turns=0, summary=False)
"""Only a search."""
COMPARED: Mapping[str, Profile] = {
    "default": PROFILES["default"],
    "scm": PROFILES["scm"],
    "scm_code": replace(
        PROFILES["scm"],
        scoring=SCORINGS["naive"],
        gate=GateRule.ALWAYS,
        reorganise=Code(),
        k=4,
    ),
    "memengine": replace(
        PROFILES["scm"],
        gate=GateRule.ALWAYS,
        reorganise=Once(),
        k=3,
        flash_turns=3,
    ),
    "cim": PROFILES["cim"],
    "mimir": PROFILES["mimir"],
    "full_history": Profile(gate=GateRule.NEVER, k=0, flash_turns=EVERY, raw_below=EVERY, summary=False, max_tokens=0),
    "last_window": Profile(
        gate=GateRule.NEVER,
        k=0,
        flash_turns=EVERY,
        raw_below=EVERY,
        summaries=False,
        summary=False,
        max_tokens=2_500,
    ),
    "naive": replace(
        _BARE,
        scoring=SCORINGS["naive"],
        reorganise=Forced(form=Form.RAW),
        summaries=False,
        max_tokens=2_500,
    ),
    "rag": replace(_BARE, scoring=SCORINGS["rag"], k=5, reorganise=Forced(form=Form.RAW)),
    "summary_only": Profile(gate=GateRule.NEVER, k=0, flash_turns=0),
    "no_gate": Profile(gate=GateRule.ALWAYS),
    "no_flash": Profile(flash_turns=0),
    "no_activation": Profile(gate=GateRule.NEVER, k=0),
}
"""The systems, their variants and the baselines, by name."""
