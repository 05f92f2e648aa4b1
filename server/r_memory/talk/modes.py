"""Modes that people write: under `conversation:` of `config.yaml`, a name for a set of switches.

A mode is like another one (the shipped one of its name, else `like`, else `default`) but for what is written. Every
number is checked against its bounds where it is loaded. Knows neither files nor settings.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from r_memory.errors import ConfigurationError
from r_memory.talk.controller.gate import GateRule
from r_memory.talk.profiles import PROFILES, Profile

_PROFILE: Mapping[str, tuple[float, float]] = {
    "k": (0, 50),
    "documents": (0, 1),
    "elsewhere": (0, 1),
    "flash_turns": (0, 1_000),
    "raw_below": (0, 100_000),
    "history_budget": (0, 1_000_000),
    "max_tokens": (0, 1_000_000),
    "window": (0, 100),
}
_SCORING: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(
        ("lexical", "lexical_cjk", "max_penalty", "importance", "decay", "threshold", "named", "asks"), (0, 1)
    ),
    "apart": (0, 1),
    "among": (1, 1_000),
    "most": (1, 50),
    "min_span": (0, 10**13),
    "reserved": (0, 10),
}
_REORGANISE: Mapping[str, tuple[float, float]] = dict.fromkeys(
    ("item_above", "total_above", "history_above"), (0, 10**6)
)
_WHOLE = frozenset(
    (
        "k",
        "flash_turns",
        "raw_below",
        "history_budget",
        "max_tokens",
        "window",
        "among",
        "most",
        "min_span",
        *_REORGANISE,
    )
)
_SWITCHES = frozenset(("summary", "summaries", "flash_in_budget", "by_kind"))


def modes(written: Mapping[str, object], shipped: Mapping[str, Profile] = PROFILES) -> Mapping[str, Profile]:
    """The shipped modes, and those that are written.

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
    scoring = {field.name for field in fields(base.scoring)}  # type: ignore[arg-type]  # every scoring is a dataclass
    changed: dict[str, Any] = {}
    scored: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for key, value in switches.items():
        place = f"conversation.{name}.{key}"
        if key == "gate":
            changed[key] = _gate(place, value)
        elif key == "weights" and "weights" in scoring:
            scored[key] = _weights(place, value)
        elif key in _SWITCHES and isinstance(value, bool):
            changed[key] = value
        elif key in _PROFILE:
            changed[key] = _number(place, key, value, _PROFILE[key])
        elif key in _SCORING and key in scoring:
            scored[key] = _number(place, key, value, _SCORING[key])
        elif key in _REORGANISE:
            kept[key] = _number(place, key, value, _REORGANISE[key])
        else:
            known = sorted({*_PROFILE, *_SWITCHES, *_REORGANISE, *(scoring & {*_SCORING, "weights"}), "gate", "like"})
            raise ConfigurationError(f"{place}: is no switch of this mode; known: {', '.join(known)}")
    return replace(
        base,
        **changed,
        most_k=max(base.most_k, changed.get("k", 0)),
        scoring=replace(base.scoring, **scored),  # type: ignore[type-var]  # as above
        reorganise=replace(base.reorganise, **kept),
    )


def _number(place: str, key: str, value: object, bounds: tuple[float, float]) -> float | int:
    low, high = bounds
    kinds = (int,) if key in _WHOLE else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        whole = "a whole number" if key in _WHOLE else "a number"
        raise ConfigurationError(f"{place}: must be {whole} from {low:g} to {high:g}")
    return value


def _gate(place: str, value: object) -> GateRule:
    if value not in {rule.value for rule in GateRule}:
        raise ConfigurationError(f"{place}: knows {', '.join(rule.value for rule in GateRule)}")
    return GateRule(value)


def _weights(place: str, value: object) -> tuple[float, ...]:
    if not (isinstance(value, list | tuple) and len(value) == 3):
        raise ConfigurationError(f"{place}: must be three numbers from 0 to 1: keyword, semantic, time")
    return tuple(_number(place, "weights", one, (0, 1)) for one in value)
