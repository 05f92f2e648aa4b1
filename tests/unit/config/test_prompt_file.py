"""The prompt is a file that people may edit: its places are checked, and its digest says which one was used."""

from pathlib import Path

import pytest

from r_memory.config.files import Files, copy_defaults
from r_memory.config.prompt_file import EXTRACT, KNOWN, load_prompt
from r_memory.domain.prompts import places
from r_memory.errors import ConfigurationError


def prompt_of(home: Path, text: str) -> Files:
    (home / EXTRACT).parent.mkdir(parents=True)
    (home / EXTRACT).write_text(text, encoding="utf-8")
    return Files(home=home)


def test_the_shipped_prompt_has_a_task_and_a_question_without_the_lines_for_its_editor() -> None:
    prompt = load_prompt(Files())
    assert prompt.told.startswith("# Facts")
    assert set(places(prompt.told)) == {"subject_type", "card", "examples"}
    assert set(places(prompt.asked)) == {"subject", "speaker", "before", "text"}


def test_the_shipped_prompt_speaks_of_no_domain() -> None:
    prompt = load_prompt(Files())
    words = f"{prompt.told} {prompt.asked}".casefold()
    assert [word for word in ("patient", "allerg", "drug", "clinic", "client", "fund") if word in words] == []


def test_the_prompt_is_copied_to_a_home_and_replaced_from_there(tmp_path: Path) -> None:
    assert EXTRACT in copy_defaults(Files(), tmp_path / "copy")
    home = tmp_path / "home"
    home.mkdir()
    prompt = load_prompt(prompt_of(home, "For editors.\n# Task\n{{card}}\n---\n{{text}}\n"))
    assert (prompt.told, prompt.asked) == ("# Task\n{{card}}", "{{text}}")
    assert prompt.digest != load_prompt(Files()).digest


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# Task\n{{card}} {{text}}\n", None, "has no line `---`"),
        ("# Task\n{{card}}\n{{rules}}\n---\n{{text}}\n", 3, "unknown place {{rules}}"),
        ("# Task\n{{card}}\n{{text}}\n---\n{{text}}\n", 3, "unknown place {{text}}"),
        ("# Task\n---\n{{text}}\n", 2, "nothing is put into it at {{card}}"),
        ("# Task\n{{card}}\n---\nWell?\n", 3, "nothing is put into it at {{text}}"),
    ],
)
def test_a_wrong_place_is_named_with_file_and_line(tmp_path: Path, text: str, line: int | None, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        load_prompt(prompt_of(tmp_path, text))
    assert said in str(refused.value)
    assert (refused.value.file, refused.value.line) == (tmp_path / EXTRACT, line)


@pytest.mark.parametrize("name", KNOWN)
def test_every_shipped_prompt_has_its_places_and_a_heading(name: str) -> None:
    prompt = load_prompt(Files(), name)
    assert prompt.told.startswith("# ")
    assert places(prompt.asked)
