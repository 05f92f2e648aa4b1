"""The page on querying, moving and erasing, followed word for word."""

from pathlib import Path

import pytest

from r_memory.cli.app import run
from tests.acceptance.conftest import begin
from tests.docs.test_examples import ROOT, commands

PAGE = ROOT / "docs" / "how-to" / "move-and-erase.md"


@pytest.fixture
def in_an_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("R_MEMORY_HOME", "R_MEMORY_STORE_URI", "R_MEMORY_SPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("R_MEMORY_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    begin(tmp_path / "data")


@pytest.mark.usefixtures("in_an_own_folder")
def test_the_page_can_be_followed_word_for_word(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for arguments in commands(PAGE):
        assert run(arguments) == 0, arguments
        printed.append(capsys.readouterr().out)
    _, _, table, sheet, exported, checked, imported, verified, counted, erased, again, changes = printed
    assert "JR002  Warfarin" in table
    assert sheet == "space,id,drug\ndefault,JR002,Warfarin\n"
    assert exported == "Written: 2 subjects, 2 statements, 2 events.\n"
    assert "can be imported" in checked
    assert "nothing new" in imported
    assert "every chain and every state is whole" in verified
    assert "Nothing was erased" in counted
    assert erased.startswith("Erased: 1 statement, 1 fact, ")
    assert again.startswith("2 subjects, 3 events, 1 fact: every chain and every state is whole.")
    assert "erasure request 2026-17" in changes
