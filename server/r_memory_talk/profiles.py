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
    """The switches of the conversational memory."""

    scoring: Scoring = SCORINGS[DEFAULT]
    layer: Layer = Layer.LATEST
    """The layer that is searched: in SCM and CIM only turns; in Mimir memories, and behind them their turns."""
    gate: GateRule = GateRule.JUDGE
    reorganise: Paper = field(default_factory=Paper)
    k: int = 6
    """Items to activate; 0 for none (SCM 21)."""
    documents: float = 0.5
    """Largest share of `k` for documents about the subject or no subject, at least one item; 0 for none. Limits long
    documents, which would displace turns."""
    elsewhere: float = 1 / 3
    """Share of `k` for other conversations about the same subject, which also get the places that this conversation
    cannot fill; 0 for none."""
    flash_turns: int = 1
    """Last turns shown as they are: 1 in SCM (flash memory), 20 in Mimir (short-term memory)."""
    raw_below: int = 500
    """Tokens up to which a previous turn is shown raw, else by its summary (SCM 28)."""
    summaries: bool = True
    """Whether a turn may be shortened to its summary; else it is cut."""
    summary: bool = True
    """Whether the context has the structured summary (CIM)."""
    history_budget: int = 2_500
    """Most tokens of activated items and the previous turn (SCM 29)."""
    flash_in_budget: bool = True
    """Whether the previous turns count towards `history_budget`."""
    max_tokens: int = 3_000
    """Most tokens of all sections, unless a call says otherwise; 0 for no limit."""
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
"""Profiles by the name in a call's `profile`; profiles only for comparison are in `r_memory_lab.profiles`."""

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
"""Bounds of the numbers in a profile; whole bounds take whole numbers."""
_SWITCHES = ("summary", "summaries", "flash_in_budget")


def modes(written: Mapping[str, object], shipped: Mapping[str, Profile] = PROFILES) -> Mapping[str, Profile]:
    """Returns the shipped profiles and the written ones; each changes some switches of another.

    Without `like`, it changes the shipped profile of its name, else `default`.

    Raises:
        ConfigurationError: a switch cannot be used; names the profile, the switch and the allowed values.

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
    """Returns the value of a switch.

    Raises:
        ConfigurationError: the value is not allowed.
    """
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
    return tuple(_number(place, item, *_SHARE) for item in value)


def _number(place: str, value: object, low: float, high: float) -> float:
    whole = isinstance(low, int)
    kinds = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise ConfigurationError(
            f"{place}: must be {'a whole number' if whole else 'a number'} from {low:g} to {high:g}"
        )
    return value
