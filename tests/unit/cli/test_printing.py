"""What reaches terminals and pipes: stored text can do nothing there, and nothing of it is lost."""

import json

import pytest

from r_memory.cli.printing import print_json, print_parts, print_table, progress

HOSTILE = "a\x1b[31mred\x1b[0m [bold]b[/bold] \u202ec"


@pytest.fixture(autouse=True)
def a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE", "TERM"):
        monkeypatch.delenv(name, raising=False)


def test_a_table_fits_eighty_columns_and_keeps_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    row = ("7f3a2c1e", "IS_CONTRAINDICATED_WITH", "Amoxicillin clavulanate", "active, contradicted", "zz " * 40, "end")
    print_table(("Fact", "Relation", "Object", "Status", "Details", "Said"), [row])
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("zz") == 40
    assert "".join(out.split()).count("7f3a2c1e") == 1


def test_a_table_is_plain_in_a_pipe_whatever_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("Words",), [(HOSTILE,)])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "red" in out
    assert "bold" in out


def test_json_escapes_what_could_steer_a_terminal_and_reads_back_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": HOSTILE, "pair": ("é", 1)})
    out = capsys.readouterr().out
    assert out.isascii()
    assert "\x1b" not in out
    assert json.loads(out) == {"text": HOSTILE, "pair": ["é", 1]}


def test_a_line_is_neither_wrapped_nor_read_as_markup(capsys: pytest.CaptureFixture[str]) -> None:
    line = "[R-MEMORY CONTEXT]: " + "word " * 60 + ":smile: [bold]x[/bold]"
    print_parts(line)
    assert capsys.readouterr().out == line + "\n"


def test_progress_is_silent_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("telling", 2) as step:
        step()
        step()
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
