"""The command around the program: what it refuses, and what it costs those who do not use it."""

import subprocess
import sys

import pytest

from r_memory.cli.app import Exit
from tests.unit.cli.conftest import Command


def test_in_a_pipe_it_names_the_commands_that_work_there(command: Command) -> None:
    outcome = command("chat", "--subject", "JD001")
    assert outcome.code == Exit.USAGE
    assert "r-memory recall" in outcome.err


def test_two_ways_to_remember_at_once_are_refused(command: Command) -> None:
    outcome = command("chat", "--old", "--profile", "scm")
    assert (outcome.code, "give one of them" in outcome.err) == (Exit.USAGE, True)


@pytest.mark.parametrize("arguments", [["--help"], ["recall", "--help"]])
def test_the_terminal_library_is_loaded_for_this_command_only(arguments: list[str]) -> None:
    code = f"import sys; from r_memory.cli.app import run; run({arguments}); print('textual' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "False"
