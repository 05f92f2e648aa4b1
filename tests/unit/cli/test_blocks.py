"""The block on a terminal and in a pipe."""

import pytest

from r_memory.cli.printing import print_parts
from r_memory.cli.recalling import block_lines, style_of

BLOCK = """\
[R-MEMORY CONTEXT]:
Subject: John Doe (Patient JD001). Checked 2026-11-21T10:15:02Z. Action: MED_ORDER.
CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: Anaphylaxis).
  said 2026-11-19 by patient: "I am severely allergic to Penicillin." · active · fact 7f3a2c1e
Checked: HAS_ALLERGY_TO found 1 · IS_CONTRAINDICATED_WITH not asked
[END R-MEMORY CONTEXT]"""


def print_block(block: str, *, verbose: bool = False) -> None:
    for line in block_lines(block, verbose=verbose):
        print_parts(line)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "60", "NO_COLOR": ""}.items():
        monkeypatch.setenv(name, value)


def test_in_a_pipe_the_block_is_as_a_prompt_needs_it(capsys: pytest.CaptureFixture[str]) -> None:
    print_block(BLOCK)
    assert capsys.readouterr().out == BLOCK + "\n"


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_no_word_is_cut_and_days_are_written_as_people_write_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_block(BLOCK)
    out = " ".join(capsys.readouterr().out.split())
    assert "said 19 Nov 2026 by patient" in out
    assert "21 Nov 2026 10:15 UTC" in out
    assert "IS_CONTRAINDICATED_WITH" not in out
    assert "\x1b[1;31mCRITICAL ALLERGY: John Doe is allergic to" in out


@pytest.mark.usefixtures("terminal")
def test_every_outcome_is_shown_on_demand_and_where_one_could_not_be_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_block(BLOCK, verbose=True)
    print_block(BLOCK.replace("WITH not asked", "WITH could not check: it is damaged"))
    assert capsys.readouterr().out.count("IS_CONTRAINDICATED_WITH") == 2


def test_what_went_wrong_stands_out_most() -> None:
    assert style_of("SAFETY MEMORY UNAVAILABLE: the disk is full.") == "bold white on red"
    assert style_of("UNCONFIRMED: CRITICAL ALLERGY: …") == "bold yellow"
    assert style_of("Family history: …") == ""
