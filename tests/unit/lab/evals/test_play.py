"""The suite `play`: how a file of a conversation is read, and what counts as filed, helped and misled."""

from pathlib import Path

import pytest

from r_memory.errors import ConfigurationError
from r_memory_lab.evals.play import Play, Played, outcome, rows

FILE = """\
schema: clinical
kind: ward
turns:
- says: Allergic to penicillin.
  calls: [{memory_remember: {text: Allergic to penicillin.}}]
  filed: [{about: P1, relation: HAS_ALLERGY_TO, object: penicillin}]
- says: Amoxicillin?
  calls: [{memory_build_context: {query: "Amoxicillin?"}}]
  has: [penicillin]
  risk: true
- says: And now?
  calls: []
  has: [penicillin]
"""
SETS = Path(__file__).parents[4] / "evals" / "sets" / "play"


def file(tmp_path: Path, text: str = FILE) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_turns_statements_and_tokens_are_counted_apart(tmp_path: Path) -> None:
    turns = [
        Played(filing="lost", why="missing P1 HAS_ALLERGY_TO active", remembers=[90]),
        Played(help="misled", why="lacks /penicillin/", contexts=[400, 700]),
        Played(help="helped"),
    ]
    told = outcome(rows(file(tmp_path)), [Play(id="p", turns=turns)])
    figures = {figure.name: figure.value for figure in told.figures}
    assert (figures["turns helped"], figures["turns misled"], figures["statements lost"]) == (0.5, 1, 1)
    assert (figures["tokens of a context, worst"], figures["tokens of a remember, median"]) == (700, 90)
    assert told.details["misled"] == ["p#2: lacks /penicillin/"]
    assert told.details["lost"] == ["p#1: missing P1 HAS_ALLERGY_TO active"]


def test_a_turn_with_a_word_of_its_own_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"p\.yaml"):
        rows(file(tmp_path, FILE + "  helps: [penicillin]\n"))


def test_there_are_twenty_conversations_of_our_own() -> None:
    scripts = rows(SETS)
    assert len(scripts) == 20
    assert {script.schema_name for script in scripts} == {"clinical", "personal", "law", "finance"}
