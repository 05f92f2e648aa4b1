"""The corpus that ships can be taught from: every line can be read, and none is another one with a name swapped."""

from pathlib import Path

from r_memory_lab.teaching.corpus import files_of, read_file
from r_memory_lab.teaching.lint import problems
from r_memory_lab.teaching.splits import HELD_OUT

CORPUS = Path(__file__).parents[4] / "corpus"


def test_nothing_keeps_the_shipped_corpus_from_being_taught() -> None:
    assert problems(CORPUS) == ()


def test_the_corpus_is_as_large_as_the_page_says_and_holds_the_held_out_angles() -> None:
    lines = [line for file in files_of(CORPUS) for line in read_file(file)[0]]
    sizes = {name: sum(line.domain == name for line in lines) for name in ("clinical", "law", "finance")}
    page = (CORPUS / "README.md").read_text(encoding="utf-8").replace(" ", "")
    assert all(f"|{name}|{size}|" in page for name, size in sizes.items()), sizes
    assert set(HELD_OUT) <= {line.file for line in lines}
