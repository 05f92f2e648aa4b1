"""Writes `labels.json`, which binds the files of a folder of weights together."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from r_memory.reading.taught.weights import ENCODER, FORMAT, HEADS, LABELS, TOKENIZER, Labels


def write_labels(labels: Mapping[str, Labels], folder: Path, *, version: str) -> None:
    """Writes `labels.json`, with the hashes of the files beside it."""
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (ENCODER, HEADS, TOKENIZER)}
    data = {
        "format": FORMAT,
        "version": version,
        "files": files,
        "domains": {name: _plain(label) for name, label in labels.items()},
    }
    (folder / LABELS).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _plain(labels: Labels) -> dict[str, object]:
    found = asdict(labels)
    del found["domain"]
    return found
