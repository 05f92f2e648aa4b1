"""Reading evaluation data: JSON lines with the fields that a suite needs."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from r_memory.errors import InvalidInput


def read_rows(path: Path, needed: Sequence[str]) -> list[dict[str, Any]]:
    """One dictionary for each line.

    Raises:
        InvalidInput: no such file, a line that is no JSON object, or one without a needed field.
    """
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist; give the folder of evaluation data with --data")
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            rows.append(_row(line, needed, f"{path}:{number}"))
    return rows


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """One line of JSON for each row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _row(line: str, needed: Sequence[str], place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"{place}: not JSON; each line must be one object") from error
    missing = [name for name in needed if not isinstance(row, dict) or name not in row]
    if missing:
        raise InvalidInput(f"{place}: lacks {', '.join(missing)}; see the format of this suite")
    return dict(row)
