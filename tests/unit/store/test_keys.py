"""Keys of the setup, of a database, and of another program, by the words of each engine."""

import pytest

from r_memory.config.files import packaged_defaults
from r_memory.store.keys import Key, foreign, found_in, made_by, violated

OWN = frozenset({Key("Entity", ("uid",)), Key("Episode", ("id", "space"))})


def setup(engine: str) -> str:
    return (packaged_defaults() / "cypher" / "setup" / f"{engine}.cypher").read_text(encoding="utf-8")


def test_both_engines_are_given_the_same_keys_and_none_is_overlooked() -> None:
    assert made_by(setup("neo4j")) == made_by(setup("arcadedb"))
    assert len(made_by(setup("neo4j"))) == setup("neo4j").count("CREATE CONSTRAINT")


def test_keys_are_found_by_what_they_are_not_by_their_names() -> None:
    rows = [
        {"name": "a", "kind": "UNIQUENESS", "labels": ["Entity"], "properties": ["uid"]},
        {"name": "b", "kind": "NODE_PROPERTY_UNIQUENESS", "labels": ["Episode"], "properties": ["space", "id"]},
        {"name": "c", "kind": "NODE_PROPERTY_EXISTENCE", "labels": ["Entity"], "properties": ["id"]},
    ]
    assert found_in(rows) == OWN


def test_a_wider_key_and_a_key_on_something_else_stand_in_nobodys_way() -> None:
    others = [Key("Entity", ("id",)), Key("Entity", ("name", "uid")), Key("Movie", ("id",)), Key("Patient", ("id",))]
    assert foreign(others, OWN, ["Entity", "Episode", "Patient"]) == (Key("Entity", ("id",)), Key("Patient", ("id",)))


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("Node(7) already exists with label `Entity` and property `id` = 'x'", Key("Entity", ("id",))),
        ("Node(7) already exists with label `Entity` and property `uid` = 'x'", None),
        ("Node(7) already exists with label `Episode` and properties `space` = 'a', `id` = 'b'", None),
        ("Node(7) already exists with label `Memory` and properties `a` = '1', `b` = '2'", Key("Memory", ("a", "b"))),
        ("Node(7) already exists with label `Patient` and property `id` = 'label `Entity`'", Key("Patient", ("id",))),
        ("Duplicated key [x] found on index 'Entity[id]' already assigned to record #14:0", Key("Entity", ("id",))),
        ("Duplicated key [x] found on index 'Entity[uid]' already assigned to record #14:0", None),
        ("Duplicated key [a, b] found on index 'Episode[space,id]' already assigned to record #5:0", None),
        ("Duplicated key [ found on index 'Entity[id]'] found on index 'Entity[uid]' already assigned", None),
        ("Error executing Cypher command: CREATE (n)", None),
        ("", None),
    ],
)
def test_the_violated_key_of_another_program_is_told_from_an_own_one(said: str, key: Key | None) -> None:
    assert violated(said, OWN) == key
