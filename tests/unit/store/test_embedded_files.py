"""What must lie in the folder before and after the embedded database runs; no engine needed."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from r_memory.store.embedded_files import FolderLayout
from r_memory.store.formats import FORMAT
from r_memory.store.host_lock import Announcement

CATALOGUE = {
    "types": {
        "Entity": {"type": "v", "buckets": ["Entity_0"]},
        "HAS_ALLERGY_TO": {"type": "e", "buckets": ["HAS_ALLERGY_TO_0"]},
    }
}
FILES = (
    "dictionary.0.65536.v1.dict",
    "Entity_0.1.65536.v0.bucket",
    "Entity_0_out_edges.2.65536.v0.bucket",
    "Entity_0_in_edges.3.65536.v0.bucket",
    "HAS_ALLERGY_TO_0.4.65536.v0.bucket",
)


def layout_with_database(folder: Path, catalogue: Mapping[str, object] = CATALOGUE) -> FolderLayout:
    layout = FolderLayout(folder=folder)
    layout.prepare(Announcement.of_this_process())
    layout.database.mkdir(parents=True)
    (layout.database / "schema.json").write_text(json.dumps(catalogue), encoding="utf-8")
    for name in FILES:
        (layout.database / name).touch()
    layout.mark()
    return layout


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_fresh_folder_is_not_damaged(tmp_path: Path) -> None:
    assert FolderLayout(folder=tmp_path).damage() == ""


def test_a_whole_database_is_not_damaged(tmp_path: Path) -> None:
    assert layout_with_database(tmp_path).damage() == ""


def test_a_first_start_that_was_killed_before_the_catalogue_existed_is_not_damage(tmp_path: Path) -> None:
    layout = FolderLayout(folder=tmp_path)
    layout.database.mkdir(parents=True)
    (layout.database / FILES[0]).touch()
    assert layout.damage() == ""


@pytest.mark.parametrize("text", ["", "{gar", "[]", "{}", '{"types": 1}', "\udcff"])
def test_an_unreadable_catalogue_is_damage(tmp_path: Path, text: str) -> None:
    layout = layout_with_database(tmp_path)
    (layout.database / "schema.json").write_text(text, encoding="utf-8", errors="surrogateescape")
    assert layout.damage() == "its catalogue schema.json is missing or unreadable"


def test_a_missing_catalogue_is_damage(tmp_path: Path) -> None:
    layout = layout_with_database(tmp_path)
    (layout.database / "schema.json").unlink()
    assert layout.damage() == "its catalogue schema.json is missing or unreadable"


@pytest.mark.parametrize("name", FILES)
def test_a_missing_data_file_is_damage_and_is_named(tmp_path: Path, name: str) -> None:
    layout = layout_with_database(tmp_path)
    (layout.database / name).unlink()
    assert layout.damage() == f"1 of its files are missing, {name.split('.', maxsplit=1)[0]} among them"


def dictionary(*names: str) -> bytes:
    """One page of names."""
    return b"".join(b"\0" + bytes([len(name)]) + name.encode() for name in names).ljust(65_536, b"\0")


def noted(folder: Path) -> FolderLayout:
    """A database that ended with three names in its dictionary."""
    layout = layout_with_database(folder)
    (layout.database / FILES[0]).write_bytes(dictionary("uid", "space", "status"))
    layout.mark()
    return layout


def test_a_name_that_is_another_is_damage_and_a_further_one_is_not(tmp_path: Path) -> None:
    layout = noted(tmp_path)
    (layout.database / FILES[0]).write_bytes(dictionary("uid", "space", "status", "text"))
    assert layout.damage() == ""
    (layout.database / FILES[0]).write_bytes(dictionary("uid", "spbce", "status", "text"))
    assert layout.damage() == "its dictionary of names has lost some"


def test_after_a_kill_names_may_stand_in_the_log_of_the_engine_alone(tmp_path: Path) -> None:
    layout = noted(tmp_path)
    (layout.database / FILES[0]).write_bytes(dictionary("uid"))
    (layout.database / "txlog_1.wal").touch()
    assert layout.damage() == ""


def test_a_file_that_is_shorter_than_it_was_is_damage_and_a_longer_one_is_not(tmp_path: Path) -> None:
    layout = layout_with_database(tmp_path)
    file = layout.database / FILES[1]
    file.write_bytes(bytes(2 * 65_536))
    layout.mark()
    file.write_bytes(bytes(3 * 65_536))
    assert layout.damage() == ""
    file.write_bytes(bytes(65_536))
    assert layout.damage() == f"its file {FILES[1]} has 65536 bytes and had 131072"
    (layout.database / "txlog_1.wal").touch()
    assert layout.damage() == f"its file {FILES[1]} has 65536 bytes and had 131072"


def test_a_file_that_ends_within_a_page_is_damage_unless_a_kill_left_it_so(tmp_path: Path) -> None:
    layout = layout_with_database(tmp_path)
    (layout.database / FILES[1]).write_bytes(bytes(65_536 + 100))
    assert layout.damage() == f"its file {FILES[1]} ends within a page"
    (layout.database / "txlog_1.wal").touch()
    assert layout.damage() == ""


def test_what_was_noted_before_stays_noted(tmp_path: Path) -> None:
    """A damaged database that an engine opened all the same is not the measure from then on."""
    layout = noted(tmp_path)
    (layout.database / FILES[0]).write_bytes(b"\0")
    layout.mark()
    assert layout.damage() == f"its file {FILES[0]} has 1 bytes and had 65536"


@pytest.mark.parametrize(
    ("text", "found"), [('{"format": 1}', 1), ('{"format": 99}', 99), ('{"format": "x"}', FORMAT), ("", FORMAT)]
)
def test_the_format_is_the_one_that_was_noted(tmp_path: Path, text: str, found: int) -> None:
    layout = noted(tmp_path)
    (tmp_path / "store.json").write_text(text, encoding="utf-8")
    assert layout.format == found


@pytest.mark.parametrize("text", ["", "[]", '{"names": 1}', '{"names": [1], "sizes": {"a": "b"}}', "{gar"])
def test_a_note_that_cannot_be_read_is_no_damage(tmp_path: Path, text: str) -> None:
    layout = noted(tmp_path)
    (tmp_path / "store.json").write_text(text, encoding="utf-8")
    assert layout.damage() == ""


def test_a_database_that_vanished_is_damage_once_there_was_one(tmp_path: Path) -> None:
    layout = layout_with_database(tmp_path)
    for file in layout.database.iterdir():
        file.unlink()
    layout.database.rmdir()
    assert layout.damage() == "its catalogue schema.json is missing or unreadable"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no permission bits; the profile folder's rules apply")
def test_folders_and_logins_belong_to_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir(mode=0o755)
    layout = FolderLayout(folder=folder)
    layout.prepare(Announcement.of_this_process())
    config = layout.engine / "config"
    files = [config / "server-groups.json", config / "server-users.jsonl"]
    assert [mode(path) for path in (folder, layout.engine, layout.log, config)] == [0o700, 0o700, 0o700, 0o700]
    assert [mode(path) for path in files] == [0o600, 0o600]


def test_passwords_are_not_written_in_the_clear_and_differ_at_every_start(tmp_path: Path) -> None:
    first, second = Announcement.of_this_process(), Announcement.of_this_process()
    layout = FolderLayout(folder=tmp_path)
    layout.prepare(first)
    text = (layout.engine / "config" / "server-users.jsonl").read_text(encoding="utf-8")
    assert len({first.secret, first.reader_secret, second.secret, second.reader_secret}) == 4
    assert first.secret not in text
    assert first.reader_secret not in text


def test_a_password_holds_192_random_bits() -> None:
    assert len(Announcement.of_this_process().secret) == 32  # base64, six bits a character


def test_passwords_do_not_show_in_the_representation() -> None:
    assert "secret" not in repr(Announcement.of_this_process())


def test_the_reader_has_no_right_but_reading(tmp_path: Path) -> None:
    layout = FolderLayout(folder=tmp_path)
    layout.prepare(Announcement.of_this_process())
    config = layout.engine / "config"
    groups = json.loads((config / "server-groups.json").read_text(encoding="utf-8"))["databases"]["*"]["groups"]
    users = [json.loads(line) for line in (config / "server-users.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {user["name"]: user["databases"] for user in users} == {
        "root": {"*": ["admin"]},
        "reader": {"memory": ["readonly"]},
    }
    assert groups["readonly"] == {
        "resultSetLimit": -1,
        "readTimeout": -1,
        "access": [],
        "types": {"*": {"access": ["readRecord"]}},
    }
