"""The file of access tokens: hashes only, every entry checked, whole or not at all."""

import datetime as dt
from pathlib import Path

import pytest

from r_memory.config.access_tokens import add_token, hash_of, read_tokens
from r_memory.errors import ConfigurationError

DAY = dt.date(2027, 6, 30)
GOOD = f"  - name: ann\n    sha256: '{'a' * 64}'\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "tokens.yaml"


def test_a_new_token_is_in_the_file_as_a_hash_only(file: Path) -> None:
    token = add_token(file, "ann", space="north", expires=DAY)
    [entry] = read_tokens(file, space="other")
    assert token not in file.read_text(encoding="utf-8")
    assert len(token) >= 43
    assert (entry.name, entry.sha256, entry.space) == ("ann", hash_of(token), "north")
    assert entry.scopes == ("memory:read", "memory:write")
    assert file.stat().st_mode & 0o077 == 0


def test_a_token_counts_to_the_end_of_its_last_day(file: Path) -> None:
    add_token(file, "ann", space="north", expires=DAY)
    [entry] = read_tokens(file, space="other")
    assert entry.expires_at == int(dt.datetime(2027, 7, 1, tzinfo=dt.UTC).timestamp())


def test_every_token_is_another_one_and_earlier_entries_and_comments_stay(file: Path) -> None:
    tokens = {add_token(file, "ann", space="north")}
    file.write_text(file.read_text(encoding="utf-8") + "# for the night shift\n", encoding="utf-8")
    tokens.add(add_token(file, "bob", space="south", scopes=["memory:read"]))
    assert len(tokens) == 2
    assert "# for the night shift" in file.read_text(encoding="utf-8")
    assert [(entry.name, entry.space) for entry in read_tokens(file, space="x")] == [("ann", "north"), ("bob", "south")]


@pytest.mark.parametrize("name", ["123", "true", "1.5", "null"])
def test_a_name_that_reads_like_a_number_is_a_name_all_the_same(file: Path, name: str) -> None:
    add_token(file, name, space="north")
    assert [entry.name for entry in read_tokens(file, space="x")] == [name]


def test_an_entry_without_a_space_opens_the_configured_one(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("tokens:\n" + GOOD, encoding="utf-8")
    assert read_tokens(file, space="clinic")[0].space == "clinic"


@pytest.mark.parametrize(
    ("text", "line", "remedy"),
    [
        ("tokens:\n  - name: ann\n    sha256: secret-itself\n", 3, "64 small hexadecimal digits"),
        ("tokens:\n" + GOOD + "    scopes: [memory:everything]\n", 4, "memory:admin"),
        ("tokens:\n" + GOOD + "    space: knowledge\n", 4, "reserved"),
        ("tokens:\n" + GOOD + "    expires: next year\n", 4, "YYYY-MM-DD"),
        ("tokens:\n" + GOOD + GOOD, 4, "taken"),
        ("tokens:\n" + GOOD + GOOD.replace("ann", "bob"), 4, "same token twice"),
        ("tokens:\n" + GOOD + "    spcae: north\n", 4, "did you mean 'space'"),
        ("tokens: 3\n", 1, "list"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line_and_without_its_content(
    file: Path, text: str, line: int, remedy: str
) -> None:
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=remedy) as refused:
        read_tokens(file, space="north")
    assert f"tokens.yaml:{line}:" in str(refused.value)
    assert "secret-itself" not in str(refused.value)


def test_a_missing_file_says_how_to_make_it(file: Path) -> None:
    with pytest.raises(ConfigurationError, match="r-memory token"):
        read_tokens(file, space="north")


def test_a_name_that_is_taken_changes_nothing(file: Path) -> None:
    add_token(file, "ann", space="north")
    before = file.read_text(encoding="utf-8")
    with pytest.raises(ConfigurationError, match="taken"):
        add_token(file, "ann", space="south")
    assert file.read_text(encoding="utf-8") == before


def test_a_name_that_could_be_more_than_a_name_is_refused(file: Path) -> None:
    with pytest.raises(ConfigurationError, match="name: use letters"):
        add_token(file, "ann'\n  - name: 'bob", space="north")
    assert not file.exists()
