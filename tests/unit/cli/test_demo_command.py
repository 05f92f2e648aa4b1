"""The demo when it does not go well: it says so, with an exit code, and never pretends."""

import sys
from pathlib import Path

import pytest

from r_memory.cli.app import Exit
from r_memory.serving.tools.models import RememberedOut
from r_memory_lab.demo import command as demo
from r_memory_lab.demo.claims import Evidence
from r_memory_lab.demo.play import FirstHalf, SecondHalf
from tests.unit.cli.conftest import Command
from tests.unit.cli.test_claims import GOOD, STORY, a_context


def played(seen: Evidence) -> demo.DemoRun:
    intake = RememberedOut(
        results=[], conflicts=[], pending=0, subject_id="JD001", subject_name="John Doe", episode_id="e", watermark=1
    )
    told = FirstHalf(intake=intake, rest=(), seconds=1.0, killed=4242)
    asked = SecondHalf(evidence=seen, start_seconds=1.0)
    return demo.DemoRun(story=STORY, home=Path("somewhere"), told=told, asked=asked, audit="MATCH", seconds=2.0)


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        (GOOD, Exit.DONE),
        (Evidence(story=STORY, context=a_context(lines=[]), acknowledged={}, found=GOOD.found), Exit.CHECK_FAILED),
    ],
)
def test_a_promise_that_was_not_kept_is_exit_code_one(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seen: Evidence, code: Exit
) -> None:
    async def pretended(*_: object, **__: object) -> demo.DemoRun:
        return played(seen)

    monkeypatch.setattr(demo, "_played", pretended)
    done = command("demo", "--keep", str(tmp_path / "text"))
    assert (done.code, "FAILED" in done.out) == (code, code is Exit.CHECK_FAILED)
    done = command("demo", "--keep", str(tmp_path / "json"), "--json")
    assert (done.code, all(claim["holds"] for claim in done.json["claims"])) == (code, code is Exit.DONE)


def test_a_server_that_does_not_start_is_exit_code_three_and_names_its_log(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-such-program"))
    done = command("demo", "--keep", str(tmp_path / "demo"))
    assert done.code == Exit.UNAVAILABLE
    assert done.err == f"r-memory: the server broke off; {tmp_path / 'demo' / 'server.log'} says why\n"


def test_the_commands_to_try_next_name_the_folder_and_are_quoted(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def pretended(*given: object, **_: object) -> demo.DemoRun:
        home = given[1]
        assert isinstance(home, Path)
        return demo.DemoRun(
            story=STORY, home=home, told=played(GOOD).told, asked=played(GOOD).asked, audit="", seconds=1.0
        )

    monkeypatch.setattr(demo, "_played", pretended)
    home = tmp_path / "my demo"
    lines = command("demo", "--keep", str(home)).out.split("Try next")[1].splitlines()[1:]
    assert len(lines) == 7
    assert all(line.endswith(f"--home '{home}'") for line in lines)
