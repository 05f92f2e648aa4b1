"""`check` on schemas that load and do not do what they say: each finding with file, line and what to do."""

from functools import partial
from pathlib import Path

import pytest

from r_memory.cli.app import Exit
from r_memory.config import settings
from r_memory.config.files import Files, packaged_defaults
from tests.unit.cli.conftest import Command

SCHEMA = """\
schema: garden
subject: Plant
lexicon: garden
intents: intents/garden.yaml
unavailable: Ask the gardener.
relations:
  SUFFERS_FROM:
    object: Pest
    critical: true
    line: "{subject} suffers from {object}."
    templates:
    - "suffers from {object+}"
    examples:
    - {text: It suffers from aphids., expect: {object: aphid}}
    - {text: It suffers from mites no longer., expect: {object: mite}, status: resolved}
    - {text: Does it suffer from aphids?, expect: none}
"""
LEXICON = """\
Pest:
  aphid: "greenfly"
  mite: ""
"""
INTENTS = """\
version: 1
intents:
  TREAT:
    description: "A plant is treated."
    edges: [SUFFERS_FROM]
    keywords: [spray]
    examples:
    - spray the roses
    - treat the hedge
    - what helps against aphids
    - get rid of the mites
    - spray the beans tonight
    - treat the apple tree
    - something for the lettuce
    - wash the leaves with soap
    - order a spray
    - treat it again
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with one small domain, and no shipped one beside it."""
    shipped, defaults = packaged_defaults(), tmp_path / "defaults"
    (defaults / "schema").mkdir(parents=True)
    (defaults / "schema" / "language").symlink_to(shipped / "schema" / "language")
    (defaults / "cypher").symlink_to(shipped / "cypher")
    monkeypatch.setattr(settings, "Files", partial(Files, defaults=defaults))
    monkeypatch.setenv("R_MEMORY_SCHEMA", "garden")
    for name, text in {
        "schema/garden.yaml": SCHEMA,
        "schema/lexicon/garden.yaml": LEXICON,
        "intents/garden.yaml": INTENTS,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def changed(home: Path, name: str, old: str, new: str) -> int:
    """Replaces some text of a file; gives the line that holds it."""
    file = home / name
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def findings(out: str, home: Path) -> list[str]:
    """What was printed of the files of the home."""
    return [line for line in out.splitlines() if str(home) in line]


def test_a_small_domain_that_does_what_it_says_has_no_findings(command: Command, home: Path) -> None:
    done = command("check", "--home", str(home))
    assert (done.code, findings(done.out, home)) == (Exit.DONE, [])


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("schema/garden.yaml", "object: aphid}}", "object: mite}}", "gives aphid (active), not object mite"),
        ("schema/garden.yaml", "{object: aphid}}", "{object: aphid}, status: negated}", "gives aphid (active), not"),
        (
            "schema/garden.yaml",
            "Does it suffer from aphids?",
            "It suffers from aphids.",
            "gives aphid (active) and should",
        ),
        ("schema/garden.yaml", "from {object+}", "of {object+}", "gives nothing, not object aphid (active)"),
        ("schema/garden.yaml", "{object+}", "{object", "close every brace"),
        ("schema/lexicon/garden.yaml", 'mite: ""', 'mite: "greenfly"', "word for Pest 'aphid' already"),
    ],
)
def test_a_schema_that_does_not_do_what_it_says_is_an_error_with_file_and_line(
    command: Command, home: Path, file: str, old: str, new: str, said: str
) -> None:
    changed(home, file, old, new)
    done = command("check", "--home", str(home))
    errors = [line for line in findings(done.out, home) if line.startswith("error: ")]
    assert done.code == Exit.USAGE
    assert any(said in line and "schema/" in line for line in errors), done.out


def test_the_line_of_a_wrong_example_is_named(command: Command, home: Path) -> None:
    line = changed(home, "schema/garden.yaml", "It suffers from aphids.", "It suffers from snails.")
    done = command("check", "--home", str(home))
    assert f"error: {home / 'schema' / 'garden.yaml'}:{line}: " in done.out


def test_words_of_a_template_that_the_lexicon_takes_are_an_error(command: Command, home: Path) -> None:
    line = changed(home, "schema/garden.yaml", '"suffers from {object+}"', '"(attack|attacks) (of|by) {object+}"')
    changed(home, "schema/lexicon/garden.yaml", 'mite: ""', 'mite: "attack of mites, attacks of"')
    done = command("check", "--home", str(home))
    swallowed = [found for found in findings(done.out, home) if "is never found" in found]
    assert len(swallowed) == 1
    assert f"garden.yaml:{line}: " in swallowed[0]
    assert "'attacks of' is a word for Pest 'mite'" in swallowed[0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('    templates:\n    - "suffers from {object+}"\n', "", "no sentence states it"),
        ("    - {text: Does it suffer from aphids?, expect: none}\n", "", "2 of 3 examples"),
    ],
)
def test_what_a_relation_lacks_is_a_warning(command: Command, home: Path, old: str, new: str, said: str) -> None:
    changed(home, "schema/garden.yaml", old, new)
    done = command("check", "--home", str(home))
    assert any(line.startswith("warning: ") and said in line for line in findings(done.out, home)), done.out


def test_look_alikes_are_counted_ten_are_printed_and_all_are_asked_for(command: Command, home: Path) -> None:
    names = "".join(f"  pestolin{letter}: ''\n" for letter in "abcdef")
    changed(home, "schema/lexicon/garden.yaml", '  mite: ""\n', f"  mite: ''\n{names}")
    few = command("check", "--home", str(home))
    every = command("check", "--home", str(home), "--all")
    as_json = command("check", "--home", str(home), "--json")
    listed = [found for found in as_json.json["findings"] if found["severity"] == "notice"]
    assert few.code == Exit.DONE
    assert few.out.count("notice: ") == 10
    assert "5 more notices, 0 of them about shipped files; see --all" in few.out
    assert every.out.count("notice: ") == 15
    assert len(listed) == 15
    assert "'pestolina' and 'pestolinb' (pestolinb) look alike" in str(listed[0]["text"])


def test_notices_about_shipped_files_are_only_counted(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can mend them, and they would hide those about one's own files."""
    assert "notice: " not in command("check").out
    (tmp_path / "intents.yaml").write_bytes(Files().read("intents.yaml").path.read_bytes())
    monkeypatch.setenv("R_MEMORY_HOME", str(tmp_path))
    done = command("check")
    shown = [line for line in done.out.splitlines() if line.startswith("notice: ")]
    assert all(str(tmp_path) in line for line in shown)
    assert "of them about shipped files; see --all" in done.out
