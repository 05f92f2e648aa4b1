"""Folders that settings and instructions are looked for in."""

from pathlib import Path

import pytest


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty current directory."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
