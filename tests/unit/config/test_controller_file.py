"""What the gate learns from is a file that people may edit; mistakes in it are told with file and line."""

from pathlib import Path

import pytest

from r_memory.cli.checking import findings
from r_memory.config.conversation_file import CONTROLLER, load_lesson
from r_memory.config.files import Files
from r_memory.config.settings import Settings
from r_memory.domain.turns import GateExample
from r_memory.errors import ConfigurationError

SMALL = """version: 1
examples:
  alone: ["Play a song."]
  previous: ["Why?"]
  earlier: ["What did I say?"]
given_names: [Anna]
"""


def home_with(folder: Path, text: str) -> Files:
    (folder / CONTROLLER).parent.mkdir(parents=True)
    (folder / CONTROLLER).write_text(text, encoding="utf-8")
    return Files(home=folder)


def test_the_shipped_lesson_has_hundreds_of_sentences_of_each_kind() -> None:
    lesson = load_lesson(Files())
    counts = [sum(example.needed is needed for example in lesson.examples) for needed in (True, False)]
    assert min(counts) >= 200
    assert len({example.text.casefold() for example in lesson.examples}) == len(lesson.examples)


def test_a_lesson_of_ones_own_replaces_the_shipped_one(tmp_path: Path) -> None:
    lesson = load_lesson(home_with(tmp_path, SMALL))
    assert lesson.examples == (
        GateExample(text="Play a song.", needed=False),
        GateExample(text="Why?", needed=True),
        GateExample(text="What did I say?", needed=True),
    )
    assert lesson.given_names == frozenset({"anna"})


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (SMALL.replace('["Why?"]', "[]"), 4, "previous"),
        (SMALL.replace("Play a song.", "why?"), 4, "stands under `alone` as well"),
        (SMALL.replace("version: 1", "version: 2"), 1, "version"),
        (SMALL.replace("earlier:", "deep:"), 2, "earlier"),
    ],
)
def test_a_mistake_names_file_and_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as refused:
        load_lesson(home_with(tmp_path, text))
    assert (refused.value.file, refused.value.line) == (tmp_path / CONTROLLER, line)


def test_a_home_with_a_mistake_in_it_is_told_so_by_check(tmp_path: Path) -> None:
    home_with(tmp_path, SMALL.replace('["Why?"]', "[]"))
    found = [finding for finding in findings(Settings(home=tmp_path)) if finding.file == tmp_path / CONTROLLER]
    assert [(finding.severity, finding.line) for finding in found] == [("error", 4)]
