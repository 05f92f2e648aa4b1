"""How a conversation is remembered, as named sets of switches: our own, the published systems, and people's own modes.

Sources: SCM (memory-systems 1), CIM (2), Mimir (4). Modes are written under `conversation:` of `config.yaml`; every
number is checked against its bounds where it is loaded. Knows neither files nor settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from r_memory.domain.memories import Layer
from r_memory.errors import ConfigurationError
from r_memory_talk.controller.gate import GateRule
from r_memory_talk.controller.reorganising import Paper
from r_memory_talk.stream.scoring import DEFAULT, SCORINGS, Scoring


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The switches of remembering."""

    scoring: Scoring = SCORINGS[DEFAULT]
    layer: Layer = Layer.LATEST
    """What is searched: SCM and CIM know turns only; Mimir memories, and behind them the turns they were made of."""
    gate: GateRule = GateRule.JUDGE
    reorganise: Paper = field(default_factory=Paper)
    k: int = 6
    """Items to activate, 0 for none (SCM 21)."""
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
}
"""By the name that a call gives as `profile`; those that only reports compare stand in `r_memory_lab.profiles`."""

_SHARE, _LONG = (0.0, 1.0), (0, 1_000_000)
_BOUNDS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(("lexical", "lexical_cjk", "max_penalty", "importance", "decay", "threshold"), _SHARE),
    **dict.fromkeys(("named", "asks", "dated", "beside", "apart", "documents", "elsewhere"), _SHARE),
    **dict.fromkeys(("history_budget", "max_tokens", "item_above", "total_above"), _LONG),
    "k": (0, 50),
    "flash_turns": (0, 1_000),
    "raw_below": (0, 100_000),
    "window": (0, 100),
    "among": (1, 1_000),
    "most": (1, 50),
    "min_span": (0, 10**13),
    "reserved": (0.0, 10.0),
}
"""Numbers that a mode may change; those with whole bounds are whole."""
_SWITCHES = ("summary", "summaries", "flash_in_budget")


def modes(written: Mapping[str, object], shipped: Mapping[str, Profile] = PROFILES) -> Mapping[str, Profile]:
    """The shipped modes, and those that are written: each is like another but for what is written.

    Without `like`, that is the shipped one of its name, else `default`.

    >>> modes({"ward": {"like": "mimir", "k": 8, "reserved": 7}})["ward"].k
    8

    Raises:
        ConfigurationError: names the mode and the switch that cannot be used, and what may stand there.
    """
    found = dict(shipped)
    for name, switches in written.items():
        if not isinstance(switches, Mapping):
            raise ConfigurationError(f"conversation.{name}: expected switches; write {name}: {{k: 8}}")
        like = switches.get("like", name if name in shipped else "default")
        if like not in found:
            raise ConfigurationError(f"conversation.{name}.like: there is no mode '{like}'; known: {', '.join(found)}")
        found[name] = _mode(found[like], name, {key: value for key, value in switches.items() if key != "like"})
    return found


def _mode(base: Profile, name: str, switches: Mapping[str, object]) -> Profile:
    parts: tuple[Any, ...] = (base, base.scoring, base.reorganise)
    known = {key for key in (*_BOUNDS, *_SWITCHES, "gate", "weights") if any(hasattr(part, key) for part in parts)}
    for key, value in switches.items():
        place = f"conversation.{name}.{key}"
        if key not in known:
            names = ", ".join(sorted({*known, "like"}))
            raise ConfigurationError(f"{place}: is no switch of this mode; known: {names}")
        new = {key: _checked(place, key, value)}
        parts = tuple(replace(part, **new) if hasattr(part, key) else part for part in parts)
    return replace(parts[0], scoring=parts[1], reorganise=parts[2])  # type: ignore[no-any-return]  # a profile


def _checked(place: str, key: str, value: object) -> object:
    """What a switch is set to; raises ConfigurationError where that cannot be."""
    if key in _BOUNDS:
        return _number(place, value, *_BOUNDS[key])
    if key in _SWITCHES:
        if not isinstance(value, bool):
            raise ConfigurationError(f"{place}: must be true or false")
        return value
    if key == "gate":
        if value not in {rule.value for rule in GateRule}:
            raise ConfigurationError(f"{place}: knows {', '.join(rule.value for rule in GateRule)}")
        return GateRule(value)
    if not (isinstance(value, list | tuple) and len(value) == 3):
        raise ConfigurationError(f"{place}: must be three numbers from 0 to 1: keyword, semantic, time")
    return tuple(_number(place, one, *_SHARE) for one in value)


def _number(place: str, value: object, low: float, high: float) -> float:
    whole = isinstance(low, int)
    kinds = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise ConfigurationError(
            f"{place}: must be {'a whole number' if whole else 'a number'} from {low:g} to {high:g}"
        )
    return value
