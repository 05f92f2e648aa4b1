"""`r-memory explain`: what each side read, and the row that decided."""

import json

import pytest

from r_memory.cli.app import Exit, run


def test_a_sentence_is_shown_with_what_each_side_read_and_the_row_that_decided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["explain", "I am allergic to latex.", "--json"]) == Exit.DONE
    shown = json.loads(capsys.readouterr().out)
    (words,) = shown["words"]
    assert words["words"] == "latex"
    assert words["rules"] == {"HAS_ALLERGY_TO": "active"}
    assert words["taught"][0]["relation"] == "HAS_ALLERGY_TO"
    assert [(fact["object"], fact["status"]) for fact in shown["facts"]] == [("latex", "active")]
