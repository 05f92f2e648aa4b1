"""YAML with line numbers; issue 3, row "YAML with … refuses to start: file, line, remedy"."""

from pathlib import Path

import pytest
import yaml

from r_memory.config.files import Source
from r_memory.config.yaml_lines import FileModel, YamlDocument, load, parsed
from r_memory.errors import ConfigurationError


def document(content: str | bytes) -> YamlDocument:
    raw = content if isinstance(content, bytes) else content.encode()
    return load(Source(path=Path("home/a.yaml"), content=raw))


def test_words_stay_words_and_only_plain_numbers_become_numbers() -> None:
    words = "words: [no, on, off, yes, n, 1:30, 2020-01-01, 007, '5', 0x1F, 1_000]\n"
    text = words + "values: [1, -2, 2.5, true, false, null, ~]\n"

    assert document(text).data == {
        "words": ["no", "on", "off", "yes", "n", "1:30", "2020-01-01", "007", "5", "0x1F", "1_000"],
        "values": [1, -2, 2.5, True, False, None, None],
    }


def test_every_key_and_item_has_its_line() -> None:
    text = "a:\n  b: 1\n  c:\n  - x\n  - {d: y}\n"

    lines = document(text).lines

    assert lines == {
        (): 1,
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "c"): 3,
        ("a", "c", 0): 4,
        ("a", "c", 1): 5,
        ("a", "c", 1, "d"): 5,
    }


def test_a_byte_order_mark_is_not_part_of_the_first_key() -> None:
    assert document("\ufeffa: 1\n".encode()).data == {"a": 1}


BOMB = "a: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\n"


@pytest.mark.parametrize(
    ("content", "line", "remedy"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "duplicate key 'a', first in line 1; keep one"),
        ("a:\n\tb: 1\n", 2, "a tab in the indentation; use spaces"),
        ("a:\n  - x\n  \t- y\n", 3, "a tab in the indentation; use spaces"),
        (BOMB, 1, "an anchor (&a); remove it"),
        ("a: 1\nb: *a\n", 2, "an alias (*a); write the value out"),
        ("a: 1\n*a : 2\n", 2, "an alias (*a)"),
        ("a: 1\n<<: {b: 2}\nc: !!python/object/apply:os.system [ls]\n", 3, "a tag"),
        ("a: 1\n---\nb: 2\n", 2, "a second document; keep one per file"),
        ("a: [1, 2\nb: 3\n", 2, "check indentation, quotes and brackets here"),
        ('a: "open\n', 2, "check indentation, quotes and brackets here"),
        ("a:\n  b: 1\n c: 2\n", 3, "check indentation"),
        ("a: 1\n[b]: 2\n", 2, "a key that is not a word"),
        ("a: 1\n'': 2\n", 2, "an empty key"),
        ("a:\n  " + "[" * 5000, 2, "nested deeper than 32 levels; flatten it"),
        (b"a: 1\nb: \xff\xfe\n", 2, "not UTF-8; save the file as UTF-8"),
        ("a: 1\nb: x\x00y\n", 2, "a control character; remove it"),
        ("a: 1\nb: x\x07y\n", 2, "a control character; remove it"),
    ],
)
@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader])
def test_broken_yaml_is_refused_with_file_line_and_remedy(
    monkeypatch: pytest.MonkeyPatch, loader: type, content: str | bytes, line: int, remedy: str
) -> None:
    monkeypatch.setattr("r_memory.config.yaml_lines._LOADER", loader)

    with pytest.raises(ConfigurationError) as refused:
        document(content)

    assert (refused.value.file, refused.value.line) == (Path("home/a.yaml"), line)
    assert str(refused.value).startswith(f"{Path('home/a.yaml')}:{line}: ")
    assert remedy in str(refused.value)


class Inner(FileModel):
    """A form within a form."""

    size: int = 0
    words: list[str]


class Outer(FileModel):
    """A form."""

    name: str
    inner: dict[str, Inner]


def test_all_mistakes_of_form_are_gathered_each_with_its_line() -> None:
    text = "name: 5\ninner:\n  a: {size: big, words: [x]}\n  b:\n    word: [x]\n  c: [1]\ncalled: x\n"

    with pytest.raises(ConfigurationError) as refused:
        parsed(document(text), Outer)

    found = [refused.value, *refused.value.others]
    assert [error.line for error in found] == [1, 3, 4, 5, 6, 7]
    assert [str(error).split(": ", 1)[1] for error in found] == [
        "name: expected text; put it in quotes",
        "inner.a.size: expected a whole number",
        "inner.b: 'words' is missing; add it",
        "inner.b.word: unknown key 'word'; did you mean 'words'? known keys: size, words",
        "inner.c: expected a mapping; write lines of `key: value`",
        "called: unknown key 'called'; known keys: name, inner",
    ]


def test_an_empty_file_says_how_to_get_the_default() -> None:
    with pytest.raises(ConfigurationError, match="the file is empty; copy the default out"):
        parsed(document("# only a comment\n"), Outer)
