"""The rows of a round with strangers, as `eval readings` takes them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from r_memory_lab.evals.readings import rows
from scripts.strangers import main


def _write(file: Path, *written: Mapping[str, Any]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in written), encoding="utf-8")


def test_lines_with_call_and_label_become_rows_and_the_others_are_named(tmp_path: Path) -> None:
    expected = {"r": "HAS_ALLERGY_TO", "o": "egg", "status": "active"}
    called = {"relation": "HAS_ALLERGY_TO", "object": "egg", "evidence": "no egg for me"}
    _write(
        tmp_path / "clinical.lines.jsonl",
        {"id": "C1", "speaker": "patient", "text": "no egg for me"},
        {"id": "C2", "speaker": "nurse", "text": "lovely day"},
    )
    _write(tmp_path / "clinical.calls.jsonl", {"id": "C1", "facts": [called]}, {"id": "C2", "facts": []})
    _write(tmp_path / "clinical.gold.jsonl", {"id": "C1", "expect": [expected], "allow": [], "forbid": []})

    told = main("join", str(tmp_path), "clinical")

    assert told == "1 rows; without call or label: C2"
    assert [(row.id, row.text) for row in rows(tmp_path / "clinical.jsonl")] == [("C1", "no egg for me")]
