"""Evaluation data that is not as it should be: file, line and field are named, its words are not repeated."""

from pathlib import Path

import pytest

from r_memory.errors import InvalidInput
from r_memory_lab.evals.dialogues import Dialogue
from r_memory_lab.evals.rows import DataRow, as_lines, read_rows

GOOD = '{"id": "a", "turns": [["doctor", "Any allergies?"], ["patient", "None."]]}\n'


def file(folder: Path, content: str) -> Path:
    path = folder / "rows.jsonl"
    path.write_text(content, encoding="utf-8")
    return path


def test_rows_come_in_order_and_blank_lines_count_for_nothing(tmp_path: Path) -> None:
    read = read_rows(file(tmp_path, GOOD + "\n" + GOOD.replace('"a"', '"b"')), Dialogue)
    assert read == (
        Dialogue(id="a", turns=(("doctor", "Any allergies?"), ("patient", "None."))),
        Dialogue(id="b", turns=(("doctor", "Any allergies?"), ("patient", "None."))),
    )


def test_a_line_separator_inside_a_string_ends_no_row(tmp_path: Path) -> None:
    assert len(read_rows(file(tmp_path, GOOD.replace("None.", "None.\u2028At all.")), Dialogue)) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("secret words\n", "rows.jsonl:1: Invalid JSON"),
        (GOOD + '["secret words"]\n', "rows.jsonl:2: Input should be an object"),
        ('{"id": "a"}\n', "rows.jsonl:1: turns: Field required"),
        ('{"id": "a", "turns": [["secret words"]]}\n', "rows.jsonl:1: turns.0.1: Field required"),
        ('{"id": "a", "turns": "secret words"}\n', "rows.jsonl:1: turns: Input should be a valid array"),
        (GOOD + GOOD, "the id 'a' comes twice"),
        ("\n", "holds no rows"),
    ],
)
def test_a_wrong_row_is_named_by_file_line_and_field(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_rows(file(tmp_path, content), Dialogue)
    assert said in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_missing_file_says_where_to_name_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--data"):
        read_rows(tmp_path / "nowhere.jsonl", Dialogue)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"id": "\xff"}')
    with pytest.raises(InvalidInput, match="not UTF-8"):
        read_rows(tmp_path / "rows.jsonl", Dialogue)


def test_written_rows_can_be_read_again(tmp_path: Path) -> None:
    rows = (DataRow(id="a"), DataRow(id="ä\u2028"))
    assert read_rows(file(tmp_path, as_lines(rows)), DataRow) == rows
