"""Modes of one's own: a name for a set of switches, checked where it is loaded."""

import pytest

from r_memory.errors import ConfigurationError
from r_memory_talk.controller.gate import GateRule
from r_memory_talk.controller.reorganising import Paper
from r_memory_talk.profiles import PROFILES, modes
from r_memory_talk.stream.scoring import Cim, Mimir


def test_a_mode_is_like_another_but_for_what_is_written() -> None:
    found = modes(
        {
            "ward": {"like": "mimir", "k": 12, "reserved": 7, "flash_turns": 8, "gate": "judge"},
            "cim": {"threshold": 0.2, "weights": [0.5, 0.3, 0.2]},
            "default": {"window": 2, "lexical": 0.5, "history_budget": 4000, "elsewhere": 0, "item_above": 500},
            "night": {"like": "ward", "k": 3},
        }
    )
    ward, cim, default = found["ward"], found["cim"], found["default"]
    assert isinstance(ward.scoring, Mimir)
    assert (ward.k, ward.scoring.reserved, ward.flash_turns, ward.gate) == (12, 7, 8, GateRule.JUDGE)
    assert isinstance(cim.scoring, Cim)
    assert (cim.scoring.threshold, cim.scoring.weights) == (0.2, (0.5, 0.3, 0.2))
    assert isinstance(default.scoring, Mimir)
    assert (default.window, default.scoring.lexical, default.history_budget, default.elsewhere) == (2, 0.5, 4000, 0)
    assert (default.reorganise, found["night"].k, found["scm"]) == (Paper(item_above=500), 3, PROFILES["scm"])
    assert modes({}) == PROFILES


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"ward": 3}, "conversation.ward: expected switches"),
        ({"ward": {"like": "mimmir"}}, "there is no mode 'mimmir'; known: default, scm"),
        ({"ward": {"k": -1}}, "conversation.ward.k: must be a whole number from 0 to 50"),
        ({"ward": {"k": 2.5}}, "whole number"),
        ({"ward": {"k": True}}, "whole number"),
        ({"ward": {"lexical": 3}}, "conversation.ward.lexical: must be a number from 0 to 1"),
        ({"ward": {"threshold": 0.3}}, "conversation.ward.threshold: is no switch of this mode; known:"),
        ({"ward": {"gate": "open"}}, "knows judge,"),
        ({"cim": {"weights": [1, 2]}}, "three numbers"),
        ({"cim": {"weights": [1, 2, 3]}}, "from 0 to 1"),
    ],
)
def test_what_cannot_be_used_is_named_with_what_may_stand_there(written: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigurationError, match="conversation") as refused:
        modes(written)
    assert told in str(refused.value)
