"""Finds the files of the taught reader and checks that they belong together; knows the form of `labels.json`.

A folder of weights holds `encoder.onnx`, `heads.npz`, `tokenizer.json` and `labels.json`. The last has the names behind
the numbers of the heads and the thresholds that were calibrated with them, and names the other three by their hashes,
so that weights of one training are never read with the labels of another.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from r_memory.domain.facts import Status
from r_memory.errors import ConfigurationError
from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Person

FORMAT = 2
"""Version of the files that this reader can read."""
SHIPPED = Path(__file__).parent / "weights"
"""Folder of the package's own weights."""
ENCODER, HEADS, TOKENIZER, LABELS = "encoder.onnx", "heads.npz", "tokenizer.json", "labels.json"
_RUNTIME = ("onnxruntime", "tokenizers")


def _probable(limits: Thresholds) -> Thresholds:
    if not all(limit is None or 0 <= limit <= 1 for limit in astuple(limits)):
        raise ValueError("a threshold is no probability")
    return limits


_Heat = Annotated[float, Field(gt=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Temperatures:
    """Divisors of logits that calibrate the probabilities."""

    relation: _Heat = 1.0
    nothing: _Heat = 1.0
    status: _Heat = 1.0
    person: _Heat = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Names and thresholds of one domain."""

    domain: str
    speakers: tuple[str, ...]
    """Speakers as the corpus names them: the subject's side first, then the professional, then others."""
    relations: tuple[str, ...]
    """Relations of the schema, in the order of the heads."""
    statuses: tuple[Status, ...]
    persons: tuple[Person, ...]
    attributes: tuple[str, ...]
    """Attributes whose values are words of the utterance."""
    classes: Mapping[str, tuple[str, ...]]
    """Closed attributes with their values, the empty value first."""
    temperatures: Temperatures
    thresholds: Mapping[str, Annotated[Thresholds, AfterValidator(_probable)]]
    """Thresholds by relation, calibrated with the weights."""

    def __post_init__(self) -> None:
        if missing := sorted(set(self.relations) - set(self.thresholds)):
            raise ValueError(f"no thresholds for {', '.join(missing)} of {self.domain}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFile:
    """The content of `labels.json`."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    format: int
    version: str
    """Version of the weights, as recorded on events."""
    files: Mapping[str, str]
    """SHA-256 of the other files of the folder, by name."""
    domains: Mapping[str, Labels]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A complete folder of weights whose files belong together."""

    folder: Path
    labels: LabelFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """The taught reader is not available; `reason` says why, and only the rules read."""

    reason: str


def find_weights(folder: Path = SHIPPED) -> Weights | Absent:
    """Returns the weights of the folder; `Absent` if they or their packages are not installed.

    Raises:
        ConfigurationError: a file is missing, damaged, or of another version than the labels.
    """
    missing = [package for package in _RUNTIME if find_spec(package) is None]
    if missing:
        return Absent(reason=f"no {' and no '.join(missing)} on this platform")
    if not (folder / LABELS).is_file():
        return Absent(reason="its weights are not installed")
    labels = read_labels(folder / LABELS)
    for name in (ENCODER, HEADS, TOKENIZER):
        _check(folder / name, labels.files)
    return Weights(folder=folder, labels=labels)


def read_labels(file: Path) -> LabelFile:
    """Returns the content of `labels.json`.

    Raises:
        ConfigurationError: the file is no label file, or its format is not `FORMAT`.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        found = data.get("format") if isinstance(data, dict) else None
        if found == FORMAT:
            domains = {name: {**item, "domain": name} for name, item in dict(data.get("domains", ())).items()}
            return TypeAdapter(LabelFile).validate_python({**data, "domains": domains})
    except (OSError, TypeError, ValueError) as error:
        raise ConfigurationError(f"the labels cannot be read: {error}; reinstall the weights", file=file) from error
    raise ConfigurationError(
        f"labels have format {found}, this reader understands {FORMAT}; install weights of the same release", file=file
    )


def whole_words(folder: Path = SHIPPED) -> frozenset[str]:
    """Returns the words that the tokenizer never splits, in small letters; empty without weights."""
    if not (folder / TOKENIZER).is_file():
        return frozenset()
    pieces = json.loads((folder / TOKENIZER).read_bytes())["model"]["vocab"]
    return frozenset(piece for piece in pieces if piece.isalpha())


def _check(file: Path, hashes: Mapping[str, str]) -> None:
    try:
        with file.open("rb") as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationError("the file is missing or unreadable; reinstall the weights", file=file) from error
    if found != hashes.get(file.name):
        raise ConfigurationError(
            "the file is not the one that the labels were made with; install weights and labels of the same release",
            file=file,
        )
