"""The conversations that several suites are scored on, as files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path


def written(folder: Path, files: Mapping[str, Sequence[object]]) -> Path:
    """The folder with these rows as JSON lines in files of these names."""
    for name, rows in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder
