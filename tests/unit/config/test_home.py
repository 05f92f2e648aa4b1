"""Copying the defaults out, and checking a home."""

from pathlib import Path

import pytest

from r_memory.cli.checking import of_domains
from r_memory.config.files import Files, copy_defaults
from r_memory.errors import ConfigurationError
from tests.unit.config.mini import mini


def shipped(tmp_path: Path) -> Files:
    defaults = tmp_path / "defaults"
    defaults.mkdir()
    mini(defaults)
    (defaults / "README.md").write_text("not for copying", encoding="utf-8")
    return Files(defaults=defaults)


NAMES = (
    "intents.yaml",
    "schema/knowledge/mini.yaml",
    "schema/language/en.yaml",
    "schema/lexicon/mini.yaml",
    "schema/mini.yaml",
)


def test_defaults_are_copied_whole_into_a_new_home(tmp_path: Path) -> None:
    files = shipped(tmp_path)

    copied = copy_defaults(files, tmp_path / "home")

    assert copied == dict.fromkeys(NAMES, True)
    for name in NAMES:
        assert (tmp_path / "home" / name).read_bytes() == (files.defaults / name).read_bytes()
    assert not (tmp_path / "home" / "README.md").exists()


def test_a_file_that_exists_is_kept_and_reported(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "intents.yaml").write_text("mine", encoding="utf-8")

    copied = copy_defaults(shipped(tmp_path), home)

    assert copied == {**dict.fromkeys(NAMES, True), "intents.yaml": False}
    assert (home / "intents.yaml").read_text(encoding="utf-8") == "mine"


def test_defaults_are_copied_even_where_a_home_is_in_use(tmp_path: Path) -> None:
    files = shipped(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    (home / "intents.yaml").write_text("mine", encoding="utf-8")

    copy_defaults(Files(home=home, defaults=files.defaults), tmp_path / "other")

    assert (tmp_path / "other" / "intents.yaml").read_bytes() == (files.defaults / "intents.yaml").read_bytes()


@pytest.mark.parametrize("at", ["home", "home/intents.yaml/x"])
def test_something_in_the_way_is_named(tmp_path: Path, at: str) -> None:
    target = tmp_path / "home"
    if at == "home":
        target.write_text("a file", encoding="utf-8")
    else:
        (tmp_path / at).mkdir(parents=True)

    with pytest.raises(ConfigurationError, match="choose"):
        copy_defaults(shipped(tmp_path), target)


def test_a_sound_home_has_no_findings(tmp_path: Path) -> None:
    assert of_domains(mini(tmp_path), lint=False) == ()


def test_every_mistake_of_a_home_is_found_with_its_line(tmp_path: Path) -> None:
    intents = ("edges: [DISLIKES]", "edges: [DISLIKE]\n    colour: red")
    files = mini(tmp_path, {"intents.yaml": intents})
    (tmp_path / "schema" / "other.yaml").write_text("schema: other\n", encoding="utf-8")

    findings = of_domains(files, lint=False)

    assert {(finding.severity, finding.file, finding.line) for finding in findings} == {
        ("error", tmp_path / "intents.yaml", 7),
        ("error", tmp_path / "intents.yaml", 8),
        ("error", tmp_path / "schema" / "other.yaml", 1),
    }
    assert len(findings) == 6


def test_what_is_never_read_and_never_found_is_a_warning_at_its_line(tmp_path: Path) -> None:
    text = "    edges: [LIKES]\n    examples: [plan a banquet, a feast for thirty, cater for the wedding, invite the"
    files = mini(tmp_path, {"intents.yaml": (text + " village]\n", "")})

    findings = of_domains(files, lint=False)

    assert [(finding.severity, finding.file, finding.line) for finding in findings] == [
        ("warning", tmp_path / "schema" / "mini.yaml", 29),
        ("warning", tmp_path / "intents.yaml", 11),
    ]
    assert [finding.text.split(": ", 1)[1] for finding in findings] == [
        "relations.LIKES: no action type reads it; add it to the `edges` of one, or mark it critical",
        "intents.BANQUET: nothing leads to it; give it keywords or examples",
    ]
