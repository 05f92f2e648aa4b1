"""Files of the embedded database that were zeroed or cut to half: a loss is never answered as "nothing recorded"."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.processes import PATIENCE_S

# The files that answered without the facts, and complete, before reads were held against counts.
DAMAGES = [
    ("HAS_ALLERGY_TO_0.", "zero"),
    ("TAKES_0.", "half"),
    ("AWAITS_0.", "zero"),
    ("Entity%7EPatient_0_out_edges.", "zero"),
    ("dictionary.", "zero"),
]


def ran(what: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.damaged", what, str(folder)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout.strip() or f"died {done.returncode}"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "store"
    ran("fill", folder)
    assert ran("read", folder) == "whole; verify whole"
    return folder


@pytest.mark.parametrize(("start", "way"), DAMAGES)
def test_a_damaged_file_is_never_answered_as_nothing_recorded(
    filled: Path, tmp_path: Path, start: str, way: str
) -> None:
    folder = shutil.copytree(filled, tmp_path / "store")
    [file] = [path for path in (folder / "arcadedb/databases/memory").iterdir() if path.name.startswith(start)]
    whole = file.read_bytes()
    file.write_bytes(b"\0" * len(whole) if way == "zero" else whole[: len(whole) // 2])

    said = ran("read", folder)

    assert "silent" not in said
    assert "verify whole" not in said
