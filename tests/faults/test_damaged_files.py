"""Damaged files of the embedded database, zeroed, cut, flipped or deleted: no loss is answered as "nothing recorded".

`DAMAGES=all` tries every file in every way; without it, those that were once answered without the facts or as if nobody
were known, and one of each other way.
"""

import os
from pathlib import Path

import pytest

from tests.faults.damages import ALL, after_damage, filled, is_told

SAMPLE = (
    ("HAS_ALLERGY_TO_0.", "zero"),
    ("TAKES_0.", "half"),
    ("AWAITS_0.", "zero"),
    ("Entity%7EPatient_0_out_edges.", "zero"),
    ("dictionary.", "zero"),
    ("dictionary.", "flip"),
    ("dictionary.", "half"),
    ("Entity%7EPatient_0.", "zero"),
    ("HAS_ALLERGY_TO_0.", "flip"),
    ("Episode_0.", "delete"),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("damaged") / "store")


@pytest.mark.parametrize(("start", "way"), ALL if os.environ.get("DAMAGES") == "all" else SAMPLE)
def test_a_damaged_file_is_never_answered_as_nothing_recorded(
    store: Path, tmp_path: Path, start: str, way: str
) -> None:
    said = after_damage(store, tmp_path / "store", start, way)

    assert is_told(said), said
