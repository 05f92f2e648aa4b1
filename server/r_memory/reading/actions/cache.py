"""Keeps a trained model in a folder of what can be computed again: one `.npz` per content, written whole or not at all.

Weights are arrays and the rest is JSON inside the same file; nothing is unpickled.
"""

import hashlib
import io
import json
import logging
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.reading.actions.linear import FEATURES, LinearModel

logger = logging.getLogger(__name__)


def obtain(
    folder: Path, table: IntentTable, schema: Schema, train: Callable[[], LinearModel | None]
) -> LinearModel | None:
    """The model of this table under this schema: from the folder, or trained now and kept there.

    A file that cannot be read is replaced; a folder that cannot be written costs time at the next start, nothing else.
    """
    file = folder / f"intents-{key(table, schema)}.npz"
    model = _read(file)
    if model is None and (model := train()) is not None:
        _write(file, model)
    return model


def key(table: IntentTable, schema: Schema) -> str:
    """Changes with the table, the schema, its lexicon and the features."""
    return hashlib.sha256(f"{table.version}/{schema.version}/{FEATURES}".encode()).hexdigest()[:16]


def _read(file: Path) -> LinearModel | None:
    if not file.is_file():
        return None
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            facts = json.loads(arrays["facts"].tobytes())
            return LinearModel(
                labels=tuple(facts["labels"]),
                vocabulary={feature: row for row, feature in enumerate(facts["vocabulary"])},
                rarity=arrays["rarity"],
                weights=arrays["weights"].astype(np.float64),
                bias=arrays["bias"],
                temperature=float(facts["temperature"]),
                figures=facts["figures"],
            )
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        logger.warning("Cached model unreadable", extra={"action": "model_unreadable", "error": type(error).__name__})
        return None


def _write(file: Path, model: LinearModel) -> None:
    facts = {
        "labels": model.labels,
        "vocabulary": list(model.vocabulary),
        "temperature": model.temperature,
        "figures": dict(model.figures),
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            np.savez(
                part,
                facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8),
                rarity=model.rarity,
                # Half the size; the difference in a probability is below 1e-6.
                weights=model.weights.astype(np.float32),
                bias=model.bias,
            )
        Path(part.name).replace(file)
    except OSError as error:
        logger.warning("Model not cached", extra={"action": "model_not_cached", "error": type(error).__name__})
