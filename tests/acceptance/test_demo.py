"""The demo is the main job: it runs as people run it, keeps what it promises, and says so when it does not."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from r_memory.cli.app import run
from tests.acceptance.wire import PATIENCE
from tests.warm_starts import SCRIPT


def demo(*arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("R_MEMORY_")}
    return subprocess.run(
        [SCRIPT, "demo", *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment
    )


@pytest.mark.proves("RM-2", "RM-10", "RM-13", "RM-14", "RM-16")
def test_the_demo_keeps_what_it_promises_and_its_folder_can_be_worked_on(tmp_path: Path) -> None:
    done = demo("--keep", str(tmp_path / "demo"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    block = done.stdout.split("[R-MEMORY CONTEXT]:\n")[1].splitlines()
    assert block[1].startswith("CRITICAL ALLERGY: John Doe is allergic to Penicillin")
    assert "300 turns of other talk follow, about this and 20 other patients" in done.stdout
    assert "MATCH (subject:Entity" in done.stdout
    assert done.stdout.count("   ok      ") == 4
    suggested = [line.strip() for line in done.stdout.split("Try next")[1].splitlines()[1:]]
    assert len(suggested) >= 6
    for line in suggested[:2]:
        command: list[str | Path] = [SCRIPT, *shlex.split(line)[1:]]
        assert subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE).returncode == 0, line


def test_a_folder_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("", encoding="utf-8")
    assert run(["demo", "--keep", str(tmp_path)]) == 2
    assert capsys.readouterr() == ("", f"r-memory: {tmp_path}: is not empty; name a new folder\n")
