"""Who hosts a folder: one lock, one note, whatever became of the process that wrote it."""

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from r_memory.store.host_lock import (
    NOTE_NAME,
    Announcement,
    HostLock,
    announce,
    announced,
    is_free,
    withdraw,
)


def note(port: int = 7687) -> Announcement:
    return Announcement(port=port, secret="writer-pass", reader_secret="reader-pass", pid=4711, machine="ward-3")


def test_a_second_lock_on_the_same_folder_is_refused_until_the_first_is_released(tmp_path: Path) -> None:
    first, second = HostLock(tmp_path), HostLock(tmp_path)
    assert first.take()
    assert not second.take()
    first.release()
    assert second.take()
    second.release()


def test_taking_a_lock_that_is_held_already_changes_nothing(tmp_path: Path) -> None:
    lock, other = HostLock(tmp_path), HostLock(tmp_path)
    assert lock.take()
    assert lock.take()
    lock.release()
    assert other.take()
    other.release()


def test_a_note_is_read_back_as_written(tmp_path: Path) -> None:
    announce(tmp_path, note())
    assert announced(tmp_path) == note()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no permission bits; the profile folder's rules apply")
def test_a_note_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    announce(tmp_path, note())
    assert stat.S_IMODE((tmp_path / NOTE_NAME).stat().st_mode) == 0o600


def test_a_new_note_replaces_the_old_one_and_leaves_no_draft(tmp_path: Path) -> None:
    announce(tmp_path, note(1))
    announce(tmp_path, note(2))
    assert announced(tmp_path) == note(2)
    assert [file.name for file in tmp_path.iterdir()] == [NOTE_NAME]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"port": 1}', "\x00\x01", json.dumps({"port": "7687", "secret": "", "pid": 1})],
)
def test_a_note_that_cannot_be_understood_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / NOTE_NAME).write_text(text, encoding="utf-8")
    assert announced(tmp_path) is None


def test_withdrawing_is_harmless_where_there_is_no_note(tmp_path: Path) -> None:
    withdraw(tmp_path)
    announce(tmp_path, note())
    withdraw(tmp_path)
    assert announced(tmp_path) is None


def test_a_lock_is_free_unless_somebody_holds_it_and_looking_takes_it_from_nobody(tmp_path: Path) -> None:
    assert is_free(tmp_path)
    lock = HostLock(tmp_path)
    assert lock.take()
    assert not is_free(tmp_path)
    lock.release()
    assert is_free(tmp_path)


def test_secrets_do_not_show_in_the_representation() -> None:
    assert "pass" not in repr(note())


def test_this_process_is_named_in_its_own_announcement() -> None:
    here = Announcement.of_this_process()
    assert (here.pid, here.machine) == (os.getpid(), socket.gethostname())
