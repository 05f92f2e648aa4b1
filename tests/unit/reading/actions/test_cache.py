"""The cache of the model: read back as written, renewed when its content's hash changes, harmless when broken."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from r_memory.reading.actions.linear import LinearModel, key, obtain
from tests.unit.reading.actions.tables import CLEAN, KITCHEN, SCHEMA, SERVE, table

MODEL = LinearModel(
    labels=("SERVE", "CLEAN"),
    vocabulary={"a": 0, "#ü b": 1},
    rarity=np.array([1.0, 2.5]),
    weights=np.array([[0.5, -0.5], [0.25, 1.0]]),
    bias=np.array([0.125, 0.0]),
    temperature=0.75,
)


class Trainer:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> LinearModel:
        self.times += 1
        return MODEL


def refuse() -> LinearModel:
    raise AssertionError("trained although cached")


def test_a_model_is_trained_once_and_read_back_equal(tmp_path: Path) -> None:
    train = Trainer()

    obtain(tmp_path / "cache", KITCHEN, SCHEMA, train)
    again = obtain(tmp_path / "cache", KITCHEN, SCHEMA, refuse)

    assert train.times == 1
    assert again is not None
    assert (again.labels, again.vocabulary, again.temperature) == (MODEL.labels, MODEL.vocabulary, MODEL.temperature)
    assert np.array_equal(again.weights, MODEL.weights)
    assert np.array_equal(again.bias, MODEL.bias)
    assert np.array_equal(again.rarity, MODEL.rarity)
    assert [file.name for file in (tmp_path / "cache").iterdir()] == [f"intents-{key(KITCHEN, SCHEMA)}.npz"]


def test_a_changed_table_or_lexicon_is_learnt_anew(tmp_path: Path) -> None:
    train = Trainer()
    for schema in (SCHEMA, replace(SCHEMA, version="s2")):
        for intents in (KITCHEN, table(SERVE, CLEAN, version="t2")):
            obtain(tmp_path, intents, schema, train)

    assert train.times == 4


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_a_broken_cache_is_renewed(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / f"intents-{key(KITCHEN, SCHEMA)}.npz"
    file.write_bytes(content)

    assert obtain(tmp_path, KITCHEN, SCHEMA, Trainer()) is MODEL
    assert obtain(tmp_path, KITCHEN, SCHEMA, refuse) is not None


def test_a_cache_with_objects_is_not_unpickled(tmp_path: Path) -> None:
    file = tmp_path / f"intents-{key(KITCHEN, SCHEMA)}.npz"
    np.savez(file, facts=np.array([{"labels": []}], dtype=object))

    assert obtain(tmp_path, KITCHEN, SCHEMA, Trainer()) is MODEL


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    in_the_way = tmp_path / "cache"
    in_the_way.write_text("a file", encoding="utf-8")

    assert obtain(in_the_way, KITCHEN, SCHEMA, Trainer()) is MODEL


def test_no_model_is_not_cached(tmp_path: Path) -> None:
    assert obtain(tmp_path, KITCHEN, SCHEMA, lambda: None) is None
    assert list(tmp_path.iterdir()) == []


def test_a_warm_cache_needs_no_language(tmp_path: Path) -> None:
    code = (
        "import sys, r_memory.reading.actions.linear, r_memory.reading.actions.classifier\n"
        "print(sorted(name for name in sys.modules if name in {'yaml'}))"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)

    assert ran.stdout.strip() == "[]"
