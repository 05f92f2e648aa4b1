"""A schema, lexicon, pack or table that builds on another: continued, not copied."""

from pathlib import Path

import pytest

from r_memory.config.files import Files
from r_memory.config.including import chain, joined
from r_memory.config.loading import load_domain
from r_memory.errors import ConfigurationError

BASE = """
kept: 1
changed: base
words: [one, two]
deep: {left: {a: 1, b: 2}, right: x}
rows: {first: {a: 1}, second: {a: 2}}
"""
OWN = """
include: [base.yaml]
changed: own
words: [three]
deep: {left: {b: 3}, more: y}
rows: {second: {b: 9}}
"""


def files(folder: Path, **texts: str) -> Files:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return Files(defaults=folder)


def test_a_file_continues_what_it_includes_and_has_the_last_word(tmp_path: Path) -> None:
    whole = joined(files(tmp_path, base=BASE, own=OWN), "own.yaml", whole=("rows",))

    assert whole.document.data == {
        "include": ["base.yaml"],
        "kept": 1,
        "changed": "own",
        "words": ["one", "two", "three"],
        "deep": {"left": {"a": 1, "b": 3}, "right": "x", "more": "y"},
        "rows": {"first": {"a": 1}, "second": {"b": 9}},
    }
    assert [source.path.name for source in whole.sources] == ["base.yaml", "own.yaml"]


def test_keys_of_its_own_are_not_taken_over(tmp_path: Path) -> None:
    whole = joined(files(tmp_path, base=BASE, own=OWN), "own.yaml", own=("kept",))

    assert isinstance(whole.document.data, dict)
    assert "kept" not in whole.document.data


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ("include: [own.yaml]\n", "includes itself (own.yaml → own.yaml); remove one of these"),
        ("include: [base.yaml]\n", "includes itself (own.yaml → base.yaml → own.yaml); remove one of these"),
        ("include: [nowhere.yaml]\n", "no file 'nowhere.yaml'; write the path below the home"),
    ],
)
def test_a_circle_and_a_missing_file_are_named_with_their_line(tmp_path: Path, own: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        list(chain(files(tmp_path, base="include: [own.yaml]\n", own=own), "own.yaml"))

    assert told in str(refused.value)
    assert str(refused.value.file).endswith(".yaml")
    assert refused.value.line == 1


def test_health_in_the_personal_domain_is_the_clinical_one_and_no_copy_of_it() -> None:
    personal, clinical = load_domain(Files(), "personal"), load_domain(Files(), "clinical")
    shared = personal.schema.relations.keys() & clinical.schema.relations.keys()

    assert shared == clinical.schema.relations.keys()
    forms = [(personal.schema.relations[name], clinical.schema.relations[name]) for name in shared]
    assert all(own.phrasing == theirs.phrasing and own.belongs == theirs.belongs for own, theirs in forms)
    assert all(
        clinical.schema.lexicon.terms[type_].items() <= personal.schema.lexicon.terms[type_].items()
        for type_ in ("Drug", "DrugClass", "Condition", "Device", "Reaction")
    )
    assert {rule.id for rule in clinical.knowledge.rules} <= {rule.id for rule in personal.knowledge.rules}
    assert clinical.intents.intents.keys() <= personal.intents.intents.keys()
    own = Files().text("schema/personal.yaml")
    assert not any(f"  {name}:" in own for name in shared)


def test_a_change_of_what_is_included_is_another_version(tmp_path: Path) -> None:
    before = load_domain(Files(), "personal").schema.version
    home = tmp_path / "home" / "schema"
    home.mkdir(parents=True)
    changed = Files().text("schema/clinical.yaml").replace("about: allergies", "about: all allergies")
    (home / "clinical.yaml").write_text(changed, encoding="utf-8")

    after = load_domain(Files(home=tmp_path / "home"), "personal").schema

    assert after.version != before
    assert after.about.startswith("who is who")
