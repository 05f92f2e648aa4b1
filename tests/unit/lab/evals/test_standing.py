"""The suite `standing`: how pairs are told, and what counts as found and as false."""

from collections import Counter
from pathlib import Path

import pytest

from r_memory.errors import ConfigurationError, InvalidInput
from r_memory_lab.evals.standing import PairVerdict, outcome, rows, run
from tests.unit.memory_world import a_world

FILE = """\
schema: clinical
said: {drug: ["She takes {}.", "On {}."], allergy: ["Allergic to {}."]}
apart:
  drug, drug: [[a, b], [c, d]]
  drug, allergy: [[e, f]]
together:
  drug, drug: [[g, h]]
"""
SETS = Path(__file__).parents[4] / "evals" / "sets" / "standing"
NAMES = ["p-apart-drug-drug-1", "p-apart-drug-drug-2", "p-apart-drug-allergy-1", "p-together-drug-drug-1"]


def file(tmp_path: Path, text: str = FILE) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_second_pair_is_told_the_other_way_round_in_other_words(tmp_path: Path) -> None:
    pairs = rows(file(tmp_path))
    assert [pair.id for pair in pairs] == NAMES
    assert [pair.told for pair in pairs] == [
        ("She takes b.", "She takes a."),
        ("On c.", "On d."),
        ("Allergic to f.", "She takes e."),
        ("She takes h.", "She takes g."),
    ]


def test_a_pair_that_was_not_read_is_not_found_and_is_told_apart_from_one_that_was(tmp_path: Path) -> None:
    results = [(True, True), (False, False), (False, True), (True, True)]
    checks = [PairVerdict(id=name, found=found, read=read) for name, (found, read) in zip(NAMES, results, strict=True)]
    told = outcome(rows(file(tmp_path)), checks)
    figures = {figure.name: (round(figure.value, 3), figure.n) for figure in told.figures}
    assert figures["found"] == (0.333, 3)
    assert figures["found, of those whose two things were read"] == (0.5, 2)
    assert figures["false"] == (1.0, 1)
    assert told.details == {
        "Not found, though both were read": [NAMES[2]],
        "Not found, as one was not read": [NAMES[1]],
        "False": [NAMES[3]],
    }


@pytest.mark.anyio
async def test_pairs_of_another_domain_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="set R_MEMORY_SCHEMA"):
        await run(a_world().memory, rows(file(tmp_path)), lambda: None)


def test_a_kind_without_a_sentence_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="how a 'allergy' is told"):
        rows(file(tmp_path, FILE.replace(', allergy: ["Allergic to {}."]', "")))


def test_a_pair_of_three_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"p\.yaml:7"):
        rows(file(tmp_path, FILE.replace("[[g, h]]", "[[g, h, i]]")))


def test_the_shipped_halves_hold_as_many_pairs_of_each_sort_and_none_twice() -> None:
    pairs = rows(SETS)
    assert Counter((pair.part, pair.apart) for pair in pairs) == {
        ("blind", True): 75,
        ("blind", False): 75,
        ("informed", True): 75,
        ("informed", False): 75,
        ("fresh", True): 50,
        ("fresh", False): 50,
    }
