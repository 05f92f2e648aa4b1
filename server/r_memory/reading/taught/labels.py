"""The names behind the numbers of the heads, and the thresholds that were calibrated with them: `labels.json`.

Knows the file's form. That it belongs to the weights beside it is checked by `weights.py`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from r_memory.domain.facts import Status
from r_memory.errors import ConfigurationError
from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Person

FORMAT = 2
"""Version of the files that this reader understands."""

_Probability = Annotated[float, Field(ge=0, le=1)]
_Temperature = Annotated[float, Field(gt=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Temperatures:
    """What logits are divided by, so that probabilities mean what they say."""

    relation: float = 1.0
    nothing: float = 1.0
    status: float = 1.0
    person: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Names and thresholds of one domain."""

    domain: str
    speakers: tuple[str, ...]
    """Who may speak, as the corpus calls them."""
    relations: tuple[str, ...]
    """Relations of the schema in the order of the heads."""
    statuses: tuple[Status, ...]
    persons: tuple[Person, ...]
    attributes: tuple[str, ...]
    """Attributes that are words of the utterance."""
    classes: Mapping[str, tuple[str, ...]]
    """Closed attributes: their values, the empty one first."""
    temperatures: Temperatures
    thresholds: Mapping[str, Thresholds]
    """By relation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFile:
    """All of `labels.json`."""

    version: str
    """Of the weights, as recorded on events."""
    files: Mapping[str, str]
    """The other files of the folder to their SHA-256."""
    domains: Mapping[str, Labels]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Temperatures(_Strict):
    relation: _Temperature
    nothing: _Temperature
    status: _Temperature
    person: _Temperature


class _Thresholds(_Strict):
    risk: _Probability
    named: _Probability | None = None
    nothing: _Probability
    other: _Probability
    absence: _Probability
    doubted: _Probability = 1.0
    denied: _Probability = 0.42
    heard: _Probability = 0.0
    unnamed: _Probability = 0.0


class _Domain(_Strict):
    speakers: tuple[str, ...]
    relations: tuple[str, ...]
    statuses: tuple[Status, ...]
    persons: tuple[Person, ...]
    attributes: tuple[str, ...]
    classes: dict[str, tuple[str, ...]]
    temperatures: _Temperatures
    thresholds: dict[str, _Thresholds]


class _File(_Strict):
    format: int
    version: str
    files: dict[str, str]
    domains: dict[str, _Domain]


def read_labels(file: Path) -> LabelFile:
    """What `labels.json` says.

    Raises:
        ConfigurationError: the file is no label file, or one of another format than this reader understands.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        found = data.get("format") if isinstance(data, dict) else None
        if found != FORMAT:
            raise ConfigurationError(
                f"labels have format {found}, this reader understands {FORMAT}; install weights of the same release",
                file=file,
            )
        parsed = _File.model_validate_json(json.dumps(data))
    except (OSError, ValueError, ValidationError) as error:
        raise ConfigurationError(f"the labels cannot be read: {error}; reinstall the weights", file=file) from error
    domains = {name: _labels(name, domain, file) for name, domain in parsed.domains.items()}
    return LabelFile(version=parsed.version, files=parsed.files, domains=domains)


def _labels(name: str, domain: _Domain, file: Path) -> Labels:
    missing = sorted(set(domain.relations) - set(domain.thresholds))
    if missing:
        raise ConfigurationError(f"no thresholds for {', '.join(missing)} of {name}; reinstall the weights", file=file)
    return Labels(
        domain=name,
        speakers=domain.speakers,
        relations=domain.relations,
        statuses=domain.statuses,
        persons=domain.persons,
        attributes=domain.attributes,
        classes=domain.classes,
        temperatures=Temperatures(**domain.temperatures.model_dump()),
        thresholds={relation: Thresholds(**one.model_dump()) for relation, one in domain.thresholds.items()},
    )
