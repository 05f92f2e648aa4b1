"""The command line as a whole: what it lists, how it refuses, and the exit codes of the design."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from r_memory.cli import app
from r_memory.cli.app import COMMANDS, Exit, exit_code, run
from r_memory.errors import (
    ConfigurationError,
    InvalidInput,
    NotStored,
    RMemoryError,
    StoreUnavailable,
    SubjectUnknown,
    UnknownName,
)


def function(name: str) -> object:
    return app._loaded(COMMANDS[name][0], name)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_list_is_the_first_of_the_commands_own_help(name: str) -> None:
    documented = inspect.getdoc(function(name)) or ""
    assert documented.splitlines()[0] == COMMANDS[name][1]


def test_the_list_of_commands_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == Exit.DONE
    listed = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")}
    assert set(COMMANDS) <= listed


@pytest.mark.parametrize("family", ["conversation", "eval", "knowledge", "bench"])
def test_a_family_lists_its_commands_with_whole_lines(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([family, "--help"]) == Exit.DONE
    assert "..." not in capsys.readouterr().out.partition("Commands:")[2]


def test_without_a_command_the_list_is_shown_and_nothing_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == Exit.DONE
    assert "Look at what is known:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "at", "offered"), [("r-memory reca", "1", "recall"), ("r-memory facts --as", "2", "--as-of")]
)
def test_a_shell_completes_commands_and_their_options(
    typed: str, at: str, offered: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_R_MEMORY_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", at)

    run([])

    assert capsys.readouterr().out.split() == [offered]


def test_the_list_of_commands_needs_neither_rich_nor_the_memory() -> None:
    """It must come at once: this module may import what is quick only."""
    tree = ast.parse(Path(app.__file__).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name and name.startswith(("r_memory", "rich"))} == {"r_memory.errors"}
    heavy = "r_memory.memory rich.console pydantic neo4j mcp numpy"
    probe = (
        "import sys, r_memory.cli.app as app; code = app.run(['--help']); "
        f"print([name for name in '{heavy}'.split() if name in sys.modules], code)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"


@pytest.mark.parametrize(
    "arguments", [["recal"], ["recall"], ["facts", "--no-such-option"], ["remember", "--role", "x"]]
)
def test_wrong_usage_is_exit_code_two_and_no_traceback(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == Exit.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Error:" in captured.err
    assert "Traceback" not in captured.err


def test_a_value_that_is_none_of_a_list_is_told_in_words_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["change", "deadbeef", "--reason", "why", "--to", "gone"]) == Exit.USAGE
    assert "'--to': 'gone' is not one of 'active', 'refuted'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigurationError("x"), 2),
        (InvalidInput("x"), 2),
        (SubjectUnknown("x"), 2),
        (UnknownName("audit", "x", []), 2),
        (StoreUnavailable("x"), 3),
        (NotStored("x"), 3),
        (RMemoryError("x"), 1),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: RMemoryError, code: int) -> None:
    assert exit_code(error) == code


def test_every_mistake_of_a_configuration_is_one_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    app.complain(ConfigurationError("a", file=Path("x.yaml"), line=3).among([ConfigurationError("b")]))
    assert capsys.readouterr().err.splitlines() == ["r-memory: x.yaml:3: a", "r-memory: b"]


def test_a_mistake_of_ours_is_one_line_without_its_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ValueError("words of a person")

    monkeypatch.setattr(app, "_loaded", lambda *_: broken)
    assert run(["facts"]) == Exit.CHECK_FAILED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("r-memory: unexpected ValueError; ")
    assert "words of a person" not in line


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no /dev/full on this system; run it on Linux")
@pytest.mark.parametrize("arguments", [["--help"], ["config", "--json"], ["facts", "--home", "/nowhere"]])
def test_an_answer_that_cannot_be_written_is_one_line_with_what_to_do(arguments: list[str]) -> None:
    """On a full disk: a cut answer must not pass for a whole one, and what else is wrong is told before."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "r_memory.cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            text=True,
            check=False,
        )
    *wrong, line = done.stderr.splitlines()
    assert done.returncode == Exit.CHECK_FAILED
    assert line.startswith("r-memory: the answer cannot be written (No space left on device); make room")
    assert len(wrong) == (arguments[0] == "facts")


def test_an_interruption_has_the_exit_code_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "_loaded", lambda *_: interrupted)
    assert run(["facts"]) == Exit.INTERRUPTED
