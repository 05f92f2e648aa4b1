"""Where files are found: the home before the defaults, and never outside."""

import sys
from pathlib import Path

import pytest

from r_memory.config.files import Files, digest, packaged_defaults, user_folder
from r_memory.errors import ConfigurationError


def folders(tmp_path: Path) -> Files:
    home, defaults = tmp_path / "home", tmp_path / "defaults"
    for folder, names in ((home, ["a.yaml"]), (defaults, ["a.yaml", "sub/b.yaml"])):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(f"{folder.name} {name}", encoding="utf-8")
    return Files(home=home, defaults=defaults)


def test_a_file_of_the_home_replaces_the_default_of_the_same_name(tmp_path: Path) -> None:
    files = folders(tmp_path)

    assert files.read("a.yaml").text == "home a.yaml"
    assert files.read("sub/b.yaml").text == "defaults sub/b.yaml"
    assert files.listing("", ".yaml") == ("a.yaml", "sub/b.yaml")


def test_a_missing_file_is_named_with_the_folders_looked_in(tmp_path: Path) -> None:
    files = folders(tmp_path)

    with pytest.raises(ConfigurationError) as refused:
        files.read("schema/none.yaml")

    message = str(refused.value)
    assert "schema/none.yaml: file not found" in message.replace("\\", "/")
    assert str(tmp_path / "home") in message
    assert "create it, or correct the name" in message


@pytest.mark.parametrize("name", ["../secret.yaml", "/etc/passwd", "sub/../../x", "C:/x", "..\\x", "a\0b"])
def test_a_name_that_leaves_the_home_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="leaves the home folder"):
        folders(tmp_path).read(name)


def test_a_home_that_does_not_exist_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="create it with `r-memory init`"):
        Files(home=tmp_path / "nowhere")


def test_a_file_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r_memory.config.files.MAX_BYTES", 4)

    with pytest.raises(ConfigurationError, match="split or shorten it"):
        folders(tmp_path).read("a.yaml")


def test_the_shipped_defaults_are_where_the_package_looks() -> None:
    defaults = packaged_defaults()

    assert (defaults / "intents.yaml").is_file()
    assert (defaults / "schema" / "knowledge" / "clinical.yaml").is_file()


def test_a_digest_depends_on_contents_and_order_but_not_on_line_ends() -> None:
    assert digest([b"a\r\nb", b"c"]) == digest([b"a\nb", b"c"])
    assert digest([b"a\nb", b"c"]) != digest([b"c", b"a\nb"])
    assert digest([b"ab", b"c"]) != digest([b"a", b"bc"])
    assert len(digest([])) == 12


def test_an_installed_package_carries_its_defaults_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r_memory" / "defaults").mkdir(parents=True)
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path / package)

    assert packaged_defaults() == tmp_path / "r_memory" / "defaults"


@pytest.mark.parametrize(
    ("system", "given", "data", "cache"),
    [
        ("linux", {}, "/home/ann/.local/share/r-memory", "/home/ann/.cache/r-memory"),
        (
            "linux",
            {"XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "c"},
            "/d/r-memory",
            "/home/ann/.cache/r-memory",
        ),
        (
            "darwin",
            {"XDG_CACHE_HOME": "/c"},
            "/home/ann/Library/Application Support/r-memory",
            "/c/r-memory",
        ),
        ("win32", {"LOCALAPPDATA": "/home/ann/Local"}, "/home/ann/Local/r-memory", "/home/ann/Local/r-memory/Cache"),
        ("win32", {}, "/home/ann/AppData/Local/r-memory", "/home/ann/AppData/Local/r-memory/Cache"),
    ],
)
def test_what_users_keep_lies_where_their_system_has_it(
    system: str, given: dict[str, str], data: str, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are those of `platformdirs`, which earlier versions asked: nobody's memory may move."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**given, "HOME": "/home/ann"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", system)
    assert (user_folder("data"), user_folder("cache")) == (Path(data), Path(cache))
