"""Ways to damage a file of the embedded database, and what is said of each afterwards.

    python -m tests.faults.damages

prints the table of all of them.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.faults.processes import PATIENCE_S

FILES = (
    "HAS_ALLERGY_TO_0.",
    "TAKES_0.",
    "AWAITS_0.",
    "ABOUT_0.",
    "CONCERNS_0.",
    "EVIDENCED_BY_0.",
    "Entity%7EPatient_0.",
    "Entity%7EPatient_0_out_edges.",
    "Entity%7EPatient_0_in_edges.",
    "Drug%7EDrugClass%7EEntity_0.",
    "FactEvent_0.",
    "FactEvent_0_out_edges.",
    "Episode_0.",
    "Entry_0.",
    "dictionary.",
    "schema.json",
)
"""Everything that holds what was recorded, and what the engine finds it by."""
WAYS = ("zero", "half", "flip", "delete")
ALL = tuple((start, way) for start in FILES for way in WAYS)
FLIPS = 24
WHOLE = "whole; verify whole"


def ran(what: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.damaged", what, str(folder)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout.strip() or f"died {done.returncode}"


def filled(folder: Path) -> Path:
    """A store with what `damaged` puts there."""
    ran("fill", folder)
    if (said := ran("read", folder)) != WHOLE:
        raise AssertionError(f"not whole before anything was damaged: {said}")
    return folder


def after_damage(store: Path, copy: Path, start: str, way: str) -> str:
    """What is said of a copy of the store in which the file of this name is damaged."""
    folder = shutil.copytree(store, copy)
    [file] = [path for path in (folder / "arcadedb/databases/memory").iterdir() if path.name.startswith(start)]
    damage(file, way)
    return ran("read", folder)


def is_told(said: str) -> bool:
    """Whether everything was answered as it was said, or whoever asked was told that it was not."""
    return "silent" not in said and "unknown" not in said and (said == WHOLE or "verify whole" not in said)


def damage(file: Path, way: str) -> None:
    whole = file.read_bytes()
    if way == "delete":
        file.unlink()
    elif way == "zero":
        file.write_bytes(b"\0" * len(whole))
    elif way == "half":
        file.write_bytes(whole[: len(whole) // 2])
    else:
        file.write_bytes(flipped(whole, seed=file.name.partition(".")[0]))


def flipped(whole: bytes, *, seed: str) -> bytes:
    """One bit turned in each of some bytes that hold something."""
    changed = bytearray(whole)
    chance = random.Random(seed)
    for place in chance.sample([place for place, byte in enumerate(whole) if byte], FLIPS):
        changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


def table() -> Iterator[str]:
    """Lines of Markdown, one for each damage."""
    yield "| file | damage | read | |"
    yield "|---|---|---|---|"
    with tempfile.TemporaryDirectory() as made:
        store = filled(Path(made) / "store")
        for number, (start, way) in enumerate(ALL):
            said = after_damage(store, Path(made) / str(number), start, way)
            shutil.rmtree(Path(made) / str(number))
            yield f"| {start.rstrip('.')} | {way} | {said} | {'' if is_told(said) else '**silently wrong**'} |"


if __name__ == "__main__":
    for line in table():
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
