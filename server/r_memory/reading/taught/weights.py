"""Finds the files of the taught reader, checks that they belong together, and loads them.

A folder of weights holds `encoder.onnx`, `heads.npz`, `tokenizer.json` and `labels.json`, which names the other three
by their hashes, so that weights of one training are never read with the labels of another.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from r_memory.errors import ConfigurationError
from r_memory.reading.taught.heads import Heads, read_arrays
from r_memory.reading.taught.labels import LabelFile, read_labels
from r_memory.reading.taught.reader import TaughtReader

SHIPPED = Path(__file__).parent / "weights"
"""Where the package carries its own."""
ENCODER, HEADS, TOKENIZER, LABELS = "encoder.onnx", "heads.npz", "tokenizer.json", "labels.json"
_RUNTIME = ("onnxruntime", "tokenizers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A complete folder whose files belong together."""

    folder: Path
    labels: LabelFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """There is no taught reader here: the rules read alone, and whoever asks is told why."""

    reason: str


def find_weights(folder: Path = SHIPPED) -> Weights | Absent:
    """The weights of the folder, or why there are none to use.

    Raises:
        ConfigurationError: there are some, but a file is missing, damaged, or of another version than the labels.
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


def whole_words(folder: Path = SHIPPED) -> frozenset[str]:
    """Words that the tokenizer never cuts, in small letters: the ordinary ones. Empty where there are no weights."""
    if not (folder / TOKENIZER).is_file():
        return frozenset()
    pieces = json.loads((folder / TOKENIZER).read_bytes())["model"]["vocab"]
    return frozenset(piece for piece in pieces if piece.isalpha())


def load_readers(weights: Weights, *, threads: int = 1) -> Mapping[str, TaughtReader]:
    """A reader for each domain of the weights, over one encoder; takes some tenths of a second.

    Raises:
        ConfigurationError: a file is not what its name says, or heads and labels do not fit each other.
    """
    from r_memory.reading.taught.encoder import OnnxEncoder  # noqa: PLC0415 - the runtime may be absent, and is heavy
    from r_memory.reading.taught.wordpieces import WordPieces  # noqa: PLC0415 - as above

    encoder = OnnxEncoder(weights.folder / ENCODER, WordPieces(weights.folder / TOKENIZER), threads=threads)
    arrays = read_arrays(weights.folder / HEADS)
    return {
        name: TaughtReader(encoder, Heads(arrays, labels), labels) for name, labels in weights.labels.domains.items()
    }


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
