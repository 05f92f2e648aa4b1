"""Files of people, with their comments: one member changes, every other character stays."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.cli.installing.jsonc import edited, plain
from r_memory.errors import InvalidInput

PATH = ("mcpServers", "r-memory")
ENTRY = {"command": "/bin/r-memory", "args": ["serve"]}
COMMENTED = """\
// mine
{
    /* models */
    "theme": "dark", // by night
    "mcpServers": {
        // the first one
        "other": { "command": "x", "env": { "A": "1" }, }, // keep me
        /* and the last words */
    },
    "after": [1, 2,], // two
}
// the end
"""
CASES = {
    "commented": COMMENTED,
    "one line": '{"a": {"b": [1, {"c": "}"}]}, "mcpServers": {"other": {"command": "x"}}}',
    "tabs": '{\n\t"mcpServers": {\n\t\t"other": {}\n\t}\n}\n',
    "windows": '{\r\n  "theme": "dark"\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "theme": "dark"\n}',
    "no servers": '{\n  "theme": "dark" // last\n}\n',
    "empty servers": '{\n  "mcpServers": {}\n}\n',
    "servers with a comment only": '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
    "empty object": "{}",
    "nothing": "",
    "only a comment": "// nothing yet\n",
    "strings that look like code": '{"a": "// no \\" comment", "b": "/* no */ }", "mcpServers": {"x": {}}}',
}
HOPELESS = {
    "cut off": '{"a": 1',
    "no comma": '{"a": 1 "b": 2}',
    "two documents": "{} {}",
    "a list": "[]",
    "single quotes": "{'a': 1}",
    "bare keys": "{a: 1}",
    "a key twice": '{"a": 1, "a": 2}',
    "servers are a list": '{"mcpServers": []}',
    "an open comment": '{"a": 1} /* ',
    "a control character": '{"a": "\x01"}',
    "deep": '{"a":' * 100 + "1" + "}" * 100,
}


def squeezed(text: str) -> str:
    """Without what may change between two members: space, commas, and the braces of an empty object."""
    return "".join(text.split()).translate({ord(mark): None for mark in ",{}"})


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_an_entry_is_added_and_every_line_that_was_there_stays(text: str) -> None:
    changed = edited(text, PATH, ENTRY)
    assert plain(changed)["mcpServers"]["r-memory"] == ENTRY
    before = plain(text)
    assert {**plain(changed), "mcpServers": 0} == {**before, "mcpServers": 0}
    assert [line for line in text.splitlines() if squeezed(line) not in squeezed(changed)] == []


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_adding_twice_is_adding_once_and_taking_out_brings_back_what_was_said(text: str) -> None:
    once = edited(text, PATH, ENTRY)
    assert edited(once, PATH, ENTRY) == once
    assert plain(edited(once, PATH, None)) == {**plain(text), "mcpServers": plain(text).get("mcpServers", {})}


def test_an_entry_stands_where_a_person_would_have_written_it() -> None:
    expected = COMMENTED.replace(
        "        /* and the last words */\n",
        "        /* and the last words */\n"
        '        "r-memory": {\n'
        '            "command": "/bin/r-memory",\n'
        '            "args": [\n'
        '                "serve"\n'
        "            ]\n"
        "        }\n",
    )
    assert edited(COMMENTED, PATH, ENTRY) == expected
    back = edited(expected, PATH, None)
    assert plain(back) == plain(COMMENTED)
    assert [line for line in COMMENTED.splitlines() if squeezed(line) not in squeezed(back)] == []


def test_line_ends_and_marks_of_the_system_stay() -> None:
    assert "\n" not in edited(CASES["windows"], PATH, ENTRY).replace("\r\n", "")
    assert edited(CASES["byte order mark"], PATH, ENTRY).startswith("\ufeff{")
    assert '\n\t\t"r-memory": {' in edited(CASES["tabs"], PATH, ENTRY)


@pytest.mark.parametrize("text", HOPELESS.values(), ids=HOPELESS)
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        edited(text, PATH, ENTRY)


def test_taking_out_what_is_not_there_changes_nothing() -> None:
    for text in CASES.values():
        assert edited(text, ("mcpServers", "absent"), None) == text


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(document=st.dictionaries(NAMES, VALUES, max_size=4), indent=st.sampled_from([None, 1, 2, "\t"]))
def test_any_json_file_keeps_what_it_says(document: dict[str, object], indent: int | str | None) -> None:
    document = {**document, "mcpServers": {"other": {"command": "x"}}}
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    changed = edited(text, PATH, ENTRY)
    servers = {"other": {"command": "x"}, "r-memory": ENTRY}
    assert json.loads(changed) == {**document, "mcpServers": servers}
    assert json.loads(edited(changed, PATH, None)) == document
