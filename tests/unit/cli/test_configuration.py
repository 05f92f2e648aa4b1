"""`init` and `check`: files copied out once, and every mistake in them named with file and line."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from r_memory.cli import checking
from r_memory.cli.app import Exit
from tests.unit.cli.conftest import Command


@pytest.fixture
def home(command: Command, tmp_path: Path) -> Path:
    """A home with all the shipped files."""
    command("init", str(tmp_path / "home"))
    return tmp_path / "home"


def test_init_copies_everything_that_people_edit(command: Command, tmp_path: Path) -> None:
    done = command("init", str(tmp_path / "new" / "home"), "--json")
    assert done.code == Exit.DONE
    assert {"schema/law.yaml", "intents/law.yaml", "schema/lexicon/finance.yaml"} <= set(done.json["written"])
    assert {"intents.yaml", "schema/clinical.yaml", "cypher/recall/facts.cypher"} <= set(done.json["written"])
    assert done.json["kept"] == []
    assert (tmp_path / "new" / "home" / "intents.yaml").is_file()


def test_init_never_touches_a_file_that_is_there(command: Command, home: Path) -> None:
    (home / "intents.yaml").write_text("mine\n", encoding="utf-8")
    done = command("init", str(home))
    assert (home / "intents.yaml").read_text(encoding="utf-8") == "mine\n"
    assert "kept     intents.yaml" in done.out
    assert "0 written" in done.out


def test_init_into_a_file_is_refused(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = command("init", str(tmp_path / "file"))
    assert (done.code, "cannot be written" in done.err) == (Exit.USAGE, True)


def test_the_shipped_files_pass_the_check(command: Command) -> None:
    done = command("check", "--json")
    assert (done.code, [finding for finding in done.json["findings"] if finding["severity"] == "error"]) == (0, [])
    assert done.json["usable"] is True


def test_a_copied_home_passes_the_check_as_well(command: Command, home: Path) -> None:
    assert command("check", "--home", str(home)).code == Exit.DONE


WRONG = {
    ("intents.yaml", 3, "tab"): "version: 1\nintents:\n\tMED_ORDER: {}\n",
    ("intents/law.yaml", 2, "version"): "version: 1\nversion: 1\n",
    ("cypher/recall/facts.cypher", 5, "$x"): "// One.\n// mode: read\n// param $x: y\n\nRETURN 1 AS one\n",
}
"""File, line and a word of what is said of it, to its wrong content."""


@pytest.mark.parametrize("wrong", [WRONG, {("config.yaml", 1, "spcae"): "spcae: clinic\n"}], ids=["files", "settings"])
def test_every_mistake_is_named_with_file_and_line_and_exit_code_two(
    command: Command, home: Path, wrong: Mapping[tuple[str, int, str], str]
) -> None:
    for (file, _, _), text in wrong.items():
        (home / file).write_text(text, encoding="utf-8")
    done = command("check", "--home", str(home))
    assert done.code == Exit.USAGE
    mistakes = [found.casefold() for found in done.out.splitlines() if found.startswith("error: ")]
    for file, line, said in wrong:
        assert any(f"{home / file}:{line}: ".casefold() in found and said in found for found in mistakes), done.out


@pytest.fixture
def beside_the_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said of the domains themselves, which takes two seconds and is tried above."""
    monkeypatch.setattr(checking, "of_domains", lambda *_, **__: ())


@pytest.mark.usefixtures("beside_the_domains")
def test_a_query_that_no_longer_gives_what_the_store_needs_is_a_mistake(command: Command, home: Path) -> None:
    text = "// One.\n//\n// mode: read\n// returns: one\n\nRETURN 1 AS one\n"
    (home / "cypher" / "recall" / "facts.cypher").write_text(text, encoding="utf-8")
    done = command("check", "--home", str(home))
    assert (done.code, "error: cypher/recall/facts.cypher: " in done.out) == (Exit.USAGE, True)


@pytest.mark.usefixtures("beside_the_domains")
def test_a_schema_that_is_not_there_is_a_mistake(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R_MEMORY_SCHEMA", "astrology")
    done = command("check")
    assert (done.code, "schema/astrology.yaml: file not found" in done.out) == (Exit.USAGE, True)


def test_a_mistake_that_several_looks_find_is_one(command: Command, tmp_path: Path) -> None:
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "clinical.yaml").write_bytes(b"\xff\xfe")
    done = command("check", "--home", str(tmp_path))
    assert [line for line in done.out.splitlines() if line.startswith("error: ")] == [
        f"error: {tmp_path / 'schema' / 'clinical.yaml'}:1: not UTF-8; save the file as UTF-8"
    ]


def test_a_home_that_does_not_exist_is_a_mistake_in_json_too(command: Command, tmp_path: Path) -> None:
    done = command("check", "--home", str(tmp_path / "nowhere"), "--json")
    assert done.code == Exit.USAGE
    (finding,) = done.json["findings"]
    assert finding["severity"] == "error"
    assert "does not exist" in finding["text"]


def test_a_token_that_would_never_count_is_not_made(command: Command, tmp_path: Path) -> None:
    done = command("token", "ward-7", "--file", str(tmp_path / "tokens.yaml"), "--expires", "2020-01-01")
    assert (done.code, "is over, so the token would never count" in done.err) == (Exit.USAGE, True)
    assert not (tmp_path / "tokens.yaml").exists()


def test_each_setting_says_where_it_comes_from_and_secrets_are_not_shown(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("max_text: 500\nstore_uri: bolt://127.0.0.1:7687\n", encoding="utf-8")
    monkeypatch.setenv("R_MEMORY_STORE_PASSWORD", "not-the-password-7431")

    done = command("config", "--home", str(home), "--json")

    assert "7431" not in done.out
    assert done.json["max_text"] == {"value": 500, "from": f"{home / 'config.yaml'}:1"}
    assert done.json["store_password"] == {"value": "(set)", "from": "R_MEMORY_STORE_PASSWORD"}
    assert done.json["home"] == {"value": str(home), "from": "--home"}
    assert done.json["profile"] == {"value": "default", "from": "default"}
