"""A domain of one's own, taught without torch."""

from dataclasses import replace
from pathlib import Path

import pytest

from r_memory.errors import ConfigurationError
from r_memory.reading.taught.reader import load_readers
from r_memory.reading.taught.weights import Weights, find_weights
from r_memory_lab.teaching.corpus import read_file
from r_memory_lab.teaching.domains import DOMAINS
from r_memory_lab.teaching.own import FEWEST, teach, write

CORPUS = Path(__file__).parents[4] / "corpus"


def test_a_few_lines_teach_heads_that_the_product_reads_with(tmp_path: Path) -> None:
    lines = read_file(CORPUS / "finance" / "advice-1.jsonl")[0][: FEWEST + 10]
    lesson = teach(lines, replace(DOMAINS["finance"], attributes=(), classes={}))
    write(lesson, tmp_path)
    weights = find_weights(tmp_path)
    assert isinstance(weights, Weights)
    reader = load_readers(weights)["finance"]
    stating = next(line for line in lines if any(mark.states for mark in line.marks))
    assert any(claim.statements for claim in reader.read(stating.text, speaker=stating.speaker))
    assert lesson.figures.lines == FEWEST + 10
    assert lesson.figures.risks > 0


def test_too_few_lines_teach_nothing() -> None:
    lines = read_file(CORPUS / "finance" / "advice-1.jsonl")[0][:10]
    with pytest.raises(ConfigurationError, match="10 lines teach nothing; write 50 at least"):
        teach(lines, DOMAINS["finance"])
