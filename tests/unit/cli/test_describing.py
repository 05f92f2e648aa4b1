"""`describe`: the golden file is what somebody reviewed; a change of a text shows as a change of it."""

from pathlib import Path

from r_memory.cli.app import Exit
from tests.unit.cli.conftest import Command

GOLDEN = Path(__file__).parents[2] / "golden" / "as_model.txt"


def test_what_a_model_reads_is_what_was_reviewed(command: Command) -> None:
    """After a change on purpose: `r-memory describe --audit --hooks > tests/golden/as_model.txt`."""
    done = command("describe", "--audit", "--hooks")
    assert done.code == Exit.DONE, done.err
    assert done.out.splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()


def test_for_programs_the_tools_come_as_they_are_on_the_wire(command: Command) -> None:
    told = command("describe", "--json", "--read-only").json
    assert "memory_build_context" in {tool["name"] for tool in told["tools"]}
    assert {tool["annotations"]["readOnlyHint"] for tool in told["tools"]} == {True}
    assert told["instructions"].startswith("r-memory keeps the facts")
