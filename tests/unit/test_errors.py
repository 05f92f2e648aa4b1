"""What an error says to do."""

import sys
from importlib import metadata
from types import SimpleNamespace

import pytest

from r_memory.errors import adding

CLONED = '{"url": "file:///src/r-memory", "dir_info": {}}'


@pytest.mark.parametrize(
    ("prefix", "files", "command"),
    [
        ("/home/a/.local/share/uv/tools/r-memory", {}, "uv tool install 'r-memory[chat]'"),
        (
            "/home/a/.local/share/uv/tools/r-memory",
            {"direct_url.json": CLONED, "INSTALLER": "uv"},
            "uv tool install 'r-memory[chat] @ file:///src/r-memory'",
        ),
        (
            "/home/a/.local/share/pipx/venvs/r-memory",
            {"direct_url.json": CLONED, "INSTALLER": "pip"},
            "pipx install --force 'r-memory[chat] @ file:///src/r-memory'",
        ),
        ("/home/a/.venv", {"INSTALLER": "uv\n"}, "uv pip install 'r-memory[chat]'"),
        ("/home/a/.venv", {"INSTALLER": "pip\n", "direct_url.json": CLONED}, "pip install 'r-memory[chat]'"),
    ],
)
def test_an_extra_is_added_as_the_program_was_installed(
    prefix: str, files: dict[str, str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(metadata, "distribution", lambda _: SimpleNamespace(read_text=files.get))
    assert adding("chat") == command
