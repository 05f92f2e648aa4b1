"""Codex keeps its servers in TOML: comments, order and spelling of everything else stay."""

import tomllib

import pytest

from r_memory.cli.installing.toml import edited, plain
from r_memory.errors import InvalidInput

PATH = ("mcp_servers", "r-memory")
ENTRY = {"command": "/bin/r-memory", "args": ["serve"], "env": {"R_MEMORY_SPACE": "default"}}
CASES = {
    "commented": '# mine\nmodel = "o9" # best\n\n[mcp_servers.other] # keep\ncommand = "x"\n\n[profiles.fast]\nx = 1\n',
    "nothing": "",
    "no servers": 'model = "o9"\n',
    "explicit table": '[mcp_servers]\n\n[mcp_servers.other]\ncommand = "x"\n',
    "quoted": '[mcp_servers."other one"]\ncommand = "x"\n',
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_an_entry_is_added_and_every_line_that_was_there_stays(text: str) -> None:
    changed = edited(text, PATH, ENTRY)
    assert tomllib.loads(changed)["mcp_servers"]["r-memory"] == ENTRY
    assert [line for line in text.splitlines() if line not in changed.splitlines()] == []
    assert edited(changed, PATH, ENTRY) == changed
    back = plain(edited(changed, PATH, None))
    assert {**back, "mcp_servers": 0} == {**plain(text), "mcp_servers": 0}


@pytest.mark.parametrize("text", ["a = ", 'mcp_servers = "x"', "[[mcp_servers]]\na = 1\n", "mcp_servers = {a = {}}\n"])
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        edited(text, PATH, ENTRY)


def test_taking_out_what_is_not_there_changes_nothing() -> None:
    for text in CASES.values():
        assert edited(text, PATH, None) == text
