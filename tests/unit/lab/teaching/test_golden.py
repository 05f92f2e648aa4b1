from pathlib import Path

import pytest

from r_memory_lab.teaching.golden import KINDS, difference, main, table

_LINES = """\
{"by": "patient", "t": "I am allergic to penicillin.", "m": \
[{"s": "penicillin", "r": "ALLERGY", "st": "active", "who": "patient"}]}
{"by": "patient", "t": "The bus was late again.", "m": []}
"""


def _outcome(**found: int) -> dict[str, int]:
    return dict.fromkeys(KINDS, 0) | found


def test_sums_stand_by_file_and_altogether_last() -> None:
    lines = {"law/notes:1": _outcome(right=1), "law/notes:2": _outcome(missed=2), "law/desk:1": _outcome(right=1)}

    rows = table(lines).splitlines()[2:]

    assert rows == [
        "| law/notes | 2 | 1 | 2 | 0 | 0 | 0 | 0 |",
        "| law/desk | 1 | 1 | 0 | 0 | 0 | 0 | 0 |",
        "| all | 3 | 2 | 2 | 0 | 0 | 0 | 0 |",
    ]


def test_difference_names_the_lines_that_were_won_and_lost_by_kind() -> None:
    before = {"law/notes:1": _outcome(right=1), "law/notes:2": _outcome(missed=1, silent=1)}
    after = {"law/notes:1": _outcome(forbidden=1), "law/notes:2": _outcome(missed=1)}

    assert difference(before, after).splitlines() == [
        "right: +0 -1  law/notes:1",
        "silent: +0 -1  law/notes:2",
        "forbidden: +1 -0  law/notes:1",
    ]
    assert difference(before, before) == "no line differs by kind"


def test_run_compared_with_itself_differs_in_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = tmp_path / "clinical" / "said.jsonl"
    said.parent.mkdir()
    said.write_text(_LINES, encoding="utf-8")
    first, second = tmp_path / "first.json", tmp_path / "second.json"

    main([str(first), str(said)])
    main([str(second), str(said), "--before", str(first)])

    printed = capsys.readouterr().out
    assert "/clinical/said | 2 | 2 | 0 | 0 | 0 | 0 | 0 |" in printed
    assert "no line differs by kind" in printed


def test_line_that_cannot_be_read_stops_the_run_by_its_place(tmp_path: Path) -> None:
    said = tmp_path / "clinical" / "said.jsonl"
    said.parent.mkdir()
    said.write_text("{}\n", encoding="utf-8")

    with pytest.raises(SystemExit, match=r"clinical/said:1: "):
        main([str(tmp_path / "run.json"), str(said)])
